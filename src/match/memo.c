#include "match/memo.h"

#include "text/masked.h"

#include <stdlib.h>

enum { SETS = 1024, WAYS = 4, TEXT_BYTES = 768 * 1024 };

struct entry {
    uint32_t text; /* offset of the masked bytes, with zeros up to a multiple of MASKED_BEYOND */
    uint32_t length;
    struct decision decision;
};

struct memo {
    uint64_t hashes[SETS][WAYS]; /* of the entries; 0: free */
    struct entry entries[SETS][WAYS];
    struct decision spare; /* of the last line that could not be kept */
    uint64_t hash;         /* of `masked` */
    uint32_t used;         /* bytes of text */
    uint64_t missed;
    char masked[MEMO_LINE + MASKED_BEYOND];
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

uint64_t memo_missed(const struct memo *memo) {
    return memo->missed;
}

/* ---- keeping ----------------------------------------------------------------------------- */

/* Bytes that a line takes in `text`: masked_copy writes whole vectors, and whole ones are compared.
 */
static size_t padded(size_t n) {
    return (n + MASKED_BEYOND - 1) / MASKED_BEYOND * MASKED_BEYOND;
}

const struct decision *memo_find(struct memo *memo, struct str line, bool beyond) {
    if (line.n == 0) return NULL;
    uint64_t hash = masked_copy(line, beyond, memo->masked) | 1;
    size_t set = hash >> 32 & (SETS - 1);
    memo->hash = hash;
    for (int way = 0; way < WAYS; way++) {
        const struct entry *entry = &memo->entries[set][way];
        if (memo->hashes[set][way] == hash && entry->length == line.n &&
            masked_same(memo->text + entry->text, memo->masked, line.n))
            return &entry->decision;
    }
    memo->missed++;
    return NULL;
}

const struct decision *memo_store(struct memo *memo, struct str line,
                                  const struct decision *decision) {
    size_t room = padded(line.n);
    if (line.n == 0) {
        memo->spare = *decision;
        return &memo->spare;
    }
    if (memo->used + room > TEXT_BYTES) {
        memset(memo->hashes, 0, sizeof memo->hashes);
        memo->used = 0;
    }
    size_t set = memo->hash >> 32 & (SETS - 1);
    int way = 0;
    while (way < WAYS - 1 && memo->hashes[set][way]) way++;
    if (memo->hashes[set][way]) way = (int)(memo->hash >> 62);
    memcpy(memo->text + memo->used, memo->masked, room);
    memo->hashes[set][way] = memo->hash;
    memo->entries[set][way] = (struct entry){memo->used, (uint32_t)line.n, *decision};
    memo->used += (uint32_t)room;
    return &memo->entries[set][way].decision;
}
