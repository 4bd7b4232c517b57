/* verdict.h - what is said of the job as a whole.  Private to think/. */
#ifndef FAULTLINE_VERDICT_H
#define FAULTLINE_VERDICT_H

#include "model/diagnosis.h"
#include "think/candidate.h"

/* Is what was found strong enough to say that the job failed?  Decides between failed, healthy and
 * unknown. */
enum verdict verdict_decide(const struct view *view, const struct candidates *candidates);
/* Fills the rest of the diagnosis: how it ended, the first fault, what followed, ranks, advice on a
 * restart, the sentence that sums it up.  Findings are there already. */
void verdict_fill(const struct view *view, const struct candidates *candidates,
                  struct diagnosis *diagnosis);

#endif
