/* keep.h - what a reader keeps of its lines, each in bounded room.  Private to input/. */
#ifndef FAULTLINE_KEEP_H
#define FAULTLINE_KEEP_H

#include "match/match.h"
#include "model/evidence.h"

/* ---- hits: one row for each (signal, attempt, rank, way it was met) ----------------- */

struct set_value {     /* what a signal `sets`, at its last hit */
    int hit;           /* the row whose first values stand as facts already */
    struct buf values; /* NUL-terminated, in the order of the pairs */
    struct origin origin;
};

struct hit_keeper {
    struct evidence *evidence;
    const struct kb *kb;
    int32_t *table; /* open addressing: row + 1, 0 free */
    uint64_t *keys;
    size_t cap, n;
    uint16_t *kept;    /* rows by signal, up to LIMIT_HITS */
    int32_t *overflow; /* last row kept of a signal */
    VEC(struct set_value) sets;
    struct arena arena; /* the vector above */
    int attempt;
    /* since the attempt began: a launcher told of its end, steps were done, an exception was read
     */
    bool ended, worked, erred;
};

/* A line as the keepers see it. */
struct grams;
struct traits;
struct line_seen {
    struct str text;       /* the mended piece */
    struct traits *traits; /* only visited lines have them */
    struct origin origin;  /* attempt is filled by hits_add */
    unsigned flags;
    int trace;
    bool code; /* source code that a traceback echoes */
    bool cut;  /* a piece of a long line, what stood before it is not known */
};

void hits_init(struct hit_keeper *keeper, struct evidence *evidence, const struct kb *kb);
/* Begins a new attempt where the hit starts one.  Returns the attempt the line belongs to. */
int hits_attempt(struct hit_keeper *keeper, const struct match *match,
                 const struct line_seen *line);
/* Counts a hit of which nothing is kept but that there was one more, so that its match need not be
 * read.  False: it is one for hits_add. */
bool hits_count(struct hit_keeper *keeper, const struct match *match, const struct line_seen *line);
/* Adds a confirmed hit; its row's index, *is_new when the row was made for it. */
int hits_add(struct hit_keeper *keeper, const struct match *match, const struct line_seen *line,
             bool *is_new);
/* A hit with up to `most` bytes of its text: everything lives in the arena. */
struct hit hit_make(struct arena *arena, const struct match *match, const struct line_seen *line,
                    size_t most);
/* The facts that a hit of this signal gives. */
void hit_facts(struct evidence *evidence, const struct signal *signal, const struct match *match,
               const struct origin *origin);
void hits_finish(struct hit_keeper *keeper);

/* ---- standouts: lines that look like trouble and that no signal explains ------------ */

struct standout_row {
    uint64_t hash;
    struct origin origin;
    struct str host; /* on the heap with text */
    char *text;
    size_t n;
    int score;
};

struct standout_keeper {
    int n;
    struct standout_row rows[LIMIT_STANDOUT]; /* last: see standouts_init */
};

/* Begins with no row; what the rows hold does not matter, and they are not touched. */
void standouts_init(struct standout_keeper *keeper);

/* How much a line's body looks like the reason of a failure; 0: not at all.  `grams`: the pairs of
 * bytes of the line. */
int standout_score(struct str body, const struct grams *grams, int severity);
/* True where it is 0 for all lines that differ from it in digits only. */
bool standout_dull(struct str body, const struct grams *grams, int severity);
void standouts_add(struct standout_keeper *keeper, const struct line_seen *line, int score);
void standouts_finish(struct standout_keeper *keeper, struct evidence *evidence);

/* ---- tracks: readings of progress --------------------------------------------------- */

enum {
    TRACKS_WAITING = 32,
    TRACK_BYTES = 600,
    TRACK_LINES = 6, /* of one step that are put together: frameworks print several */
    TRACK_PEERS = 64 /* lines of other ranks about it that are read, too */
};

/* Which words of track.c's lists a line holds, a bit each, and where; begins as zeros. */
enum { TRACK_LISTS = 32, TRACK_PLACED = 12, TRACK_WORDS = 14 };
struct track_words {
    bool known, trains; /* trains: its bar is one of training */
    uint16_t lists[TRACK_LISTS], at[TRACK_PLACED][TRACK_WORDS];
};

/* A line that may be one of progress, kept unread: most are overtaken by the next. */
struct track_waiting {
    struct origin origin;
    size_t n, body; /* where its text begins behind the prefix */
    char text[TRACK_BYTES];
    struct track_words words; /* where lines alike were read before */
};

struct track_point {
    struct track track;
    struct str text; /* its first line, as it stands in the log */
};

struct track_keeper {
    struct track_point open;     /* of the step being read */
    int n, most;                 /* points, and how many there may be */
    int open_lines, open_peers;  /* 0 lines: none is open */
    struct laps *laps;           /* what the ranks took, or NULL */
    uint64_t seen, next, stride; /* lines offered; the one to read next; between two readings */
    uint64_t n_waiting;          /* lines ever put into the ring */
    int64_t lag;                 /* steps between the last two lines that told one, 0: not known */
    bool lost;                   /* the last line that told one was overtaken by others */
    struct arena arena;          /* texts */
    struct track_point points[LIMIT_TRACKS]; /* last: see tracks_init */
    struct track_waiting waiting[TRACKS_WAITING];
};

/* Begins with nothing read, for up to `most` readings; the arrays are not touched, which are large.
 */
void tracks_init(struct track_keeper *keeper, int most);

/* Reads a step line.  False if it is none. */
bool track_read(struct str body, struct track *track);
/* The same where the pairs of bytes of the body, or of a text around it, are known; *found receives
 * the words in it, or holds them from a line that differs in digits only.  `apart`: a step, or -1;
 * of a line that tells another step nothing more is read. */
bool track_read_known(struct str body, const struct grams *grams, struct track_words *found,
                      int64_t apart, struct track *track);
/* Takes a line that may be one of progress; its text begins at `body` behind the prefix.  Some are
 * read, the more seldom the more there are, the others wait.  True when it was read as one. */
bool tracks_add(struct track_keeper *keeper, const struct line_seen *line, size_t body);
/* Reads the newest line that waits: before a fault, and at the end. */
void tracks_flush(struct track_keeper *keeper);
/* Hands the readings over to the evidence.  The keeper's points stay until tracks_release. */
void tracks_finish(struct track_keeper *keeper, struct evidence *evidence);
void tracks_release(struct track_keeper *keeper);

#endif
