#include "text/alike.h"

#include <stdlib.h>

#include "model/evidence.h"
#include "text/masked.h"

_Static_assert((int)ALIKE_BEYOND == (int)MASKED_BEYOND, "they are one");
enum { SETS = 256, WAYS = 4, TEXT_BYTES = 256 * 1024 };

struct entry {
    uint64_t hash;          /* 0: free */
    uint32_t text;          /* of the masked line in `text`, and */
    uint16_t length, value; /* its length; what is kept of it: values lie in the order of lines */
};

struct alike {
    struct entry entries[SETS][WAYS];
    size_t value;
    size_t sets, room; /* of all these, and bytes of `text`, so many are used */
    char *values;      /* the first one for lines that are not kept */
    unsigned n;        /* values in use */
    uint64_t hash;     /* of the last line, */
    bool addresses;    /* which holds hexadecimal numbers */
    uint32_t used;
    char masked[LIMIT_TEXT + MASKED_BEYOND];
    char text[TEXT_BYTES];
};

struct alike *alike_new(size_t value) {
    struct alike *alike = heap_zeros(1, sizeof *alike);
    alike->value = (value + 15) & ~(size_t)15;
    alike->sets = SETS;
    alike->room = TEXT_BYTES;
    alike->values = heap_zeros(SETS * WAYS + 1, alike->value);
    return alike;
}

void alike_halve(struct alike *alike) {
    alike->sets = SETS / 2;
    alike->room = TEXT_BYTES / 2;
}

void alike_release(struct alike *alike) {
    if (!alike) return;
    free(alike->values);
    free(alike);
}

static uint32_t padded(size_t n) {
    return (uint32_t)((n + MASKED_BEYOND - 1) / MASKED_BEYOND * MASKED_BEYOND);
}

static void forget_all(struct alike *alike) {
    memset(alike->entries, 0, sizeof alike->entries);
    alike->used = alike->n = 0;
}

/* The line's entry, else the one that is made for it. */
static struct entry *entry_of(struct alike *alike, size_t n, uint64_t hash, bool *known) {
    struct entry *set = alike->entries[hash >> 32 & (alike->sets - 1)];
    int way = 0;
    for (*known = true; way < WAYS && set[way].hash; way++)
        if (set[way].hash == hash && set[way].length == n &&
            masked_same(alike->text + set[way].text, alike->masked, n))
            return &set[way];
    *known = false;
    if (alike->used + padded(n) > alike->room) {
        forget_all(alike);
        way = 0;
    }
    struct entry *entry = &set[way < WAYS ? way : (int)(hash >> 62)];
    unsigned value = entry->hash ? entry->value : ++alike->n;
    *entry = (struct entry){hash, alike->used, (uint16_t)n, (uint16_t)value};
    memcpy(alike->text + alike->used, alike->masked, padded(n));
    alike->used += padded(n);
    return entry;
}

/* Masks the line into alike->masked; a hash of that. */
static uint64_t mask(struct alike *alike, struct str line, bool beyond) {
    struct str masked = {alike->masked, line.n};
    uint64_t hash = masked_copy(line, beyond, alike->masked);
    alike->addresses = masked_addresses(alike->masked, line.n);
    return (alike->addresses ? masked_copy(masked, true, alike->masked) : hash) | 1;
}

uint64_t alike_turn(struct alike *alike, struct str line, bool beyond) {
    alike->addresses = false;
    alike->hash = line.n && line.n <= LIMIT_TEXT ? mask(alike, line, beyond) : 0;
    return alike->hash;
}

void *alike_kept(struct alike *alike, struct str line, bool *known) {
    struct str masked = {alike->masked, line.n};
    size_t index = 0;
    *known = false;
    if (alike->hash) {
        index = entry_of(alike, line.n, alike->hash, known)->value;
    } else {
        masked = line;
    }
    void *value = alike->values + index * alike->value;
    if (*known) return value;
    memset(value, 0, alike->value);
    grams_make(value, masked);
    if (alike->addresses) grams_blur(value);
    return value;
}

void *alike_of(struct alike *alike, struct str line, bool beyond, bool *known) {
    alike_turn(alike, line, beyond);
    return alike_kept(alike, line, known);
}

bool alike_addresses(const struct alike *alike) {
    return alike->addresses;
}
