/* masked.h - lines that differ in digits only are one.
 *
 * Every digit becomes '0'; all other bytes and the length stay.
 */
#ifndef FAULTLINE_MASKED_H
#define FAULTLINE_MASKED_H

#include "base/base.h"

enum { MASKED_BEYOND = 32 /* bytes that are written after the line */ };

/* Writes the masked line and zeros after it to `to`, which has room for MASKED_BEYOND bytes more.
 * Returns a hash of it. */
uint64_t masked_copy(struct str line, char *to);

#endif
