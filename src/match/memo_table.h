/* memo_table.h - how a memo lies in memory: for memo.c and pass.c alone. */
#ifndef FAULTLINE_MATCH_MEMO_TABLE_H
#define FAULTLINE_MATCH_MEMO_TABLE_H

#include "match/memo.h"
#include "text/masked.h"

enum {
    MEMO_SETS = 1024,
    MEMO_WAYS = 4,
    MEMO_TEXT = 768 * 1024,
    MEMO_FAITH = 3 /* a line came so often after another that it is expected */
};

/* One cache line.  Length 0: free. */
struct entry {
    struct decision decision; /* first: memo_mute finds the entry by it */
    uint16_t length : 15;
    uint16_t addresses : 1; /* it holds hexadecimal numbers */
    uint16_t text;          /* the masked bytes, with zeros up to a multiple of MASKED_BEYOND: */
                            /* their offset divided by MASKED_BEYOND */
    uint16_t next : 12;     /* the line that came after it last, and how often it did */
    uint16_t faith : 4;
    uint32_t muted; /* the round in which it is passed over */
};

/* Of a decision that one loud signal may hit, by the digits: the digits that it cannot have. */
struct guard {
    uint16_t at;       /* where, in the line */
    uint16_t excluded; /* bit d: with a digit d there the signal does not hit */
    uint16_t vain;     /* how often it was tried and missed */
};

struct memo {
    struct entry entries[MEMO_SETS * MEMO_WAYS];
    uint64_t hashes[MEMO_SETS][MEMO_WAYS]; /* of the entries; 0: free */
    struct entry spare;                    /* of the last line that could not be kept */
    struct entry *last;                    /* of the line passed over last, or a free one */
    uint64_t hash;                         /* of `masked` */
    bool addresses;                        /* that holds hexadecimal numbers */
    uint32_t used;                         /* bytes of text */
    uint64_t missed;
    uint64_t loosely[MEMO_SETS * MEMO_WAYS];    /* by entry: its hash without numbers */
    struct guard guards[MEMO_SETS * MEMO_WAYS]; /* by entry */
    char masked[MEMO_LINE + MASKED_BEYOND];
    char text[MEMO_TEXT];
};

static inline const char *entry_text(const struct memo *memo, const struct entry *entry) {
    return memo->text + (size_t)entry->text * MASKED_BEYOND;
}
/* Whether the line at p, which is the entry's, cannot be hit by the loud signal of its decision. */
static inline bool entry_guarded(const struct memo *memo, const struct entry *entry,
                                 const char *p) {
    const struct guard *guard = &memo->guards[entry - memo->entries];
    return guard->excluded >> (p[guard->at] & 15) & 1;
}
static inline size_t memo_set(uint64_t hash) {
    return hash >> 32 & (MEMO_SETS - 1);
}
/* 0 is for the free ones. */
static inline uint64_t memo_hash(uint64_t hash) {
    return hash | 1;
}

#endif
