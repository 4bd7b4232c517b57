#include "match/matcher.h"

#include "model/evidence.h"

#include <stdlib.h>

enum {
    WINDOW_STEP = LIMIT_TEXT / 2, /* so that any match up to this long lies whole in a window */
    WINDOWS_MAX = 256,
    WORDY_FAST = 8 /* texts after which machine code for the wordings pays */
};

static void mark(struct match_scratch *scratch, int signal) {
    if (scratch->seen[signal] == scratch->round) return;
    scratch->seen[signal] = scratch->round;
    int i = scratch->n_found++;
    for (; i > 0 && scratch->found[i - 1] > signal; i--) scratch->found[i] = scratch->found[i - 1];
    scratch->found[i] = signal;
}

static void look_up(const struct needle_set *set, struct match_scratch *scratch, struct str text,
                    size_t at, unsigned groups) {
    const struct trigger *trigger = trigger_find(set, trigger_load(text.p + at));
    if (!trigger) return;
    for (uint32_t i = 0; i < trigger->refs; i++) {
        const struct needle_ref *ref = &set->refs[trigger->first + i];
        const struct needle *needle = &set->needles[ref->needle];
        if ((needle->group & groups) && needle_stands(set, ref, text, at))
            mark(scratch, needle->signal);
    }
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
    bool loud = groups & (NEEDLE_PLAIN | NEEDLE_SENSITIVE);
    bool pulse = (groups & NEEDLE_PULSE) && matcher->pulse->n_triggers;
    unsigned of_signals = groups & ~(unsigned)NEEDLE_TROUBLE;
    round_start(matcher, scratch);
    for (size_t at = 0; at + NEEDLE_MIN <= text.n; at++) {
        if (loud) look_up(matcher->loud, scratch, text, at, of_signals);
        if (pulse) look_up(matcher->pulse, scratch, text, at, of_signals);
    }
}

bool line_speaks(const struct matcher *matcher, struct match_scratch *scratch, struct str text,
                 unsigned groups) {
    line_collect(matcher, scratch, text, groups);
    for (int i = 0; i < scratch->n_found; i++)
        if (program_run(matcher->programs, scratch->runner, scratch->found[i], text, true, NULL) !=
            PROGRAM_MISS)
            return true;
    return false;
}

/* ---- match_line
 * ----------------------------------------------------------------------------------------- */

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
                       struct str window, uint32_t offset, bool fast, struct matches *out) {
    struct match match;
    if (has_match(out, signal)) return;
    int result = program_run(matcher->programs, scratch->runner, signal, window, fast, &match);
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
    bool fast = scratch->n_wordy >= WORDY_FAST;
    lower_into(scratch->lower, window);
    for (int i = 0; i < matcher->n_wordings; i++)
        if (wording_may(&matcher->wordings[i], lower))
            try_signal(matcher, scratch, matcher->wordings[i].signal, window, offset, fast, out);
    if (!fast) scratch->n_wordy++;
}

static void try_window(const struct matcher *matcher, struct match_scratch *scratch,
                       struct str window, uint32_t offset, unsigned kinds, struct matches *out) {
    if (kinds & ~(1u << IN_WORDS)) {
        line_collect(matcher, scratch, window, NEEDLE_PLAIN | NEEDLE_SENSITIVE | NEEDLE_PULSE);
        for (int i = 0; i < scratch->n_found; i++) {
            int signal = scratch->found[i];
            if (kinds >> matcher->kb->signals[signal].in & 1)
                try_signal(matcher, scratch, signal, window, offset, true, out);
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
