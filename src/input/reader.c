#include "input/reader.h"

#include <math.h>
#include <stdlib.h>

#include "input/traits.h"
#include "text/chars.h"

enum {
    MILD_KIN = 2,       /* see match_scan: where hundreds of ranks say what lends colour */
    WORDINGS_MAX = 128, /* a paragraph says more than a line */
    NOTE_PREFIX = 48,   /* bytes that a logger writes before its note */
    LINE_MAX_BYTES = 64 * 1024,
    LINE_WINDOWS = 256 /* of one endless line that are looked at; then one in each block */
};

void reader_init(struct reader *reader, struct evidence *evidence, const struct kb *kb,
                 const struct matcher *matcher, const struct input_options *options) {
    memset(reader, 0, offsetof(struct reader, standouts));
    reader->evidence = evidence;
    reader->kb = kb;
    reader->matcher = matcher;
    reader->options = options;
    reader->time = TIME_UNKNOWN;
    reader->tail = UINT64_MAX;
    reader->rank_quota = CHUNK_RANKS;
    reader->rank_least = CHUNK_RANKS_MIN;
    reader->own = reader->box.rank = -1;
    reader->mild = MATCH_MILD;
    reader->chunk_lines = CHUNK_LINES;
    standouts_init(&reader->standouts);
    tracks_init(&reader->tracks, LIMIT_TRACKS);
    reader->tracks.laps = &reader->laps;
    hits_init(&reader->hits, evidence, kb);
    reader->hits.attempt = attempt_of_path(evidence->sources.v[0].path);
    reader->tracer = tracer_new(&evidence->arena, evidence);
}

void reader_be_kin(struct reader *reader) {
    if (!reader->options->hits_only) reader->mild = MILD_KIN;
    reader->chunk_lines = CHUNK_LINES_KIN;
    reader->rank_quota = reader->rank_least = CHUNK_RANKS_KIN;
    reader->opening_until = reader->opening_bytes /= 2;
    reader->tracks.most /= 2;
}

/* ---- one line ----------------------------------------------------------------------- */

static uint64_t lane_of(const struct place *place) {
    return str_hash(place->host) * 31 + (uint64_t)(place->rank + 1) * 65599 +
           (uint64_t)(place->task + 1);
}

static unsigned places_of(const struct reader *reader, const struct place *place,
                          const struct traits *traits, enum trace_line kind) {
    unsigned places = reader->kinds;
    if (!(places & 1u << IN_LINE)) return places;
    if (place->kernel || traits->kernel) places |= 1u << IN_KERNEL;
    if (kind == TRACE_EXCEPTION || kind == TRACE_SAID) places |= 1u << IN_EXCEPTION;
    if (kind == TRACE_FRAME) places |= 1u << IN_FRAME;
    if (traits->config) places |= 1u << IN_CONFIG;
    return places;
}

/* The source line of a failed assertion says more than its bare "AssertionError". */
static bool is_assertion(struct str body) {
    struct str code = str_trim(body);
    return str_starts(code, STR("assert ")) || str_starts(code, STR("assert("));
}

static unsigned flags_of(const struct reader *reader, const struct place *place,
                         enum trace_line kind, struct str body) {
    unsigned flags = reader->flags;
    if (kind == TRACE_CODE && is_assertion(body)) return flags;
    if (kind == TRACE_EXCEPTION || kind == TRACE_SAID)
        flags |= HIT_EXCEPTION;
    else if (kind != TRACE_NONE)
        flags |= HIT_IN_TRACEBACK;
    if (place->severity == SEVERITY_INFO || place->severity == SEVERITY_WARNING)
        flags |= HIT_WARNING;
    return flags;
}

/* A logger warned of the exception, and the program went on without what it had tried. */
static void warned_of(const struct reader *reader, int index) {
    struct trace *trace = index < 0 ? NULL : &reader->evidence->traces.v[index];
    if (trace && trace->count == 1) trace->ignored = true;
}

/* Behind an end another attempt may begin. */
static void look_behind(struct reader *reader, uint64_t offset) {
    if (offset < reader->opening_until || reader->openings == OPENINGS) return;
    reader->openings++;
    reader->opening_until = offset + reader->opening_bytes;
}

/* print("training done"), as a traceback echoes it, tells of nothing that was begun or done. */
static bool is_only_code(const struct line_seen *line, enum role role) {
    return line->code && (role == ROLE_START || role == ROLE_PROGRESS || role == ROLE_DONE);
}

static void take_hit(struct reader *reader, struct match *match, struct line_seen *line,
                     struct match_scratch *scratch) {
    bool is_new;
    enum role role = reader->kb->signals[match->signal].role;
    if (is_only_code(line, role)) return;
    int before = reader->hits.attempt;
    line->origin.attempt = hits_attempt(&reader->hits, match, line);
    if (line->origin.attempt != before) attempt_known(reader);
    if (reader->hits.ended) look_behind(reader, line->origin.offset);
    voice_role(reader, role, line);
    if (!reader->options->on_hit && hits_count(&reader->hits, match, line)) return;
    match_read(reader->matcher, scratch, line->text, match);
    hits_add(&reader->hits, match, line, &is_new);
    if (is_new && role == ROLE_INITIATING) tracks_flush(&reader->tracks);
    if (reader->options->on_hit) {
        struct hit hit = hit_make(&reader->scratch, match, line, LIMIT_TEXT);
        reader->options->on_hit(reader->options->ctx, &reader->evidence->sources.v[0], &hit);
    }
}

/* How many signals say what the line means: a clue or a stage leaves that open. */
static int take_hits(struct reader *reader, struct line_seen *line, const struct decision *known,
                     unsigned places, struct match_scratch *scratch) {
    struct match matches[MATCHES_MAX];
    int n =
        match_signals(reader->matcher, scratch, line->text, known, places, matches, MATCHES_MAX);
    int explain = 0;
    if (n && line->trace < 0 && !line->code && line_is_code(line->text)) line->flags |= HIT_ADVICE;
    for (int i = 0; i < n; i++) {
        enum role role = reader->kb->signals[matches[i].signal].role;
        if (role == ROLE_ADVICE || role == ROLE_TEARDOWN) line->flags |= HIT_ADVICE;
        explain += role != ROLE_CONTEXT;
    }
    for (int i = 0; i < n; i++) take_hit(reader, &matches[i], line, scratch);
    if (reader->scratch.used) arena_release(&reader->scratch);
    return explain;
}

static bool in_traceback(enum trace_line kind) {
    return kind == TRACE_FRAME || kind == TRACE_CODE || kind == TRACE_HEAD || kind == TRACE_CHAIN;
}

/* What is no hit may still be a reading of progress, or trouble that nobody knows. */
static void take_rest(struct reader *reader, const struct line_seen *line,
                      const struct place *place, enum trace_line kind, int n_hits) {
    if (in_traceback(kind)) return;
    struct traits *traits = line->traits;
    struct str body = str_from(line->text, place->body);
    bool step = traits->step && tracks_add(&reader->tracks, line, place->body);
    struct track_keeper *tracks = &reader->tracks;
    if (step && tracks->open_lines && attempt_step(reader, tracks->open.track.step))
        tracks->open.track.origin.attempt = reader->hits.attempt;
    if (step && tracks->open_lines && !isnan(tracks->open.track.loss)) reader->hits.worked = true;
    if (step && kind == TRACE_NONE) tracer_goes_on(reader->tracer, lane_of(place));
    stall_line(reader, line, body);
    if (traits->meeting) meeting_line(reader, line, body, place->time != TIME_UNKNOWN);
    laps_line(&reader->laps, line, body);
    if (n_hits || step || traits_dull(traits, body)) return;
    int score = standout_score(body, &traits->grams, place->severity);
    if (score >= 5) standouts_add(&reader->standouts, line, score);
}

/* What a line is when no traceback is followed. */
static enum trace_line kind_alone(struct str body) {
    struct str message;
    struct frame frame;
    if (exception_read(body, true, &message)) return TRACE_EXCEPTION;
    return frame_read(body, &frame) ? TRACE_FRAME : TRACE_NONE;
}

/* locate_line: the heads of tracebacks, bars and rules are the same line again and again. */
static struct place locate(struct reader *reader, struct str piece) {
    struct placed *placed = &reader->placed[piece.n % PLACED];
    if (piece.n && placed->n == piece.n && memcmp(placed->text, piece.p, piece.n) == 0)
        return placed->place;
    struct place place = locate_line(piece, &reader->custom);
    /* a host would point into the line, and what tells a time does not come again */
    if (piece.n && piece.n <= sizeof placed->text && !place.host.n && place.time == TIME_UNKNOWN) {
        memcpy(placed->text, piece.p, piece.n);
        placed->n = piece.n;
        placed->place = place;
    }
    return place;
}

/* What the scan decided holds of the line as it stands in the block. */
static const struct decision *decision_of(const struct visit *visit, struct str piece) {
    bool raw = piece.p == visit->raw.p && piece.n == visit->raw.n;
    return raw ? visit->candidate->decision : NULL;
}

/* Who wrote the piece and when, as far as it, the lines before it and its source tell;
 * *head_severity is what the beginning of its line calls itself. */
static struct place take_place(struct reader *reader, struct str piece, const struct visit *visit,
                               int *head_severity) {
    const struct source *source = &reader->evidence->sources.v[0];
    struct place place = locate(reader, piece);
    *head_severity = visit->head.n ? locate_line(visit->head, &reader->custom).severity : 0;
    if (!place.severity) place.severity = *head_severity;
    if (visit->before.n && time_lacks(&place)) time_look_back(reader, visit->before);
    time_take(reader, &place);
    if (place.rank < 0) place.rank = source->rank;
    if (!place.host.n) place.host = source->host;
    voice_note(reader, place.rank, visit->number, place.time);
    if (place.world > reader->world) reader->world = place.world;
    reader->writer = place.rank;
    return place;
}

/* An exception that its traceback, kept in the evidence, was closed by. */
static void take_exception(struct reader *reader, struct line_seen *line) {
    if (attempt_death(reader, line->trace, &line->origin))
        line->origin.attempt = reader->hits.attempt;
    voice_error(reader, &line->origin);
    attempt_error(reader);
    look_behind(reader, line->origin.offset);
}

static void visit_piece(struct reader *reader, struct str piece, const struct visit *visit,
                        const struct worker *worker) {
    int head_severity;
    struct place place = take_place(reader, piece, visit, &head_severity);
    struct str body = str_from(piece, place.body);
    bool beyond = piece.p == visit->raw.p && visit->behind.n >= ALIKE_BEYOND;
    struct traits *traits = traits_of(worker->traits, piece, beyond, &place);
    box_row(&reader->box, &reader->custom, body, &place);
    attempt_line(reader, traits, body, place.severity);
    struct line_seen line = {.text = piece, .traits = traits, .trace = -1, .cut = visit->cut};
    line.origin = (struct origin){.line = visit->number,
                                  .offset = visit->offset,
                                  .rank = place.rank,
                                  .host = place.host,
                                  .attempt = reader->hits.attempt};
    time_set(reader, &place, &line.origin);
    enum trace_line kind = TRACE_NONE;
    if (reader->tracing)
        kind = tracer_feed_known(reader->tracer, body, traits->tells, lane_of(&place), &line.origin,
                                 piece, &line.trace);
    else
        kind = kind_alone(str_trim(body));
    if (record_warns(reader, kind, piece, visit->before, &place)) place.severity = SEVERITY_WARNING;
    if (kind == TRACE_EXCEPTION && place.severity == SEVERITY_WARNING)
        warned_of(reader, line.trace);
    if (kind != TRACE_NONE) reader->traced = visit->offset;
    if (kind == TRACE_HEAD && piece.p == visit->raw.p)
        repeats_head(reader, worker->match, visit, place.body, lane_of(&place));
    if (kind == TRACE_EXCEPTION) repeats_exception(reader, visit->offset, line.trace);
    line.flags = flags_of(reader, &place, kind, body);
    line.code = kind == TRACE_CODE;
    /* so far behind the words of an information stands its data */
    if (head_severity == SEVERITY_INFO) line.flags |= HIT_ADVICE | HIT_WORDS;
    if (kind == TRACE_EXCEPTION && line.trace >= 0) take_exception(reader, &line);
    int n_hits = 0;
    if (visit->candidate)
        n_hits = take_hits(reader, &line, decision_of(visit, piece),
                           places_of(reader, &place, traits, kind), worker->match);
    if (!reader->options->hits_only) take_rest(reader, &line, &place, kind, n_hits);
}

static void visit_line(struct reader *reader, struct visit *visit, const struct worker *worker) {
    struct str raw = str_sub(visit->raw, 0, LINE_MAX_BYTES);
    if (raw.n && raw.p[raw.n - 1] == '\r') raw.n--;
    if (!mend_needed(raw)) {
        visit_piece(reader, raw, visit, worker);
        return;
    }
    mend_line(&reader->mended, raw);
    struct str rest = buf_view(&reader->mended), piece;
    for (; str_split(&rest, '\n', &piece); visit->cut = false) {
        if (!piece.n) continue;
        visit_piece(reader, piece, visit, worker);
        visit->before = (struct str){0};
    }
}

/* ---- a block ------------------------------------------------------------------------ */

struct position {
    size_t at;     /* start of a line in the block */
    uint32_t line; /* its number within the block */
};

static size_t line_end(struct str text, size_t at) {
    const char *end = memchr(text.p + at, '\n', text.n - at);
    return end ? (size_t)(end - text.p) : text.n;
}

static void go_to(struct str text, struct position *position, size_t at) {
    if (at <= position->at) return;
    position->line += (uint32_t)str_count(str_sub(text, position->at, at - position->at), '\n');
    position->at = at;
}

static uint32_t physical(const struct reader *reader, uint32_t line) {
    uint64_t number = reader->lines + line;
    if (reader->line_of)
        return number < reader->n_line_of ? reader->line_of[number] : (uint32_t)reader->n_line_of;
    return number + 1 > UINT32_MAX ? UINT32_MAX : (uint32_t)(number + 1);
}

/* Ranks show in the prefixes of lines that say nothing else. */
static void sample_ranks(struct reader *reader, struct str text, size_t at) {
    bool new_ones = false;
    for (int i = 0; i < reader->rank_quota && at < text.n; i++) {
        size_t end = line_end(text, at);
        struct place place =
            locate_line(str_sub(text, at, end - at < 200 ? end - at : 200), &reader->custom);
        new_ones |= voice_note(reader, place.rank, 0, TIME_UNKNOWN) && place.rank != reader->own;
        at = end + 1;
    }
    int quota = new_ones ? reader->rank_quota * 2 : reader->rank_quota / 2;
    reader->rank_quota = quota > CHUNK_RANKS          ? CHUNK_RANKS
                         : quota < reader->rank_least ? reader->rank_least
                                                      : quota;
}

/* Where the next line is that must be looked at though nobody pointed at it: the next chunk's
 * first, or the tail's. */
static size_t next_looked(const struct reader *reader, const struct block *block, size_t at) {
    uint64_t next = reader->sampled * CHUNK_BYTES;
    if (reader->tail > block->offset + at && reader->tail < next) next = reader->tail;
    size_t in_block = (size_t)(next - block->offset);
    if (in_block >= block->text.n) return block->text.n;
    size_t end = line_end(block->text, in_block);
    return end + (end < block->text.n);
}

/* A traceback is open and was written to not long ago: a rank that died in its midst does not make
 * every later line of the others one to look at. */
static bool is_following(const struct reader *reader, uint64_t offset) {
    return reader->tracing && tracer_is_open(reader->tracer) &&
           offset < reader->traced + TRACE_BYTES;
}

/* Visits lines that nobody pointed at, from *position up to `stop`: all of them, or while a
 * traceback is open, or the first few of a chunk. */
static void visit_between(struct reader *reader, const struct block *block,
                          struct position *position, size_t stop, const struct worker *worker) {
    struct str text = block->text;
    int quota = 0;
    while (position->at < stop) {
        uint64_t offset = block->offset + position->at;
        if (reader->repeats.known && offset < reader->repeats.end) {
            size_t end = (size_t)(reader->repeats.end - block->offset);
            if (end < stop)
                go_to(text, position, end);
            else
                position->at = stop; /* what stands there knows the number of its line */
            continue;
        }
        if (offset / CHUNK_BYTES >= reader->sampled) {
            quota = reader->chunk_lines;
            reader->sampled = offset / CHUNK_BYTES + 1;
            if (!reader->look_all) sample_ranks(reader, text, position->at);
        }
        bool open = is_following(reader, offset);
        bool all =
            reader->look_all || open || offset >= reader->tail || offset < reader->opening_until;
        if (!all && quota-- <= 0) {
            size_t next = next_looked(reader, block, position->at);
            if (next >= stop) break;
            go_to(text, position, next);
            continue;
        }
        size_t end = line_end(text, position->at);
        struct visit visit = {.raw = str_sub(text, position->at, end - position->at),
                              .behind = str_from(text, end),
                              .number = physical(reader, position->line),
                              .offset = offset};
        /* a blank line may close a message */
        if (end > position->at || open) visit_line(reader, &visit, worker);
        position->line += end < text.n;
        position->at = end + (end < text.n);
        if (end == text.n) break;
    }
}

static void keep_last_line(struct reader *reader, const struct block *block) {
    struct str text = block->text;
    uint32_t line = block->lines;
    size_t end = text.n;
    if (!(end && text.p[end - 1] == '\n') && line) line--;
    while (end > 0) {
        if (text.p[end - 1] == '\n') end--, line -= line > 0;
        const char *before = end ? memrchr(text.p, '\n', end) : NULL;
        size_t from = before ? (size_t)(before - text.p) + 1 : 0;
        struct str raw = {text.p + from, end - from};
        if (str_trim(raw).n) {
            buf_clear(&reader->last);
            if (raw.n > LIMIT_TEXT) raw = str_from(raw, raw.n - LIMIT_TEXT);
            buf_str(&reader->last, raw);
            reader->last_line_no = physical(reader, line);
            return;
        }
        end = from;
    }
}

/* A line without an end is as many windows as there are blocks times what the scan gives of each:
 * beyond the first ones, a block's last is enough. */
static bool is_too_much(struct reader *reader, uint32_t number, bool more) {
    if (number != reader->window_line) reader->windows = 0;
    reader->window_line = number;
    return ++reader->windows > LINE_WINDOWS && more;
}

static void visit_candidates(struct reader *reader, const struct block *block,
                             struct position *position, const struct worker *worker) {
    bool prose = !(reader->kinds & ~(1u << IN_WORDS));
    for (size_t i = 0; i < block->candidates.n && !prose; i++) {
        const struct candidate *candidate = &block->candidates.v[i];
        const struct candidate *next = i + 1 < block->candidates.n ? candidate + 1 : NULL;
        bool same = next && next->line == candidate->line;
        if (is_too_much(reader, physical(reader, candidate->line), same)) {
            *position = (struct position){next->start, next->line};
            continue;
        }
        if (!reader->options->hits_only)
            visit_between(reader, block, position, candidate->start, worker);
        bool jumped = position->at < candidate->start && !reader->options->hits_only;
        struct visit visit = {.before = str_sub(block->text, 0, jumped ? candidate->start : 0),
                              .raw = str_sub(block->text, candidate->start, candidate->length),
                              .behind = str_from(block->text, candidate->start + candidate->length),
                              .head = block_line_head(block->text, candidate->start),
                              .cut = block_is_within(block->text, candidate->start),
                              .number = physical(reader, candidate->line),
                              .offset = block->offset + candidate->start,
                              .candidate = candidate,
                              .next = next};
        visit_line(reader, &visit, worker);
        size_t end = line_end(block->text, candidate->start + candidate->length);
        /* the next window of the same line must not be passed, and what lies between is not looked
         * at */
        position->line = candidate->line + (!same && end < block->text.n);
        position->at = same ? next->start : end + (end < block->text.n);
    }
}

void reader_block(struct reader *reader, const struct block *block, const struct worker *worker) {
    struct position position = {0};
    if (reader->options->hits_only) reader->look_all = false;
    visit_candidates(reader, block, &position, worker);
    if (!reader->options->hits_only) visit_between(reader, block, &position, block->text.n, worker);
    keep_last_line(reader, block);
    reader->lines += block->lines;
}

/* A program's known note that somebody pasted among words is not said by them; it goes to the end
 * of its sentence. */
static bool is_known_note(const struct reader *reader, struct str line, size_t at,
                          struct match_scratch *scratch) {
    struct match matches[MATCHES_MAX];
    int n = match_line(reader->matcher, scratch, line, 1u << IN_LINE, matches, MATCHES_MAX);
    for (int i = 0; i < n; i++) {
        bool note = reader->kb->signals[matches[i].signal].role == ROLE_ADVICE &&
                    matches[i].start < NOTE_PREFIX;
        ptrdiff_t end = note ? str_find(line, STR(". "), matches[i].start) : 0;
        if (end < 0 || at < (size_t)end) return true;
    }
    return false;
}

/* What is said in the lines from this one on; starts are the whole paragraph's. */
static int paragraph_match(const struct reader *reader, const struct paragraph *paragraph, int from,
                           struct match matches[WORDINGS_MAX], struct match_scratch *scratch) {
    enum where place = paragraph->code ? IN_CONFIG : IN_WORDS; /* what it is for, not what failed */
    size_t skipped = paragraph->starts[from];
    struct str text = str_from(buf_view(&paragraph->text), skipped);
    int n = match_line(reader->matcher, scratch, text, 1u << place, matches, WORDINGS_MAX);
    for (int i = 0; i < n; i++) matches[i].start += skipped;
    return n;
}

/* The line that the match begins in. */
static int line_of_match(const struct paragraph *paragraph, const struct match *match) {
    int line = 0;
    while (line + 1 < paragraph->n && paragraph->starts[line + 1] <= match->start) line++;
    return line;
}

static void take_said(struct reader *reader, const struct paragraph *paragraph, struct match *match,
                      unsigned flags, struct match_scratch *scratch) {
    int line = line_of_match(paragraph, match);
    struct str text = paragraph_line(paragraph, line);
    if (is_known_note(reader, text, match->start - paragraph->starts[line], scratch)) return;
    struct line_seen seen = {.text = text, .trace = -1, .flags = flags};
    seen.origin = (struct origin){.line = physical(reader, paragraph->first + (uint32_t)line),
                                  .rank = -1,
                                  .time = TIME_UNKNOWN,
                                  .attempt = reader->hits.attempt,
                                  .offset = paragraph->offsets[line]};
    take_hit(reader, match, &seen, scratch);
}

/* A title names what the text below it tells: what both say is shown of the text (hits.c). */
void reader_paragraph(struct reader *reader, const struct paragraph *paragraph, unsigned flags,
                      struct match_scratch *scratch) {
    struct match matches[WORDINGS_MAX];
    int titles[WORDINGS_MAX], n_titles = 0; /* signals of the title */
    int n = paragraph_match(reader, paragraph, 0, matches, scratch);
    for (int i = 0; i < n; i++) {
        take_said(reader, paragraph, &matches[i], flags, scratch);
        if (line_of_match(paragraph, &matches[i]) == 0) titles[n_titles++] = matches[i].signal;
    }
    bool titled = paragraph->first == 0 && paragraph->n > 1 && n_titles;
    n = titled ? paragraph_match(reader, paragraph, 1, matches, scratch) : 0;
    for (int i = 0; i < n; i++)
        for (int t = 0; t < n_titles; t++)
            if (titles[t] == matches[i].signal)
                take_said(reader, paragraph, &matches[i], flags, scratch);
    arena_release(&reader->scratch);
}

void reader_finish(struct reader *reader, struct match_scratch *scratch) {
    struct evidence *evidence = reader->evidence;
    struct source *source = &evidence->sources.v[0];
    tracer_finish(reader->tracer, !reader->options->growing);
    tracer_release(reader->tracer);
    frames_match(reader, scratch);
    tracks_finish(&reader->tracks, evidence);
    if (!reader->options->hits_only) {
        sentences_match(reader, scratch);
        stall_finish(reader);
    }
    laps_release(&reader->laps);
    tracks_release(&reader->tracks);
    standouts_finish(&reader->standouts, evidence);
    hits_finish(&reader->hits);
    voices_finish(reader);
    source->lines = reader->lines;
    source->attempts = reader->hits.attempt;
    meetings_finish(reader);
    if (reader->last.n) {
        mend_line(&reader->mended, buf_view(&reader->last));
        struct str rest = buf_view(&reader->mended), piece, last = {0};
        while (str_split(&rest, '\n', &piece))
            if (str_trim(piece).n) last = piece;
        source->last_line = mask_secrets(&evidence->arena, last);
        source->last_line_no = reader->last_line_no;
    }
    buf_release(&reader->last);
    buf_release(&reader->mended);
    arena_release(&reader->scratch);
}
