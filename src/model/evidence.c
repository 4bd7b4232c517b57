#include "model/evidence.h"

#include <stdlib.h>

#include "model/fact_room.h"

const char *const kind_names[KIND_COUNT] = {"log",    "words", "kernel",    "config",  "script",
                                            "env",    "gpu",   "scheduler", "network", "stacks",
                                            "flight", "other", "empty"};

const struct fact *evidence_fact_row(const struct evidence *evidence, struct str key) {
    for (size_t i = evidence->facts.n; i-- > 0;)
        if (str_eq(evidence->facts.v[i].key, key)) return &evidence->facts.v[i];
    return NULL;
}

static struct str host_short(struct str name) {
    ptrdiff_t dot = str_find(name, STR("."), 0);
    bool address = name.n && name.p[0] >= '0' && name.p[0] <= '9';
    return dot > 0 && !address ? str_sub(name, 0, (size_t)dot) : name;
}

bool evidence_same_host(struct str a, struct str b) {
    return str_eq_nocase(host_short(a), host_short(b));
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
        if (!from->paths_stay) {
            source.path = arena_str(&into->arena, source.path);
            if (source.file) source.file = arena_cstr(&into->arena, str_of(source.file));
        }
        if (source.note) source.note = arena_cstr(&into->arena, str_of(source.note));
        source.host = arena_str(&into->arena, source.host);
        into->last_lines += source.last_line.n;
        if (into->last_lines > LIMIT_LAST_LINES) source.last_line = (struct str){0};
        source.last_line = arena_str(&into->arena, source.last_line);
        vec_push_alone(&into->arena, &into->sources, source);
    }
}

/* ---- hits: per signal the earliest are kept ------------------------------------------------- */

enum { KINDS = 8 };

/* Attempts that were given up, warnings and echoed code must not push out what decides. */
static int kind_of_hit(const struct evidence *from, const struct hit *hit) {
    const struct source *source = &from->sources.v[hit->first.source];
    int kind = hit->flags & HIT_WARNING        ? 2
               : hit->flags & HIT_EXCEPTION    ? 1
               : hit->flags & HIT_IN_TRACEBACK ? 3
                                               : 0;
    return kind * 2 + (hit->first.attempt == source->attempts);
}

static struct hit_rest *rest_of(struct evidence *into, int signal, int kind) {
    size_t slot = (size_t)signal * KINDS + (size_t)kind;
    while (into->rests.n <= slot)
        vec_push_alone(&into->arena, &into->rests,
                       (struct hit_rest){.signal = (int)into->rests.n / KINDS});
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

/* The row that a hit gets, -1: it only counts. */
static int place_hit(struct evidence *into, struct hit_rest *rest, const struct hit *hit) {
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

/* Traces of kept hits are wanted: marked in `wanted`.  `rows` receives where each hit went. */
static void merge_hits(struct evidence *into, const struct evidence *from, int shift, int *rows,
                       bool *wanted) {
    for (size_t i = 0; i < from->hits.n; i++) {
        struct hit hit = from->hits.v[i];
        struct hit_rest *rest = rest_of(into, hit.signal, kind_of_hit(from, &hit));
        hit.first.source += shift;
        hit.last.source += shift;
        rows[i] = place_hit(into, rest, &hit);
    }
    for (size_t i = 0; i < from->hits.n; i++) {
        const struct hit *hit = &from->hits.v[i];
        if (rows[i] >= 0 && hit->trace >= 0) wanted[hit->trace] = true;
    }
}

/* Texts of the hits that stayed. */
static void keep_hits(struct evidence *into, const struct evidence *from, const int *rows,
                      const int *traces, int shift) {
    struct arena *arena = &into->arena;
    size_t most = evidence_most_text(into);
    for (size_t i = 0; i < from->hits.n; i++) {
        const struct hit *hit = &from->hits.v[i];
        if (rows[i] < 0) continue;
        struct hit *copy = &into->hits.v[rows[i]];
        bool replaced = copy->first.source != hit->first.source + shift ||
                        copy->first.line != hit->first.line || copy->signal != hit->signal ||
                        copy->text.p != hit->text.p;
        if (replaced) continue; /* by a later hit of the same source */
        copy->first = origin_copy(arena, hit->first, shift);
        copy->last = origin_copy(arena, hit->last, shift);
        copy->text = arena_str(arena, str_sub(hit->text, 0, most));
        if (hit->trace >= 0) copy->trace = traces[hit->trace];
        copy->captures = ARENA_ARRAY(arena, struct str, hit->n_captures + 1);
        for (int c = 0; c < hit->n_captures; c++)
            copy->captures[c] = arena_str(arena, str_sub(hit->captures[c], 0, most));
    }
}

static void merge_rests(struct evidence *into, const struct evidence *from) {
    for (size_t i = 0; i < from->rests.n; i++) {
        struct hit_rest *rest = rest_of(into, (int)i / KINDS, (int)i % KINDS);
        rest->lines += from->rests.v[i].lines;
        int room = LIMIT_RANK_CHUNKS - into->rank_chunks, left = room;
        rank_set_join(&into->arena, &rest->ranks, &from->rests.v[i].ranks, &left);
        into->rank_chunks += room - left;
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

/* What a wanted trace followed from is wanted, too. */
static void want_causes(const struct evidence *from, bool *wanted) {
    for (size_t i = from->traces.n; i-- > 0;)
        for (int t = (int)i, guard = 0; wanted[i] && t >= 0 && guard < 8; guard++) {
            wanted[t] = true;
            t = from->traces.v[t].cause;
        }
}

/* `numbers` receives the index of each trace, -1 of those that were left out. */
static void merge_traces(struct evidence *into, const struct evidence *from, int shift,
                         const bool *wanted, int *numbers) {
    struct arena *arena = &into->arena;
    int next = (int)into->traces.n;
    for (size_t i = 0; i < from->traces.n; i++)
        numbers[i] = wanted[i] || next < LIMIT_ALL_TRACES ? next++ : -1;
    for (size_t i = 0; i < from->traces.n; i++) {
        struct trace trace = from->traces.v[i];
        if (numbers[i] < 0) continue;
        trace.origin = origin_copy(arena, trace.origin, shift);
        trace.end = origin_copy(arena, trace.end, shift);
        trace.type = arena_str(arena, trace.type);
        trace.message = arena_str(arena, trace.message);
        trace.text = arena_str(arena, trace.text);
        trace.code = arena_str(arena, trace.code);
        trace.code_at = origin_copy(arena, trace.code_at, shift);
        if (trace.cause >= 0) trace.cause = numbers[trace.cause];
        struct frame *frames = ARENA_ARRAY(arena, struct frame, trace.n_frames + 1);
        for (int f = 0; f < trace.n_frames; f++) frames[f] = frame_copy(arena, &trace.frames[f]);
        trace.frames = frames;
        vec_push(arena, &into->traces, trace);
    }
}

/* Readings thin out evenly over all sources; the first and the last of each stay. */
static bool track_stays(const struct evidence *evidence, size_t i, int before, size_t stride) {
    bool first = before != evidence->tracks.v[i].origin.source;
    bool last = i + 1 == evidence->tracks.n ||
                evidence->tracks.v[i + 1].origin.source != evidence->tracks.v[i].origin.source;
    return first || last || i % stride == 0;
}

static void thin_tracks(struct evidence *evidence) {
    size_t kept = 0;
    int before = -1;
    for (size_t i = 0; i < evidence->tracks.n; i++) {
        struct track track = evidence->tracks.v[i];
        bool stays = track_stays(evidence, i, before, 2);
        before = track.origin.source;
        if (stays) evidence->tracks.v[kept++] = track;
    }
    evidence->tracks.n = kept;
    evidence->track_stride = evidence->track_stride ? evidence->track_stride * 2 : 2;
}

/* The first and the last reading of each source stay: beside them there is something to thin. */
static bool can_thin(const struct evidence *evidence) {
    return evidence->tracks.n > 3 * evidence->sources.n;
}

/* Where there are more sources than readings can be kept of, the last one of each stays. */
static bool track_fits(const struct evidence *into, bool last) {
    return into->tracks.n <= LIMIT_ALL_TRACKS || can_thin(into) ||
           (last && into->tracks.n < LIMIT_LAST_TRACKS);
}

static void merge_tracks(struct evidence *into, const struct evidence *from, int shift) {
    size_t stride = into->track_stride ? (size_t)into->track_stride : 1;
    for (size_t i = 0; i < from->tracks.n; i++) {
        struct track track = from->tracks.v[i];
        int before = i ? from->tracks.v[i - 1].origin.source : -1;
        if (!track_stays(from, i, before, stride) || !track_fits(into, i + 1 == from->tracks.n))
            continue;
        track.origin = origin_copy(&into->arena, track.origin, shift);
        vec_push_alone(&into->arena, &into->tracks, track);
    }
    if (into->tracks.n > LIMIT_ALL_TRACKS && can_thin(into)) thin_tracks(into);
}

static bool is_words(const struct document *document) {
    return str_eq(document->format, STR("words"));
}

/* What people wrote, and short logs, are kept for their words: of each kind of source the first. */
static bool words_full(const struct evidence *into, enum kind kind) {
    int n = 0;
    for (size_t i = 0; i < into->documents.n; i++) {
        const struct document *document = &into->documents.v[i];
        n += is_words(document) && into->sources.v[document->source].kind == kind;
    }
    return n >= LIMIT_ALL_WORDS;
}

static size_t documents_most(const struct evidence *from, const struct document *document) {
    enum kind kind = document->source < 0 ? KIND_LOG : from->sources.v[document->source].kind;
    return kind == KIND_FLIGHT || kind == KIND_STACKS ? LIMIT_ALL_DUMPS : LIMIT_ALL_DOCUMENTS;
}

static void merge_documents(struct evidence *into, const struct evidence *from, int shift) {
    struct arena *arena = &into->arena;
    for (size_t i = 0; i < from->documents.n; i++) {
        struct document document = from->documents.v[i];
        if (is_words(&document) && words_full(into, from->sources.v[document.source].kind))
            continue;
        if (into->documents_bytes + document.text.n > documents_most(from, &document)) continue;
        into->documents_bytes += document.text.n;
        document.source += document.source >= 0 ? shift : 0;
        document.format = arena_str(arena, document.format);
        document.text = arena_str(arena, document.text);
        vec_push(arena, &into->documents, document);
    }
}

static void merge_rest(struct evidence *into, const struct evidence *from, int shift) {
    struct arena *arena = &into->arena;
    for (size_t i = 0; i < from->facts.n; i++)
        if (fact_has_room(into, &from->facts.v[i]))
            vec_push_alone(arena, &into->facts, fact_copy(arena, &from->facts.v[i], shift));
    for (size_t i = 0; i < from->standouts.n && into->standouts.n < LIMIT_ALL_STANDOUT; i++) {
        struct standout standout = from->standouts.v[i];
        standout.origin = origin_copy(arena, standout.origin, shift);
        standout.text = arena_str(arena, standout.text);
        vec_push(arena, &into->standouts, standout);
    }
    merge_tracks(into, from, shift);
    merge_documents(into, from, shift);
    for (size_t i = 0; i < from->voices.n; i++) {
        struct voice voice = from->voices.v[i];
        voice.source += shift;
        vec_push_alone(arena, &into->voices, voice);
    }
    for (size_t i = 0; i < from->ranks.n; i++)
        vec_push_alone(arena, &into->ranks, from->ranks.v[i]);
}

void evidence_merge(struct evidence *into, const struct evidence *from) {
    int shift = (int)into->sources.n;
    struct arena scratch = {0};
    int *rows = ARENA_ARRAY(&scratch, int, from->hits.n + 1);
    int *traces = ARENA_ARRAY(&scratch, int, from->traces.n + 1);
    bool *wanted = ARENA_ARRAY(&scratch, bool, from->traces.n + 1);
    merge_hits(into, from, shift, rows, wanted);
    want_causes(from, wanted);
    merge_traces(into, from, shift, wanted, traces);
    keep_hits(into, from, rows, traces, shift);
    merge_rests(into, from);
    merge_sources(into, from); /* before the documents: they ask for the kind of theirs */
    merge_rest(into, from, shift);
    arena_release(&scratch);
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

/* Sorting moved the rows. */
static void renumber_rests(struct evidence *evidence) {
    if (!evidence->rests.n) return;
    for (size_t i = 0; i < evidence->rests.n; i++) evidence->rests.v[i].kept.n = 0;
    for (size_t i = 0; i < evidence->hits.n; i++) {
        const struct hit *hit = &evidence->hits.v[i];
        struct hit_rest *rest = rest_of(evidence, hit->signal, kind_of_hit(evidence, hit));
        if (rest->kept.n < LIMIT_HITS)
            vec_push(&evidence->arena, &rest->kept, kept_of(evidence, (int)i));
    }
    for (size_t i = 0; i < evidence->rests.n; i++)
        if (evidence->rests.v[i].kept.n == LIMIT_HITS) heap_rows(evidence, &evidence->rests.v[i]);
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
    renumber_rests(evidence);
}

void evidence_release(struct evidence *evidence) {
    arena_release(&evidence->arena);
    *evidence = (struct evidence){0};
}
