#include "model/evidence.h"

#include "model/fact_room.h"
#include "model/hit_room.h"

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

/* Traces of kept hits are wanted: marked in `wanted`.  `rows` receives where each hit went. */
static void merge_hits(struct evidence *into, const struct evidence *from, int shift, int *rows,
                       bool *wanted) {
    for (size_t i = 0; i < from->hits.n; i++) {
        struct hit hit = from->hits.v[i];
        int kind = hit_kind(from, &hit);
        hit.first.source += shift;
        hit.last.source += shift;
        rows[i] = hit_place(into, &hit, kind);
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

/* What people wrote, and short logs, are kept for their words: of each kind of source the first. */
static bool words_full(const struct evidence *into, enum kind kind) {
    int n = 0;
    for (size_t i = 0; i < into->documents.n; i++) {
        const struct document *document = &into->documents.v[i];
        n += document_is_words(document) && into->sources.v[document->source].kind == kind;
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
        if (document_is_words(&document) && words_full(into, from->sources.v[document.source].kind))
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
    hit_rests_merge(into, from);
    merge_sources(into, from); /* before the documents: they ask for the kind of theirs */
    merge_rest(into, from, shift);
    arena_release(&scratch);
}

void evidence_release(struct evidence *evidence) {
    arena_release(&evidence->arena);
    *evidence = (struct evidence){0};
}
