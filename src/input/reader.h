/* reader.h - the one who reads a source in order.  Private to input/.
 *
 * Workers scan blocks without state; a reader takes their candidates in file order and owns
 * everything that depends on order: custom of prefixes, time, attempts, open tracebacks, keyed
 * hits, standouts, tracks.  Its results go to the evidence of its source (sources.v[0]).  One
 * thread at a time.
 */
#ifndef FAULTLINE_READER_H
#define FAULTLINE_READER_H

#include "input/input.h"
#include "input/keep.h"
#include "input/laps.h"
#include "input/words.h"
#include "text/text.h"

enum {
    BLOCK_BYTES = 1024 * 1024, /* what a worker scans at once */
    BLOCK_OVERLAP = 64 * 1024, /* how far a block looks for the end of its last line */
    ROOM_BYTES = BLOCK_BYTES + BLOCK_OVERLAP,
    MATCHES_MAX = 16,         /* signals that one line is matched by */
    CHUNK_BYTES = 64 * 1024,  /* one track, and a few lines looked at for ranks, in each */
    CHUNK_LINES = 4,          /* ... all of them, */
    CHUNK_LINES_KIN = 1,      /* of each of hundreds of ranks that are alike, */
    CHUNK_RANKS = 64,         /* and for ranks alone, as long as new ones show, */
    CHUNK_RANKS_MIN = 8,      /* else fewer, */
    CHUNK_RANKS_KIN = 2,      /* and where its kin tell of none but their own */
    TRACE_BYTES = 128 * 1024, /* how far an open traceback is followed without a line of any */
    OPENING_LINES = 16,       /* lines of a start that are remembered, */
    OPENING_STARTS = 256,     /* and kinds of beginnings told apart */
    OPENINGS = 16,            /* places where they are looked for in vain */
    REPEATS = 256,            /* tracebacks that are remembered by their text */
    PLACED = 8                /* lines whose prefix is remembered */
};

/* A piece of a source: whole lines, unless a line is longer than BLOCK_OVERLAP. */
struct block {
    struct str text;
    uint64_t offset;          /* of text in the source */
    uint32_t lines;           /* LFs in it, and a last line without one at the end of the source */
    candidate_vec candidates; /* in block->arena */
    struct arena arena;
    bool cut; /* the block ends inside a line: the next one goes on with it */
};
/* blocks.c.  Of a window that begins at `at`, within a line of the block, the line's beginning,
 * where that lies near and no bar was written over it: the logger's word for the whole stands
 * there. */
struct str block_line_head(struct str text, size_t at);
/* Whether something of a line, or of what was written over, stands before it. */
bool block_is_within(struct str text, size_t at);

/* With what an attempt began, and how far it came: attempts.c. */
struct opening {
    uint64_t hashes[OPENING_LINES];
    uint8_t start_of[OPENING_LINES], starts[OPENING_STARTS]; /* how those lines begin, and how many
                                                              * of them so: see opening_start */
    int n, n_again;
    uint32_t doubted; /* of those that recur in their order, which may tell of another attempt; */
    int n_doubted, doubted_next; /* how many, and the next of them */
    uint32_t gone;               /* bits of those that recur while all is well */
    uint32_t seen;               /* bits of those seen in this attempt */
    uint32_t again;              /* bits of those seen again since the error */
    bool head, worked, erred;
    bool fresh;  /* the newest of the lines is the one being read */
    bool odd;    /* an error stood before all steps */
    int rank;    /* whose steps are followed */
    bool fallen; /* since the error a step line stood at the first step again */
    int64_t first_step, last_step, fallen_step;
    int steps;  /* readings that rose */
    int beyond; /* ... since the error */
    /* before the first step: */
    int n_early;  /* lines before the first error */
    int run_next; /* lines are seen again in their order since: the next of them */
    bool renewed; /* the launcher told of an end, these lines stand behind it, */
    bool broke;   /* ... and an error before it */
    bool over;    /* the scheduler's report closed the job's output */
};

/* An exception that ended the process of a rank: the one that did so first in its attempt. */
struct death {
    int attempt, rank;
    uint32_t line;
    uint64_t program;
};

/* Tracebacks by their text, and the one being read: repeats.c. */
struct repeat {
    uint64_t hash;
    int trace; /* its index in the evidence, -1: there were too many */
};
struct repeats {
    int read;      /* tracebacks so far */
    uint64_t hash; /* of the one being read, */
    uint64_t end;  /* and the offset of its exception, 0: none is read */
    bool known;    /* it was read before: lines up to `end` are passed over */
    struct repeat all[REPEATS];
};

/* A line on its way through the reader. */
struct visit {
    struct str raw, behind; /* behind: the rest of its block */
    struct str before;      /* the block up to it, where lines there were passed over */
    struct str head;        /* the line's beginning, where this is a window further on */
    bool cut;               /* something stands before it in its line */
    uint32_t number;        /* physical, 1-based */
    uint64_t offset;
    const struct candidate *candidate; /* some signal may hit it; or NULL */
    const struct candidate *next;      /* the one after it in the block, or NULL */
};

/* What a worker keeps from line to line, of whatever source. */
struct alike;
struct worker {
    struct match_scratch *match;
    struct alike *traits, *heads;
    char *rooms[2]; /* of ROOM_BYTES, to be used again: memory that was given back costs a fault for
                       each page when it is asked for anew */
    int n_rooms;
    bool one_of_many; /* what it remembers to be faster is bounded more */
};

/* A line without a time or a host, and what its prefix tells. */
struct placed {
    char text[100];
    size_t n;
    struct place place;
};

struct reader {
    struct evidence *evidence; /* of this source alone */
    const struct kb *kb;
    const struct matcher *matcher;
    const struct input_options *options;
    unsigned kinds;  /* places of signals that every line is tried for */
    unsigned flags;  /* hit flags that all hits get: HIT_WORDS in prose */
    uint32_t mild;   /* see match_scan */
    int chunk_lines; /* of each chunk that are looked at */
    bool look_all, tracing;
    uint64_t tail;           /* from this offset on all lines are looked at */
    uint64_t opening_bytes;  /* of a beginning, or behind an end, all lines are looked at, */
    uint64_t opening_until;  /* ... up to this offset, */
    int openings;            /* so many times in vain */
    const uint32_t *line_of; /* physical line of a mended line, NULL: they are the same */
    size_t n_line_of;
    struct custom custom;
    struct placed placed[PLACED]; /* by length */
    struct tracer *tracer;
    struct hit_keeper hits;
    struct laps laps;
    struct opening opening;
    struct death death;
    int64_t met[MEETINGS]; /* when, 0: not yet; in which attempt */
    int met_attempt;
    bool report_first; /* the scheduler's report stands above the output */
    struct repeats repeats;
    uint64_t lines;                        /* before the current block */
    int64_t time;                          /* the last one read */
    bool timeless;                         /* the last look back found none */
    bool zoned, yearless, dateless, dated; /* of it; dated: some line gave a full date */
    struct buf mended;
    struct arena scratch;          /* one line's */
    uint64_t traced;               /* offset of the last line that belonged to a traceback */
    uint64_t sampled;              /* offset up to which ranks were sampled */
    int rank_quota, rank_least;    /* lines of the next chunk, of any, looked at for ranks, */
    int own;                       /* of which this one, if any, is expected */
    struct rank_rows voice_of;     /* in evidence->voices */
    int world;                     /* the largest that a prefix told */
    struct box box;                /* the summary of a launcher that is being read */
    bool ended_whole;              /* its last lines were all looked at */
    bool paused;                   /* since the last step one told what is done instead of steps */
    uint32_t window_line, windows; /* the line last visited, and how many windows of it */
    bool warned;                   /* the last line, or the record of a traceback, is a warning */
    int writer;                    /* rank that wrote the line being read, -1 unknown */
    struct str last_line;          /* kept in last */
    struct buf last;
    uint32_t last_line_no;
    struct standout_keeper standouts; /* these two begin otherwise than as zeros */
    struct track_keeper tracks;
};

/* `evidence` holds its one source already; reader_init reads kind and path from it. */
void reader_init(struct reader *reader, struct evidence *evidence, const struct kb *kb,
                 const struct matcher *matcher, const struct input_options *options);
/* It is one of hundreds of ranks that are alike and write of themselves alone: less of it is looked
 * at.  Before the first block. */
void reader_be_kin(struct reader *reader);
/* Reads the next block in order; the worker is the calling thread's. */
void reader_block(struct reader *reader, const struct block *block, const struct worker *worker);
/* Closes what is open, writes what was kept into the evidence, tells which signals hit the frames
 * of its tracebacks, frees what the reader holds. */
void reader_finish(struct reader *reader, struct match_scratch *scratch);
/* Tries the signals in words on a paragraph of the text that the blocks gave (before
 * reader_finish). */
void reader_paragraph(struct reader *reader, const struct paragraph *paragraph, unsigned flags,
                      struct match_scratch *scratch);

/* ---- times.c, for reader.c -------------------------------------------------------------- */

/* Completes what a line's own time lacks from the lines before it, and remembers it. */
void time_take(struct reader *reader, const struct place *place);
/* Whether a line told no time, or a part of one. */
bool time_lacks(const struct place *place);
/* The time of such a line stands in the lines before it, which nobody looked at: the end of
 * `text`. */
void time_look_back(struct reader *reader, struct str text);
void time_set(const struct reader *reader, const struct place *place, struct origin *origin);

/* ---- records.c, for reader.c ------------------------------------------------------------ */

/* A line of a traceback, at `place` in `piece`, belongs to a record that calls itself a warning;
 * `before`: the block up to it, where lines there were passed over.  Called for each line. */
bool record_warns(struct reader *reader, enum trace_line kind, struct str piece, struct str before,
                  const struct place *place);

/* ---- frames.c, for reader.c ------------------------------------------------------------- */

/* Notes which signals hit the frames of its tracebacks: those whose lines do not read as Python
 * prints a frame (IPython's, rich's, torn ones) give hits here alone. */
void frames_match(struct reader *reader, struct match_scratch *scratch);

/* ---- repeats.c, for reader.c ------------------------------------------------------------ */

/* A traceback was opened by a line whose text begins at `body`. */
void repeats_head(struct reader *reader, struct match_scratch *scratch, const struct visit *visit,
                  size_t body, uint64_t lane);
/* The line at `offset` closed one, which is kept as `trace`, -1: it is not. */
void repeats_exception(struct reader *reader, uint64_t offset, int trace);

/* ---- attempts.c, for reader.c ----------------------------------------------------------- */

/* By what a line is known when it is seen again: numbers and times differ between attempts.  0: it
 * says too little. */
uint64_t opening_hash(struct str body);
/* Takes the body of a line: one with which the source began may begin a new attempt. */
struct traits;
void attempt_line(struct reader *reader, struct traits *traits, struct str body,
                  enum severity severity);
/* A line of the knowledge base told of a new attempt. */
void attempt_known(struct reader *reader);
/* An error was told, or a traceback ended. */
void attempt_error(struct reader *reader);
/* The exception that ended this traceback was read. True where the rank had died before: what comes
 * is of a new attempt, the exception too. */
bool attempt_death(struct reader *reader, int trace, const struct origin *end);
/* A step line was read, -1: it names no step.  True where the steps began anew: its line belongs to
 * a new attempt. */
bool attempt_step(struct reader *reader, int64_t step);
/* 1 for attempt_0/3/stderr.log, 2 for attempt_1/..., 1 for all other paths. */
int attempt_of_path(struct str path);

/* ---- meetings.c, for reader.c ----------------------------------------------------------- */

/* Whether a line whose digits are not known may be one. */
bool meeting_may(struct str body, const struct grams *grams);
/* Such a line; stamped: it gave its own time. */
void meeting_line(struct reader *reader, const struct line_seen *line, struct str body,
                  bool stamped);
void meetings_finish(struct reader *reader);

/* ---- voices.c, for reader.c ------------------------------------------------------------- */

/* Notes a line of a rank; true when the rank is a new one.  `line` 0: one of a sample, whose number
 * and time are not known. */
bool voice_note(struct reader *reader, int rank, uint32_t line, int64_t time);
/* Notes that the rank of the line reported an error. */
void voice_error(struct reader *reader, const struct origin *origin);
/* Notes that a hit told of progress, a good end or an error. */
void voice_role(struct reader *reader, enum role role, const struct line_seen *line);
/* Writes the world size that prefixes told. */
void voices_finish(struct reader *reader);

/* ---- sentences.c, for reader.c ---------------------------------------------------------- */

/* Matches what all steps and laps of the log say together. */
void sentences_match(struct reader *reader, struct match_scratch *scratch);

/* ---- stall.c, for reader.c -------------------------------------------------------------- */

/* True for lines that tell what jobs do between steps and after the last one. */
struct grams;
bool stall_pauses(struct str body, const struct grams *grams);
/* Notes a line of text. */
void stall_line(struct reader *reader, const struct line_seen *line, struct str body);
/* Adds the facts steps.none_for and steps.usual (seconds) where the log goes on without steps. */
void stall_finish(struct reader *reader);

#endif
