/* older.h - of a folder with more jobs than are told apart, the older ones are not read.  Private
 * to input/.
 *
 * Goes by names alone, and by those only that a scheduler gives: numbers of another kind may be
 * anything.
 */
#ifndef FAULTLINE_OLDER_H
#define FAULTLINE_OLDER_H

#include "input/walk.h"

/* Takes the files of all but the last JOBS_MAX jobs out of the list; returns how many jobs that
 * were. */
int older_leave_out(struct walk *walk);

#endif
