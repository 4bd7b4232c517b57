/* matcher.h - what match_scan and match_line share; nobody outside match/ includes it (but its
 * tests). */
#ifndef FAULTLINE_MATCH_MATCHER_H
#define FAULTLINE_MATCH_MATCHER_H

#include "match/match.h"
#include "match/memo.h"
#include "match/needles.h"
#include "match/program.h"
#include "match/trouble.h"
#include "model/evidence.h"

/* What a signal's expression is compiled to: as it stands; and for lines in which '0', or '1',
 * stands for any digit: see syntax_relax. */
enum { PROGRAM_PLAIN, PROGRAM_ANY_0, PROGRAM_ANY_1, PROGRAM_FORMS };

/* A signal in users' words: needles in lower case, perhaps none. */
struct wording {
    int signal;
    struct str *needles;
    int n_needles;
};

struct matcher {
    const struct kb *kb;
    struct needle_set *loud;  /* needles of all signals but those in step lines, and trouble */
    struct needle_set *pulse; /* needles of step lines */
    struct needle_set *blind; /* those of both that masking changes, masked */
    struct wording *wordings;
    int n_wordings;
    uint32_t *heat; /* by signal: see match_heat */
    bool *pulses;   /* by signal: it stands in step lines */
    bool *milds;    /* by signal: it only lends colour; lines that no other signal hits are offered
                     * a few times */
    bool *digit_blind; /* by signal: digits do not matter to it, but those of addresses may */
    bool *steadfast;   /* by signal: see plan.h */
    struct programs *programs; /* PROGRAM_FORMS of each signal: signal + form * n_signals */
    const struct kernel *kernel;
};

/* How often a mild signal was offered in a stretch of a block. */
struct share {
    uint32_t round, taken;
};

/* How a block is read: see scan.c.  Tests choose, to hold the ways against each other. */
enum scan_way { SCAN_EITHER, SCAN_LINES, SCAN_NEEDLES };

struct match_scratch {
    struct runner *runner;
    struct memo *memo;
    uint64_t limited;
    uint32_t *seen; /* by signal: the round in which it was last found */
    uint32_t round;
    int *found; /* signals with a needle in the text at hand */
    int n_found;
    struct share *shares; /* by signal */
    uint32_t share_round;
    char *lower; /* LIMIT_TEXT bytes */
    struct buf mended, unwrapped;
    enum scan_way way;
};

/* What marks and signals, whatever their place (IN_WORDS aside), say of a text of at most
 * LIMIT_TEXT bytes. Valid until the next call.  `beyond`: see memo_find. */
const struct decision *line_decide(const struct matcher *matcher, struct match_scratch *scratch,
                                   struct str text, bool beyond);
/* True when the signal that is the decision's i-th hits the text (or its regex ran into the limit);
 * *match may be NULL. */
bool decision_hits(const struct matcher *matcher, struct match_scratch *scratch,
                   const struct decision *decision, int i, struct str text);

#endif
