/* needles.h - the literals of all signals, and the few bytes that find them.
 *
 * Each needle is found by one trigger, four of its bytes that healthy logs lack; needles share
 * triggers, so that a hundred serve a thousand.  A trigger in the text is looked up here, and its
 * needles compared in full: what this module reports is exact.
 */
#ifndef FAULTLINE_MATCH_NEEDLES_H
#define FAULTLINE_MATCH_NEEDLES_H

#include "match/background.h"
#include "match/kernel.h"

enum needle_group {
    NEEDLE_PLAIN = 1,     /* of a signal whose verdict does not depend on digits */
    NEEDLE_SENSITIVE = 2, /* of one whose verdict may */
    NEEDLE_PULSE = 4,     /* of a progress signal that stands in step lines: sampled */
    NEEDLE_TROUBLE = 8    /* of no signal: marks of trouble, `signal` is an enum trouble */
};

struct needle {
    struct str text;
    int signal;
    enum needle_group group;
};

/* A needle that holds a trigger at `offset`. */
struct needle_ref {
    uint32_t needle;
    uint32_t offset;
};

struct trigger {
    uint32_t bytes;       /* as loaded from memory */
    uint32_t first, refs; /* its slice of needle_set.refs; refs 0: a free slot */
};

enum { NEEDLE_MIN = 4, SIEVE_BITS = 16 };

struct needle_set {
    struct needle *needles;
    int n_needles;
    struct needle_ref *refs;
    struct trigger *slots; /* open addressing */
    uint32_t slot_mask;
    int n_triggers;
    uint8_t sieve[1 << (SIEVE_BITS - 3)]; /* one bit for each hash of a trigger */
    struct kernel_tables tables;
};

/* Chooses the triggers of the needles whose group is in `groups`; the array is borrowed. */
struct needle_set *needle_set_new(struct arena *arena, struct needle *needles, int n,
                                  const struct background *background, unsigned groups);

static inline uint32_t trigger_load(const char *p) {
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return v;
}
static inline uint32_t trigger_hash(uint32_t v) {
    return v * 0x9E3779B1u;
}
/* The trigger that is these bytes, or NULL. */
static inline const struct trigger *trigger_find(const struct needle_set *set, uint32_t v) {
    uint32_t hash = trigger_hash(v), bit = hash >> (32 - SIEVE_BITS);
    if (!(set->sieve[bit >> 3] >> (bit & 7) & 1)) return NULL;
    for (uint32_t i = hash >> 8 & set->slot_mask;; i = (i + 1) & set->slot_mask) {
        if (!set->slots[i].refs) return NULL;
        if (set->slots[i].bytes == v) return &set->slots[i];
    }
}
/* True when the needle stands around the trigger at text.p + at. */
static inline bool needle_stands(const struct needle_set *set, const struct needle_ref *ref,
                                 struct str text, size_t at) {
    struct str needle = set->needles[ref->needle].text;
    return at >= ref->offset && at - ref->offset + needle.n <= text.n &&
           memcmp(text.p + at - ref->offset, needle.p, needle.n) == 0;
}

#endif
