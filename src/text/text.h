/* text.h - from raw lines to lines that mean something.
 *
 * Undoes what terminals, launchers and pastes did to a line (mend), tells who wrote it and when
 * (locate), and puts tracebacks together (traceback).  Knows no signal and no cause; state is per
 * source and bounded.
 */
#ifndef FAULTLINE_TEXT_H
#define FAULTLINE_TEXT_H

#include "model/evidence.h"

/* ---- mend ------------------------------------------------------------------------------------- */

/* The visible text of a raw line in `out` (cleared first): escape sequences, control bytes, NULs and
 * box drawing at the edges removed; of text overwritten by CR the pieces are kept, separated by
 * CR -> '\n' (each is a line of its own); backspaces applied; invalid UTF-8 replaced by '?'.
 * At most LIMIT bytes of input are looked at. */
void mend_line(struct buf *out, struct str raw);
/* True when mend_line would change the line: it holds ESC, CR, BS, NUL, other controls or a box corner. */
bool mend_needed(struct str raw);
/* Undoes what pasting did to a whole text: `> ` quotes, code fences, hard wraps at a fixed width, a common
 * indentation, HTML entities, UTF-16, old-Mac line ends.  Returns the text itself where nothing was
 * done.  Only for small inputs (<= 1 MiB); line numbers of the result are those of the
 * original in `line_of[i]` (i-th line of the result), allocated in the arena. */
struct str mend_paste(struct arena *arena, struct str text, uint32_t **line_of, size_t *n_lines);
/* A copy with passwords, tokens and keys replaced by "***", cut at LIMIT_TEXT. */
struct str mask_secrets(struct arena *arena, struct str line);

/* ---- locate ------------------------------------------------------------------------------------ */

/* Who wrote a line and when, read from its prefix; what is absent is -1, empty, TIME_UNKNOWN. */
struct place {
    int rank;
    struct str host; /* points into the line */
    int64_t time;
    bool zoned, yearless;
    size_t body;     /* offset where the message begins, after all prefixes */
    int severity;    /* 0 none, 1 debug/info, 2 warning, 3 error, 4 fatal */
};
/* `line` is mended.  Never fails. */
struct place locate_line(struct str line);
/* Rank and host from a path such as attempt_0/3/stderr.log, slurm-12.node7.3.out, rank_003.log; -1/empty. */
void locate_path(struct str path, int *rank, struct str *host);

/* ---- traceback ------------------------------------------------------------------------------------ */

/* Follows the tracebacks of one source, one open traceback per rank (at most 64 open at once; the
 * oldest is closed). */
struct tracer;
struct tracer *tracer_new(struct arena *arena, struct evidence *evidence);

enum trace_line { /* what a line was to the tracebacks of its rank */
    TRACE_NONE,      /* outside any */
    TRACE_HEAD,      /* "Traceback (most recent call last):" and its relatives */
    TRACE_FRAME,     /* File "...", line N, in f */
    TRACE_CODE,      /* the source line or marker below a frame */
    TRACE_EXCEPTION, /* Type: message: the traceback is closed and stands in evidence->traces */
    TRACE_MESSAGE,   /* a further line of a message of several lines */
    TRACE_CHAIN      /* "During handling of the above exception ..." */
};
/* Feeds the body of a mended line; *trace receives the index in evidence->traces of the traceback that the
 * line closed (TRACE_EXCEPTION, TRACE_MESSAGE), or -1.  A bare exception line ("ValueError: ...") outside a traceback
 * is TRACE_EXCEPTION with a trace without frames, where its type ends in Error, Exception, Warning excluded,
 * or is dotted or a builtin's name.  `is_open` tells whether a rank has a traceback open, so that the
 * caller feeds lines the matcher would skip. */
enum trace_line tracer_feed(struct tracer *tracer, struct str body, const struct origin *origin,
                            struct str physical, int *trace);
bool tracer_is_open(const struct tracer *tracer);
void tracer_finish(struct tracer *tracer); /* closes what is open at the end of a source */

#endif
