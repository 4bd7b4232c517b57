/* tracer.h - the tracebacks that are open, and what becomes of them; private to text/.
 *
 * traceback.c tells what lines are; tracer.c keeps the state they build up.
 */
#ifndef FAULTLINE_TRACER_H
#define FAULTLINE_TRACER_H

#include "text/text.h"

enum {
    OPEN_MAX = 64,
    LANES_MAX = 64,
    OUTER = 8,         /* frames kept from the outside */
    INNER = 24,        /* and from the inside */
    NOISE_MAX = 60,    /* other lines that an open traceback outlives */
    CUT_LINES = 16,    /* a log ends in a traceback whose last line is among so many */
    MESSAGE_MAX = 200, /* lines of one message */
    BLANK_MAX = 3,
    STEPS_FIRST = 256, /* what follows what: places at first, */
    STEPS = 8192,      /* and at most, */
    STEPS_FULL = 6000, /* of which so many are taken */
    LIMIT_CODE = 400   /* bytes of a line of code */
};

struct slot { /* a frame in fixed room: hostile input cannot grow it */
    char path[320], function[128], code[200];
    uint16_t path_n, function_n, code_n;
    uint32_t line;
};

struct code_line { /* a line of source code as it stands in the log */
    char text[LIMIT_CODE];
    size_t n;
    struct origin at;
};

struct open_trace {
    bool used, ignored, apart, direct, reversed, rich, framed;
    bool relays; /* its exception was a worker's: that one's own traceback goes on with it */
    bool known;  /* an equal of the traceback known_as, -1: of one that is not kept */
    int known_as;
    uint64_t lane, touched; /* touched: clock of its last line */
    uint64_t prefix, line;  /* hashes of all its frames and of the last */
    int cause, noise, n_frames, indent;
    struct origin origin;
    char cpp_type[128], wrapped[320];
    size_t cpp_n, wrapped_n;
    struct code_line code;   /* of the last frame */
    struct code_line caught; /* the exception as another line than its last told it */
    struct slot outer[OUTER], inner[INNER];
};

struct lane {
    uint64_t id, touched;
    bool used, ignored_next, apart_next, direct;
    int closed;    /* trace whose message may go on, -1 */
    bool promised; /* its line ended with the colon: the message begins on the next */
    int message_lines, blanks;
    int cause_next; /* the next traceback followed from this one, -1 */
    int bare;       /* last exception without frames, -1: frames that follow may be its own */
};

struct tracer {
    struct evidence *evidence;
    uint64_t clock;
    int n_open, n_message;
    struct code_line raised; /* the last "assert ..." or "raise ..." outside any traceback */
    struct lane lanes[LANES_MAX];
    struct open_trace *open[OPEN_MAX]; /* on the heap, 24 kB each: made when so many are open */
    int n_rooms;                       /* of those */
    uint64_t *steps;                   /* a set of hashes with n_slots places, on the heap */
    int n_steps, n_slots;
    uint64_t hashes[LIMIT_TRACES];
    int index[LIMIT_TRACES], n_hashes;
};

/* A writer's lane; of too many the one that was silent longest is forgotten. */
struct lane *trace_lane(struct tracer *tracer, uint64_t id);
/* The traceback whose message may go on in this lane, -1 none. */
void trace_lane_closed(struct tracer *tracer, struct lane *lane, int trace);
/* Opens a traceback; where too many are open the oldest is closed. */
struct open_trace *trace_open(struct tracer *tracer, struct lane *lane,
                              const struct origin *origin);
/* The open traceback of a lane that was written to last, or NULL. */
struct open_trace *trace_newest(struct tracer *tracer, uint64_t lane);
/* The open traceback of a lane that a line with this hash belongs to, or NULL. */
struct open_trace *trace_owner(struct tracer *tracer, uint64_t lane, uint64_t hash);
/* What tells frames apart for trace_owner. */
uint64_t trace_frame_hash(const struct frame *frame);
void trace_add_frame(struct tracer *tracer, struct open_trace *open, const struct frame *frame);
/* The source line below the last frame; markers and other lines of a box are left out. */
void code_line_set(struct code_line *line, struct str physical, const struct origin *origin);
void trace_add_code(struct open_trace *open, struct str body, struct str physical,
                    const struct origin *origin);
/* Adds a traceback to the evidence, or counts it with its equal.  Its index, -1 when there are too
 * many. */
int trace_keep(struct tracer *tracer, struct open_trace *open, struct str type, struct str message,
               const struct origin *end, struct str text);
/* Forgets an open traceback. */
void trace_drop(struct tracer *tracer, struct open_trace *open);
/* A traceback that nothing closed: its frames go to the bare exception before it, or stand alone.
 * `at_end`: the log ends. */
void trace_abandon(struct tracer *tracer, struct open_trace *open, bool at_end);
/* Copies the end of s into fixed room; how many bytes. */
uint16_t trace_fill(char *room, size_t size, struct str s);

#endif
