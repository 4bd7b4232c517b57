#include "think/times.h"

#include <stdlib.h>

static int compare_times(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

int64_t times_median(int64_t *times, size_t n) {
    qsort(times, n, sizeof *times, compare_times);
    return times[n / 2];
}
