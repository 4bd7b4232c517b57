#include <math.h>

#include "input/keep.h"
#include "text/chars.h"

/* ---- numbers behind names
 * ------------------------------------------------------------------------------ */

static size_t number_length(struct str s, size_t at) {
    size_t i = at;
    while (i < s.n && (is_digit(s.p[i]) || (s.p[i] && strchr("+-.eE", s.p[i])))) i++;
    while (i > at && !is_digit(s.p[i - 1])) i--;
    return i - at;
}

/* The value after a name and ": ", "=", " = ", "': " or a space. */
static bool value_after(struct str s, size_t at, double *value) {
    size_t i = at;
    while (i < s.n && i - at < 4 && strchr(" :='\"|\t", s.p[i])) i++;
    if (i == at) return false; /* "global_step160" is a folder's name */
    size_t n = number_length(s, i);
    if (n) return str_number(str_sub(s, i, n), value);
    bool nan = str_eq_nocase(str_sub(s, i, 3), STR("nan")) && !is_word(byte_at(s, i + 3));
    bool inf = str_eq_nocase(str_sub(s, i, 3), STR("inf")) && !is_word(byte_at(s, i + 3));
    if (nan) *value = NAN;
    if (inf) *value = INFINITY;
    return nan || inf;
}

/* A name that stands alone: not inside another word, "'loss'" included. */
static bool named_value(struct str s, const char *name, double *value) {
    struct str word = str_of(name);
    for (ptrdiff_t at = str_find_nocase(s, word, 0); at >= 0;
         at = str_find_nocase(s, word, (size_t)at + 1)) {
        size_t end = (size_t)at + word.n;
        if (at > 0 && (is_alpha(s.p[at - 1]) || is_digit(s.p[at - 1]))) continue;
        if (is_word(byte_at(s, end)) && !is_digit(byte_at(s, end))) continue;
        if (value_after(s, end, value)) return true;
    }
    return false;
}

static bool as_step(double value, int64_t *step) {
    if (!(value >= 0 && value < 1e12) || value != floor(value)) return false;
    *step = (int64_t)value;
    return true;
}

/* tqdm: "| 406/2353 [12:48<56:51,  1.75s/it]". */
static bool bar_step(struct str s, struct track *track) {
    ptrdiff_t unit = str_find(s, STR("/s"), 0), per = str_find(s, STR("s/"), 0),
              bar = str_find(s, STR("| "), 0);
    if (bar < 0 || (unit < 0 && per < 0) || !str_has(s, STR("%|"))) return false;
    size_t at = (size_t)bar + 2;
    /* the bar itself may be drawn with '|' once more */
    for (ptrdiff_t next; (next = str_find(s, STR("| "), at)) >= 0;) at = (size_t)next + 2;
    while (byte_at(s, at) == ' ') at++;
    size_t n = number_length(s, at);
    double value;
    if (!n || byte_at(s, at + n) != '/' || !str_number(str_sub(s, at, n), &value) ||
        !as_step(value, &track->step))
        return false;
    ptrdiff_t comma = str_find(s, STR(", "), at);
    if (comma > 0 && str_has(str_from(s, (size_t)comma), STR("it/s"))) {
        size_t rate = (size_t)comma + 2;
        while (byte_at(s, rate) == ' ') rate++;
        if (!str_number(str_sub(s, rate, number_length(s, rate)), &track->rate)) track->rate = NAN;
    }
    return true;
}

/* Training has bars of its own; others load data, weights, or build something. */
static bool bar_is_training(struct str s) {
    static const char *const others[] = {
        "Loading",   "Downloading", "Map",       "Generating", "Tokeniz", "Filter", "Fetching",
        "Resolving", "Building",    "Capturing", "Processed",  "Saving",  "shards", "Creating"};
    struct str head = str_sub(s, 0, 60);
    for (size_t i = 0; i < COUNT_OF(others); i++)
        if (str_has(head, str_of(others[i]))) return false;
    return !str_has(s, STR("examples/s")) && !str_has(s, STR("B/s"));
}

static bool named_step(struct str s, struct track *track) {
    static const char *const names[] = {"global_step", "global step", "iteration", "step",
                                        "steps",       "iter",        "train_step"};
    double value;
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (named_value(s, names[i], &value) && as_step(value, &track->step)) return true;
    return false;
}

static bool is_measured(struct str s) {
    static const char *const names[] = {
        "lr",         "learning_rate",    "learning rate", "time",       "step_time", "elapsed",
        "grad_norm",  "grad norm",        "skipped",       "perplexity", "acc",       "reward",
        "throughput", "tokens_per_second"};
    double value;
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (named_value(s, names[i], &value)) return true;
    return str_has(s, STR("PerSec")) || str_has(s, STR("per second")) || str_has(s, STR("it/s")) ||
           str_has(s, STR("lr=["));
}

bool track_read(struct str body, struct track *track) {
    struct str s = str_sub(body, 0, 600);
    *track = (struct track){.step = -1, .loss = NAN, .rate = NAN};
    bool digit = false;
    for (size_t i = 0; i < s.n && !digit; i++) digit = is_digit(s.p[i]);
    if (!digit) return false;
    bool bar = bar_step(s, track);
    if (bar && !bar_is_training(s)) return false;
    bool loss = false;
    static const char *const losses[] = {"loss",          "lm loss", "train_loss",
                                         "training loss", "lm_loss", "train loss"};
    for (size_t i = 0; i < COUNT_OF(losses) && !loss; i++)
        loss = named_value(s, losses[i], &track->loss);
    bool stepped = bar || named_step(s, track);
    /* a lone number behind "step" is text unless the line measures something */
    bool measured = bar || loss || (stepped && is_measured(s));
    if (!bar && stepped && measured) {
        static const char *const rates[] = {"RunningAvgSamplesPerSec", "samples per second",
                                            "samples/sec", "tokens per second", "it/s"};
        for (size_t i = 0; i < COUNT_OF(rates) && isnan(track->rate); i++)
            if (!named_value(s, rates[i], &track->rate)) track->rate = NAN;
    }
    return (stepped && measured) || (loss && s.p[0] == '{');
}

/* ---- keeping
 * -------------------------------------------------------------------------------------------------
 */

static void write_track(struct evidence *evidence, const struct track *track) {
    struct track copy = *track;
    copy.origin.host = (struct str){0};
    vec_push(&evidence->arena, &evidence->tracks, copy);
}

void tracks_add(struct track_keeper *keeper, struct evidence *evidence, const struct track *track) {
    uint64_t chunk = track->origin.offset / (64 * 1024);
    bool first = !keeper->any || chunk != keeper->chunk;
    keeper->last = *track;
    keeper->last.origin.host = (struct str){0};
    keeper->pending = !first;
    if (!first) return;
    write_track(evidence, track);
    keeper->any = true;
    keeper->chunk = chunk;
}

void tracks_flush(struct track_keeper *keeper, struct evidence *evidence) {
    if (keeper->pending) write_track(evidence, &keeper->last);
    keeper->pending = false;
}
