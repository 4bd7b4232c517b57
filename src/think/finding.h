/* finding.h - candidates become findings: ordered, with reasons, fixes and a calibrated confidence.
 * Private to think/. */
#ifndef FAULTLINE_FINDING_H
#define FAULTLINE_FINDING_H

#include "model/diagnosis.h"
#include "think/candidate.h"

enum { FINDINGS_MAX = 12 };

/* Fills diagnosis->findings from the candidates, best first. */
void findings_build(const struct view *view, const struct candidates *candidates,
                    struct diagnosis *diagnosis);
/* Share of each candidate among all, in their order (explained ones get 0). */
void candidate_shares(const struct candidates *candidates, double *shares);

/* Measured on labelled cases: how often such a first diagnosis was right.  `share` is its part of
 * its fault's probability, `shared` that of its root cause by whatever entry. */
double finding_confidence(const struct view *view, const struct candidate_failure *candidate,
                          double share, double shared);

#endif
