/* spot.h - where the first fault lies: on which host, behind which step, in which line of the
 * program.  Private to think/. */
#ifndef FAULTLINE_SPOT_H
#define FAULTLINE_SPOT_H

#include "think/candidate.h"

/* Fills what the line of the fault does not tell itself. */
void spot_fill(const struct view *view, const struct candidate_failure *best,
               struct fault_line *fault);

/* Installed packages and Python itself, where the rest is a program's own: by the path of a file,
 * or a text that holds one. */
bool path_is_library(struct str path);

#endif
