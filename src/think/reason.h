/* reason.h - why a finding stands: the deciding line, what the log shows beside a complaint, and
 * the clues of its cause that are true.  Private to think/. */
#ifndef FAULTLINE_REASON_H
#define FAULTLINE_REASON_H

#include "think/lead.h"

/* Fills finding->reasons, the deciding one first.  `cause` is NULL for the fallback. */
void reasons_build(const struct view *view, const struct candidate_failure *candidate,
                   const struct cause *cause, struct finding *finding);

/* Adds what general questions were answered and how that weighs this cause. */
void reasons_of_answers(const struct view *view, const struct lead *lead, struct finding *finding);

#endif
