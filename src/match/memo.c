#include "match/memo.h"

#include "text/masked.h"

#include <stdlib.h>

enum { SETS = 1024, WAYS = 4, TEXT_BYTES = 768 * 1024 };

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
    char masked[MEMO_LOOKED + MASKED_BEYOND];
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

struct str memo_masked(const struct memo *memo, struct str line) {
    return (struct str){memo->masked, line.n};
}

/* ---- keeping ----------------------------------------------------------------------------- */

const struct decision *memo_find(struct memo *memo, struct str line) {
    if (line.n == 0) return NULL;
    memo->hash = masked_copy(line, memo->masked);
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
