/* masked.h - lines that differ in digits only are one.
 *
 * Every digit becomes '0'; all other bytes and the length stay.
 */
#ifndef FAULTLINE_MASKED_H
#define FAULTLINE_MASKED_H

#include "base/base.h"

enum { MASKED_BEYOND = 32 /* bytes that are written after the line */ };

/* Writes the masked line and zeros after it, up to a multiple of MASKED_BEYOND bytes, to `to`,
 * which has room for MASKED_BEYOND bytes more.  Returns a hash of it.  `beyond`: as many bytes
 * behind the line may be read (what they are does not matter), which is faster. */
uint64_t masked_copy(struct str line, bool beyond, char *to);
/* Whether two masked lines of n bytes are the same. */
bool masked_same(const char *a, const char *b, size_t n);

#endif
