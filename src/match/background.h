/* background.h - how often four bytes stand in the logs of jobs that run well.
 *
 * Estimated from a few made-up healthy lines, each with the share of a log that lines like it fill.
 * Only speed hangs on it: which bytes of a needle are searched for.  Digits count as '0'.
 */
#ifndef FAULTLINE_MATCH_BACKGROUND_H
#define FAULTLINE_MATCH_BACKGROUND_H

#include "base/base.h"

struct background;
struct background *background_new(struct arena *arena);
/* How often the four bytes at p occur in a million lines. */
uint32_t background_count(const struct background *background, const char *p);

enum { BACKGROUND_SAMPLES = 1024 };
/* Quadruples of bytes drawn from the lines by their weight, digits varied: BACKGROUND_SAMPLES times
 * 4 bytes. */
const uint8_t *background_samples(const struct background *background);

#endif
