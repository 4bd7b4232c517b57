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
static inline uint64_t mask_digits(uint64_t v) {
    const uint64_t ones = 0x0101010101010101u;
    uint64_t x = v ^ (0x30 * ones);
    uint64_t over = ((x & (0x7f * ones)) + 0x76 * ones) | x;
    uint64_t digit = ~over & (0x80 * ones);
    return v & ~((digit >> 7) * 0x0f);
}

static inline uint64_t stir(uint64_t h, uint64_t v) {
    h = (h ^ v) * 0xD6E8FEB86659FD93u;
    return h ^ h >> 32;
}

/* Four lanes, since each step of one waits for the step before it. */
struct lanes_hash {
    uint64_t a, b, c, d;
};

static inline void mask_32(struct lanes_hash *h, const char *from, char *to) {
    uint64_t v[4];
    memcpy(v, from, sizeof v);
    v[0] = mask_digits(v[0]);
    v[1] = mask_digits(v[1]);
    v[2] = mask_digits(v[2]);
    v[3] = mask_digits(v[3]);
    h->a = stir(h->a, v[0]);
    h->b = stir(h->b, v[1]);
    h->c = stir(h->c, v[2]);
    h->d = stir(h->d, v[3]);
    memcpy(to, v, sizeof v);
}

/* Masks the line into memo->masked, filled up with zeros, and hashes it on the way. */
static void mask(struct memo *memo, struct str line) {
    struct lanes_hash h = {line.n, 1, 2, 3};
    char last[32] = {0};
    size_t i = 0;
    for (; i + 32 <= line.n; i += 32) mask_32(&h, line.p + i, memo->masked + i);
    memcpy(last, line.p + i, line.n - i);
    mask_32(&h, last, memo->masked + i);
    memo->hash = stir(stir(h.a, h.b), stir(h.c, h.d));
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
