/* Tracebacks, line by line.
 *
 * A writer (lane) has at most a few tracebacks open.  Ranks without a prefix share a lane and write
 * at the same time.  Because they run the same code, what followed what before tells whose line
 * this is: of the tracebacks that end where the line usually comes next, the one that waits longest
 * gets it. */
#include <stdlib.h>

#include "text/chars.h"
#include "text/text.h"

enum {
    OPEN_MAX = 64,
    LANES_MAX = 64,
    OUTER = 8,         /* frames kept from the outside */
    INNER = 24,        /* and from the inside */
    NOISE_MAX = 60,    /* other lines that an open traceback outlives */
    MESSAGE_MAX = 200, /* lines of one message */
    BLANK_MAX = 3,
    STEPS = 8192, /* what follows what */
    STEPS_FULL = 6000
};

struct slot { /* a frame in fixed room: hostile input cannot grow it */
    char path[320], function[128], code[200];
    uint16_t path_n, function_n, code_n;
    uint32_t line;
};

struct open_trace {
    bool used, ignored, direct, reversed, rich, framed;
    uint64_t lane, touched; /* touched: clock of its last line */
    uint64_t prefix, line;  /* hashes of all its frames and of the last */
    int cause, noise, n_frames, indent;
    struct origin origin;
    char cpp_type[128], wrapped[320];
    size_t cpp_n, wrapped_n;
    struct slot outer[OUTER], inner[INNER];
};

struct lane {
    uint64_t id, touched;
    bool used, ignored_next, direct;
    int closed; /* trace whose message may go on, -1 */
    int message_lines, blanks;
    int cause_next; /* the next traceback followed from this one, -1 */
    int bare;       /* last exception without frames, -1: frames that follow may be its own */
};

struct tracer {
    struct evidence *evidence;
    uint64_t clock;
    int n_open, n_message;
    struct lane lanes[LANES_MAX];
    struct open_trace *open; /* OPEN_MAX of them, on the heap: 1.5 MB only while a source is read */
    uint64_t *steps;         /* a set of STEPS hashes, on the heap */
    int n_steps;
    uint64_t hashes[LIMIT_TRACES];
    int index[LIMIT_TRACES], n_hashes;
};

struct tracer *tracer_new(struct arena *arena, struct evidence *evidence) {
    struct tracer *tracer = ARENA_NEW(arena, struct tracer);
    tracer->evidence = evidence;
    return tracer;
}

void tracer_release(struct tracer *tracer) {
    free(tracer->open);
    free(tracer->steps);
    tracer->open = NULL;
    tracer->steps = NULL;
}

bool tracer_is_open(const struct tracer *tracer) {
    return tracer->n_open > 0 || tracer->n_message > 0;
}

/* ---- lanes
 * --------------------------------------------------------------------------------------------- */

static void lane_set_closed(struct tracer *tracer, struct lane *lane, int trace) {
    tracer->n_message += (trace >= 0) - (lane->closed >= 0);
    lane->closed = trace;
    lane->message_lines = lane->blanks = 0;
}

static struct lane *lane_of(struct tracer *tracer, uint64_t id) {
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
    if (oldest->used) lane_set_closed(tracer, oldest, -1);
    *oldest = (struct lane){.used = true,
                            .id = id,
                            .touched = tracer->clock,
                            .closed = -1,
                            .cause_next = -1,
                            .bare = -1};
    return oldest;
}

/* ---- closing
 * ------------------------------------------------------------------------------------------- */

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

/* Digits do not tell tracebacks apart: they are ranks, addresses, sizes. */
static uint64_t hash_masked(struct str s) {
    uint64_t hash = 1469598103934665603u;
    for (size_t i = 0; i < s.n; i++) {
        if (is_digit(s.p[i]) && i && is_digit(s.p[i - 1])) continue;
        hash = (hash ^ (unsigned char)(is_digit(s.p[i]) ? '0' : s.p[i])) * 1099511628211u;
    }
    return hash;
}

static uint64_t trace_hash(struct open_trace *open, struct str type, struct str message,
                           int cause) {
    uint64_t hash = mix(mix(str_hash(type), hash_masked(message)), (uint64_t)(int64_t)cause);
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
        trace->frames[k].code = arena_str(arena, (struct str){slot->code, slot->code_n});
        trace->frames[k].line = slot->line;
    }
}

static struct origin origin_keep(struct arena *arena, const struct origin *origin) {
    struct origin copy = *origin;
    copy.host = arena_str(arena, origin->host);
    return copy;
}

/* Adds a traceback to the evidence, or counts it with its equal.  Its index, -1 when there are too
 * many. */
static int keep_trace(struct tracer *tracer, struct open_trace *open, struct str type,
                      struct str message, const struct origin *end, struct str text) {
    struct evidence *evidence = tracer->evidence;
    int cause = open ? open->cause : -1;
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
        trace.ignored = open->ignored;
        copy_frames(arena, open, &trace);
    }
    int index = (int)evidence->traces.n;
    vec_push(arena, &evidence->traces, trace);
    tracer->hashes[tracer->n_hashes] = hash;
    tracer->index[tracer->n_hashes++] = index;
    return index;
}

static void drop(struct tracer *tracer, struct open_trace *open) {
    open->used = false;
    tracer->n_open--;
}

/* A traceback that nothing closed: its frames go to the bare exception before it, or stand alone.
 */
static void abandon(struct tracer *tracer, struct open_trace *open) {
    struct lane *lane = lane_of(tracer, open->lane);
    struct evidence *evidence = tracer->evidence;
    if (open->n_frames && lane->bare >= 0 && !evidence->traces.v[lane->bare].n_frames) {
        copy_frames(&evidence->arena, open, &evidence->traces.v[lane->bare]);
        lane->bare = -1;
    } else if (open->n_frames && (open->reversed || !tracer->n_hashes)) {
        /* beside whole tracebacks it is the torn rest of one */
        keep_trace(tracer, open, (struct str){0}, (struct str){0}, &open->origin, (struct str){0});
    }
    drop(tracer, open);
}

/* ---- opening and frames
 * ------------------------------------------------------------------------------------ */

static struct open_trace *open_new(struct tracer *tracer, struct lane *lane,
                                   const struct origin *origin) {
    if (!tracer->open) {
        tracer->open = calloc(OPEN_MAX, sizeof *tracer->open);
        if (!tracer->open) base_out_of_memory();
    }
    struct open_trace *oldest = &tracer->open[0], *open = NULL;
    for (int i = 0; i < OPEN_MAX && !open; i++) {
        if (!tracer->open[i].used)
            open = &tracer->open[i];
        else if (tracer->open[i].touched < oldest->touched)
            oldest = &tracer->open[i];
    }
    if (!open) {
        abandon(tracer, oldest);
        open = oldest;
    }
    lane_set_closed(tracer, lane, -1);
    memset(open, 0, offsetof(struct open_trace, outer));
    open->used = true;
    open->lane = lane->id;
    open->touched = tracer->clock;
    open->cause = lane->cause_next;
    open->direct = lane->direct;
    open->ignored = lane->ignored_next;
    open->origin = *origin;
    open->origin.host = (struct str){0};
    lane->cause_next = -1;
    lane->ignored_next = lane->direct = false;
    tracer->n_open++;
    return open;
}

/* The open traceback of a lane that was written to last. */
static struct open_trace *newest(struct tracer *tracer, uint64_t lane) {
    struct open_trace *best = NULL;
    for (int i = 0; tracer->n_open && i < OPEN_MAX; i++) {
        struct open_trace *open = &tracer->open[i];
        if (open->used && open->lane == lane && (!best || open->touched > best->touched))
            best = open;
    }
    return best;
}

/* ---- what follows what
 * ---------------------------------------------------------------------------------- */

enum context { AFTER_ALL = 1, AFTER_LAST, AFTER_ANY }; /* what a step was learnt after */

static uint64_t step_key(enum context context, uint64_t before, uint64_t next) {
    return mix(mix(context, before), next) | 1;
}

static uint64_t *step_slot(const struct tracer *tracer, uint64_t key) {
    size_t i = (size_t)(key >> 20) % STEPS;
    while (tracer->steps[i] && tracer->steps[i] != key) i = (i + 1) % STEPS;
    return &tracer->steps[i];
}

static bool step_known(const struct tracer *tracer, uint64_t key) {
    return tracer->steps && *step_slot(tracer, key) == key;
}

static void step_learn(struct tracer *tracer, uint64_t key) {
    if (!tracer->steps) {
        tracer->steps = calloc(STEPS, sizeof *tracer->steps);
        if (!tracer->steps) base_out_of_memory();
    }
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
static struct open_trace *owner(struct tracer *tracer, uint64_t lane, uint64_t hash) {
    struct open_trace *best = NULL;
    int best_fit = 0;
    for (int i = 0; tracer->n_open && i < OPEN_MAX; i++) {
        struct open_trace *open = &tracer->open[i];
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

static uint64_t frame_hash(const struct frame *frame) {
    return mix(mix(str_hash(frame->path), str_hash(frame->function)), frame->line) | 1;
}

static uint16_t fill(char *room, size_t size, struct str s) {
    /* of a long path the end tells more than the beginning */
    if (s.n > size) s = str_from(s, s.n - size);
    if (s.n) memcpy(room, s.p, s.n);
    return (uint16_t)s.n;
}

static void add_frame(struct tracer *tracer, struct open_trace *open, const struct frame *frame) {
    struct slot *slot = slot_at(open, open->n_frames++);
    slot->path_n = fill(slot->path, sizeof slot->path, frame->path);
    slot->function_n = fill(slot->function, sizeof slot->function,
                            str_sub(frame->function, 0, sizeof slot->function));
    slot->code_n = 0;
    slot->line = frame->line;
    open->touched = tracer->clock;
    open->line = frame_hash(frame);
    open->prefix = mix(open->prefix, open->line);
    open->noise = 0;
    open->framed = true;
}

static void add_code(struct open_trace *open, struct str body) {
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
    slot->code_n = fill(slot->code, sizeof slot->code, str_sub(code, 0, sizeof slot->code));
}

/* ---- kinds of lines
 * ------------------------------------------------------------------------------------------ */

static int indent_of(struct str body) {
    size_t i = 0;
    while (is_blank(byte_at(body, i)) ||
           ((byte_at(body, i) == '|' || byte_at(body, i) == '+') && is_blank(byte_at(body, i + 1))))
        i++;
    return (int)i;
}

static bool is_continuation(struct str body) {
    static const char *const starts[] = {"frame #",
                                         "CUDA kernel errors might",
                                         "For debugging consider",
                                         "Compile with `TORCH",
                                         "Device-side assert",
                                         "Exception raised from",
                                         "Last error:",
                                         "Parameter indices",
                                         "In addition, you can",
                                         "nccl",
                                         "C++ CapturedTraceback",
                                         "#",
                                         "HIP kernel errors might",
                                         "Search for `",
                                         "size mismatch for",
                                         "Missing key",
                                         "Unexpected key",
                                         "If you ",
                                         "You can",
                                         "making sure",
                                         "This error",
                                         "Please",
                                         "Possible",
                                         "Note",
                                         "Set the environment",
                                         "Error message",
                                         "Duplicate GPU"};
    for (size_t i = 0; i < COUNT_OF(starts); i++)
        if (str_starts(body, str_of(starts[i]))) return true;
    return false;
}

static enum trace_line feed_head(struct tracer *tracer, struct lane *lane, struct str body,
                                 ptrdiff_t at, const struct origin *origin) {
    struct open_trace *open = open_new(tracer, lane, origin);
    struct str rest = str_from(body, (size_t)at + 33);
    open->indent = indent_of(body);
    open->rich = byte_at(rest, 0) != ':';
    open->reversed = str_has(rest, STR("call first"));
    return TRACE_HEAD;
}

/* Stops of other kinds: faulthandler's stacks, and C++'s terminate. */
static enum trace_line feed_other_head(struct tracer *tracer, struct lane *lane, struct str body,
                                       const struct origin *origin) {
    if (str_has(body, STR("(most recent call first):"))) {
        struct open_trace *open = newest(tracer, lane->id);
        /* of several threads the first is kept: it is the one that died */
        bool thread = str_starts(str_trim(body), STR("Thread 0x"));
        if (thread && lane->bare < 0 && open && open->reversed) return TRACE_HEAD;
        open = open_new(tracer, lane, origin);
        open->reversed = true;
        return TRACE_HEAD;
    }
    ptrdiff_t at = str_find(body, STR("throwing an instance of '"), 0);
    if (at < 0) return TRACE_NONE;
    struct str type = str_from(body, (size_t)at + 25);
    const char *end = memchr(type.p, '\'', type.n);
    struct open_trace *open = open_new(tracer, lane, origin);
    open->cpp_n = fill(open->cpp_type, sizeof open->cpp_type,
                       str_sub(type, 0, end ? (size_t)(end - type.p) : 0));
    return TRACE_HEAD;
}

static bool feed_chain(struct tracer *tracer, struct lane *lane, struct str body) {
    bool during = str_has(body, STR("During handling of the above exception"));
    bool direct = str_has(body, STR("The above exception was the direct cause"));
    if (!during && !direct) return false;
    lane->cause_next = lane->closed;
    lane->direct = direct;
    if (lane->closed >= 0) tracer->evidence->traces.v[lane->closed].followed = true;
    lane->blanks = 0;
    return true;
}

/* Closes the newest traceback of the lane, or makes one without frames. */
static enum trace_line close_with(struct tracer *tracer, struct lane *lane, struct open_trace *open,
                                  struct str type, struct str message, const struct origin *origin,
                                  struct str physical, int *trace) {
    /* two ranks in one line: "ValueErrorValueError: : texttext" */
    if (type.n % 2 == 0 && str_eq(str_sub(type, 0, type.n / 2), str_from(type, type.n / 2)))
        type.n /= 2;
    if (str_starts(message, STR(": "))) message = str_from(message, 2);
    *trace = keep_trace(tracer, open, type, message, origin, physical);
    if (open) drop(tracer, open);
    lane_set_closed(tracer, lane, *trace);
    bool bare = *trace >= 0 && !tracer->evidence->traces.v[*trace].n_frames;
    lane->bare = bare ? *trace : -1;
    return TRACE_EXCEPTION;
}

/* A log line that quotes an exception: "step failed: RuntimeError: ...".  Its words count, but it
 * is no traceback. */
static bool quotes_exception(struct str body) {
    struct str looked = str_sub(body, 0, 400), message;
    for (ptrdiff_t at = str_find(looked, STR("Error: "), 0); at >= 0;
         at = str_find(looked, STR("Error: "), (size_t)at + 7)) {
        size_t start = (size_t)at;
        while (start && (is_word(looked.p[start - 1]) || looked.p[start - 1] == '.')) start--;
        if (start < 2 || looked.p[start - 1] != ' ' || !strchr(":-|>)", looked.p[start - 2]))
            continue;
        if (exception_read(str_from(looked, start), true, &message)) return true;
    }
    return false;
}

static enum trace_line feed_frame(struct tracer *tracer, struct lane *lane, struct str body,
                                  const struct frame *frame, const struct origin *origin) {
    struct open_trace *open = owner(tracer, lane->id, frame_hash(frame));
    bool python =
        str_starts(str_trim(body), STR("File ")) || str_starts(str_trim(body), STR("| File "));
    if (!open && !python) return TRACE_NONE;
    if (!open) { /* a traceback that lost its head */
        open = open_new(tracer, lane, origin);
        open->indent = indent_of(body) >= 2 ? indent_of(body) - 2 : 0;
    }
    add_frame(tracer, open, frame);
    open->wrapped_n = 0;
    return TRACE_FRAME;
}

/* rich breaks paths that are too long for its box. */
static bool join_wrapped(struct open_trace *open, struct str body, struct buf *joined,
                         struct frame *frame) {
    struct str part = str_trim(body);
    if (open->wrapped_n) {
        buf_add(joined, open->wrapped, open->wrapped_n);
        buf_str(joined, part);
        if (frame_read(buf_view(joined), frame)) return true;
        buf_clear(joined);
    }
    open->wrapped_n = 0;
    bool path =
        byte_at(part, 0) == '/' && !memchr(part.p, ' ', part.n) && part.n < sizeof open->wrapped;
    if (path) open->wrapped_n = fill(open->wrapped, sizeof open->wrapped, part);
    return false;
}

static enum trace_line feed_open(struct tracer *tracer, struct lane *lane, struct open_trace *open,
                                 struct str body, const struct origin *origin, struct str physical,
                                 int *trace) {
    struct str plain = str_from(body, (size_t)indent_of(body)), message;
    if (open->cpp_n) {
        bool what = str_starts(plain, STR("what():"));
        if (!what && ++open->noise < 8) return TRACE_NONE;
        struct str type = {open->cpp_type, open->cpp_n};
        enum trace_line kind = close_with(tracer, lane, open, type,
                                          what ? str_trim(str_from(plain, 7)) : (struct str){0},
                                          origin, physical, trace);
        return what ? kind : TRACE_NONE;
    }
    size_t n = exception_read(plain, !open->framed, &message);
    bool outside = indent_of(body) <= open->indent || open->rich;
    if (n && outside && !open->reversed)
        open = owner(tracer, lane->id, str_hash(str_sub(plain, 0, n)));
    if (n && outside)
        return close_with(tracer, lane, open, str_sub(plain, 0, n), message, origin, physical,
                          trace);
    if (indent_of(body) > open->indent || open->rich) {
        add_code(open, body);
        open->touched = tracer->clock;
        if (++open->noise > 4 * NOISE_MAX) abandon(tracer, open);
        return TRACE_CODE;
    }
    if (plain.n && ++open->noise > NOISE_MAX) abandon(tracer, open);
    return TRACE_NONE;
}

/* Lines after an exception: its message, or what makes room for a chained one. */
static enum trace_line feed_message(struct tracer *tracer, struct lane *lane, struct str body,
                                    int *trace) {
    int closed = lane->closed;
    bool blank = !str_trim(body).n;
    if (blank) {
        if (++lane->blanks > BLANK_MAX) lane_set_closed(tracer, lane, -1);
        return TRACE_NONE;
    }
    bool goes_on = is_blank(body.p[0]) || is_continuation(body);
    if (goes_on && ++lane->message_lines <= MESSAGE_MAX) {
        *trace = closed;
        lane->blanks = 0;
        return TRACE_MESSAGE;
    }
    if (++lane->message_lines > 20) lane_set_closed(tracer, lane, -1);
    return TRACE_NONE;
}

enum trace_line tracer_feed(struct tracer *tracer, struct str body, uint64_t lane_id,
                            const struct origin *origin, struct str physical, int *trace) {
    tracer->clock++;
    *trace = -1;
    struct lane *lane = lane_of(tracer, lane_id);
    struct open_trace *open = newest(tracer, lane_id);
    ptrdiff_t at = str_find(body, STR("Traceback (most recent call last)"), 0);
    if (at >= 0) return feed_head(tracer, lane, body, at, origin);
    if (feed_chain(tracer, lane, body)) return TRACE_CHAIN;
    if (str_starts(body, STR("Exception ignored")) || str_starts(body, STR("--- Logging error"))) {
        lane->ignored_next = true;
        return TRACE_HEAD;
    }
    enum trace_line kind = feed_other_head(tracer, lane, body, origin);
    if (kind != TRACE_NONE) return kind;
    struct frame frame;
    struct buf joined = {0};
    bool framed = frame_read(body, &frame) ||
                  (open && open->rich && join_wrapped(open, body, &joined, &frame));
    if (framed) kind = feed_frame(tracer, lane, body, &frame, origin);
    buf_release(&joined);
    if (framed && kind != TRACE_NONE) return kind;
    if (open && (kind = feed_open(tracer, lane, open, body, origin, physical, trace)) != TRACE_NONE)
        return kind;
    struct str plain = str_from(body, (size_t)indent_of(body)), message;
    if (str_starts(plain, STR("E   "))) plain = str_trim(str_from(plain, 4)); /* pytest */
    size_t n = str_starts(plain, STR("Fatal Python error:")) ? 18 : 0;
    if (n)
        message = str_trim(str_from(plain, 19));
    else
        n = exception_read(plain, true, &message);
    if (n && !open)
        return close_with(tracer, lane, NULL, str_sub(plain, 0, n), message, origin, physical,
                          trace);
    if (quotes_exception(body)) return TRACE_EXCEPTION;
    return lane->closed >= 0 ? feed_message(tracer, lane, body, trace) : TRACE_NONE;
}

void tracer_finish(struct tracer *tracer) {
    for (;;) { /* in the order they were opened, so that the result is the same everywhere */
        struct open_trace *first = NULL;
        for (int i = 0; tracer->n_open && i < OPEN_MAX; i++)
            if (tracer->open[i].used && (!first || tracer->open[i].touched < first->touched))
                first = &tracer->open[i];
        if (!first) break;
        abandon(tracer, first);
    }
    for (int i = 0; i < LANES_MAX; i++) tracer->lanes[i] = (struct lane){.closed = -1};
    tracer->n_message = 0;
}
