/* Four bytes with the number of rows, a byte of bias a class, then for each row, ascending, eight
 * bytes with the hash of its word and four with where its pairs end; then the pairs, a byte of
 * class and one of leaning each.  Numbers are big end first. */
#include "model/leaning.h"

#include <stdlib.h>

enum { HEAD = 4, HASH = 8, ROW = HASH + 4, PAIR = 2 };

static uint64_t number_at(struct str packed, size_t at, int bytes) {
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++) value = value << 8 | (unsigned char)packed.p[at + (size_t)i];
    return value;
}

static void number_put(struct buf *out, uint64_t value, int bytes) {
    while (bytes-- > 0) buf_char(out, (char)(value >> 8 * bytes));
}

static size_t rows_at(int n_classes) {
    return HEAD + (size_t)n_classes;
}

static size_t row_count(struct str packed) {
    return number_at(packed, 0, HEAD);
}

/* Where the pairs of a row end, counted from the first pair. */
static size_t pairs_end(struct str packed, int n_classes, size_t row) {
    return number_at(packed, rows_at(n_classes) + row * ROW + HASH, ROW - HASH);
}

static int compare_rows(const void *a, const void *b) {
    const struct leaning_row *const *x = a, *const *y = b;
    uint64_t one = str_hash((*x)->word), other = str_hash((*y)->word);
    return (one > other) - (one < other);
}

struct str leanings_pack(const struct leaning_row *rows, int n, const int8_t bias[LEANING_CLASSES],
                         int n_classes, struct arena *arena) {
    struct buf head = {0}, pairs = {0};
    const struct leaning_row **sorted = ARENA_ARRAY(arena, const struct leaning_row *, n + 1);
    for (int i = 0; i < n; i++) sorted[i] = &rows[i];
    if (n) qsort(sorted, (size_t)n, sizeof *sorted, compare_rows);
    number_put(&head, (uint64_t)n, HEAD);
    for (int c = 0; c < n_classes; c++) buf_char(&head, (char)bias[c]);
    for (int i = 0; i < n; i++) {
        for (int c = 0; c < n_classes; c++) {
            if (!sorted[i]->leans[c]) continue;
            buf_char(&pairs, (char)c);
            buf_char(&pairs, (char)sorted[i]->leans[c]);
        }
        number_put(&head, str_hash(sorted[i]->word), HASH);
        number_put(&head, pairs.n, ROW - HASH);
    }
    buf_str(&head, buf_view(&pairs));
    struct str packed = arena_str(arena, buf_view(&head));
    buf_release(&head);
    buf_release(&pairs);
    return packed;
}

bool leanings_hold(struct str packed, int n_classes) {
    size_t begin = rows_at(n_classes), end = 0;
    if (packed.n < begin || row_count(packed) > (packed.n - begin) / ROW) return false;
    size_t n = row_count(packed), room = packed.n - begin - n * ROW;
    for (size_t i = 0; i < n; i++) {
        size_t next = pairs_end(packed, n_classes, i);
        if (next < end || next > room || (next - end) % PAIR) return false;
        end = next;
    }
    for (size_t i = packed.n - room; i < packed.n; i += PAIR)
        if ((unsigned char)packed.p[i] >= n_classes) return false;
    return end == room;
}

void leanings_begin(struct str packed, int n_classes, int *sums) {
    for (int c = 0; c < n_classes; c++) sums[c] = (signed char)packed.p[HEAD + c];
}

bool leanings_add(struct str packed, int n_classes, struct str word, int *sums) {
    size_t low = 0, n = row_count(packed), high = n;
    uint64_t hash = str_hash(word);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (number_at(packed, rows_at(n_classes) + middle * ROW, HASH) < hash)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == n || number_at(packed, rows_at(n_classes) + low * ROW, HASH) != hash) return false;
    size_t pairs = rows_at(n_classes) + n * ROW;
    size_t at = pairs + (low ? pairs_end(packed, n_classes, low - 1) : 0);
    for (; at < pairs + pairs_end(packed, n_classes, low); at += PAIR)
        sums[(unsigned char)packed.p[at]] += (signed char)packed.p[at + 1];
    return true;
}
