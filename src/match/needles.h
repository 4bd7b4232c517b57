/* needles.h - the literals of all signals, and the bytes of them that the kernels look for.
 *
 * A long needle is looked for by a region of eleven bytes (or seven), the one that healthy logs
 * hold least; a short one by four bytes.  What a kernel offers is looked up here, and the needle
 * compared in full: what this module reports is exact.
 */
#ifndef FAULTLINE_MATCH_NEEDLES_H
#define FAULTLINE_MATCH_NEEDLES_H

#include "match/background.h"
#include "match/kernel.h"

enum needle_group {
    NEEDLE_LOUD = 1,   /* of a signal */
    NEEDLE_PULSE = 2,  /* of a progress signal that stands in step lines: sampled */
    NEEDLE_TROUBLE = 4 /* of no signal: marks of trouble, `signal` is an enum trouble */
};

enum {
    NEEDLE_MIN = 4,
    NEEDLE_WORD = 7,   /* from here on a word at an offset divisible by four lies in it */
    NEEDLE_PAIR = 11,  /* from here on two of them */
    NEEDLE_BITS = 15,  /* of the table of keys */
    NEEDLE_SIEVE = 16, /* of the sieves before it */
    NEEDLE_PAIR_SIEVE = 19
};

struct needle {
    struct str text;
    int signal;
    enum needle_group group;
    uint16_t offset; /* of the region that it is looked for by */
    uint8_t bucket;  /* of a short one's four bytes in the kernel's tables */
};

/* A needle that holds certain bytes, its key, at `offset`. */
struct needle_ref {
    uint64_t key;
    uint32_t needle;
    uint32_t first, last; /* four bytes of the needle: most that share a key differ there */
    uint16_t offset, length;
};

struct needle_set {
    const struct needle *needles;
    int n_needles;
    struct needle_ref *refs; /* by hash of the key; those of one hash stand side by side, */
    uint32_t n_refs;
    uint32_t heads[(1 << NEEDLE_BITS) + 2];           /* from heads[hash] up to heads[hash + 1] */
    uint8_t sieve[1 << (NEEDLE_SIEVE - 3)];           /* a bit for each hash of a key of a word */
    uint8_t pair_sieve[1 << (NEEDLE_PAIR_SIEVE - 3)]; /* two bits for each key of two words */
    struct kernel_tables tables;
    bool empty;
};

/* Chooses offset and bucket of each by what healthy lines hold; drops those shorter than
 * NEEDLE_MIN and returns how many are left. */
int needles_place(struct needle *needles, int n, const struct background *background);
bool needle_is_placed(const struct needle *needle); /* offset and bucket make sense */
/* Prepares the tables of placed needles; the array is borrowed. */
struct needle_set *needle_set_new(struct arena *arena, const struct needle *needles, int n);
/* How many of a million healthy lines hold the text, at most. */
uint32_t needle_heat(const struct background *background, struct str text);

/* Calls visit for each needle that stands around text.p + at, where the kernel has set the bit of
 * `at`: in `pair` or in `hit`. */
typedef void needle_visit(void *ctx, size_t at, size_t start, const struct needle *needle);
void needles_at_pair(const struct needle_set *set, struct str text, size_t at, needle_visit *visit,
                     void *ctx);
void needles_at_hit(const struct needle_set *set, struct str text, size_t at, needle_visit *visit,
                    void *ctx);
/* Calls visit for each needle in the text, at least once. */
void needles_in(const struct kernel *kernel, const struct needle_set *set, struct str text,
                needle_visit *visit, void *ctx);
/* Another hash than the kernel's: what that let through by chance is held back here. */
static inline uint32_t needle_sieve(uint32_t word) {
    return (word * 0x85EBCA6Bu) >> (32 - NEEDLE_SIEVE);
}
/* False where no needle holds the four bytes at `at` by themselves; at + 4 <= text.n. */
static inline bool needle_may_hit(const struct needle_set *set, struct str text, size_t at) {
    uint32_t word;
    memcpy(&word, text.p + at, sizeof word);
    word = needle_sieve(word);
    return set->sieve[word >> 3] >> (word & 7) & 1;
}
/* The two bits of a key in the sieve of pairs. */
struct pair_bits {
    uint32_t one, other;
};
static inline struct pair_bits needle_pair_bits(uint64_t key) {
    key *= 0x9E3779B97F4A7C15u;
    uint32_t mask = (1u << NEEDLE_PAIR_SIEVE) - 1;
    return (struct pair_bits){(uint32_t)(key >> (64 - NEEDLE_PAIR_SIEVE)),
                              (uint32_t)(key >> (64 - 2 * NEEDLE_PAIR_SIEVE)) & mask};
}
/* False where no needle holds the eight bytes at `at`; at + 8 <= text.n. */
static inline bool needle_may_pair(const struct needle_set *set, struct str text, size_t at) {
    uint64_t key;
    memcpy(&key, text.p + at, sizeof key);
    struct pair_bits bits = needle_pair_bits(key);
    return (set->pair_sieve[bits.one >> 3] >> (bits.one & 7) & 1) &&
           (set->pair_sieve[bits.other >> 3] >> (bits.other & 7) & 1);
}

#endif
