/* roster.h - which ranks should have been heard, and which one the others point at.  Private to
 * think/.
 *
 * Of a job in which everybody reports that a peer is gone, the peer itself often says nothing: it
 * was killed, left without a word, waits elsewhere, or never began to write.  The roster puts what
 * every rank wrote, what the launchers tell of their processes' ends, and the ranks that must exist
 * side by side.  Knows no failure and no cause.
 */
#ifndef FAULTLINE_ROSTER_H
#define FAULTLINE_ROSTER_H

#include "think/view.h"

/* Never NULL.  `why` of its culprit: a launcher tells that it "died" of a signal or "exited"
 * without a word, it had "finished" while others went on, it was "silent", or it fell "apart" from
 * all others in another place. */
struct roster *roster_take(const struct view *view);
/* The value of "roster." + name: culprit, why, code, never, early, mute; empty where nothing is
 * told. */
struct str roster_fact(const struct view *view, struct str name);
/* Points a fault that only cascades and launchers tell of at the rank that they point at. */
void roster_place(const struct view *view, struct fault_line *line);

#endif
