/* hit_room.h - which of very many hits are kept.  Private to model/.
 *
 * A hundred thousand ranks write the same lines.  Of each signal, and of each kind of line it was
 * hit in, the earliest LIMIT_HITS stay, fewer where all together are too many or too long; the rest
 * only adds to the lines and ranks that evidence.rests counts.
 */
#ifndef FAULTLINE_HIT_ROOM_H
#define FAULTLINE_HIT_ROOM_H

#include "model/evidence.h"

/* The kind of line that a hit of this evidence stands in: those that decide are not pushed out by
 * warnings, echoed code and attempts that were given up. */
int hit_kind(const struct evidence *evidence, const struct hit *hit);
/* Appends the hit, or puts it in place of the latest of its kind, without copying its texts.  The
 * row it got, -1: it only counts. */
int hit_place(struct evidence *into, const struct hit *hit, int kind);
/* Adds what `from` only counted. */
void hit_rests_merge(struct evidence *into, const struct evidence *from);
/* After evidence.hits were sorted: the rows of those that are kept. */
void hit_rests_renumber(struct evidence *evidence);

#endif
