/* flight.h - the document that a dump of PyTorch's flight recorder leaves behind.
 *
 * One dump tells what one rank asked its process groups to do and how far that got.  The reader
 * (reader_flight of readers.h) takes pickled and JSON dumps of every version and keeps a document
 * of format "flight": lines of fields parted by tabs, without control bytes, at most LIMIT_DOCUMENT
 * bytes.
 *
 *   flight recorder: rank 3 waits in nccl:all_reduce of default_pg, sequence number 812
 *   rank   3                                                  missing when the dump does not tell
 *   group  NAME DESCRIPTION RANKS ENQUEUED COMPLETED          sequence numbers, 0: none known
 *   op     SEQ NAME IN OUT TYPE STATE CREATED SIZES FRAME     of the group above it
 *   last   WHAT                                               what the rank did last, as a phrase
 *
 * RANKS is a list of runs: "0-7", "0-12/4" (every fourth), "3", parted by commas.  IN and OUT are
 * numbers of elements, CREATED nanoseconds.  The ops of a group are its first that did not complete
 * and the last of all; point-to-point ones are left out.  Knows nothing of other ranks.
 */
#ifndef FAULTLINE_FLIGHT_H
#define FAULTLINE_FLIGHT_H

#include "facts/facts.h"

/* The first line of the document of a source (of a profile all), or the empty slice: what signals
 * are looked for in.
 */
struct str flight_headline(const struct evidence *evidence, int source);

/* Ascending ranks as runs (see above). */
struct str flight_runs(struct arena *arena, const int *ranks, size_t n);

#endif
