#include "match/memo.h"

#include <stdlib.h>

enum { SETS = 1024, WAYS = 4, TEXT_BYTES = 768 * 1024, STEP = 32 };

struct entry {
    uint64_t hash;
    uint32_t text;   /* offset of the masked bytes */
    uint16_t length; /* 0: free */
    struct decision decision;
};

struct memo {
    struct entry entries[SETS][WAYS];
    struct decision spare; /* of the last line too long to be kept */
    uint64_t hash;         /* of `masked` */
    uint32_t used;         /* bytes of text */
    char masked[MEMO_LOOKED + STEP];
    char text[TEXT_BYTES];
};

struct memo *memo_new(void) {
    struct memo *memo = calloc(1, sizeof *memo);
    if (!memo) base_out_of_memory();
    return memo;
}

void memo_release(struct memo *memo) {
    free(memo);
}

/* ---- masking and hashing in one pass ----------------------------------------------------- */

typedef uint8_t bytes16 __attribute__((vector_size(16)));

#define ALL16(c) ((bytes16){c, c, c, c, c, c, c, c, c, c, c, c, c, c, c, c})

static inline uint64_t fold(uint64_t a, uint64_t b) {
    unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Masks 16 bytes and stirs them into *h. */
static inline void mask_16(uint64_t *h, const char *from, char *to) {
    bytes16 v;
    uint64_t half[2];
    memcpy(&v, from, sizeof v);
    bytes16 digit = (bytes16)((bytes16)(v - ALL16('0')) < ALL16(10));
    v ^= (v ^ ALL16('0')) & digit;
    memcpy(to, &v, sizeof v);
    memcpy(half, &v, sizeof half);
    *h = fold(half[0] ^ 0xA0761D6478BD642Fu, half[1] ^ *h);
}

/* Masks the line into memo->masked, filled up with zeros. */
static void mask(struct memo *memo, struct str line) {
    uint64_t a = line.n * 0x9E3779B97F4A7C15u, b = 0xE7037ED1A0B428DBu; /* two, to wait less */
    char last[STEP] = {0};
    size_t i = 0;
    for (; i + STEP <= line.n; i += STEP) {
        mask_16(&a, line.p + i, memo->masked + i);
        mask_16(&b, line.p + i + 16, memo->masked + i + 16);
    }
    memcpy(last, line.p + i, line.n - i);
    mask_16(&a, last, memo->masked + i);
    mask_16(&b, last + 16, memo->masked + i + 16);
    memo->hash = fold(a ^ 0x8EBC6AF09C88C6E3u, b);
}

struct str memo_masked(const struct memo *memo, struct str line) {
    return (struct str){memo->masked, line.n};
}

/* ---- keeping ----------------------------------------------------------------------------- */

const struct decision *memo_find(struct memo *memo, struct str line) {
    if (line.n == 0) return NULL;
    mask(memo, line);
    const struct entry *set = memo->entries[memo->hash % SETS];
    for (int way = 0; way < WAYS; way++)
        if (set[way].hash == memo->hash && set[way].length == line.n &&
            memcmp(memo->text + set[way].text, memo->masked, line.n) == 0)
            return &set[way].decision;
    return NULL;
}

const struct decision *memo_store(struct memo *memo, struct str line,
                                  const struct decision *decision) {
    if (line.n > MEMO_LINE || line.n == 0) {
        memo->spare = *decision;
        return &memo->spare;
    }
    if (memo->used + line.n > TEXT_BYTES) {
        memset(memo->entries, 0, sizeof memo->entries);
        memo->used = 0;
    }
    struct entry *set = memo->entries[memo->hash % SETS];
    int way = 0;
    while (way < WAYS - 1 && set[way].length) way++;
    if (set[way].length) way = (int)(memo->hash >> 62);
    memcpy(memo->text + memo->used, memo->masked, line.n);
    set[way] = (struct entry){memo->hash, memo->used, (uint16_t)line.n, *decision};
    memo->used += (uint32_t)line.n;
    return &set[way].decision;
}
