#include "match/needles.h"

#include <stdlib.h>

/* ---- windows: every four bytes of every needle
 * ------------------------------------------------------- */

struct window {
    uint32_t bytes;
    uint32_t cover; /* needles that hold it; 0: a free slot */
    uint32_t count; /* in a million healthy lines */
    bool chosen;
};

struct cover {
    struct window *windows;
    uint32_t mask;
    const struct background *background;
};

static struct window *window_at(struct cover *cover, const char *p) {
    uint32_t v = trigger_load(p), i = trigger_hash(v) >> 8 & cover->mask;
    while (cover->windows[i].cover && cover->windows[i].bytes != v) i = (i + 1) & cover->mask;
    return &cover->windows[i];
}

static void window_add(struct cover *cover, const char *p) {
    struct window *window = window_at(cover, p);
    if (!window->cover++) {
        window->bytes = trigger_load(p);
        window->count = background_count(cover->background, p);
    }
}

static uint32_t power_above(size_t n) {
    uint32_t power = 1024;
    while (power < n) power *= 2;
    return power;
}

/* What a window is worth: needles it finds against the places it stops at in healthy text.  One
 * line in a thousand (count 1000) costs about as much as another trigger in the tables. */
static double window_worth(const struct window *window) {
    return window->cover / (window->count / 1000.0 + 1.5);
}

/* The best window of a needle: one already chosen if it is as quiet as the quietest choice, else
 * the worthiest. */
static struct window *window_best(struct cover *cover, struct str needle, size_t *offset) {
    struct window *best = NULL;
    for (size_t i = 0; i + NEEDLE_MIN <= needle.n; i++) {
        struct window *window = window_at(cover, needle.p + i);
        bool better = !best || (window->chosen != best->chosen
                                    ? window->chosen && window->count <= best->count + 20
                                    : window_worth(window) > window_worth(best));
        if (best && best->chosen && !window->chosen) better = window->count + 20 < best->count;
        if (!better) continue;
        best = window;
        *offset = i;
    }
    best->chosen = true;
    return best;
}

/* ---- triggers
 * ------------------------------------------------------------------------------------------- */

/* A needle with the trigger that finds it. */
struct found_by {
    struct needle_ref ref;
    uint32_t bytes, count;
};

static int by_count_then_bytes(const void *a, const void *b) {
    const struct found_by *x = a, *y = b;
    if (x->count != y->count) return x->count < y->count ? 1 : -1;
    if (x->bytes != y->bytes) return x->bytes < y->bytes ? -1 : 1;
    return (x->ref.needle > y->ref.needle) - (x->ref.needle < y->ref.needle);
}

static int by_length(const void *a, const void *b) {
    const struct needle *const *x = a, *const *y = b;
    if ((*x)->text.n != (*y)->text.n) return (*x)->text.n < (*y)->text.n ? -1 : 1;
    return (*x > *y) - (*x < *y);
}

/* A weighted set cover by one greedy pass: short needles have the least choice and choose first,
 * longer ones then mostly hold a window that is chosen already. */
static int choose(struct arena *scratch, const struct needle_set *set, unsigned groups,
                  const struct background *background, struct found_by **out) {
    struct needle **order = ARENA_ARRAY(scratch, struct needle *, set->n_needles + 1);
    size_t bytes = 0;
    int n = 0;
    for (int i = 0; i < set->n_needles; i++) {
        struct needle *needle = &set->needles[i];
        if (!(needle->group & groups) || needle->text.n < NEEDLE_MIN) continue;
        order[n++] = needle;
        bytes += needle->text.n;
    }
    struct cover cover = {.mask = power_above(bytes * 3 / 2) - 1, .background = background};
    cover.windows = ARENA_ARRAY(scratch, struct window, cover.mask + 1);
    for (int i = 0; i < n; i++)
        for (size_t k = 0; k + NEEDLE_MIN <= order[i]->text.n; k++)
            window_add(&cover, order[i]->text.p + k);
    qsort(order, (size_t)n, sizeof(struct needle *), by_length);
    struct found_by *found = ARENA_ARRAY(scratch, struct found_by, n + 1);
    for (int i = 0; i < n; i++) {
        size_t offset = 0;
        struct window *window = window_best(&cover, order[i]->text, &offset);
        struct needle_ref ref = {(uint32_t)(order[i] - set->needles), (uint32_t)offset};
        found[i] = (struct found_by){ref, window->bytes, window->count};
    }
    qsort(found, (size_t)n, sizeof *found, by_count_then_bytes);
    *out = found;
    return n;
}

static void trigger_put(struct needle_set *set, uint32_t bytes, uint32_t first, uint32_t refs) {
    uint32_t hash = trigger_hash(bytes), bit = hash >> (32 - SIEVE_BITS);
    uint32_t i = hash >> 8 & set->slot_mask;
    while (set->slots[i].refs) i = (i + 1) & set->slot_mask;
    set->slots[i] = (struct trigger){bytes, first, refs};
    set->sieve[bit >> 3] |= (uint8_t)(1u << (bit & 7));
}

/* ---- buckets
 * ------------------------------------------------------------------------------------------- */

enum { SAMPLE_WORDS = BACKGROUND_SAMPLES / 64 };
struct sample_bits {
    uint64_t w[SAMPLE_WORDS];
};

/* Which healthy samples a bucket would stop at, kept so that a trigger can be tried in each bucket.
 */
struct packing {
    struct sample_bits low[4][16], high[4][16];                 /* samples with that nibble there */
    struct sample_bits in_low[BUCKETS][4], in_high[BUCKETS][4]; /* admitted by the bucket */
    int passed[BUCKETS], members[BUCKETS];
};

static void packing_start(struct packing *packing, const struct background *background) {
    const uint8_t *samples = background_samples(background);
    memset(packing, 0, sizeof *packing);
    for (int s = 0; s < BACKGROUND_SAMPLES; s++)
        for (int j = 0; j < 4; j++) {
            uint8_t byte = samples[s * 4 + j];
            packing->low[j][byte & 15].w[s / 64] |= (uint64_t)1 << (s % 64);
            packing->high[j][byte >> 4].w[s / 64] |= (uint64_t)1 << (s % 64);
        }
}

static int bits_count(uint64_t v) {
    int n = 0;
    for (; v; v &= v - 1) n++;
    return n;
}

/* Samples that the bucket stops at with the trigger added. */
static int packing_try(const struct packing *packing, int bucket, const uint8_t bytes[4]) {
    int passed = 0;
    for (int w = 0; w < SAMPLE_WORDS; w++) {
        uint64_t all = ~(uint64_t)0;
        for (int j = 0; j < 4 && all; j++)
            all &= (packing->in_low[bucket][j].w[w] | packing->low[j][bytes[j] & 15].w[w]) &
                   (packing->in_high[bucket][j].w[w] | packing->high[j][bytes[j] >> 4].w[w]);
        passed += bits_count(all);
    }
    return passed;
}

static void packing_add(struct packing *packing, int bucket, const uint8_t bytes[4], int passed) {
    for (int j = 0; j < 4; j++)
        for (int w = 0; w < SAMPLE_WORDS; w++) {
            packing->in_low[bucket][j].w[w] |= packing->low[j][bytes[j] & 15].w[w];
            packing->in_high[bucket][j].w[w] |= packing->high[j][bytes[j] >> 4].w[w];
        }
    packing->passed[bucket] = passed;
    packing->members[bucket]++;
}

/* Puts a trigger where it widens the bucket least. */
static void pack(struct packing *packing, struct kernel_tables *tables, uint32_t trigger) {
    uint8_t bytes[4];
    int best = 0, best_passed = 0, best_cost = 1 << 30;
    memcpy(bytes, &trigger, 4);
    for (int bucket = 0; bucket < BUCKET_BOX; bucket++) {
        int passed = packing_try(packing, bucket, bytes);
        int cost = (passed - packing->passed[bucket]) * 8 + packing->members[bucket];
        if (cost >= best_cost) continue;
        best = bucket;
        best_passed = passed;
        best_cost = cost;
    }
    packing_add(packing, best, bytes, best_passed);
    for (int j = 0; j < 4; j++) kernel_admit(tables, best, j, bytes[j]);
}

/* ---- the set
 * --------------------------------------------------------------------------------------------- */

struct needle_set *needle_set_new(struct arena *arena, struct needle *needles, int n,
                                  const struct background *background, unsigned groups) {
    struct arena scratch = {0};
    struct needle_set *set = ARENA_NEW(arena, struct needle_set);
    struct found_by *found;
    struct packing *packing = ARENA_NEW(&scratch, struct packing);
    set->needles = needles;
    set->n_needles = n;
    int refs = choose(&scratch, set, groups, background, &found);
    set->refs = ARENA_ARRAY(arena, struct needle_ref, refs + 1);
    set->slot_mask = power_above((size_t)refs * 4) - 1;
    set->slots = ARENA_ARRAY(arena, struct trigger, set->slot_mask + 1);
    packing_start(packing, background);
    for (int i = 0, j; i < refs; i = j) {
        for (j = i; j < refs && found[j].bytes == found[i].bytes; j++) set->refs[j] = found[j].ref;
        trigger_put(set, found[i].bytes, (uint32_t)i, (uint32_t)(j - i));
        pack(packing, &set->tables, found[i].bytes);
        set->n_triggers++;
    }
    arena_release(&scratch);
    return set;
}
