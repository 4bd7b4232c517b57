/* preflight.h - what would fail: the checks of the knowledge base against facts of a planned job.
 *
 * Pure, as all of think.  The facts come from configurations, the launch command and the machine;
 * what needs arithmetic is reckoned before (facts_plan). */
#ifndef FAULTLINE_PREFLIGHT_H
#define FAULTLINE_PREFLIGHT_H

#include "think/think.h"

struct preflight_finding {
    const struct check *check;
    const struct failure *failure;
    struct fix fix;          /* with {{...}} filled */
    const struct fact *fact; /* its place; NULL: the key is not known (a thing that is missing) */
    struct str text;         /* what is wrong */
    struct str advice;       /* what to do here; empty: the whole fix */
};
struct preflight {
    struct preflight_finding *v; /* errors first, then in the order of the checks */
    int n, n_errors;
};
/* Allocated in the arena; borrows texts from kb and evidence. */
struct preflight preflight_check(const struct kb *kb, const struct evidence *evidence,
                                 struct arena *arena);

#endif
