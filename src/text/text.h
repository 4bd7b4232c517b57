/* text.h - from raw lines to lines that mean something.
 *
 * Undoes what terminals, launchers and pastes did to a line (mend), tells who wrote it and when
 * (locate), and puts tracebacks together (traceback).  Knows no signal and no cause; state is per
 * source and bounded.
 */
#ifndef FAULTLINE_TEXT_H
#define FAULTLINE_TEXT_H

#include "model/evidence.h"

/* ---- mend --------------------------------------------------------------------------- */

/* The visible text of a raw line in `out` (cleared first): escape sequences, control bytes, NULs,
 * invisible and direction-turning characters, and box drawing at the edges removed; of text
 * overwritten by CR the pieces are kept, separated by '\n' (each is a line of its own); backspaces
 * applied; invalid UTF-8 replaced by '?'; container logs ({"log":"..."}) unwrapped.  At most 64 KiB
 * of input are looked at. The result is valid UTF-8 without control bytes other than tab and the
 * '\n' between pieces. */
void mend_line(struct buf *out, struct str raw);
/* False only when mend_line would give the line back as it is. */
bool mend_needed(struct str raw);
/* Where in a text, at or after the start of a line, the next byte stands that mending its line
 * would change, or a CR; text.n: nowhere. */
size_t mend_next(struct str text, size_t from);
/* A container engine's JSON line: its time and text in `out` (appended); false if it is none. */
bool unlog_line(struct buf *out, struct str raw);
bool unlog_needed(struct str raw);

/* Undoes what pasting did to a whole text: `> ` quotes, code fences, hard wraps at a fixed width, a
 * common indentation, HTML entities, UTF-16, old-Mac line ends.  Returns the text itself where
 * nothing was done.  Only for small inputs (<= 1 MiB); line numbers of the result are those of the
 * original in `line_of[i]` (i-th line of the result), allocated in the arena. */
struct str mend_paste(struct arena *arena, struct str text, uint32_t **line_of, size_t *n_lines);
/* Old-Mac text: CRs alone end its lines. */
bool text_is_mac(struct str head);
/* UTF-16 to UTF-8, with or without BOM; a surrogate without its pair becomes '?'. */
void utf16_add(struct buf *out, struct str bytes, bool big_endian);
/* 0: no UTF-16; 1: little endian; 2: big endian.  By BOM, or by NULs in every second byte. */
int utf16_tell(struct str head);
/* A copy with passwords, tokens and keys replaced by "***", cut at LIMIT_TEXT. */
struct str mask_secrets(struct arena *arena, struct str line);
/* False where neither the line nor one that differs from it in digits only holds any; `grams`: the
 * pairs of bytes of them all, or more. */
struct grams;
bool secrets_may(const struct grams *grams, struct str line);

/* Source code that somebody shows: a statement, a call, an assignment of a call or a name. */
bool line_is_code(struct str line);

/* ---- locate ------------------------------------------------------------------------- */

/* Prefixes that only count when a whole source uses them: "3: " (srun -l), "node7: " (pdsh), names
 * of pods and services. */
enum pod_custom {
    POD_NONE,
    POD_SERVICE,   /* "trainer-1  | " (docker compose) */
    POD_CONTAINER, /* "trainer-1 pytorch " (stern) */
    POD_NAMESPACE  /* "prod trainer-1 pytorch " (stern -A) */
};
enum { POD_CUSTOMS = 4 };
struct custom {
    bool numbered; /* lines begin with a number and a colon */
    bool tasks;    /* those numbers are of tasks, not ranks: an inner prefix says another rank */
    bool hosts;    /* lines begin with a host and a colon */
    bool nodes;    /* each of srun's tasks is a launcher of ranks: its number is no rank */
    bool steps;    /* lines begin with the seconds of a step of docker build */
    enum pod_custom pods;
};
/* Reads the custom from a sample of a source's raw lines, of which it looks at some; earlier
 * findings are kept. */
void locate_learn(struct custom *custom, struct str sample);

/* What a line calls itself, rising; 0: nothing. */
enum severity { SEVERITY_INFO = 1, SEVERITY_WARNING, SEVERITY_ERROR, SEVERITY_FATAL };

/* Who wrote a line and when, read from its prefix; what is absent is -1, empty, TIME_UNKNOWN. */
struct place {
    int rank;
    int world;       /* "[rank 3/8]": 8; 0 where the prefix does not tell */
    int task;        /* the number of `srun -l` where it is no rank: separates writers */
    struct str host; /* points into the line */
    int64_t time;
    bool zoned, yearless;
    bool dateless; /* a time of day, or seconds since boot: not even month and day are known */
    bool kernel;   /* a line of the kernel log */
    size_t body;   /* offset where the message begins, after all prefixes and one space */
    int severity;  /* enum severity */
};
/* `line` is mended; custom may be NULL.  Never fails. */
struct place locate_line(struct str line, const struct custom *custom);
/* Rank and host from a path such as attempt_0/3/stderr.log, slurm-12.node7.3.out, rank_003.log;
 * -1/empty. */
void locate_path(struct str path, int *rank, struct str *host);

/* The summary in which a launcher lists its processes, one block of rows each: torchrun's
 * "  rank      : 3 (local_rank: 3)", "  exitcode  : -9 (pid: 4242)".  The launcher writes it, and
 * its rows tell of the rank that they name.  So do srun's lines about a task's end. */
struct box {
    int rank, left; /* rows that may still belong to it */
    char host[64];
};
/* Reads a row; rows after one that names a rank get it, and its host, in *place. */
void box_row(struct box *box, const struct custom *custom, struct str body, struct place *place);

/* A point in time as logs write it. */
struct moment {
    int64_t time;
    bool zoned, yearless, dateless;
};
/* Reads a time at the start of s; returns its length, 0 if there is none. */
size_t moment_read(struct str s, struct moment *moment);
/* A time without a year (kept as of 1972), or without a date, where it lies nearest to a full one.
 */
int64_t moment_with_year(int64_t yearless, int64_t known);
int64_t moment_with_date(int64_t dateless, int64_t known);

/* ---- traceback ---------------------------------------------------------------------- */

/* Follows the tracebacks of one source: at most 64 open at once (the oldest is closed), several in
 * one lane when ranks without a prefix wrote at the same time. */
struct tracer;
struct tracer *tracer_new(struct arena *arena, struct evidence *evidence);
void tracer_release(struct tracer *tracer); /* after tracer_finish; evidence stays */

enum trace_line {                  /* what a line was to the tracebacks of its lane */
                  TRACE_NONE,      /* outside any */
                  TRACE_HEAD,      /* "Traceback (most recent call last):" and its relatives */
                  TRACE_FRAME,     /* File "...", line N, in f */
                  TRACE_CODE,      /* the source line or marker below a frame */
                  TRACE_EXCEPTION, /* Type: message: the traceback is closed and stands in
                                      evidence->traces */
                  TRACE_SAID,      /* the message of an exception whose own line held none */
                  TRACE_MESSAGE,   /* a further line of a message of several lines */
                  TRACE_CHAIN      /* "During handling of the above exception ..." */
};
/* Feeds the body of a mended line; *trace receives the index in evidence->traces of the traceback
 * that the line closed (TRACE_EXCEPTION, TRACE_SAID, TRACE_MESSAGE), or -1.  A bare exception line
 * ("ValueError: ...") outside a traceback is TRACE_EXCEPTION with a trace without frames, where its
 * type ends in Error or Exception or is a builtin's name.  `lane` separates writers (rank, host,
 * task); `physical` is kept as the trace's text, masked. */
enum trace_line tracer_feed(struct tracer *tracer, struct str body, uint64_t lane,
                            const struct origin *origin, struct str physical, int *trace);
/* The same where it is known what tracer_tells of the body. */
enum trace_line tracer_feed_known(struct tracer *tracer, struct str body, unsigned tells,
                                  uint64_t lane, const struct origin *origin, struct str physical,
                                  int *trace);
/* What a line, and all that differ from it in digits only, tell a tracer.  0: they are TRACE_NONE
 * to a lane without an open traceback or message.  `grams`: the pairs of bytes of the body, or of a
 * text around it. */
unsigned tracer_tells(struct str body, const struct grams *grams);
/* The traceback that was just opened in this lane is an equal of `trace` (-1: of one that is not
 * kept): its frames need not come.  False where another is open in the lane, whose lines may come
 * between. */
bool tracer_known(struct tracer *tracer, uint64_t lane, int trace);
/* A line of this lane told of work: what was raised before it has its whole message. */
void tracer_goes_on(struct tracer *tracer, uint64_t lane);
bool tracer_is_open(
    const struct tracer *tracer); /* feed the next line even if no needle is in it */
/* Closes what is open at the end of a source; `ended`: nothing more will be written to it. */
void tracer_finish(struct tracer *tracer, bool ended);

/* The exception type at the start of a line ("torch.OutOfMemoryError" of "torch.OutOfMemoryError:
 * ..."): its length, 0 if there is none.  *message is what follows ": ".  `sure`: accept only names
 * that tell by themselves that they are exceptions (outside a traceback). */
size_t exception_read(struct str body, bool sure, struct str *message);
/* A frame line of Python, IPython, rich or faulthandler; its parts point into body. */
bool frame_read(struct str body, struct frame *frame);
/* The line begins within a frame of Python: x.py", line 3, in f. */
bool frame_is_torn(struct str body);

#endif
