/* program.h - PCRE2: expressions compiled when first needed, run under limits.
 *
 * A set of programs is shared by threads: each expression is compiled once, by whoever needs it
 * first, and published with an atomic exchange.  A runner is one thread's match data and JIT stack.
 */
#ifndef FAULTLINE_MATCH_PROGRAM_H
#define FAULTLINE_MATCH_PROGRAM_H

#include "match/match.h"

enum {
    PROGRAM_MISS = 0, /* no match, or an expression that does not compile */
    PROGRAM_HIT = 1,
    PROGRAM_LIMIT = -1 /* too many steps */
};

struct programs;
/* One program for each expression; the array and its texts are borrowed, nothing is compiled yet.
 */
struct programs *programs_new(struct arena *arena, int n);
void programs_set(struct programs *programs, int i, struct str regex, bool caseless);
/* The expression that syntax_relax makes of this one. */
void programs_set_relaxed(struct programs *programs, int i, struct str regex, char any);
void programs_release(struct programs *programs); /* frees the PCRE2 objects */

struct runner; /* made with malloc */
struct runner *runner_new(const struct programs *programs);
void runner_release(struct runner *runner);

/* Runs expression i over text, for a match that begins at `from` or later.  Machine code is made
 * where the runner has used an expression a few times.  Fills start, end and captures of *match
 * (may be NULL) on a hit; the captures point into text. */
int program_run(struct programs *programs, struct runner *runner, int i, struct str text,
                size_t from, struct match *match);
/* The same for a match that begins at `at` and nowhere else: a miss is told sooner. */
int program_run_at(struct programs *programs, struct runner *runner, int i, struct str text,
                   size_t at, struct match *match);

#endif
