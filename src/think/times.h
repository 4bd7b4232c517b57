/* times.h - what several ranks or hosts have in common of their times.  Private to think/. */
#ifndef FAULTLINE_TIMES_H
#define FAULTLINE_TIMES_H

#include <stddef.h>
#include <stdint.h>

/* The median of n > 0 times (of two in the middle the later); sorts them. */
int64_t times_median(int64_t *times, size_t n);

#endif
