#include "match/memo.h"

#include <stdlib.h>

enum { SETS = 512, WAYS = 4, TEXT_BYTES = 512 * 1024 };

struct entry {
    uint64_t hash;
    uint32_t text;   /* offset of the masked bytes */
    uint16_t length; /* 0: free */
    struct decision decision;
};

struct memo {
    struct entry entries[SETS][WAYS];
    uint64_t hash; /* of `masked` */
    uint32_t used; /* bytes of text */
    char masked[MEMO_LINE + 32];
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

/* Every digit among eight bytes becomes '0'.  A byte is a digit when xor with 0x30 leaves at most
 * 9: adding 0x76 to its low seven bits then does not reach the top bit. */
static uint64_t mask_digits(uint64_t v) {
    const uint64_t ones = 0x0101010101010101u;
    uint64_t x = v ^ (0x30 * ones);
    uint64_t over = ((x & (0x7f * ones)) + 0x76 * ones) | x;
    uint64_t digit = ~over & (0x80 * ones);
    return v & ~((digit >> 7) * 0x0f);
}

enum { LANES = 4 };

static uint64_t stir(uint64_t h, uint64_t v) {
    h = (h ^ v) * 0xD6E8FEB86659FD93u;
    return h ^ h >> 32;
}

/* Masks the line into memo->masked, past its end with zeros, and hashes it on the way: in lanes,
 * since each step waits for the one before it. */
static void mask(struct memo *memo, struct str line) {
    uint64_t h[LANES] = {line.n, 1, 2, 3}, v[LANES];
    size_t i = 0;
    for (; i + sizeof v <= line.n; i += sizeof v) {
        memcpy(v, line.p + i, sizeof v);
        for (int k = 0; k < LANES; k++) h[k] = stir(h[k], v[k] = mask_digits(v[k]));
        memcpy(memo->masked + i, v, sizeof v);
    }
    memset(v, 0, sizeof v);
    memcpy(v, line.p + i, line.n - i);
    for (int k = 0; k < LANES; k++) h[k] = stir(h[k], v[k] = mask_digits(v[k]));
    memcpy(memo->masked + i, v, sizeof v);
    memo->hash = stir(stir(h[0], h[1]), stir(h[2], h[3]));
}

const struct decision *memo_find(struct memo *memo, struct str line) {
    if (line.n > MEMO_LINE || line.n == 0) return NULL;
    mask(memo, line);
    const struct entry *set = memo->entries[memo->hash % SETS];
    for (int way = 0; way < WAYS; way++)
        if (set[way].length == line.n && set[way].hash == memo->hash &&
            memcmp(memo->text + set[way].text, memo->masked, line.n) == 0)
            return &set[way].decision;
    return NULL;
}

void memo_store(struct memo *memo, struct str line, const struct decision *decision) {
    if (line.n > MEMO_LINE || line.n == 0) return;
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
}
