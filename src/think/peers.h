/* peers.h - the ranks of one job beside each other: who takes clearly longer for the same work.
 *
 * Ranks wait for each other in every step, so only what a rank does alone tells them apart: data,
 * forward, backward without its reductions; whole steps where even they differ.  Knows no reason.
 */
#ifndef FAULTLINE_PEERS_H
#define FAULTLINE_PEERS_H

#include "base/base.h"

enum peer_phase { PEER_DATA, PEER_FORWARD, PEER_BACKWARD, PEER_STEP };
enum { PEER_PHASES = 4, PEERS_NAMED = 4 };

struct peer {
    int rank;
    int row;                     /* the caller's */
    double seconds[PEER_PHASES]; /* usual ones, NaN: not told */
};

/* The few of at least 3 ranks that take half as long again as all others, in the first phase that
 * has such; their sentence ("ranks: rank 3 takes ...") or the empty slice.  *row: of the slowest.
 * Reorders the peers. */
struct str peers_judge(struct arena *arena, struct peer *peers, int n, int *row);
/* The same from the least and the most over all ranks, of a phase by its name; `step` is what the
 * longest phase takes: a rank that is late by little of it is not worth a word. */
struct str peers_range(struct arena *arena, struct str phase, double least, double most,
                       double step);

#endif
