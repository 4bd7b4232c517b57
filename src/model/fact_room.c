#include "model/fact_room.h"

enum { PLACES = 131072 };
_Static_assert(PLACES > 2 * LIMIT_ALL_FACTS, "a free place is always near");

static uint64_t hash_of(const struct fact *fact) {
    uint64_t hash = (str_hash(fact->key) ^ str_hash(fact->value) << 1) * 0x9E3779B97F4A7C15u;
    return (hash ^ hash >> 32) | 1; /* 0 marks a free place */
}

/* False where a fact of this key and value was added before. */
static bool add(uint64_t *told, const struct fact *fact) {
    uint64_t hash = hash_of(fact);
    size_t at = hash / 2 % PLACES;
    for (; told[at]; at = (at + 1) % PLACES)
        if (told[at] == hash) return false;
    told[at] = hash;
    return true;
}

bool fact_has_room(struct evidence *evidence, const struct fact *fact) {
    if (evidence->facts.n < LIMIT_FACTS) return true;
    if (evidence->facts.n >= LIMIT_ALL_FACTS) return false;
    if (!evidence->told) {
        evidence->told = ARENA_ARRAY(&evidence->arena, uint64_t, PLACES);
        for (size_t i = 0; i < evidence->facts.n; i++) add(evidence->told, &evidence->facts.v[i]);
    }
    return add(evidence->told, fact);
}
