#include <math.h>

#include "input/keep.h"
#include "text/chars.h"
#include "text/grams.h"

/* ---- numbers behind names ----------------------------------------------------------- */

enum { LOOKED = TRACK_BYTES };

/* A line in lower case, and the pairs of bytes in it: most of what is looked for it cannot hold. */
struct lowered {
    struct str text;
    const struct grams *grams;
};

static bool holds(const struct lowered *line, struct str text) {
    return grams_has(line->grams, line->text, text);
}

static size_t digits(struct str s, size_t at) {
    size_t i = at;
    while (i < s.n && is_digit(s.p[i])) i++;
    return i - at;
}

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

/* A name that stands alone: not inside another word, "'loss'" included. */
static bool named_value(const struct lowered *line, const char *name, double *value, size_t *end) {
    struct str word = str_of(name), s = line->text;
    if (!grams_may(line->grams, word)) return false;
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

static double first_value(const struct lowered *line, const char *const *names, size_t n) {
    double value;
    size_t end;
    for (size_t i = 0; i < n; i++)
        if (named_value(line, names[i], &value, &end)) return grouped(line->text, end, value);
    return NAN;
}

static bool any_value(const struct lowered *line, const char *const *names, size_t n) {
    double value;
    size_t end;
    for (size_t i = 0; i < n; i++)
        if (named_value(line, names[i], &value, &end)) return true;
    return false;
}

/* "val_loss", "aux loss", "eval/loss": other losses have their own course; those of policies and
 * critics lie around 0 by their nature. */
static bool is_other_loss(struct str s, size_t at) {
    static const char *const others[] = {
        "val",    "valid", "validation", "eval",    "evaluation", "dev",     "test",   "aux",
        "z",      "mtp",   "balancing",  "router",  "kl",         "balance", "policy", "pg",
        "critic", "actor", "ppo",        "entropy", "value",      "vf"};
    if (!at || !strchr("_ /-", s.p[at - 1])) return false;
    size_t end = at - 1, from = end;
    while (from && (is_alpha(s.p[from - 1]) || is_digit(s.p[from - 1]))) from--;
    struct str word = str_sub(s, from, end - from);
    for (size_t i = 0; i < COUNT_OF(others); i++)
        if (str_eq(word, str_of(others[i]))) return true;
    return false;
}

static double loss_value(const struct lowered *line) {
    struct str s = line->text;
    double value;
    size_t end;
    if (!grams_may(line->grams, STR("loss"))) return NAN;
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
static double step_seconds(const struct lowered *line) {
    struct str s = line->text;
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
        if (!named_value(line, names[i].name, &value, &end) || !(value > 0)) continue;
        double unit = names[i].unit;
        bool part = unit < 0 && is_part(s, names[i].name);
        if (part) continue;
        bool ms = byte_at(s, end) == 'm' && byte_at(s, end + 1) == 's';
        bool alone = byte_at(s, end) == 's' && !is_alpha(byte_at(s, end + 1));
        if (unit > 0) return value * unit;
        if (ms) return value / 1e3;
        /* a bare "time" may be of the clock or since the start */
        if (unit == 0 || (alone && byte_at(s, end - 1) != ':')) return value;
        if (holds(line, STR("data_time")) && !holds(line, STR("elapsed"))) return value;
    }
    return NAN;
}

static double data_seconds(const struct lowered *line) {
    struct str s = line->text;
    static const char *const names[] = {"data_time",        "data time",      "dataloader_time",
                                        "data_loading",     "data loading",   "time_data",
                                        "data_loader_time", "data-load time", "batch_load_time"};
    double value;
    size_t end;
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (named_value(line, names[i], &value, &end))
            return byte_at(s, end) == 'm' && byte_at(s, end + 1) == 's' ? value / 1e3 : value;
    return NAN;
}

/* Most lines tell few of them: a word that all names of a figure hold is looked for first. */
static void read_rest(const struct lowered *line, struct track *track) {
    static const char *const norms[] = {"grad_norm",   "grad norm", "gnorm",
                                        "global_norm", "grad-norm", "gradnorm"};
    static const char *const scales[] = {"loss scale", "loss_scale"};
    static const char *const skips[] = {"skipped"};
    track->loss = loss_value(line);
    if (holds(line, STR("norm"))) track->norm = (float)first_value(line, norms, COUNT_OF(norms));
    if (holds(line, STR("scale")))
        track->scale = (float)first_value(line, scales, COUNT_OF(scales));
    track->skipped = (float)first_value(line, skips, COUNT_OF(skips));
    bool timed = holds(line, STR("tim")) || holds(line, STR("step_avg")) || holds(line, STR("dt"));
    if (timed) track->seconds = (float)step_seconds(line);
    if (holds(line, STR("data")) || holds(line, STR("load")))
        track->data = (float)data_seconds(line);
}

/* ---- step lines --------------------------------------------------------------------- */

/* Training has bars of its own; others load data, weights, or build something.  A bar without a
 * name is the one of the Hugging Face trainer. */
static bool bar_is_training(const struct lowered *line, size_t percent) {
    static const char *const words[] = {"train", "epoch", "step",     "iter",
                                        "rank",  "fine",  "progress", "running"};
    struct str s = line->text;
    size_t end = percent;
    while (end && (is_digit(s.p[end - 1]) || is_blank(s.p[end - 1]))) end--;
    struct str name = str_sub(s, 0, end);
    if (holds(line, STR("examples/s")) || holds(line, STR("b/s,")) || holds(line, STR("b/s]")))
        return false;
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (str_has(name, str_of(words[i]))) return true;
    return name.n == 0;
}

/* tqdm: "| 406/2353 [12:48<56:51,  1.75s/it]". */
static bool bar_step(const struct lowered *line, size_t percent, struct track *track) {
    struct str s = line->text;
    size_t at = percent + 2;
    /* the bar itself may be drawn with '|' once more */
    for (ptrdiff_t next; (next = str_find(s, STR("| "), at)) >= 0;) at = (size_t)next + 2;
    while (byte_at(s, at) == ' ') at++;
    size_t n = number_length(s, at);
    double value;
    if (!n || byte_at(s, at + n) != '/' || !str_number(str_sub(s, at, n), &value)) return false;
    if (!as_step(value, &track->step)) return false;
    read_rest(line, track);
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
static bool named_step(const struct lowered *line, struct track *track, bool *of_total) {
    static const char *const names[] = {"global_step", "global step", "iteration", "step",
                                        "steps",       "iter",        "train_step"};
    struct str s = line->text;
    double value;
    size_t end;
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        if (!named_value(line, names[i], &value, &end) || !as_step(value, &track->step)) continue;
        *of_total =
            byte_at(s, end) == '/' && (is_digit(byte_at(s, end + 1)) || byte_at(s, end + 1) == ' ');
        return true;
    }
    return false;
}

/* A lone number behind "step" is text unless the line measures something. */
static bool is_measured(const struct lowered *line) {
    static const char *const names[] = {
        "lr",         "learning_rate",    "learning rate", "time",       "step_time", "elapsed",
        "grad_norm",  "grad norm",        "skipped",       "perplexity", "acc",       "reward",
        "throughput", "tokens_per_second"};
    return any_value(line, names, COUNT_OF(names)) || holds(line, STR("persec")) ||
           holds(line, STR("per second")) || holds(line, STR("it/s")) || holds(line, STR("lr=["));
}

/* "Epoch(train) [1][50/1000]", "Epoch: [1][ 50/1000]", "Epoch:   3 [    50/1000]": of several the
 * last that is followed by a slash. */
static bool bracket_step(const struct lowered *line, struct track *track) {
    struct str s = line->text;
    ptrdiff_t at = holds(line, STR("epoch")) ? str_find(s, STR("epoch"), 0) : -1;
    bool found = false;
    while (at >= 0 && (at = str_find(s, STR("["), (size_t)at + 1)) >= 0) {
        size_t from = (size_t)at + 1, n;
        double value;
        while (byte_at(s, from) == ' ') from++;
        n = number_length(s, from);
        if (n && byte_at(s, from + n) == '/' && str_number(str_sub(s, from, n), &value))
            found |= as_step(value, &track->step);
    }
    return found;
}

/* "[3,   440] loss: 0.118", "[16, 450/ 476] train_loss: 4.3", "Train: [3/300][50/1251] ...": an
 * epoch and a step of it, the epoch without its name. */
static bool pair_step(const struct lowered *line, struct track *track) {
    struct str s = line->text;
    for (ptrdiff_t at = str_find(s, STR("["), 0); at >= 0;
         at = str_find(s, STR("["), (size_t)at + 1)) {
        size_t i = (size_t)at + 1, n;
        double value;
        while (byte_at(s, i) == ' ') i++;
        if (!(n = digits(s, i))) continue;
        i += n;
        if (byte_at(s, i) == '/') {
            n = digits(s, i + 1);
            if (!n || !str_starts(str_from(s, i + 1 + n), STR("]["))) continue;
            i += n + 2;
        } else if (byte_at(s, i) != ',') {
            continue;
        }
        for (i++; byte_at(s, i) == ' ';) i++;
        n = digits(s, i);
        char after = byte_at(s, i + n);
        if (n && (after == '/' || after == ']') && str_number(str_sub(s, i, n), &value))
            return as_step(value, &track->step);
    }
    return false;
}

static bool read_named(const struct lowered *line, struct track *track) {
    static const char *const losses[] = {"loss",          "lm loss", "train_loss",
                                         "training loss", "lm_loss", "train loss"};
    static const char *const rates[] = {
        "currsamplespersec",  "samples per second",      "samples/sec", "tokens per second",
        "tokens_per_sec",     "tokens_per_second",       "tps",         "tok/s",
        "samples_per_second", "throughput (token/gpu/s)"};
    static const char *const epochs[] = {"epoch"};
    bool of_total = false, loss = any_value(line, losses, COUNT_OF(losses));
    bool stepped = named_step(line, track, &of_total);
    if (!stepped && loss) stepped = of_total = bracket_step(line, track) || pair_step(line, track);
    if (!stepped && loss) stepped = as_step(first_value(line, epochs, 1), &track->step);
    read_rest(line, track);
    if (!stepped) return loss && line->text.p[0] == '{'; /* the Hugging Face trainer's rows */
    if (!loss && !of_total && !is_measured(line)) return false;
    bool rated = holds(line, STR("sec")) || holds(line, STR("tps")) || holds(line, STR("tok"));
    if (rated) track->rate = first_value(line, rates, COUNT_OF(rates));
    return true;
}

bool track_read(struct str body, struct track *track) {
    struct grams grams;
    grams_make(&grams, str_sub(body, 0, LOOKED));
    return track_read_known(body, &grams, track);
}

typedef uint8_t bytes16 __attribute__((vector_size(16)));

/* Lower case in place, sixteen bytes at a time; true when a digit is among them. */
static bool lower_in_place(char *room, size_t n) {
    bytes16 digits = {0};
    for (size_t i = 0; i < n; i += sizeof(bytes16)) {
        bytes16 v;
        memcpy(&v, room + i, sizeof v);
        v |= (bytes16)((bytes16)(v - 'A') < 26) & 0x20;
        digits |= (bytes16)((bytes16)(v - '0') < 10);
        memcpy(room + i, &v, sizeof v);
    }
    uint64_t half[2];
    memcpy(half, &digits, sizeof half);
    return half[0] | half[1];
}

bool track_read_known(struct str body, const struct grams *grams, struct track *track) {
    char room[LOOKED + sizeof(bytes16)];
    struct str s = {room, body.n < LOOKED ? body.n : LOOKED};
    struct lowered line = {s, grams};
    if (s.n) memcpy(room, body.p, s.n);
    memset(room + s.n, 0, sizeof(bytes16));
    bool digit = lower_in_place(room, s.n);
    *track = (struct track){.step = -1,
                            .loss = NAN,
                            .rate = NAN,
                            .seconds = NAN,
                            .data = NAN,
                            .norm = NAN,
                            .scale = NAN,
                            .skipped = NAN};
    if (!digit) return false;
    ptrdiff_t percent = grams_may(grams, STR("%|")) ? str_find(s, STR("%|"), 0) : -1;
    if (percent >= 0)
        return bar_is_training(&line, (size_t)percent) && bar_step(&line, (size_t)percent, track);
    if (holds(&line, STR("evaluat"))) return false; /* its own count of steps */
    bool may = holds(&line, STR("step")) || holds(&line, STR("iter")) || holds(&line, STR("loss"));
    if (!may || !read_named(&line, track)) return false;
    /* Megatron counts those since its last line, which adds up to nothing here */
    if (holds(&line, STR("skipped iterations"))) track->skipped = NAN;
    return true;
}
