/* compare.h - a run that worked beside one that did not, or a node beside another.
 *
 * Pure: two evidences in, their differences out, what matters most first.  What differs weighs by
 * what kind of thing it is (a version of the stack, a setting, an environment variable, the nodes,
 * the time of a step) and by whether a clue of the dead run's causes looks at it.  A fact that only
 * one side tells counts where the other side tells others of its kind, so that an input that holds
 * no environment does not make every variable a difference. */
#ifndef FAULTLINE_COMPARE_H
#define FAULTLINE_COMPARE_H

#include "think/think.h"

struct difference {
    struct str key, good, dead; /* empty: not set there */
    int weight;                 /* the larger, the more it matters */
    int root;                   /* of a cause of the dead run whose clues look at it, -1 none */
};
struct comparison {
    struct difference *v;
    int n;
    int same; /* facts that both tell alike */
};
/* The differences, the weightiest first; `diagnosis` is the dead run's. */
struct comparison *compare_runs(const struct kb *kb, const struct evidence *good,
                                const struct evidence *dead, const struct diagnosis *diagnosis,
                                struct arena *arena);
/* Adds what the comparison told to the dead run's evidence, as facts: `good.KEY` the value that
 * worked, `diff.KEY` "good -> dead" where they differ, `diff.count`.  Clues that look at a value
 * which worked as well then count half (think/weigh.c). */
void compare_tell(struct evidence *dead, const struct evidence *good,
                  const struct comparison *comparison);

#endif
