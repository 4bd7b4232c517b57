/* rank_rows.h - by rank, the row that something about it stands in.  Most sources tell of one rank,
 * whatever its number.  Private to input/. */
#ifndef FAULTLINE_RANK_ROWS_H
#define FAULTLINE_RANK_ROWS_H

#include <stdint.h>

struct rank_rows {
    struct {
        int rank;
        int32_t row; /* and 1; 0: the place is free */
    } * v;
    int n, cap; /* cap: a power of two, or 0 */
};

/* The row of a rank, -1: none. */
int rank_row(const struct rank_rows *rows, int rank);
/* Notes the row of a rank that has none. */
void rank_row_add(struct rank_rows *rows, int rank, int row);
void rank_rows_clear(struct rank_rows *rows);
void rank_rows_release(struct rank_rows *rows);

#endif
