/* matcher.h - what match_scan and match_line share; nobody outside match/ includes it (but its
 * tests). */
#ifndef FAULTLINE_MATCH_MATCHER_H
#define FAULTLINE_MATCH_MATCHER_H

#include "match/match.h"
#include "match/memo.h"
#include "match/needles.h"
#include "match/program.h"
#include "model/evidence.h"

/* Marks of trouble that no signal has to know; the numbers stand in needle.signal. */
enum trouble {
    TROUBLE_TRACE, /* "(most recent call last)": always */
    TROUBLE_TYPE,  /* "Error", "Exception" ...: at the end of a type name that a colon or line end
                      follows */
    TROUBLE_WORD,  /* "ERROR", "fatal" ...: the line calls itself an error */
    TROUBLE_LOG    /* no trouble, but a container's JSON around the line, which mending takes off */
};

/* A signal in users' words: needles in lower case, perhaps none. */
struct wording {
    int signal;
    struct str *needles;
    int n_needles;
};

struct matcher {
    const struct kb *kb;
    struct needle_set *loud;  /* plain and sensitive needles, and trouble */
    struct needle_set *pulse; /* needles of step lines */
    struct wording *wordings;
    int n_wordings;
    uint32_t *heat;            /* by signal: see match_heat */
    struct programs *programs; /* one a signal, then the relaxed ones of NEEDLE_RELAXED */
    const struct kernel *kernel;
};

/* How often a mild signal was offered in a stretch of a block. */
struct share {
    uint32_t round, taken;
};

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
    struct buf mended;
};

/* Fills scratch->found with the signals of the needle groups that have a needle in the text, each
 * once, in signal order.  For texts up to LIMIT_TEXT. */
void line_collect(const struct matcher *matcher, struct match_scratch *scratch, struct str text,
                  unsigned groups);
/* Runs a signal's expression over the text (for matches from `from` on) and looks for its needle:
 * PROGRAM_HIT, _MISS or _LIMIT.
 */
int line_try(const struct matcher *matcher, struct match_scratch *scratch, int signal,
             struct str text, size_t from, struct match *match);
/* Decides about a text by its plain and relaxed needles. */
struct decision line_decide(const struct matcher *matcher, struct match_scratch *scratch,
                            struct str text);
/* True when a signal of the needle groups hits the text (or its regex ran into the limit). */
bool line_speaks(const struct matcher *matcher, struct match_scratch *scratch, struct str text,
                 unsigned groups);
/* Signals that only lend colour: lines that no other signal hits are offered a few times. */
bool signal_is_mild(const struct matcher *matcher, int signal);

#endif
