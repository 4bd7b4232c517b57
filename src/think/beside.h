/* beside.h - what the log says beside the line that decides: the compiler's error above ninja's
 * "build stopped", NCCL's warning above the exception, the code that raised it.  Private to think/.
 */
#ifndef FAULTLINE_BESIDE_H
#define FAULTLINE_BESIDE_H

#include "model/diagnosis.h"
#include "think/candidate.h"

/* Where a complaint decides, what the log shows of it: a consequence, what stands out, or how it
 * ends.  False: nothing. */
bool beside_complaint(const struct view *view, const struct candidate_failure *candidate,
                      struct reason *reason);
/* The line near the first fault that tells most beside it; false: none does. */
bool beside_fault(const struct view *view, const struct candidate_failure *candidate,
                  const struct fault_line *fault, struct reason *reason);

#endif
