#include "model/last_facts.h"

enum { PLACES = 64 };

static const struct fact **place_of(const struct last_facts *last, struct str key) {
    size_t i = (size_t)str_hash(key) & (last->n_places - 1);
    while (last->v[i] && !str_eq(last->v[i]->key, key)) i = (i + 1) & (last->n_places - 1);
    return &last->v[i];
}

static void places_make(struct last_facts *last, struct arena *arena, size_t n) {
    struct last_facts before = *last;
    last->v = ARENA_ARRAY(arena, const struct fact *, n);
    last->n_places = n;
    for (size_t i = 0; i < before.n_places; i++)
        if (before.v[i]) *place_of(last, before.v[i]->key) = before.v[i];
}

void evidence_last_facts(const struct evidence *evidence, const bool *ours, struct arena *arena,
                         struct last_facts *last) {
    *last = (struct last_facts){0};
    places_make(last, arena, PLACES);
    for (size_t i = evidence->facts.n; i-- > 0;) {
        const struct fact *fact = &evidence->facts.v[i];
        if (ours && fact->origin.source >= 0 && !ours[fact->origin.source]) continue;
        const struct fact **place = place_of(last, fact->key);
        if (*place) continue;
        *place = fact;
        if (++last->n * 2 > last->n_places) places_make(last, arena, 2 * last->n_places);
    }
}

const struct fact *evidence_last_fact(const struct last_facts *last, struct str key) {
    return *place_of(last, key);
}
