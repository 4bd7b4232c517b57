/* rollcall.h - who came to which collective.  Private to think/.
 *
 * Of a hang every rank tells what it waits for; the one that did not come tells nothing of it.  The
 * roll call puts the flight recorder's documents of all ranks (see facts/flight.h for their lines),
 * or where there are none the watchdog's lines, side by side, group by group: the first sequence
 * number that nobody in the group completed, which members never came to it, which came with
 * another operation, size or type, and which stopped in one that others completed.  A member that
 * waits itself, in another group, is not to blame.  Knows no failure and no cause.
 */
#ifndef FAULTLINE_ROLLCALL_H
#define FAULTLINE_ROLLCALL_H

#include "think/view.h"

/* The roll call of the attempt under diagnosis, or NULL where nothing hangs or too little is told.
 */
struct rollcall *rollcall_take(const struct view *view);

/* The value of "hang." + name: kind, group, collective, seq, missing, mismatch, stalled, waiting,
 * world; the empty slice where the roll call does not tell. */
struct str rollcall_fact(const struct view *view, struct str name);

/* Points the first fault of a hang at the rank that did not come: at its last line, where it wrote
 * any; else the line stays that of a rank that waits. */
void rollcall_place(const struct view *view, int failure, struct fault_line *line);

#endif
