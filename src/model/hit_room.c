/* Per signal and kind of line the earliest hits are kept.  Where there is no room for more they are
 * a heap, so that the latest is at hand. */
#include "model/hit_room.h"

enum { LINE_KINDS = 8 };

/* Attempts that were given up, warnings and echoed code must not push out what decides. */
int hit_kind(const struct evidence *from, const struct hit *hit) {
    const struct source *source = &from->sources.v[hit->first.source];
    int kind = hit->flags & HIT_WARNING        ? 2
               : hit->flags & HIT_EXCEPTION    ? 1
               : hit->flags & HIT_IN_TRACEBACK ? 3
                                               : 0;
    return kind * 2 + (hit->first.attempt == source->attempts);
}

static struct hit_rest *rest_of(struct evidence *into, int signal, int kind) {
    size_t slot = (size_t)signal * LINE_KINDS + (size_t)kind;
    while (into->rests.n <= slot)
        vec_push_alone(&into->arena, &into->rests,
                       (struct hit_rest){.signal = (int)into->rests.n / LINE_KINDS});
    return &into->rests.v[slot];
}

static int64_t time_of(const struct hit *hit) {
    return hit->first.time == TIME_UNKNOWN ? INT64_MAX : hit->first.time;
}

/* A total order: time, then place. */
static bool hit_is_later(const struct hit *a, const struct hit *b) {
    if (time_of(a) != time_of(b)) return time_of(a) > time_of(b);
    if (a->first.source != b->first.source) return a->first.source > b->first.source;
    if (a->first.line != b->first.line) return a->first.line > b->first.line;
    return a->first.rank > b->first.rank;
}

/* The same of kept ones, whose times lie side by side: the hits themselves seldom have to be
 * fetched. */
static bool kept_is_later(const struct hit *hits, struct kept_hit a, struct kept_hit b) {
    return a.time != b.time ? a.time > b.time : hit_is_later(&hits[a.row], &hits[b.row]);
}

static struct kept_hit kept_of(const struct evidence *evidence, int row) {
    return (struct kept_hit){time_of(&evidence->hits.v[row]), row};
}

/* The kept ones are a heap: none is later than the one above it, the latest is the first. */
static void sink(const struct evidence *into, struct hit_rest *rest, int at) {
    const struct hit *hits = into->hits.v;
    struct kept_hit *kept = rest->kept.v, moved = kept[at];
    int n = (int)rest->kept.n;
    for (int below; (below = 2 * at + 1) < n; at = below) {
        below += below + 1 < n && kept_is_later(hits, kept[below + 1], kept[below]);
        if (!kept_is_later(hits, kept[below], moved)) break;
        kept[at] = kept[below];
    }
    kept[at] = moved;
}

static void heap_rows(const struct evidence *into, struct hit_rest *rest) {
    for (int at = (int)rest->kept.n / 2; at-- > 0;) sink(into, rest, at);
}

static void add_rank(struct evidence *into, struct hit_rest *rest, int rank) {
    int room = LIMIT_RANK_CHUNKS - into->rank_chunks, left = room;
    rank_set_add(&into->arena, &rest->ranks, rank, &left);
    into->rank_chunks += room - left;
}

static void count_rest(struct evidence *into, struct hit_rest *rest, const struct hit *hit) {
    rest->lines += hit->count;
    add_rank(into, rest, hit->first.rank);
}

void evidence_count_rank(struct evidence *evidence, int signal, int rank) {
    add_rank(evidence, rest_of(evidence, signal, 0), rank);
}

uint32_t evidence_most_hits(const struct evidence *evidence) {
    bool room = evidence->hits.n < LIMIT_ALL_HITS && evidence->hit_bytes < LIMIT_HIT_BYTES;
    return room ? LIMIT_HITS : LIMIT_HITS_LEAST;
}

size_t evidence_most_text(const struct evidence *evidence) {
    return evidence->hit_bytes < LIMIT_HIT_BYTES ? LIMIT_TEXT : LIMIT_TEXT_LEAST;
}

size_t hit_bytes(const struct hit *hit) {
    size_t bytes = hit->text.n;
    for (int i = 0; i < hit->n_captures; i++) bytes += hit->captures[i].n;
    return bytes;
}

int hit_place(struct evidence *into, const struct hit *hit, int kind) {
    struct hit_rest *rest = rest_of(into, hit->signal, kind);
    if (rest->kept.n < evidence_most_hits(into)) {
        int row = (int)into->hits.n;
        into->hit_bytes += hit_bytes(hit);
        vec_push_alone(&into->arena, &into->hits, *hit);
        vec_push(&into->arena, &rest->kept, kept_of(into, row));
        if (rest->kept.n == LIMIT_HITS) heap_rows(into, rest);
        return row;
    }
    if (rest->kept.n < LIMIT_HITS) heap_rows(into, rest); /* fewer are no heap yet */
    struct kept_hit latest = rest->kept.v[0];
    bool later = latest.time != time_of(hit) ? latest.time > time_of(hit)
                                             : hit_is_later(&into->hits.v[latest.row], hit);
    if (!later) {
        count_rest(into, rest, hit);
        return -1;
    }
    count_rest(into, rest, &into->hits.v[latest.row]);
    into->hit_bytes += hit_bytes(hit);
    into->hit_bytes -= hit_bytes(&into->hits.v[latest.row]);
    into->hits.v[latest.row] = *hit;
    rest->kept.v[0] = kept_of(into, latest.row);
    sink(into, rest, 0);
    return latest.row;
}

void hit_rests_merge(struct evidence *into, const struct evidence *from) {
    for (size_t i = 0; i < from->rests.n; i++) {
        struct hit_rest *rest = rest_of(into, (int)i / LINE_KINDS, (int)i % LINE_KINDS);
        rest->lines += from->rests.v[i].lines;
        int room = LIMIT_RANK_CHUNKS - into->rank_chunks, left = room;
        rank_set_join(&into->arena, &rest->ranks, &from->rests.v[i].ranks, &left);
        into->rank_chunks += room - left;
    }
}

void hit_rests_renumber(struct evidence *evidence) {
    if (!evidence->rests.n) return;
    for (size_t i = 0; i < evidence->rests.n; i++) evidence->rests.v[i].kept.n = 0;
    for (size_t i = 0; i < evidence->hits.n; i++) {
        const struct hit *hit = &evidence->hits.v[i];
        struct hit_rest *rest = rest_of(evidence, hit->signal, hit_kind(evidence, hit));
        if (rest->kept.n < LIMIT_HITS)
            vec_push(&evidence->arena, &rest->kept, kept_of(evidence, (int)i));
    }
    for (size_t i = 0; i < evidence->rests.n; i++)
        if (evidence->rests.v[i].kept.n == LIMIT_HITS) heap_rows(evidence, &evidence->rests.v[i]);
}
