/* foreign.h - files that no job wrote.  Private to think/.
 *
 * A job leaves signs: a traceback with frames, lines of ranks, starts, steps and ends, lines that
 * speak for a stage.  In a long log without any, and in a folder of many files without any
 * (documentation, sources, a package manager's logs, a home folder), words such as "connection
 * refused" mean nothing.  A short log, or a few, is what people paste: a line of it counts alone.
 */
#ifndef FAULTLINE_FOREIGN_H
#define FAULTLINE_FOREIGN_H

#include "think/view.h"

/* By source: it is foreign.  Lives in the view's arena. */
bool *foreign_find(const struct view *view);
/* Training or serving lines, a start, frames: something that only a job of this field prints. */
bool looks_like_a_job(const struct view *view);

#endif
