#include "model/rank_set.h"

/* The first chunk that does not lie before `at`. */
static int place_of(const struct rank_set *set, int at) {
    int low = 0, high = set->n;
    if (set->n && set->chunks[set->n - 1].at <= at) low = set->n - 1; /* most come in order */
    while (low < high) {
        int middle = (low + high) / 2;
        if (set->chunks[middle].at < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void grow(struct arena *arena, struct rank_set *set) {
    int cap = set->cap ? 2 * set->cap : 1;
    struct rank_chunk *chunks = ARENA_ARRAY(arena, struct rank_chunk, cap);
    if (set->n) memcpy(chunks, set->chunks, sizeof *chunks * (size_t)set->n);
    set->chunks = chunks;
    set->cap = cap;
}

/* The chunk at `at`, made where it is not there; NULL: there is no room for it. */
static struct rank_chunk *chunk_at(struct arena *arena, struct rank_set *set, int at, int *room) {
    int i = place_of(set, at);
    if (i < set->n && set->chunks[i].at == at) return &set->chunks[i];
    if (room && (*room)-- <= 0) {
        *room = 0;
        return NULL;
    }
    if (set->n == set->cap) grow(arena, set);
    memmove(set->chunks + i + 1, set->chunks + i, sizeof *set->chunks * (size_t)(set->n - i));
    set->chunks[i] = (struct rank_chunk){.at = at};
    set->n++;
    return &set->chunks[i];
}

void rank_set_add(struct arena *arena, struct rank_set *set, int rank, int *room) {
    if (rank < 0 || rank >= RANK_SET_MAX) return;
    struct rank_chunk *chunk = chunk_at(arena, set, rank / RANK_CHUNK, room);
    int bit = rank % RANK_CHUNK;
    if (chunk) chunk->bits[bit / 64] |= UINT64_C(1) << bit % 64;
}

void rank_set_join(struct arena *arena, struct rank_set *set, const struct rank_set *other,
                   int *room) {
    for (int i = 0; i < other->n; i++) {
        struct rank_chunk *chunk = chunk_at(arena, set, other->chunks[i].at, room);
        for (int k = 0; chunk && k < RANK_CHUNK / 64; k++)
            chunk->bits[k] |= other->chunks[i].bits[k];
    }
}

int rank_set_count(const struct rank_set *set) {
    int n = 0;
    for (int i = 0; i < set->n; i++)
        for (int k = 0; k < RANK_CHUNK / 64; k++) n += __builtin_popcountll(set->chunks[i].bits[k]);
    return n;
}
