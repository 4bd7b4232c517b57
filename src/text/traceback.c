/* Tracebacks, line by line: what a line is, and what it does to the open ones of its lane. */
#include "text/chars.h"
#include "text/grams.h"
#include "text/tracer.h"

/* ---- kinds of lines ----------------------------------------------------------------- */

static int indent_of(struct str body) {
    size_t i = 0;
    while (is_blank(byte_at(body, i)) ||
           ((byte_at(body, i) == '|' || byte_at(body, i) == '+') && is_blank(byte_at(body, i + 1))))
        i++;
    return (int)i;
}

/* What a line tells a tracer, whatever its digits: the texts in it, and more. */
enum tells {
    TELLS_TRACEBACK,
    TELLS_STACK,
    TELLS_TERMINATE,
    TELLS_DURING,
    TELLS_DIRECT,
    TELLS_TEXTS,
    TELLS_QUOTE = TELLS_TEXTS, /* an exception, which is not its own */
    TELLS_FRAME,
    TELLS_APART, /* see is_apart */
    TELLS_MORE
};
static const struct str texts[TELLS_TEXTS] = {
    [TELLS_TRACEBACK] = STR("Traceback (most recent call last)"),
    [TELLS_STACK] = STR("(most recent call first):"),
    [TELLS_TERMINATE] = STR("throwing an instance of '"),
    [TELLS_DURING] = STR("During handling of the above exception"),
    [TELLS_DIRECT] = STR("The above exception was the direct cause")};

static bool has(unsigned tells, enum tells what) {
    return tells >> what & 1;
}

static bool is_continuation(struct str body) {
    static const struct str starts[] = {STR("frame #"),
                                        STR("CUDA kernel errors might"),
                                        STR("For debugging consider"),
                                        STR("Compile with `TORCH"),
                                        STR("Device-side assert"),
                                        STR("Exception raised from"),
                                        STR("Last error:"),
                                        STR("Parameter indices"),
                                        STR("In addition, you can"),
                                        STR("nccl"),
                                        STR("C++ CapturedTraceback"),
                                        STR("#"),
                                        STR("HIP kernel errors might"),
                                        STR("Search for `"),
                                        STR("size mismatch for"),
                                        STR("Missing key"),
                                        STR("Unexpected key"),
                                        STR("If you "),
                                        STR("You can"),
                                        STR("making sure"),
                                        STR("This error"),
                                        STR("Please"),
                                        STR("Possible"),
                                        STR("Note"),
                                        STR("Set the environment"),
                                        STR("Error message"),
                                        STR("Duplicate GPU")};
    for (size_t i = 0; i < COUNT_OF(starts); i++)
        if (str_starts(body, starts[i])) return true;
    return false;
}

/* "torch check error: Traceback (most recent call last)": another program tells what one said to
 * it. Behind a bar the text is the bar's. */
static bool is_relayed(struct str body) {
    struct str before =
        str_trim(str_sub(body, 0, (size_t)str_find(body, texts[TELLS_TRACEBACK], 0)));
    bool words = before.n > 2 && before.p[before.n - 1] == ':' && memchr(before.p, ' ', before.n);
    return words && !str_has(before, STR("%|"));
}

/* "RuntimeError: process 0 ended with this exception:", and right behind it its traceback. */
static bool announces(const struct tracer *tracer, const struct lane *lane) {
    static const char *const ends[] = {"exception:", "error:", "traceback:"};
    if (lane->closed < 0 || lane->message_lines) return false;
    return STR_ENDS_ANY(tracer->evidence->traces.v[lane->closed].message, ends);
}

/* "worker failed in method f: no space left, Traceback (most recent call last):" tells before the
 * frames what was raised; its words from here on, or nothing. */
static struct str told_before(struct str body) {
    struct str before =
        str_trim(str_sub(body, 0, (size_t)str_find(body, texts[TELLS_TRACEBACK], 0)));
    ptrdiff_t colon = str_find(before, STR(": "), 0);
    if (!str_ends(before, STR(",")) || colon < 0) return (struct str){0};
    return str_sub(before, 0, before.n - 1);
}

static enum trace_line feed_head(struct tracer *tracer, struct lane *lane, struct str body,
                                 const struct origin *origin) {
    struct open_trace *open = trace_newest(tracer, lane->id);
    if (open && open->relays) {
        open->relays = false;
        return TRACE_HEAD;
    }
    if (announces(tracer, lane)) lane->cause_next = lane->closed;
    open = trace_open(tracer, lane, origin);
    struct str text = texts[TELLS_TRACEBACK], told = told_before(body);
    if (told.n) code_line_set(&open->caught, told, origin);
    struct str rest = str_from(body, (size_t)str_find(body, text, 0) + text.n);
    open->indent = indent_of(body);
    open->apart |= is_relayed(body);
    open->rich = byte_at(rest, 0) != ':';
    open->reversed = str_has(rest, STR("call first"));
    return TRACE_HEAD;
}

/* Stops of other kinds: faulthandler's stacks, and C++'s terminate. */
static enum trace_line feed_other_head(struct tracer *tracer, struct lane *lane, struct str body,
                                       unsigned tells, const struct origin *origin) {
    if (has(tells, TELLS_STACK)) {
        struct open_trace *open = trace_newest(tracer, lane->id);
        /* of several threads the first is kept: it is the one that died */
        bool thread = str_starts(str_trim(body), STR("Thread 0x"));
        if (thread && lane->bare < 0 && open && open->reversed) return TRACE_HEAD;
        open = trace_open(tracer, lane, origin);
        open->reversed = true;
        return TRACE_HEAD;
    }
    if (!has(tells, TELLS_TERMINATE)) return TRACE_NONE;
    struct str text = texts[TELLS_TERMINATE];
    struct str type = str_from(body, (size_t)str_find(body, text, 0) + text.n);
    const char *end = memchr(type.p, '\'', type.n);
    struct open_trace *open = trace_open(tracer, lane, origin);
    open->cpp_n = trace_fill(open->cpp_type, sizeof open->cpp_type,
                             str_sub(type, 0, end ? (size_t)(end - type.p) : 0));
    return TRACE_HEAD;
}

static bool feed_chain(struct tracer *tracer, struct lane *lane, unsigned tells) {
    if (!has(tells, TELLS_DURING) && !has(tells, TELLS_DIRECT)) return false;
    lane->cause_next = lane->closed;
    lane->direct = has(tells, TELLS_DIRECT);
    if (lane->closed >= 0) tracer->evidence->traces.v[lane->closed].followed = true;
    lane->blanks = 0;
    return true;
}

/* PyTorch's workers (of a loader, replicas of DataParallel, the thread that pins memory): what one
 * died of comes with its own traceback, behind this. */
static bool is_of_worker(struct str message) {
    struct str caught = STR("Caught "), rest;
    if (!str_starts(message, caught)) return false;
    struct str inner = str_from(message, caught.n);
    size_t n = 0;
    while (is_word(byte_at(inner, n)) || byte_at(inner, n) == '.') n++;
    rest = str_from(inner, n);
    return n && str_starts(rest, STR(" in ")) && str_ends(str_trim(rest), STR("."));
}

/* Closes the newest traceback of the lane, or makes one without frames. */
static enum trace_line close_with(struct tracer *tracer, struct lane *lane, struct open_trace *open,
                                  struct str type, struct str message, const struct origin *origin,
                                  struct str physical, int *trace) {
    /* two ranks in one line: "ValueErrorValueError: : texttext" */
    if (type.n % 2 == 0 && str_eq(str_sub(type, 0, type.n / 2), str_from(type, type.n / 2)))
        type.n /= 2;
    if (str_starts(message, STR(": "))) message = str_from(message, 2);
    *trace = trace_keep(tracer, open, type, message, origin, physical);
    if (open) trace_drop(tracer, open);
    trace_lane_closed(tracer, lane, *trace);
    lane->promised = *trace >= 0 && !message.n && str_ends(str_trim(physical), STR(":"));
    /* the traceback of the worker follows, and ends with what happened there */
    bool relays = str_has(type, STR("RayTaskError(")) || is_of_worker(message);
    if (*trace >= 0 && relays) lane->cause_next = *trace;
    bool bare = *trace >= 0 && !tracer->evidence->traces.v[*trace].n_frames;
    lane->bare = bare ? *trace : -1;
    return TRACE_EXCEPTION;
}

/* A log line that quotes an exception: "step failed: RuntimeError: ...", "worker said 'OSError:
 * ...'", or the error file of torchelastic: "message": "RuntimeError: ...".  Its words count, but
 * it is no traceback. */
static bool quotes_exception(struct str body) {
    struct str looked = str_sub(body, 0, 400), message;
    for (ptrdiff_t at = str_find(looked, STR("Error: "), 0); at >= 0;
         at = str_find(looked, STR("Error: "), (size_t)at + 7)) {
        size_t start = (size_t)at;
        while (start && (is_word(looked.p[start - 1]) || looked.p[start - 1] == '.')) start--;
        bool opened = start && strchr("\"'`([]", looked.p[start - 1]);
        bool after =
            start >= 2 && looked.p[start - 1] == ' ' && strchr(":-|>)", looked.p[start - 2]);
        if (!opened && !after) continue;
        if (exception_read(str_from(looked, start), true, &message)) return true;
    }
    return false;
}

static enum trace_line feed_frame(struct tracer *tracer, struct lane *lane, struct str body,
                                  const struct frame *frame, const struct origin *origin) {
    struct open_trace *open = trace_owner(tracer, lane->id, trace_frame_hash(frame));
    bool python = str_starts(str_trim(body), STR("File ")) ||
                  str_starts(str_trim(body), STR("| File ")) || frame_is_torn(body);
    if (!open && !python) return TRACE_NONE;
    if (!open) { /* a traceback that lost its head */
        open = trace_open(tracer, lane, origin);
        open->indent = indent_of(body) >= 2 ? indent_of(body) - 2 : 0;
    }
    trace_add_frame(tracer, open, frame);
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
    if (path) open->wrapped_n = trace_fill(open->wrapped, sizeof open->wrapped, part);
    return false;
}

/* A paste has lost or won blanks: what stands below the code of a frame, and reads as an exception
 * with a message, is no further code. */
static bool is_pasted(const struct open_trace *open, struct str plain) {
    struct str message;
    return open->code.n && exception_read(plain, true, &message) && message.n;
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
    bool outside = indent_of(body) <= open->indent || open->rich || is_pasted(open, plain);
    if (n && outside && !open->reversed)
        open = trace_owner(tracer, lane->id, str_hash(str_sub(plain, 0, n)));
    if (n && outside && is_of_worker(message)) {
        code_line_set(&open->caught, plain, origin);
        open->relays = true;
        return TRACE_CODE;
    }
    if (n && outside)
        return close_with(tracer, lane, open, str_sub(plain, 0, n), message, origin, physical,
                          trace);
    if (indent_of(body) > open->indent || open->rich) {
        trace_add_code(open, body, physical, origin);
        open->touched = tracer->clock;
        if (++open->noise > 4 * NOISE_MAX) trace_abandon(tracer, open, false);
        return TRACE_CODE;
    }
    if (plain.n && ++open->noise > NOISE_MAX) trace_abandon(tracer, open, false);
    return TRACE_NONE;
}

/* "ImportError: " and nothing more: a message that begins with a line feed stands on the next line,
 * where rules and boxes are none. */
static bool takes_message(struct tracer *tracer, const struct lane *lane, struct str body) {
    struct str said = str_trim(body);
    struct trace *trace = &tracer->evidence->traces.v[lane->closed];
    if (!is_word(byte_at(said, 0)) && !strchr("`'\"", byte_at(said, 0))) return false;
    if (!trace->message.n) trace->message = mask_secrets(&tracer->evidence->arena, said);
    return true;
}

/* Lines after an exception: its message, or what makes room for a chained one. */
static enum trace_line feed_message(struct tracer *tracer, struct lane *lane, struct str body,
                                    int *trace) {
    int closed = lane->closed;
    bool blank = !str_trim(body).n, promised = lane->promised;
    lane->promised = false;
    if (blank) {
        if (++lane->blanks > BLANK_MAX) trace_lane_closed(tracer, lane, -1);
        return TRACE_NONE;
    }
    bool bar = str_has(body, STR("%|"));
    if (bar) trace_lane_closed(tracer, lane, -1);
    if (promised && !bar && takes_message(tracer, lane, body)) {
        *trace = closed;
        lane->message_lines++;
        return TRACE_SAID;
    }
    bool goes_on = !bar && (is_blank(body.p[0]) || is_continuation(body));
    if (goes_on && ++lane->message_lines <= MESSAGE_MAX) {
        *trace = closed;
        lane->blanks = 0;
        return TRACE_MESSAGE;
    }
    if (++lane->message_lines > 20) trace_lane_closed(tracer, lane, -1);
    return TRACE_NONE;
}

static struct str plain_of(struct str body) {
    struct str plain = str_from(body, (size_t)indent_of(body));
    bool pytest = str_starts(plain, STR("E   "));
    return pytest ? str_trim(str_from(plain, 4)) : plain;
}

static bool is_raised(struct str plain) {
    return str_starts(plain, STR("assert ")) || str_starts(plain, STR("raise "));
}

static bool will_be_ignored(struct str body) {
    struct str logging = STR("--- Logging error ---"); /* it may stand behind a progress bar */
    return str_starts(body, STR("Exception ignored")) ||
           str_starts(body, str_sub(logging, 0, 17)) ||
           str_starts(body, STR("Error in sys.excepthook:")) ||
           (body.n > logging.n && body.p[body.n - 1] == '-' && str_ends(body, logging));
}

/* Heads of tracebacks that end a thread, a callback or a request, and no process. */
static bool is_apart(struct str body) {
    return str_starts(body, STR("Exception in thread ")) ||
           str_has(body, STR("  Exception in ASGI application")) ||
           str_starts(body, STR("Exception in callback ")) ||
           str_has(body, STR(" exception was never retrieved"));
}

/* loguru marks the frame in which an exception was caught and logged: work may go on. */
static bool is_caught_here(struct str body) {
    return str_starts(str_trim(body), STR("> File \""));
}

unsigned tracer_tells(struct str body, const struct grams *grams) {
    struct str plain = plain_of(body), message;
    struct frame frame;
    unsigned tells = 0;
    for (int i = 0; i < TELLS_TEXTS; i++) tells |= (unsigned)grams_has(grams, body, texts[i]) << i;
    bool quote = grams_has(grams, body, STR("Error: ")) && quotes_exception(body);
    bool framed = frame_read(body, &frame);
    bool apart = is_apart(body);
    bool more = will_be_ignored(body) || str_starts(plain, STR("Fatal Python error:")) ||
                exception_read(plain, true, &message) || is_raised(plain);
    return tells | (unsigned)quote << TELLS_QUOTE | (unsigned)framed << TELLS_FRAME |
           (unsigned)apart << TELLS_APART | (unsigned)more << TELLS_MORE;
}

enum trace_line tracer_feed(struct tracer *tracer, struct str body, uint64_t lane_id,
                            const struct origin *origin, struct str physical, int *trace) {
    struct grams grams;
    grams_make(&grams, body);
    return tracer_feed_known(tracer, body, tracer_tells(body, &grams), lane_id, origin, physical,
                             trace);
}

enum trace_line tracer_feed_known(struct tracer *tracer, struct str body, unsigned tells,
                                  uint64_t lane_id, const struct origin *origin,
                                  struct str physical, int *trace) {
    tracer->clock++;
    *trace = -1;
    struct lane *lane = trace_lane(tracer, lane_id);
    struct open_trace *open = trace_newest(tracer, lane_id);
    if (!tells && !open && lane->closed < 0) return TRACE_NONE;
    if (has(tells, TELLS_TRACEBACK)) return feed_head(tracer, lane, body, origin);
    if (feed_chain(tracer, lane, tells)) return TRACE_CHAIN;
    if (will_be_ignored(body)) {
        lane->ignored_next = true;
        return TRACE_HEAD;
    }
    lane->apart_next |= has(tells, TELLS_APART);
    enum trace_line kind = feed_other_head(tracer, lane, body, tells, origin);
    if (kind != TRACE_NONE) return kind;
    struct frame frame;
    struct buf joined = {0};
    bool framed = (has(tells, TELLS_FRAME) && frame_read(body, &frame)) ||
                  (open && open->rich && join_wrapped(open, body, &joined, &frame));
    if (framed) kind = feed_frame(tracer, lane, body, &frame, origin);
    buf_release(&joined);
    if (framed && kind != TRACE_NONE && is_caught_here(body))
        trace_newest(tracer, lane_id)->apart = true;
    if (framed && kind != TRACE_NONE) return kind;
    if (open && (kind = feed_open(tracer, lane, open, body, origin, physical, trace)) != TRACE_NONE)
        return kind;
    struct str plain = plain_of(body), message;
    size_t n = str_starts(plain, STR("Fatal Python error:")) ? 18 : 0;
    if (n)
        message = str_trim(str_from(plain, 19));
    else
        n = exception_read(plain, true, &message);
    if (n && !open)
        return close_with(tracer, lane, NULL, str_sub(plain, 0, n), message, origin, physical,
                          trace);
    if (!open && is_raised(plain)) code_line_set(&tracer->raised, physical, origin);
    if (has(tells, TELLS_QUOTE)) return TRACE_EXCEPTION;
    return lane->closed >= 0 ? feed_message(tracer, lane, body, trace) : TRACE_NONE;
}

void tracer_finish(struct tracer *tracer, bool ended) {
    for (;;) { /* in the order they were opened, so that the result is the same everywhere */
        struct open_trace *first = NULL;
        for (int i = 0; tracer->n_open && i < tracer->n_rooms; i++)
            if (tracer->open[i]->used && (!first || tracer->open[i]->touched < first->touched))
                first = tracer->open[i];
        if (!first) break;
        if (ended)
            trace_abandon(tracer, first, true);
        else
            trace_drop(tracer, first); /* its exception is still to come */
    }
    for (int i = 0; i < LANES_MAX; i++) tracer->lanes[i] = (struct lane){.closed = -1};
    tracer->n_message = 0;
}
