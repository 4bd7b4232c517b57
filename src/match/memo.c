#include "match/memo_table.h"

#include <stdlib.h>

_Static_assert(sizeof(struct entry) == 64, "an entry is a cache line");
_Static_assert(MEMO_TEXT / MASKED_BEYOND <= UINT16_MAX + 1, "an entry tells where its text is");

struct memo *memo_new(void) {
    size_t size = (sizeof(struct memo) + 63) / 64 * 64;
    struct memo *memo = aligned_alloc(64, size);
    if (!memo) base_out_of_memory();
    memset(memo, 0, offsetof(struct memo, masked));
    memo->last = &memo->spare;
    return memo;
}

void memo_release(struct memo *memo) {
    free(memo);
}

struct str memo_masked(const struct memo *memo, struct str line) {
    return (struct str){memo->masked, line.n};
}

bool memo_addresses(const struct memo *memo) {
    return memo->addresses;
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

/* Masks the line into memo->masked; a hash of that. */
static uint64_t mask(struct memo *memo, struct str line, bool beyond) {
    uint64_t hash = masked_copy(line, beyond, memo->masked);
    memo->addresses = masked_addresses(memo->masked, line.n);
    if (memo->addresses) hash = masked_copy(memo_masked(memo, line), true, memo->masked);
    return memo_hash(hash);
}

void memo_turn(struct memo *memo, struct str line) {
    memo->hash = mask(memo, line, false);
}

const struct decision *memo_find(struct memo *memo, struct str line, bool beyond) {
    if (line.n == 0) return NULL;
    uint64_t hash = mask(memo, line, beyond);
    size_t set = memo_set(hash);
    memo->hash = hash;
    for (int way = 0; way < MEMO_WAYS; way++) {
        const struct entry *entry = &memo->entries[set * MEMO_WAYS + (size_t)way];
        if (memo->hashes[set][way] == hash && entry->length == line.n &&
            masked_same(entry_text(memo, entry), memo->masked, line.n))
            return &entry->decision;
    }
    memo->missed++;
    return NULL;
}

static void forget_all(struct memo *memo) {
    memset(memo->hashes, 0, sizeof memo->hashes);
    memset(memo->entries, 0, sizeof memo->entries);
    memo->last = &memo->spare;
    memo->used = 0;
}

/* A free place of the set, or that of a line behind which no certain one comes; of several in turn:
 * two that meet again and again must not always drive out each other. */
static int way_for(struct memo *memo, size_t set) {
    const struct entry *entries = &memo->entries[set * MEMO_WAYS];
    int best = (int)(memo->missed % MEMO_WAYS);
    for (int way = 0; way < MEMO_WAYS; way++)
        if (!memo->hashes[set][way]) return way;
    for (int i = 1, first = best; i < MEMO_WAYS; i++) {
        int way = (first + i) % MEMO_WAYS;
        if (entries[way].faith < entries[best].faith) best = way;
    }
    return best;
}

const struct decision *memo_store(struct memo *memo, struct str line,
                                  const struct decision *decision) {
    size_t room = padded(line.n);
    if (line.n == 0) {
        memo->spare.decision = *decision;
        return &memo->spare.decision;
    }
    if (memo->used + room > MEMO_TEXT) forget_all(memo);
    size_t set = memo_set(memo->hash);
    int way = way_for(memo, set);
    memcpy(memo->text + memo->used, memo->masked, room);
    memo->hashes[set][way] = memo->hash;
    struct entry *entry = &memo->entries[set * MEMO_WAYS + (size_t)way];
    *entry = (struct entry){.decision = *decision,
                            .length = (uint16_t)line.n & 0x7fff,
                            .addresses = memo->addresses,
                            .text = (uint16_t)(memo->used / MASKED_BEYOND)};
    memo->loosely[entry - memo->entries] = masked_loosely((struct str){memo->masked, line.n});
    memo->guards[entry - memo->entries] = (struct guard){0};
    memo->used += (uint32_t)room;
    return &entry->decision;
}

/* The entry that keeps the decision; NULL for one that is not kept. */
static struct entry *entry_of(struct memo *memo, const struct decision *decision) {
    uintptr_t at = (uintptr_t)decision - (uintptr_t)memo->entries;
    return at < sizeof memo->entries ? &memo->entries[at / sizeof(struct entry)] : NULL;
}

void memo_mute(struct memo *memo, const struct decision *decision, uint32_t round) {
    struct entry *entry = entry_of(memo, decision);
    if (entry) entry->muted = round;
}

uint64_t memo_loosely(struct memo *memo, const struct decision *decision) {
    const struct entry *entry = entry_of(memo, decision);
    return entry ? memo->loosely[entry - memo->entries] : LOOSELY_NOTHING;
}

bool memo_vain(struct memo *memo, const struct decision *decision) {
    struct entry *entry = entry_of(memo, decision);
    if (!entry || entry->addresses) return false;
    struct guard *guard = &memo->guards[entry - memo->entries];
    if (guard->vain < UINT16_MAX) guard->vain++;
    return guard->vain == 64 || guard->vain == 512 || guard->vain == 4096;
}

void memo_guard(struct memo *memo, const struct decision *decision, size_t at, unsigned excluded) {
    const struct entry *entry = entry_of(memo, decision);
    struct guard *guard = &memo->guards[entry - memo->entries];
    guard->at = (uint16_t)at;
    guard->excluded = (uint16_t)excluded;
}
