#include "match/guard.h"

#include "text/chars.h"

enum { PLACES = 16 /* digits that are looked at, from where the match would begin */ };

/* The decision's only loud signal, as an index into its ids; -1 where there is none or are more, or
 * it is not known where its match begins. */
static int only_loud(const struct matcher *matcher, const struct decision *decision) {
    int loud = -1;
    for (int i = 0; i < decision->n; i++) {
        int signal = decision->ids[i];
        if (matcher->pulses[signal] || matcher->milds[signal]) continue;
        if (loud >= 0) return -1;
        loud = i;
    }
    return loud >= 0 && (decision->lone >> loud & 1) ? loud : -1;
}

/* Whether the signal misses every line that is like this one but for its digits and has the digit
 * at `at`. */
static bool excludes(const struct matcher *matcher, struct match_scratch *scratch, int signal,
                     struct str line, size_t from, size_t at, char digit) {
    int form = digit == '0' ? PROGRAM_ANY_1 : PROGRAM_ANY_0;
    char any = digit == '0' ? '1' : '0', *text = scratch->lower;
    for (size_t i = 0; i < line.n; i++) text[i] = (char)(is_digit(line.p[i]) ? any : line.p[i]);
    text[at] = digit;
    return program_run_at(matcher->programs, scratch->runner,
                          form * matcher->kb->n_signals + signal, (struct str){text, line.n}, from,
                          NULL) == PROGRAM_MISS;
}

static unsigned excluded_at(const struct matcher *matcher, struct match_scratch *scratch,
                            int signal, struct str line, size_t from, size_t at) {
    if (!excludes(matcher, scratch, signal, line, from, at, line.p[at])) return 0;
    unsigned excluded = 0;
    for (char digit = '0'; digit <= '9'; digit++)
        if (excludes(matcher, scratch, signal, line, from, at, digit))
            excluded |= 1u << (digit - '0');
    return excluded;
}

void guard_tried(const struct matcher *matcher, struct match_scratch *scratch, struct str line,
                 const struct decision *decision) {
    if (!memo_vain(scratch->memo, decision)) return;
    int loud = only_loud(matcher, decision);
    if (loud < 0 || line.n > LIMIT_TEXT) return;
    size_t from = decision->at[loud], best_at = 0;
    unsigned best = 0;
    int places = 0;
    for (size_t at = from; at < line.n && places < PLACES; at++) {
        if (!is_digit(line.p[at])) continue;
        places++;
        unsigned excluded = excluded_at(matcher, scratch, decision->ids[loud], line, from, at);
        if (__builtin_popcount(excluded) <= __builtin_popcount(best)) continue;
        best = excluded;
        best_at = at;
    }
    if (best) memo_guard(scratch->memo, decision, best_at, best);
}
