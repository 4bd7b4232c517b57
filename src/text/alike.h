/* alike.h - remembers something for all lines that differ in digits only, those of hexadecimal
 * numbers too.
 *
 * Ranks print the same lines, and each prints its own again and again.  What is kept must hold
 * whatever the digits are: then no answer depends on which of the lines came first.  The masked
 * lines themselves are compared, so no hash has to be trusted.  Bounded: 4 ways of 256 sets and
 * 256 KiB of text, then it starts anew.
 */
#ifndef FAULTLINE_ALIKE_H
#define FAULTLINE_ALIKE_H

#include "text/grams.h"

struct alike; /* of one thread, on the heap */
/* `value`: bytes of what is kept of a line, which begins with a struct grams. */
struct alike *alike_new(size_t value);
void alike_release(struct alike *alike);
/* Right after alike_new: it remembers half as much, where many threads have one each. */
void alike_halve(struct alike *alike);
/* What is kept of a line, valid until the next call.  *known false: zeros behind the pairs of bytes
 * that one of these lines may hold, to be filled in.  A line longer than LIMIT_TEXT is never known.
 * `beyond`: ALIKE_BEYOND bytes behind the line may be read, which is faster. */
enum { ALIKE_BEYOND = 32 };
void *alike_of(struct alike *alike, struct str line, bool beyond, bool *known);
/* Whether the last line holds hexadecimal numbers (see text/masked.h). */
bool alike_addresses(const struct alike *alike);
/* The same in two steps: a hash of the line whatever its digits, 0 where it is empty or longer than
 * LIMIT_TEXT, and what is kept of that line. */
uint64_t alike_turn(struct alike *alike, struct str line, bool beyond);
void *alike_kept(struct alike *alike, struct str line, bool *known);

#endif
