/* fault.h - the line of the first fault, and whose it is.  Private to think/.
 *
 * The line that found a failure is not always the one to show: a message stands below its
 * exception, the code says more than "AssertionError", a launcher saw the end before.  Nor is who
 * wrote it always who broke: others report that a rank or a node is gone. */
#ifndef FAULTLINE_FAULT_H
#define FAULTLINE_FAULT_H

#include "model/diagnosis.h"
#include "think/candidate.h"

/* Fills the line to show of the likeliest candidate; unknown where only a user sees it. */
void fault_find(const struct view *view, const struct candidate_failure *best,
                struct fault_line *line);
/* Points it at the rank and host that it is laid to, where that is not who wrote it. */
void fault_lay(const struct view *view, const struct candidate_failure *best,
               struct fault_line *line);

#endif
