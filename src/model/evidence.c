#include "model/evidence.h"

#include <stdlib.h>

const char *const kind_names[KIND_COUNT] = {"log",    "words", "kernel",    "config",  "script",
                                            "env",    "gpu",   "scheduler", "network", "stacks",
                                            "flight", "other", "empty"};

const struct fact *evidence_fact_row(const struct evidence *evidence, struct str key) {
    for (size_t i = evidence->facts.n; i-- > 0;)
        if (str_eq(evidence->facts.v[i].key, key)) return &evidence->facts.v[i];
    return NULL;
}

struct str evidence_fact(const struct evidence *evidence, struct str key) {
    const struct fact *fact = evidence_fact_row(evidence, key);
    return fact ? fact->value : (struct str){0};
}

static struct origin origin_copy(struct arena *arena, struct origin origin, int shift) {
    if (origin.source >= 0) origin.source += shift;
    if (origin.host.n) origin.host = arena_str(arena, origin.host);
    return origin;
}

static struct fact fact_copy(struct arena *arena, const struct fact *fact, int shift) {
    struct fact copy = *fact;
    copy.key = arena_str(arena, fact->key);
    copy.value = arena_str(arena, fact->value);
    copy.unit = arena_str(arena, fact->unit);
    copy.machine = arena_str(arena, fact->machine);
    copy.from = arena_str(arena, fact->from);
    copy.origin = origin_copy(arena, fact->origin, shift);
    return copy;
}

void evidence_add_fact(struct evidence *evidence, const struct fact *fact) {
    vec_push(&evidence->arena, &evidence->facts, fact_copy(&evidence->arena, fact, 0));
}

static void merge_sources(struct evidence *into, const struct evidence *from) {
    for (size_t i = 0; i < from->sources.n; i++) {
        struct source source = from->sources.v[i];
        source.path = arena_str(&into->arena, source.path);
        source.file = arena_str(&into->arena, source.file);
        source.note = arena_str(&into->arena, source.note);
        source.host = arena_str(&into->arena, source.host);
        source.last_line = arena_str(&into->arena, source.last_line);
        vec_push(&into->arena, &into->sources, source);
    }
}

static void merge_hits(struct evidence *into, const struct evidence *from, int shift, int traces) {
    struct arena *arena = &into->arena;
    for (size_t i = 0; i < from->hits.n; i++) {
        struct hit hit = from->hits.v[i];
        hit.first = origin_copy(arena, hit.first, shift);
        hit.last = origin_copy(arena, hit.last, shift);
        hit.text = arena_str(arena, hit.text);
        if (hit.trace >= 0) hit.trace += traces;
        hit.captures = ARENA_ARRAY(arena, struct str, hit.n_captures + 1);
        for (int c = 0; c < hit.n_captures; c++)
            hit.captures[c] = arena_str(arena, from->hits.v[i].captures[c]);
        vec_push(arena, &into->hits, hit);
    }
}

static struct frame frame_copy(struct arena *arena, const struct frame *frame) {
    struct frame copy = *frame;
    copy.path = arena_str(arena, frame->path);
    copy.function = arena_str(arena, frame->function);
    copy.code = arena_str(arena, frame->code);
    copy.signals = ARENA_ARRAY(arena, int, frame->n_signals + 1);
    for (int i = 0; i < frame->n_signals; i++) copy.signals[i] = frame->signals[i];
    return copy;
}

static void merge_traces(struct evidence *into, const struct evidence *from, int shift) {
    struct arena *arena = &into->arena;
    int base = (int)into->traces.n;
    for (size_t i = 0; i < from->traces.n; i++) {
        struct trace trace = from->traces.v[i];
        trace.origin = origin_copy(arena, trace.origin, shift);
        trace.end = origin_copy(arena, trace.end, shift);
        trace.type = arena_str(arena, trace.type);
        trace.message = arena_str(arena, trace.message);
        trace.text = arena_str(arena, trace.text);
        if (trace.cause >= 0) trace.cause += base;
        struct frame *frames = ARENA_ARRAY(arena, struct frame, trace.n_frames + 1);
        for (int f = 0; f < trace.n_frames; f++) frames[f] = frame_copy(arena, &trace.frames[f]);
        trace.frames = frames;
        vec_push(arena, &into->traces, trace);
    }
}

static void merge_rest(struct evidence *into, const struct evidence *from, int shift) {
    struct arena *arena = &into->arena;
    for (size_t i = 0; i < from->facts.n; i++)
        vec_push(arena, &into->facts, fact_copy(arena, &from->facts.v[i], shift));
    for (size_t i = 0; i < from->standouts.n; i++) {
        struct standout standout = from->standouts.v[i];
        standout.origin = origin_copy(arena, standout.origin, shift);
        standout.text = arena_str(arena, standout.text);
        vec_push(arena, &into->standouts, standout);
    }
    for (size_t i = 0; i < from->tracks.n; i++) {
        struct track track = from->tracks.v[i];
        track.origin = origin_copy(arena, track.origin, shift);
        vec_push(arena, &into->tracks, track);
    }
    for (size_t i = 0; i < from->documents.n; i++) {
        struct document document = from->documents.v[i];
        document.source += document.source >= 0 ? shift : 0;
        document.format = arena_str(arena, document.format);
        document.text = arena_str(arena, document.text);
        vec_push(arena, &into->documents, document);
    }
    for (size_t i = 0; i < from->voices.n; i++) {
        struct voice voice = from->voices.v[i];
        voice.source += shift;
        vec_push(arena, &into->voices, voice);
    }
    for (size_t i = 0; i < from->ranks.n; i++) vec_push(arena, &into->ranks, from->ranks.v[i]);
}

void evidence_merge(struct evidence *into, const struct evidence *from) {
    int shift = (int)into->sources.n, traces = (int)into->traces.n;
    merge_hits(into, from, shift, traces);
    merge_traces(into, from, shift);
    merge_rest(into, from, shift);
    merge_sources(into, from);
}

/* ---- the total order ------------------------------------------------------------------------ */

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

static void sort_sources(struct evidence *evidence) {
    size_t n = evidence->sources.n;
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
    if (n) qsort(rows, n, size, compare);
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
    sort_rows(evidence->hits.v, evidence->hits.n, sizeof(struct hit), compare_hits);
    sort_rows(evidence->facts.v, evidence->facts.n, sizeof(struct fact), compare_facts);
    sort_rows(evidence->standouts.v, evidence->standouts.n, sizeof(struct standout),
              compare_standouts);
    sort_rows(evidence->tracks.v, evidence->tracks.n, sizeof(struct track), compare_tracks);
    sort_rows(evidence->documents.v, evidence->documents.n, sizeof(struct document),
              compare_documents);
    sort_rows(evidence->voices.v, evidence->voices.n, sizeof(struct voice), compare_voices);
    sort_ranks(evidence);
}

void evidence_release(struct evidence *evidence) {
    arena_release(&evidence->arena);
    *evidence = (struct evidence){0};
}
