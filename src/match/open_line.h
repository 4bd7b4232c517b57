/* open_line.h - the line that a scan stands in: what was seen in it, and whether it becomes a
 * candidate. */
#ifndef FAULTLINE_MATCH_OPEN_LINE_H
#define FAULTLINE_MATCH_OPEN_LINE_H

#include "match/matcher.h"

enum { STEPS_ALL = 128 * 1024 /* blocks up to this give all their step lines */ };

struct open_line {
    bool active;
    size_t start, end, next; /* its bytes without CRLF; where the next line starts */
    uint32_t number;
    bool structural; /* mending changes it */
    bool mend;       /* in more than splitting it at CR: judged by its mended text when it ends */
    bool speaks;     /* some signal that is not mild hits it */
    int n_mild;      /* mild ones that do */
    uint16_t mild[DECISION_IDS];
    bool trace, type, word;          /* marks of trouble */
    bool weighed;                    /* what its signals say was taken */
    const struct decision *decision; /* that said so, NULL: none did */
    bool cut;                        /* longer than LIMIT_TEXT: offered as windows */
    int windows;                     /* pushed for its needles */
    bool full;                       /* it has as many of them as a line may have */
    size_t window_end;               /* end of the last one, 0 none */
};

/* Where candidates go, and what bounds them. */
struct offers {
    const struct matcher *matcher;
    struct match_scratch *scratch;
    struct str block;
    struct arena *arena;
    candidate_vec *out;
    struct open_line line;
    uint32_t mild;    /* lines of a stretch that are offered for each mild signal */
    size_t stretch;   /* of 256 KiB, for which the next two count */
    int types, words; /* lines offered for a mark of trouble alone */
    uint32_t rolled;  /* see struct candidate */
    uint64_t roll;
};

/* A line at `start` is looked at: it may be of another stretch than the one before. */
void stretch_enter(struct offers *offers, size_t start);
/* False where nothing that is known of a line of the block can make it a candidate: it need not be
 * opened. `steps`: the signals of step lines count.  *mute: nor need any other line with this
 * decision, as far as the line's stretch goes. */
bool line_matters(struct offers *offers, struct str text, const struct decision *decision,
                  bool steps, bool *mute);
/* Begins the line of n bytes at `start`; the line before must be closed. */
void line_open(struct offers *offers, size_t start, size_t n, size_t next, uint32_t number);
/* Offers the open line if it deserves it; nothing where none is open. */
void line_close(struct offers *offers);
struct str line_text(const struct offers *offers); /* of the open line */
/* The open line holds a byte that mending takes away: CR alone, or with `mend` another. */
void line_odd(struct offers *offers, bool mend);
/* Takes what is known of the open line, which is not cut: what the signals of step lines say, or
 * all others and its marks. */
void line_take(struct offers *offers, const struct decision *decision, bool steps);
/* A needle of matcher->loud or pulse stands at `at` in the open line, which is cut. */
void line_needle(struct offers *offers, size_t at, const struct needle *needle);

#endif
