#include <math.h>

#include "input/keep.h"
#include "text/chars.h"

/* ---- numbers behind names ----------------------------------------------------------- */

enum { LOOKED = TRACK_BYTES };

static size_t number_length(struct str s, size_t at) {
    size_t i = at;
    while (i < s.n && (is_digit(s.p[i]) || (s.p[i] && strchr("+-.eE", s.p[i])))) i++;
    while (i > at && !is_digit(s.p[i - 1])) i--;
    return i - at;
}

/* The value after a name and ": ", "=", " = ", "': " or a space, INFINITY for nan and inf; *end is
 * where it ends. */
static bool value_after(struct str s, size_t at, double *value, size_t *end) {
    size_t i = at;
    while (i < s.n && i - at < 16 && strchr(" :='\"|\t[", s.p[i])) i++;
    if (i == at) return false; /* "global_step160" is a folder's name */
    size_t n = number_length(s, i);
    *end = i + n;
    if (n) return str_number(str_sub(s, i, n), value);
    bool nan = str_starts(str_from(s, i), STR("nan")) && !is_word(byte_at(s, i + 3));
    bool inf = str_starts(str_from(s, i), STR("inf")) && !is_word(byte_at(s, i + 3));
    if (nan || inf) *value = INFINITY;
    return nan || inf;
}

/* A name that stands alone: not inside another word, "'loss'" included.  The line is in lower case.
 */
static bool named_value(struct str s, const char *name, double *value, size_t *end) {
    struct str word = str_of(name);
    for (ptrdiff_t at = str_find(s, word, 0); at >= 0; at = str_find(s, word, (size_t)at + 1)) {
        if (at > 0 && (is_alpha(s.p[at - 1]) || is_digit(s.p[at - 1]))) continue;
        if (value_after(s, (size_t)at + word.n, value, end)) return true;
    }
    return false;
}

static bool as_step(double value, int64_t *step) {
    if (!(value >= 0 && value < 1e12) || value != floor(value)) return false;
    *step = (int64_t)value;
    return true;
}

/* "54,321": thousands are parted in some logs. */
static double grouped(struct str s, size_t end, double value) {
    double part;
    while (byte_at(s, end) == ',' && str_number(str_sub(s, end + 1, 3), &part) &&
           is_digit(byte_at(s, end + 1)) && !is_digit(byte_at(s, end + 4)) && value < 1e9) {
        value = value * 1000 + part;
        end += 4;
    }
    return value;
}

static double first_value(struct str s, const char *const *names, size_t n) {
    double value;
    size_t end;
    for (size_t i = 0; i < n; i++)
        if (named_value(s, names[i], &value, &end)) return grouped(s, end, value);
    return NAN;
}

static bool any_value(struct str s, const char *const *names, size_t n) {
    double value;
    size_t end;
    for (size_t i = 0; i < n; i++)
        if (named_value(s, names[i], &value, &end)) return true;
    return false;
}

/* "val_loss", "aux loss", "eval/loss": other losses have their own course. */
static bool is_other_loss(struct str s, size_t at) {
    static const char *const others[] = {"val", "valid",     "validation", "eval", "evaluation",
                                         "dev", "test",      "aux",        "z",    "balance",
                                         "mtp", "balancing", "router",     "kl"};
    if (!at || !strchr("_ /-", s.p[at - 1])) return false;
    size_t end = at - 1, from = end;
    while (from && (is_alpha(s.p[from - 1]) || is_digit(s.p[from - 1]))) from--;
    struct str word = str_sub(s, from, end - from);
    for (size_t i = 0; i < COUNT_OF(others); i++)
        if (str_eq(word, str_of(others[i]))) return true;
    return false;
}

static double loss_value(struct str s) {
    double value;
    size_t end;
    for (ptrdiff_t at = str_find(s, STR("loss"), 0); at >= 0;
         at = str_find(s, STR("loss"), (size_t)at + 1)) {
        bool inside = at > 0 && (is_alpha(s.p[at - 1]) || is_digit(s.p[at - 1]));
        if (inside || is_other_loss(s, (size_t)at)) continue;
        if (value_after(s, (size_t)at + 4, &value, &end)) return value;
    }
    return NAN;
}

/* "train_time": of the whole run, mostly. */
static bool is_part(struct str s, const char *name) {
    ptrdiff_t at = str_find(s, str_of(name), 0);
    return at > 0 && strchr("_-/.", s.p[at - 1]);
}

/* Seconds that a step takes, by the name that each framework gives them. */
static double step_seconds(struct str s) {
    static const struct {
        const char *name;
        double unit;
    } names[] = {{"elapsed time per iteration (ms)", 1e-3},
                 {"elapsed_time_per_iteration_ms", 1e-3},
                 {"step_time_ms", 1e-3},
                 {"iter_time_ms", 1e-3},
                 {"iter time (s)", 1},
                 {"train_step_timing in s", 1},
                 {"step_time", 0},
                 {"step time", 0},
                 {"iter_time", 0},
                 {"iteration time", 0},
                 {"batch_time", 0},
                 {"step_avg", 0},
                 {"time", -1},
                 {"dt", -1}};
    double value;
    size_t end;
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        if (!named_value(s, names[i].name, &value, &end) || !(value > 0)) continue;
        double unit = names[i].unit;
        bool part = unit < 0 && is_part(s, names[i].name);
        if (part) continue;
        bool ms = byte_at(s, end) == 'm' && byte_at(s, end + 1) == 's';
        bool alone = byte_at(s, end) == 's' && !is_alpha(byte_at(s, end + 1));
        if (unit > 0) return value * unit;
        if (ms) return value / 1e3;
        /* a bare "time" may be of the clock or since the start */
        if (unit == 0 || (alone && byte_at(s, end - 1) != ':')) return value;
        if (str_has(s, STR("data_time")) && !str_has(s, STR("elapsed"))) return value;
    }
    return NAN;
}

static double data_seconds(struct str s) {
    static const char *const names[] = {"data_time",        "data time",      "dataloader_time",
                                        "data_loading",     "data loading",   "time_data",
                                        "data_loader_time", "data-load time", "batch_load_time"};
    double value;
    size_t end;
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (named_value(s, names[i], &value, &end))
            return byte_at(s, end) == 'm' && byte_at(s, end + 1) == 's' ? value / 1e3 : value;
    return NAN;
}

/* Most lines tell few of them: a word that all names of a figure hold is looked for first. */
static void read_rest(struct str s, struct track *track) {
    static const char *const norms[] = {"grad_norm",   "grad norm", "gnorm",
                                        "global_norm", "grad-norm", "gradnorm"};
    static const char *const scales[] = {"loss scale", "loss_scale"};
    static const char *const skips[] = {"skipped"};
    track->loss = loss_value(s);
    if (str_has(s, STR("norm"))) track->norm = (float)first_value(s, norms, COUNT_OF(norms));
    if (str_has(s, STR("scale"))) track->scale = (float)first_value(s, scales, COUNT_OF(scales));
    track->skipped = (float)first_value(s, skips, COUNT_OF(skips));
    bool timed = str_has(s, STR("tim")) || str_has(s, STR("step_avg")) || str_has(s, STR("dt"));
    if (timed) track->seconds = (float)step_seconds(s);
    if (str_has(s, STR("data")) || str_has(s, STR("load"))) track->data = (float)data_seconds(s);
}

/* ---- step lines --------------------------------------------------------------------- */

/* Training has bars of its own; others load data, weights, or build something.  A bar without a
 * name is the one of the Hugging Face trainer. */
static bool bar_is_training(struct str s, size_t percent) {
    static const char *const words[] = {"train", "epoch", "step",     "iter",
                                        "rank",  "fine",  "progress", "running"};
    size_t end = percent;
    while (end && (is_digit(s.p[end - 1]) || is_blank(s.p[end - 1]))) end--;
    struct str name = str_sub(s, 0, end);
    if (str_has(s, STR("examples/s")) || str_has(s, STR("b/s,")) || str_has(s, STR("b/s]")))
        return false;
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (str_has(name, str_of(words[i]))) return true;
    return name.n == 0;
}

/* tqdm: "| 406/2353 [12:48<56:51,  1.75s/it]". */
static bool bar_step(struct str s, size_t percent, struct track *track) {
    size_t at = percent + 2;
    /* the bar itself may be drawn with '|' once more */
    for (ptrdiff_t next; (next = str_find(s, STR("| "), at)) >= 0;) at = (size_t)next + 2;
    while (byte_at(s, at) == ' ') at++;
    size_t n = number_length(s, at);
    double value;
    if (!n || byte_at(s, at + n) != '/' || !str_number(str_sub(s, at, n), &value)) return false;
    if (!as_step(value, &track->step)) return false;
    read_rest(s, track);
    ptrdiff_t comma = str_find(s, STR(", "), at);
    if (comma < 0) return true;
    size_t rate = (size_t)comma + 2;
    while (byte_at(s, rate) == ' ') rate++;
    n = number_length(s, rate);
    if (!str_number(str_sub(s, rate, n), &value) || !(value > 0)) return true;
    if (str_starts(str_from(s, rate + n), STR("it/s"))) track->rate = value;
    if (str_starts(str_from(s, rate + n), STR("s/it"))) track->rate = 1 / value;
    return true;
}

/* "step=5", "iteration 120/ 500"; *of_total: the whole number stands behind it. */
static bool named_step(struct str s, struct track *track, bool *of_total) {
    static const char *const names[] = {"global_step", "global step", "iteration", "step",
                                        "steps",       "iter",        "train_step"};
    double value;
    size_t end;
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        if (!named_value(s, names[i], &value, &end) || !as_step(value, &track->step)) continue;
        *of_total =
            byte_at(s, end) == '/' && (is_digit(byte_at(s, end + 1)) || byte_at(s, end + 1) == ' ');
        return true;
    }
    return false;
}

/* A lone number behind "step" is text unless the line measures something. */
static bool is_measured(struct str s) {
    static const char *const names[] = {
        "lr",         "learning_rate",    "learning rate", "time",       "step_time", "elapsed",
        "grad_norm",  "grad norm",        "skipped",       "perplexity", "acc",       "reward",
        "throughput", "tokens_per_second"};
    return any_value(s, names, COUNT_OF(names)) || str_has(s, STR("persec")) ||
           str_has(s, STR("per second")) || str_has(s, STR("it/s")) || str_has(s, STR("lr=["));
}

/* "Epoch(train) [1][50/1000]", "Epoch [1][50/1000]" */
static bool bracket_step(struct str s, struct track *track) {
    ptrdiff_t at = str_find(s, STR("]["), 0);
    if (at < 0 || !str_has(s, STR("epoch"))) return false;
    size_t from = (size_t)at + 2;
    while (byte_at(s, from) == ' ') from++;
    size_t n = number_length(s, from);
    double value;
    return n && byte_at(s, from + n) == '/' && str_number(str_sub(s, from, n), &value) &&
           as_step(value, &track->step);
}

static bool read_named(struct str s, struct track *track) {
    static const char *const losses[] = {"loss",          "lm loss", "train_loss",
                                         "training loss", "lm_loss", "train loss"};
    static const char *const rates[] = {
        "currsamplespersec",  "samples per second",      "samples/sec", "tokens per second",
        "tokens_per_sec",     "tokens_per_second",       "tps",         "tok/s",
        "samples_per_second", "throughput (token/gpu/s)"};
    static const char *const epochs[] = {"epoch"};
    bool of_total = false, loss = any_value(s, losses, COUNT_OF(losses));
    bool stepped = named_step(s, track, &of_total);
    if (!stepped && loss) stepped = of_total = bracket_step(s, track);
    if (!stepped && loss) stepped = as_step(first_value(s, epochs, 1), &track->step);
    read_rest(s, track);
    if (!stepped) return loss && s.p[0] == '{'; /* the Hugging Face trainer's rows */
    if (!loss && !of_total && !is_measured(s)) return false;
    bool rated = str_has(s, STR("sec")) || str_has(s, STR("tps")) || str_has(s, STR("tok"));
    if (rated) track->rate = first_value(s, rates, COUNT_OF(rates));
    return true;
}

bool track_read(struct str body, struct track *track) {
    char room[LOOKED];
    struct str s = {room, body.n < LOOKED ? body.n : LOOKED};
    bool digit = false;
    for (size_t i = 0; i < s.n; i++) {
        room[i] = to_lower(body.p[i]);
        digit |= is_digit(room[i]);
    }
    *track = (struct track){.step = -1,
                            .loss = NAN,
                            .rate = NAN,
                            .seconds = NAN,
                            .data = NAN,
                            .norm = NAN,
                            .scale = NAN,
                            .skipped = NAN};
    if (!digit) return false;
    ptrdiff_t percent = str_find(s, STR("%|"), 0);
    if (percent >= 0)
        return bar_is_training(s, (size_t)percent) && bar_step(s, (size_t)percent, track);
    if (str_has(s, STR("evaluat"))) return false; /* its own count of steps */
    bool may = str_has(s, STR("step")) || str_has(s, STR("iter")) || str_has(s, STR("loss"));
    if (!may || !read_named(s, track)) return false;
    /* Megatron counts those since its last line, which adds up to nothing here */
    if (str_has(s, STR("skipped iterations"))) track->skipped = NAN;
    return true;
}
