#include <math.h>

#include "input/keep.h"
#include "text/chars.h"

/* ---- numbers behind names ----------------------------------------------------------- */

enum { LOOKED = TRACK_BYTES, CHUNK = 64 * 1024 };

static size_t number_length(struct str s, size_t at) {
    size_t i = at;
    while (i < s.n && (is_digit(s.p[i]) || (s.p[i] && strchr("+-.eE", s.p[i])))) i++;
    while (i > at && !is_digit(s.p[i - 1])) i--;
    return i - at;
}

/* The value after a name and ": ", "=", " = ", "': " or a space; *end is where it ends. */
static bool value_after(struct str s, size_t at, double *value, size_t *end) {
    size_t i = at;
    while (i < s.n && i - at < 16 && strchr(" :='\"|\t[", s.p[i])) i++;
    if (i == at) return false; /* "global_step160" is a folder's name */
    size_t n = number_length(s, i);
    *end = i + n;
    if (n) return str_number(str_sub(s, i, n), value);
    bool nan = str_starts(str_from(s, i), STR("nan")) && !is_word(byte_at(s, i + 3));
    bool inf = str_starts(str_from(s, i), STR("inf")) && !is_word(byte_at(s, i + 3));
    if (nan) *value = NAN;
    if (inf) *value = INFINITY;
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

static double first_value(struct str s, const char *const *names, size_t n) {
    double value;
    size_t end;
    for (size_t i = 0; i < n; i++)
        if (named_value(s, names[i], &value, &end)) return value;
    return NAN;
}

static bool any_value(struct str s, const char *const *names, size_t n) {
    double value;
    size_t end;
    for (size_t i = 0; i < n; i++)
        if (named_value(s, names[i], &value, &end)) return true;
    return false;
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
    static const char *const losses[] = {"loss", "train_loss"};
    track->loss = first_value(s, losses, COUNT_OF(losses));
    ptrdiff_t comma = str_find(s, STR(", "), at);
    if (comma > 0 && str_has(str_from(s, (size_t)comma), STR("it/s"))) {
        size_t rate = (size_t)comma + 2;
        while (byte_at(s, rate) == ' ') rate++;
        if (!str_number(str_sub(s, rate, number_length(s, rate)), &track->rate)) track->rate = NAN;
    }
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

static bool read_named(struct str s, struct track *track) {
    static const char *const losses[] = {"loss",          "lm loss", "train_loss",
                                         "training loss", "lm_loss", "train loss"};
    static const char *const rates[] = {"runningavgsamplespersec", "samples per second",
                                        "samples/sec", "tokens per second", "it/s"};
    static const char *const epochs[] = {"epoch"};
    bool of_total = false, loss = any_value(s, losses, COUNT_OF(losses));
    if (loss) track->loss = first_value(s, losses, COUNT_OF(losses));
    bool stepped = named_step(s, track, &of_total);
    if (!stepped && loss) stepped = as_step(first_value(s, epochs, 1), &track->step);
    if (!stepped) return loss && s.p[0] == '{'; /* the Hugging Face trainer's rows */
    if (!loss && !of_total && !is_measured(s)) return false;
    track->rate = first_value(s, rates, COUNT_OF(rates));
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
    *track = (struct track){.step = -1, .loss = NAN, .rate = NAN};
    if (!digit) return false;
    ptrdiff_t percent = str_find(s, STR("%|"), 0);
    if (percent >= 0)
        return bar_is_training(s, (size_t)percent) && bar_step(s, (size_t)percent, track);
    if (str_has(s, STR("evaluat"))) return false; /* its own count of steps */
    bool may = str_has(s, STR("step")) || str_has(s, STR("iter")) || str_has(s, STR("loss"));
    return may && read_named(s, track);
}

/* ---- keeping ------------------------------------------------------------------------ */

static void write_track(struct evidence *evidence, struct track *track,
                        const struct origin *origin) {
    track->origin = *origin;
    track->origin.host = (struct str){0};
    vec_push(&evidence->arena, &evidence->tracks, *track);
}

bool tracks_add(struct track_keeper *keeper, struct evidence *evidence, struct str body,
                const struct origin *origin) {
    uint64_t chunk = origin->offset / CHUNK;
    struct track track;
    if (keeper->any && chunk == keeper->chunk) {
        struct track_waiting *waiting = &keeper->waiting[keeper->n_waiting++ % TRACKS_WAITING];
        waiting->origin = *origin;
        waiting->n = body.n < TRACK_BYTES ? body.n : TRACK_BYTES;
        if (waiting->n) memcpy(waiting->text, body.p, waiting->n);
        return false;
    }
    if (!track_read(body, &track)) return false;
    write_track(evidence, &track, origin);
    keeper->any = true;
    keeper->chunk = chunk;
    keeper->n_waiting = 0;
    return true;
}

void tracks_flush(struct track_keeper *keeper, struct evidence *evidence) {
    for (uint64_t i = 0; i < TRACKS_WAITING && i < keeper->n_waiting; i++) {
        const struct track_waiting *waiting =
            &keeper->waiting[(keeper->n_waiting - 1 - i) % TRACKS_WAITING];
        struct track track;
        if (!track_read((struct str){waiting->text, waiting->n}, &track)) continue;
        write_track(evidence, &track, &waiting->origin);
        break;
    }
    keeper->n_waiting = 0;
}
