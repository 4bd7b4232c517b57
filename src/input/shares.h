/* shares.h - how much of each source is looked at, where there are many.  Private to input/.
 *
 * What is read of all sources together is bounded; each gets its share of that, within bounds: the
 * ranks of a large job have its failure in common, and looking at a line costs as much as searching
 * a hundred.  All in bytes, but share_tracks. */
#ifndef FAULTLINE_SHARES_H
#define FAULTLINE_SHARES_H

#include "input/source.h"

/* A source that is no larger has all its lines looked at. */
uint64_t share_looked(const struct source_run *run);
/* Of a larger one of `size`: the offset from which on they are; of hundreds that are alike (`kin`)
 * half as much. */
uint64_t share_end(const struct source_run *run, uint64_t size, bool kin);
/* Of a beginning, or behind an end where another attempt may begin. */
uint64_t share_opening(const struct source_run *run);
/* Of a log's beginning, read for facts; rank -1: unknown. */
size_t share_head(const struct source_run *run, int rank);
/* Readings of progress that are kept. */
int share_tracks(const struct source_run *run);

#endif
