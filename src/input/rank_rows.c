#include "input/rank_rows.h"

#include <stdlib.h>

#include "base/base.h"

enum { CAP_MIN = 8 };

/* Its place, or the free one where it would stand. */
static int place_of(const struct rank_rows *rows, int rank) {
    int i = (int)((uint32_t)rank * 0x9E3779B9u >> 15) & (rows->cap - 1);
    while (rows->v[i].row && rows->v[i].rank != rank) i = (i + 1) & (rows->cap - 1);
    return i;
}

int rank_row(const struct rank_rows *rows, int rank) {
    return rows->cap ? rows->v[place_of(rows, rank)].row - 1 : -1;
}

void rank_row_add(struct rank_rows *rows, int rank, int row) {
    if (2 * rows->n >= rows->cap) {
        struct rank_rows grown = {.cap = rows->cap ? 2 * rows->cap : CAP_MIN};
        grown.v = heap_zeros((size_t)grown.cap, sizeof *grown.v);
        for (int i = 0; i < rows->cap; i++)
            if (rows->v[i].row) rank_row_add(&grown, rows->v[i].rank, rows->v[i].row - 1);
        free(rows->v);
        *rows = grown;
    }
    int i = place_of(rows, rank);
    rows->v[i].rank = rank;
    rows->v[i].row = row + 1;
    rows->n++;
}

void rank_rows_clear(struct rank_rows *rows) {
    if (rows->n) memset(rows->v, 0, (size_t)rows->cap * sizeof *rows->v);
    rows->n = 0;
}

void rank_rows_release(struct rank_rows *rows) {
    free(rows->v);
    *rows = (struct rank_rows){0};
}
