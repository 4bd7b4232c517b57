/* The total order: the same evidence, whoever was read first. */
#include "model/evidence.h"

#include <stdlib.h>

#include "model/hit_room.h"

static int compare_numbers(int64_t a, int64_t b) {
    return (a > b) - (a < b);
}

static int compare_origins(const struct origin *a, const struct origin *b) {
    int order = compare_numbers(a->source, b->source);
    if (!order) order = compare_numbers(a->line, b->line);
    if (!order) order = compare_numbers(a->rank, b->rank);
    if (!order) order = compare_numbers((int64_t)a->offset, (int64_t)b->offset);
    return order;
}

static int compare_hits(const void *a, const void *b) {
    const struct hit *x = a, *y = b;
    int order = compare_origins(&x->first, &y->first);
    return order ? order : compare_numbers(x->signal, y->signal);
}

static int compare_facts(const void *a, const void *b) {
    const struct fact *x = a, *y = b;
    int order = compare_origins(&x->origin, &y->origin);
    if (!order) order = str_cmp(x->key, y->key);
    return order ? order : str_cmp(x->value, y->value);
}

static int compare_standouts(const void *a, const void *b) {
    const struct standout *x = a, *y = b;
    int order = compare_origins(&x->origin, &y->origin);
    return order ? order : str_cmp(x->text, y->text);
}

static int compare_tracks(const void *a, const void *b) {
    return compare_origins(&((const struct track *)a)->origin, &((const struct track *)b)->origin);
}

static int compare_voices(const void *a, const void *b) {
    const struct voice *x = a, *y = b;
    int order = compare_numbers(x->rank, y->rank);
    return order ? order : compare_numbers(x->source, y->source);
}

static int compare_documents(const void *a, const void *b) {
    const struct document *x = a, *y = b;
    int order = compare_numbers(x->source, y->source);
    return order ? order : str_cmp(x->format, y->format);
}

static int compare_ints(const void *a, const void *b) {
    return compare_numbers(*(const int *)a, *(const int *)b);
}

/* Sorting moves rows that others point to by index: the permutation is kept beside the row. */
struct numbered_source {
    struct source source;
    int old;
};
struct numbered_trace {
    struct trace trace;
    int old;
};

static int compare_sources(const void *a, const void *b) {
    const struct numbered_source *x = a, *y = b;
    int order = str_cmp(x->source.path, y->source.path);
    return order ? order : compare_numbers(x->old, y->old);
}

static int compare_traces(const void *a, const void *b) {
    const struct numbered_trace *x = a, *y = b;
    int order = compare_origins(&x->trace.end, &y->trace.end);
    return order ? order : compare_numbers(x->old, y->old);
}

static void renumber(int *index, const int *new_of, size_t n) {
    if (*index >= 0 && (size_t)*index < n) *index = new_of[*index];
}

static bool sources_in_order(const struct evidence *evidence) {
    for (size_t i = 1; i < evidence->sources.n; i++)
        if (str_cmp(evidence->sources.v[i - 1].path, evidence->sources.v[i].path) > 0) return false;
    return true;
}

static void sort_sources(struct evidence *evidence) {
    size_t n = evidence->sources.n;
    if (sources_in_order(evidence)) return;
    struct numbered_source *rows = ARENA_ARRAY(&evidence->arena, struct numbered_source, n + 1);
    int *new_of = ARENA_ARRAY(&evidence->arena, int, n + 1);
    for (size_t i = 0; i < n; i++)
        rows[i] = (struct numbered_source){evidence->sources.v[i], (int)i};
    qsort(rows, n, sizeof *rows, compare_sources);
    for (size_t i = 0; i < n; i++) {
        evidence->sources.v[i] = rows[i].source;
        new_of[rows[i].old] = (int)i;
    }
    for (size_t i = 0; i < evidence->hits.n; i++) {
        renumber(&evidence->hits.v[i].first.source, new_of, n);
        renumber(&evidence->hits.v[i].last.source, new_of, n);
    }
    for (size_t i = 0; i < evidence->facts.n; i++)
        renumber(&evidence->facts.v[i].origin.source, new_of, n);
    for (size_t i = 0; i < evidence->traces.n; i++) {
        renumber(&evidence->traces.v[i].origin.source, new_of, n);
        renumber(&evidence->traces.v[i].end.source, new_of, n);
        renumber(&evidence->traces.v[i].code_at.source, new_of, n);
    }
    for (size_t i = 0; i < evidence->standouts.n; i++)
        renumber(&evidence->standouts.v[i].origin.source, new_of, n);
    for (size_t i = 0; i < evidence->tracks.n; i++)
        renumber(&evidence->tracks.v[i].origin.source, new_of, n);
    for (size_t i = 0; i < evidence->voices.n; i++)
        renumber(&evidence->voices.v[i].source, new_of, n);
    for (size_t i = 0; i < evidence->documents.n; i++)
        renumber(&evidence->documents.v[i].source, new_of, n);
}

static void sort_traces(struct evidence *evidence) {
    size_t n = evidence->traces.n;
    struct numbered_trace *rows = ARENA_ARRAY(&evidence->arena, struct numbered_trace, n + 1);
    int *new_of = ARENA_ARRAY(&evidence->arena, int, n + 1);
    for (size_t i = 0; i < n; i++) rows[i] = (struct numbered_trace){evidence->traces.v[i], (int)i};
    qsort(rows, n, sizeof *rows, compare_traces);
    for (size_t i = 0; i < n; i++) {
        evidence->traces.v[i] = rows[i].trace;
        new_of[rows[i].old] = (int)i;
    }
    for (size_t i = 0; i < n; i++) renumber(&evidence->traces.v[i].cause, new_of, n);
    for (size_t i = 0; i < evidence->hits.n; i++) renumber(&evidence->hits.v[i].trace, new_of, n);
}

static void sort_rows(void *rows, size_t n, size_t size,
                      int (*compare)(const void *, const void *)) {
    const char *row = rows;
    for (size_t i = 1; i < n; i++, row += size)
        if (compare(row, row + size) > 0) {
            qsort(rows, n, size, compare);
            return;
        }
}

/* The same of rows that mostly lie by source already, whose number stands at `at` in them. */
static void sort_by_source(void *rows, size_t n, size_t size, size_t at,
                           int (*compare)(const void *, const void *)) {
    char *row = rows;
    for (size_t from = 0, i = 1; i <= n; i++) {
        int order = i < n ? compare_numbers(*(const int *)(row + (i - 1) * size + at),
                                            *(const int *)(row + i * size + at))
                          : -1;
        if (order > 0) {
            sort_rows(rows, n, size, compare);
            return;
        }
        if (order == 0) continue;
        sort_rows(row + from * size, i - from, size, compare);
        from = i;
    }
}

static void sort_ranks(struct evidence *evidence) {
    sort_rows(evidence->ranks.v, evidence->ranks.n, sizeof(int), compare_ints);
    size_t kept = 0;
    for (size_t i = 0; i < evidence->ranks.n; i++)
        if (!kept || evidence->ranks.v[i] != evidence->ranks.v[kept - 1])
            evidence->ranks.v[kept++] = evidence->ranks.v[i];
    evidence->ranks.n = kept;
}

void evidence_sort(struct evidence *evidence) {
    sort_sources(evidence);
    sort_traces(evidence);
    sort_by_source(evidence->hits.v, evidence->hits.n, sizeof(struct hit),
                   offsetof(struct hit, first.source), compare_hits);
    sort_by_source(evidence->facts.v, evidence->facts.n, sizeof(struct fact),
                   offsetof(struct fact, origin.source), compare_facts);
    sort_by_source(evidence->standouts.v, evidence->standouts.n, sizeof(struct standout),
                   offsetof(struct standout, origin.source), compare_standouts);
    sort_by_source(evidence->tracks.v, evidence->tracks.n, sizeof(struct track),
                   offsetof(struct track, origin.source), compare_tracks);
    sort_rows(evidence->documents.v, evidence->documents.n, sizeof(struct document),
              compare_documents);
    sort_rows(evidence->voices.v, evidence->voices.n, sizeof(struct voice), compare_voices);
    sort_ranks(evidence);
    hit_rests_renumber(evidence);
}
