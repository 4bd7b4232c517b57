#include "match/matcher.h"

#include <stdlib.h>

enum {
    WINDOW_STEP = LIMIT_TEXT / 2, /* so that any match up to this long lies whole in a window */
    WINDOWS_MAX = 256
};

static void mark(struct match_scratch *scratch, int signal) {
    if (scratch->seen[signal] == scratch->round) return;
    scratch->seen[signal] = scratch->round;
    int i = scratch->n_found++;
    for (; i > 0 && scratch->found[i - 1] > signal; i--) scratch->found[i] = scratch->found[i - 1];
    scratch->found[i] = signal;
}

struct collecting {
    struct match_scratch *scratch;
    unsigned groups;
};

static void collect(void *ctx, size_t at, size_t start, const struct needle *needle) {
    const struct collecting *collecting = ctx;
    (void)at;
    (void)start;
    if (needle->group & collecting->groups) mark(collecting->scratch, needle->signal);
}

static void round_start(const struct matcher *matcher, struct match_scratch *scratch) {
    if (++scratch->round == 0) { /* wrapped around: old marks would look new */
        memset(scratch->seen, 0, sizeof *scratch->seen * (size_t)matcher->kb->n_signals);
        scratch->round = 1;
    }
    scratch->n_found = 0;
}

void line_collect(const struct matcher *matcher, struct match_scratch *scratch, struct str text,
                  unsigned groups) {
    struct collecting collecting = {scratch, groups & ~(unsigned)NEEDLE_TROUBLE};
    round_start(matcher, scratch);
    if (groups & ~(unsigned)NEEDLE_PULSE)
        needles_in(matcher->kernel, matcher->loud, text, collect, &collecting);
    if ((groups & NEEDLE_PULSE) && !matcher->pulse->empty)
        needles_in(matcher->kernel, matcher->pulse, text, collect, &collecting);
}

/* What was looked for may be a string of the expression: the author's needle must stand too. */
static bool has_needle(const struct signal *signal, struct str text) {
    for (int i = 0; i < signal->n_needles; i++)
        if (str_has(text, signal->needles[i])) return true;
    return signal->n_needles == 0;
}

int line_try(const struct matcher *matcher, struct match_scratch *scratch, int signal,
             struct str text, size_t from, struct match *match) {
    const struct signal *s = &matcher->kb->signals[signal];
    int result = program_run(matcher->programs, scratch->runner, signal, text, from, match);
    return result != PROGRAM_MISS && s->in != IN_WORDS && !has_needle(s, text) ? PROGRAM_MISS
                                                                               : result;
}

bool line_speaks(const struct matcher *matcher, struct match_scratch *scratch, struct str text,
                 unsigned groups) {
    line_collect(matcher, scratch, text, groups);
    for (int i = 0; i < scratch->n_found; i++)
        if (line_try(matcher, scratch, scratch->found[i], text, 0, NULL) != PROGRAM_MISS)
            return true;
    return false;
}

bool signal_is_mild(const struct matcher *matcher, int signal) {
    enum role role = matcher->kb->signals[signal].role;
    return role == ROLE_CONTEXT || role == ROLE_ADVICE || role == ROLE_PROGRESS;
}

static bool is_relaxed(const struct matcher *matcher, int signal) {
    return programs_has(matcher->programs, matcher->kb->n_signals + signal);
}

struct decision line_decide(const struct matcher *matcher, struct match_scratch *scratch,
                            struct str text) {
    struct decision decision = {0};
    uint16_t maybe[DECISION_IDS];
    int n_signals = matcher->kb->n_signals;
    line_collect(matcher, scratch, text, NEEDLE_PLAIN | NEEDLE_RELAXED);
    for (int i = 0; i < scratch->n_found && !decision.speaks; i++) {
        int signal = scratch->found[i], n = decision.n_mild + decision.n_maybe;
        bool relaxed = is_relaxed(matcher, signal);
        struct match match;
        int result = relaxed ? program_run(matcher->programs, scratch->runner, n_signals + signal,
                                           text, 0, &match)
                             : line_try(matcher, scratch, signal, text, 0, NULL);
        if (result == PROGRAM_MISS) continue;
        if (n == DECISION_IDS || (!relaxed && !signal_is_mild(matcher, signal)))
            decision.speaks = true;
        else if (!relaxed)
            decision.ids[decision.n_mild++] = (uint16_t)signal;
        else {
            /* what matches also matches relaxed, so not before this */
            decision.at[decision.n_maybe] = result == PROGRAM_HIT ? (uint16_t)match.start : 0;
            maybe[decision.n_maybe++] = (uint16_t)signal;
        }
    }
    memcpy(decision.ids + decision.n_mild, maybe, sizeof maybe[0] * decision.n_maybe);
    return decision;
}

/* ---- match_line -------------------------------------------------------------------------- */

struct matches {
    struct match *v;
    int n, max;
};

static bool has_match(const struct matches *out, int signal) {
    for (int i = 0; i < out->n; i++)
        if (out->v[i].signal == signal) return true;
    return false;
}

/* Keeps signal order; where there is no room the highest signal is dropped. */
static void add_match(struct matches *out, const struct match *match) {
    int i = out->n;
    if (out->n == out->max) {
        if (!out->max || out->v[out->max - 1].signal < match->signal) return;
        i--;
    } else {
        out->n++;
    }
    for (; i > 0 && out->v[i - 1].signal > match->signal; i--) out->v[i] = out->v[i - 1];
    out->v[i] = *match;
}

static void try_signal(const struct matcher *matcher, struct match_scratch *scratch, int signal,
                       struct str window, uint32_t offset, struct matches *out) {
    struct match match;
    if (has_match(out, signal)) return;
    int result = line_try(matcher, scratch, signal, window, 0, &match);
    if (result == PROGRAM_LIMIT) scratch->limited++;
    if (result != PROGRAM_HIT) return;
    match.signal = signal;
    match.start += offset;
    match.end += offset;
    add_match(out, &match);
}

static void lower_into(char *to, struct str text) {
    for (size_t i = 0; i < text.n; i++)
        to[i] = (char)(text.p[i] >= 'A' && text.p[i] <= 'Z' ? text.p[i] + 32 : text.p[i]);
}

static bool wording_may(const struct wording *wording, struct str lower) {
    for (int i = 0; i < wording->n_needles; i++)
        if (str_has(lower, wording->needles[i])) return true;
    return wording->n_needles == 0;
}

static void try_wordings(const struct matcher *matcher, struct match_scratch *scratch,
                         struct str window, uint32_t offset, struct matches *out) {
    struct str lower = {scratch->lower, window.n};
    lower_into(scratch->lower, window);
    for (int i = 0; i < matcher->n_wordings; i++)
        if (wording_may(&matcher->wordings[i], lower))
            try_signal(matcher, scratch, matcher->wordings[i].signal, window, offset, out);
}

static void try_window(const struct matcher *matcher, struct match_scratch *scratch,
                       struct str window, uint32_t offset, unsigned kinds, struct matches *out) {
    if (kinds & ~(1u << IN_WORDS)) {
        line_collect(matcher, scratch, window, ~0u);
        for (int i = 0; i < scratch->n_found; i++) {
            int signal = scratch->found[i];
            if (kinds >> matcher->kb->signals[signal].in & 1)
                try_signal(matcher, scratch, signal, window, offset, out);
        }
    }
    if (kinds >> IN_WORDS & 1) try_wordings(matcher, scratch, window, offset, out);
}

int match_line(const struct matcher *matcher, struct match_scratch *scratch, struct str line,
               unsigned kinds, struct match *out, int max) {
    struct matches matches = {out, 0, max};
    for (size_t offset = 0, n = 0; n < WINDOWS_MAX; n++, offset += WINDOW_STEP) {
        struct str window = str_sub(line, offset, LIMIT_TEXT);
        try_window(matcher, scratch, window, (uint32_t)offset, kinds, &matches);
        if (offset + window.n >= line.n) break;
    }
    return matches.n;
}
