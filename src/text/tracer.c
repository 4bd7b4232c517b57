/* The open tracebacks of a source.
 *
 * Ranks without a prefix share a lane and write at the same time.  Because they run the same code,
 * what followed what before tells whose line this is: of the tracebacks that end where the line
 * usually comes next, the one that waits longest gets it. */
#include "text/tracer.h"

#include <stdlib.h>

#include "text/chars.h"
#include "text/masked.h"

struct tracer *tracer_new(struct arena *arena, struct evidence *evidence) {
    struct tracer *tracer = ARENA_NEW(arena, struct tracer);
    tracer->evidence = evidence;
    return tracer;
}

void tracer_release(struct tracer *tracer) {
    for (int i = 0; i < tracer->n_rooms; i++) free(tracer->open[i]);
    free(tracer->steps);
    tracer->n_rooms = 0;
    tracer->steps = NULL;
}

bool tracer_is_open(const struct tracer *tracer) {
    return tracer->n_open > 0 || tracer->n_message > 0;
}

/* ---- lanes -------------------------------------------------------------------------- */

void trace_lane_closed(struct tracer *tracer, struct lane *lane, int trace) {
    tracer->n_message += (trace >= 0) - (lane->closed >= 0);
    lane->closed = trace;
    lane->message_lines = lane->blanks = 0;
    lane->promised = false;
}

struct lane *trace_lane(struct tracer *tracer, uint64_t id) {
    struct lane *oldest = &tracer->lanes[0];
    for (int i = 0; i < LANES_MAX; i++) {
        struct lane *lane = &tracer->lanes[i];
        if (lane->used && lane->id == id) {
            lane->touched = tracer->clock;
            return lane;
        }
        if (!lane->used) {
            oldest = lane;
            break;
        }
        if (lane->touched < oldest->touched) oldest = lane;
    }
    if (oldest->used) trace_lane_closed(tracer, oldest, -1);
    *oldest = (struct lane){.used = true,
                            .id = id,
                            .touched = tracer->clock,
                            .closed = -1,
                            .cause_next = -1,
                            .bare = -1};
    return oldest;
}

void tracer_goes_on(struct tracer *tracer, uint64_t lane) {
    if (tracer->n_message) trace_lane_closed(tracer, trace_lane(tracer, lane), -1);
}

/* ---- closing ------------------------------------------------------------------------ */

static struct slot *slot_at(struct open_trace *open, int i) {
    return i < OUTER ? &open->outer[i] : &open->inner[(i - OUTER) % INNER];
}

static int kept_frames(const struct open_trace *open) {
    return open->n_frames < OUTER + INNER ? open->n_frames : OUTER + INNER;
}

/* The k-th kept frame, outermost first. */
static struct slot *kept_slot(struct open_trace *open, int k) {
    int kept = kept_frames(open);
    if (open->reversed) k = kept - 1 - k;
    return k < OUTER ? &open->outer[k] : slot_at(open, open->n_frames - (kept - k));
}

static uint64_t mix(uint64_t hash, uint64_t value) {
    return (hash ^ value) * 0x9E3779B97F4A7C15u + (hash >> 29);
}

/* Numbers do not tell tracebacks apart: they are ranks, addresses, sizes. */
static uint64_t trace_hash(struct open_trace *open, struct str type, struct str message,
                           int cause) {
    uint64_t hash = mix(mix(str_hash(type), masked_loosely(message)), (uint64_t)(int64_t)cause);
    for (int k = 0; open && k < kept_frames(open); k++) {
        struct slot *slot = kept_slot(open, k);
        hash = mix(hash, str_hash((struct str){slot->path, slot->path_n}));
        hash = mix(hash, str_hash((struct str){slot->function, slot->function_n}) + slot->line);
    }
    return hash;
}

static void copy_frames(struct arena *arena, struct open_trace *open, struct trace *trace) {
    trace->n_frames = kept_frames(open);
    trace->frames = ARENA_ARRAY(arena, struct frame, trace->n_frames + 1);
    for (int k = 0; k < trace->n_frames; k++) {
        struct slot *slot = kept_slot(open, k);
        trace->frames[k].path = arena_str(arena, (struct str){slot->path, slot->path_n});
        trace->frames[k].function =
            arena_str(arena, (struct str){slot->function, slot->function_n});
        trace->frames[k].code = mask_secrets(arena, (struct str){slot->code, slot->code_n});
        trace->frames[k].line = slot->line;
    }
}

static struct origin origin_keep(struct arena *arena, const struct origin *origin) {
    struct origin copy = *origin;
    copy.host = arena_str(arena, origin->host);
    return copy;
}

/* As threading writes it, or a server of a request: it ended that, not the process. */
static bool is_of_thread(const struct open_trace *open) {
    static const struct str outermost[] = {STR("_bootstrap_inner"), STR("run_asgi")};
    struct str outer = {open->outer[0].function, open->outer[0].function_n};
    for (size_t i = 0; open->n_frames && i < COUNT_OF(outermost); i++)
        if (str_eq(outer, outermost[i])) return true;
    return false;
}

/* What a helper says that serves a process which is gone, or going. */
static bool other_end_is_gone(struct str type, struct str message) {
    static const char *const gone[] = {"EOFError", "BrokenPipeError", "ConnectionResetError",
                                       "ConnectionAbortedError"};
    static const char *const says[] = {"handle is closed", "cannot schedule new futures",
                                       "can't start new thread at interpreter shutdown"};
    return STR_AMONG(type, gone) || STR_STARTS_ANY(message, says);
}

/* Adds a traceback to the evidence, or counts it with its equal.  Its index, -1 when there are too
 * many. */
int trace_keep(struct tracer *tracer, struct open_trace *open, struct str type, struct str message,
               const struct origin *end, struct str text) {
    struct evidence *evidence = tracer->evidence;
    int cause = open ? open->cause : -1;
    if (open && open->known) {
        if (open->known_as >= 0) evidence->traces.v[open->known_as].count++;
        return open->known_as;
    }
    uint64_t hash = trace_hash(open, type, message, cause);
    for (int i = 0; i < tracer->n_hashes; i++)
        if (tracer->hashes[i] == hash) {
            evidence->traces.v[tracer->index[i]].count++;
            return tracer->index[i];
        }
    if (tracer->n_hashes == LIMIT_TRACES) return -1;
    struct arena *arena = &evidence->arena;
    struct trace trace = {.cause = cause,
                          .count = 1,
                          .origin = origin_keep(arena, open ? &open->origin : end),
                          .end = origin_keep(arena, end)};
    trace.type = mask_secrets(arena, type);
    trace.message = mask_secrets(arena, message);
    trace.text = mask_secrets(arena, text);
    if (open) {
        trace.direct = open->direct;
        trace.apart = open->apart || is_of_thread(open);
        trace.ignored = open->ignored || (trace.apart && other_end_is_gone(type, message));
        copy_frames(arena, open, &trace);
    }
    const struct code_line *code = open ? &open->code : &tracer->raised;
    bool torn = open && !open->reversed && !text.n; /* its exception is missing */
    if (code->n && (torn || code->at.line < end->line) &&
        (open || code->at.line + 1 == end->line)) {
        trace.code = mask_secrets(arena, (struct str){code->text, code->n});
        trace.code_at = code->at;
        trace.code_at.host = trace.end.host;
    }
    int index = (int)evidence->traces.n;
    vec_push(arena, &evidence->traces, trace);
    tracer->hashes[tracer->n_hashes] = hash;
    tracer->index[tracer->n_hashes++] = index;
    return index;
}

void trace_drop(struct tracer *tracer, struct open_trace *open) {
    open->used = false;
    tracer->n_open--;
}

/* The log ends in it: no traceback that was read whole began later. */
static bool is_cut(const struct tracer *tracer, const struct open_trace *open) {
    if (tracer->clock - open->touched > CUT_LINES) return false;
    for (int i = 0; i < tracer->n_hashes; i++)
        if (tracer->evidence->traces.v[tracer->index[i]].end.line >= open->origin.line)
            return false;
    return true;
}

/* A traceback that nothing closed: its frames go to the bare exception before it, or stand alone.
 */
void trace_abandon(struct tracer *tracer, struct open_trace *open, bool at_end) {
    struct lane *lane = trace_lane(tracer, open->lane);
    struct evidence *evidence = tracer->evidence;
    /* what the exception before it led to is not told: that one is the last that is known */
    if (open->cause >= 0) evidence->traces.v[open->cause].followed = false;
    if (open->caught.n) {
        struct str told = {open->caught.text, open->caught.n}, message;
        size_t n = exception_read(told, false, &message);
        if (!n) message = told;
        int trace = trace_keep(tracer, open, str_sub(told, 0, n), message, &open->caught.at, told);
        if (trace >= 0) evidence->traces.v[trace].told = true;
    } else if (open->n_frames && lane->bare >= 0 && !evidence->traces.v[lane->bare].n_frames) {
        copy_frames(&evidence->arena, open, &evidence->traces.v[lane->bare]);
        lane->bare = -1;
    } else if (open->n_frames && at_end && open->code.n && is_cut(tracer, open)) {
        trace_keep(tracer, open, (struct str){0}, (struct str){0}, &open->code.at, (struct str){0});
    } else if (open->n_frames && (open->reversed || !tracer->n_hashes)) {
        /* beside whole tracebacks it is the torn rest of one */
        trace_keep(tracer, open, (struct str){0}, (struct str){0}, &open->origin, (struct str){0});
    }
    trace_drop(tracer, open);
}

/* ---- opening and frames ------------------------------------------------------------- */

static struct open_trace *room_new(struct tracer *tracer) {
    struct open_trace *room =
        heap_bytes(sizeof *room); /* trace_open clears what is read unwritten */
    return tracer->open[tracer->n_rooms++] = room;
}

struct open_trace *trace_open(struct tracer *tracer, struct lane *lane,
                              const struct origin *origin) {
    struct open_trace *oldest = NULL, *open = NULL;
    for (int i = 0; i < tracer->n_rooms && !open; i++) {
        struct open_trace *other = tracer->open[i];
        if (!other->used)
            open = other;
        else if (!oldest || other->touched < oldest->touched)
            oldest = other;
    }
    if (!open && tracer->n_rooms < OPEN_MAX) open = room_new(tracer);
    if (!open) {
        trace_abandon(tracer, oldest, false);
        open = oldest;
    }
    trace_lane_closed(tracer, lane, -1);
    memset(open, 0, offsetof(struct open_trace, outer));
    open->used = true;
    open->lane = lane->id;
    open->touched = tracer->clock;
    open->cause = lane->cause_next;
    if (open->cause >= 0) tracer->evidence->traces.v[open->cause].followed = true;
    open->direct = lane->direct;
    open->ignored = lane->ignored_next;
    open->apart = lane->apart_next;
    open->origin = *origin;
    open->origin.host = (struct str){0};
    lane->cause_next = -1;
    lane->ignored_next = lane->apart_next = lane->direct = false;
    tracer->n_open++;
    return open;
}

/* The open traceback of a lane that was written to last. */
struct open_trace *trace_newest(struct tracer *tracer, uint64_t lane) {
    struct open_trace *best = NULL;
    for (int i = 0; tracer->n_open && i < tracer->n_rooms; i++) {
        struct open_trace *open = tracer->open[i];
        if (open->used && open->lane == lane && (!best || open->touched > best->touched))
            best = open;
    }
    return best;
}

bool tracer_known(struct tracer *tracer, uint64_t lane, int trace) {
    struct open_trace *open = trace_newest(tracer, lane);
    for (int i = 0; i < tracer->n_rooms; i++) {
        const struct open_trace *other = tracer->open[i];
        if (other->used && other != open && other->lane == lane) return false;
    }
    if (!open || open->rich || open->reversed) return false;
    open->known = open->framed = true;
    open->known_as = trace;
    return true;
}

/* ---- what follows what -------------------------------------------------------------- */

enum context { AFTER_ALL = 1, AFTER_LAST, AFTER_ANY }; /* what a step was learnt after */

static uint64_t step_key(enum context context, uint64_t before, uint64_t next) {
    return mix(mix(context, before), next) | 1;
}

static uint64_t *step_slot(const struct tracer *tracer, uint64_t key) {
    size_t mask = (size_t)tracer->n_slots - 1, i = (size_t)(key >> 20) & mask;
    while (tracer->steps[i] && tracer->steps[i] != key) i = (i + 1) & mask;
    return &tracer->steps[i];
}

static bool step_known(const struct tracer *tracer, uint64_t key) {
    return tracer->steps && *step_slot(tracer, key) == key;
}

/* Most sources hold a traceback or none. */
static void steps_grow(struct tracer *tracer) {
    uint64_t *before = tracer->steps;
    int n = tracer->n_slots;
    tracer->n_slots = n ? 4 * n < STEPS ? 4 * n : STEPS : STEPS_FIRST;
    tracer->steps = heap_zeros((size_t)tracer->n_slots, sizeof *tracer->steps);
    for (int i = 0; i < n; i++)
        if (before[i]) *step_slot(tracer, before[i]) = before[i];
    free(before);
}

static void step_learn(struct tracer *tracer, uint64_t key) {
    if (tracer->n_slots < STEPS && tracer->n_steps * 2 >= tracer->n_slots) steps_grow(tracer);
    uint64_t *slot = step_slot(tracer, key);
    if (*slot || tracer->n_steps >= STEPS_FULL) return;
    *slot = key;
    tracer->n_steps++;
}

/* How well a line fits an open traceback: 4 it came after the same frames before, 3 after the same
 * last frame, 2 nobody knows what comes after these, 1 something else does. */
static int fit(const struct tracer *tracer, const struct open_trace *open, uint64_t hash) {
    if (step_known(tracer, step_key(AFTER_ALL, open->prefix, hash))) return 4;
    if (open->framed && step_known(tracer, step_key(AFTER_LAST, open->line, hash))) return 3;
    return step_known(tracer, step_key(AFTER_ANY, open->prefix, 0)) ? 1 : 2;
}

/* The traceback that a line with this hash belongs to; see the head of this file. */
struct open_trace *trace_owner(struct tracer *tracer, uint64_t lane, uint64_t hash) {
    struct open_trace *best = NULL;
    int best_fit = 0;
    for (int i = 0; tracer->n_open && i < tracer->n_rooms; i++) {
        struct open_trace *open = tracer->open[i];
        if (!open->used || open->lane != lane) continue;
        int now = fit(tracer, open, hash);
        /* of those that wait for it the one that waits longest; else the one that was written to
         * last */
        bool better =
            best && (now >= 3 ? open->touched < best->touched : open->touched > best->touched);
        if (now < best_fit || (now == best_fit && !better)) continue;
        best = open;
        best_fit = now;
    }
    if (!best) return NULL;
    step_learn(tracer, step_key(AFTER_ALL, best->prefix, hash));
    step_learn(tracer, step_key(AFTER_LAST, best->line, hash));
    step_learn(tracer, step_key(AFTER_ANY, best->prefix, 0));
    return best;
}

uint64_t trace_frame_hash(const struct frame *frame) {
    return mix(mix(str_hash(frame->path), str_hash(frame->function)), frame->line) | 1;
}

uint16_t trace_fill(char *room, size_t size, struct str s) {
    /* of a long path the end tells more than the beginning */
    if (s.n > size) s = str_from(s, s.n - size);
    if (s.n) memcpy(room, s.p, s.n);
    return (uint16_t)s.n;
}

void trace_add_frame(struct tracer *tracer, struct open_trace *open, const struct frame *frame) {
    struct slot *slot = slot_at(open, open->n_frames++);
    slot->path_n = trace_fill(slot->path, sizeof slot->path, frame->path);
    slot->function_n = trace_fill(slot->function, sizeof slot->function,
                                  str_sub(frame->function, 0, sizeof slot->function));
    slot->code_n = 0;
    open->code.n = 0;
    slot->line = frame->line;
    open->touched = tracer->clock;
    open->line = trace_frame_hash(frame);
    open->prefix = mix(open->prefix, open->line);
    open->noise = 0;
    open->framed = true;
}

void code_line_set(struct code_line *line, struct str physical, const struct origin *origin) {
    line->n = trace_fill(line->text, sizeof line->text, str_sub(physical, 0, LIMIT_CODE));
    line->at = *origin;
    line->at.host = (struct str){0}; /* it points into the line */
}

void trace_add_code(struct open_trace *open, struct str body, struct str physical,
                    const struct origin *origin) {
    struct str code = str_trim(body);
    if (!open->n_frames || !code.n) return;
    struct slot *slot = slot_at(open, open->n_frames - 1);
    bool arrow = str_starts(code, STR("\xE2\x9D\xB1")) || str_starts(code, STR("--->")) ||
                 str_starts(code, STR("---->"));
    bool numbered = is_digit(code.p[0]) && open->rich;
    bool marker = true;
    for (size_t i = 0; i < code.n && marker; i++)
        marker = code.p[i] == '^' || code.p[i] == '~' || code.p[i] == ' ';
    if (marker || (open->rich && !arrow) || numbered || (slot->code_n && !arrow)) return;
    size_t start = 0;
    if (arrow) {
        while (start < code.n && !is_digit(code.p[start])) start++;
        uint32_t line = 0;
        while (is_digit(byte_at(code, start)) && line < 100000000)
            line = line * 10 + (uint32_t)(code.p[start++] - '0');
        if (!slot->line) slot->line = line;
        while (start < code.n && (is_blank(code.p[start]) || (unsigned char)code.p[start] >= 0x80))
            start++;
    }
    code = str_from(code, start);
    slot->code_n = trace_fill(slot->code, sizeof slot->code, str_sub(code, 0, sizeof slot->code));
    code_line_set(&open->code, physical, origin);
}
