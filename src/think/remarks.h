/* remarks.h - what is odd about the input itself, whatever the job's failure is.  Private to
 * think/.  Nothing is concluded from a remark; who reads the report should know of it. */
#ifndef FAULTLINE_REMARKS_H
#define FAULTLINE_REMARKS_H

#include "model/diagnosis.h"
#include "think/view.h"

/* Fills the remarks of a diagnosis: time that runs backwards while steps go on, ranks beyond
 * the world size that was told, and jobs that were not read. */
void remarks_fill(const struct view *view, struct diagnosis *diagnosis);

#endif
