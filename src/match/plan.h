/* plan.h - by what each signal is looked for.  Private to match/ and its tests.
 *
 * Choosing weighs every needle against healthy lines, which takes longer than the whole diagnosis
 * of a short log.  It depends on the knowledge alone, so the compiler does it once
 * and an image keeps it: see match_plan.
 */
#ifndef FAULTLINE_MATCH_PLAN_H
#define FAULTLINE_MATCH_PLAN_H

#include "match/needles.h"
#include "model/kb.h"

struct plan {
    uint32_t *heat;    /* by signal: see match_heat */
    bool *pulses;      /* by signal: it stands in step lines, so that it is only sampled */
    bool *digit_blind; /* by signal: digits do not matter to it */
    bool *steadfast; /* by signal: masking leaves its needles as they are, wherever they stand, and
                        other lines that are masked alike hold them, too */
    VEC(struct needle) loud, pulse, blind; /* as in struct matcher; placed */
};

void plan_make(struct plan *plan, const struct kb *kb, struct arena *arena);
/* Reads kb->plan, into which the needles then point.  False when there is none, or it is another
 * version's or knowledge's. */
bool plan_read(struct plan *plan, const struct kb *kb, struct arena *arena);

#endif
