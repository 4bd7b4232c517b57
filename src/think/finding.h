/* finding.h - leads become findings: the likeliest of each fault, with reasons, questions and
 * filled fixes.  Private to think/. */
#ifndef FAULTLINE_FINDING_H
#define FAULTLINE_FINDING_H

#include "model/diagnosis.h"
#include "think/candidate.h"

/* Fills diagnosis->findings from the candidates, best first. */
void findings_build(const struct view *view, const struct candidates *candidates,
                    struct diagnosis *diagnosis);

#endif
