/* open_line.h - the line that a scan stands in: what was seen in it, and whether it becomes a
 * candidate. */
#ifndef FAULTLINE_MATCH_OPEN_LINE_H
#define FAULTLINE_MATCH_OPEN_LINE_H

#include "match/matcher.h"

enum { PULSE_ALL = 128 * 1024 /* blocks up to this give all their step lines */ };

struct open_line {
    bool active;
    size_t start, end, next; /* its bytes without CRLF; where the next line starts */
    uint32_t number;
    bool structural; /* mending changes it */
    bool mend;       /* in more than splitting it at CR: judged by its mended text when it ends */
    bool speaks;     /* some signal that is not mild hits it */
    int n_mild;      /* mild ones that do */
    uint16_t mild[DECISION_IDS];
    bool trace, type, word;      /* marks of trouble */
    bool weighed, pulse_weighed; /* asked what its signals say */
    bool cut;                    /* longer than LIMIT_TEXT: offered as windows */
    int windows;                 /* pushed for its needles */
    bool full;                   /* it has as many of them as a line may have */
    size_t window_end;           /* end of the last one, 0 none */
};

/* Where candidates go, and what bounds them. */
struct offers {
    const struct matcher *matcher;
    struct match_scratch *scratch;
    struct str block;
    struct arena *arena;
    candidate_vec *out;
    struct open_line line;
    size_t stretch;   /* of 256 KiB, for which the next two count */
    int types, words; /* lines offered for a mark of trouble alone */
};

/* Begins the line [start, ...) that holds `at`; the line before must be closed. */
void line_open(struct offers *offers, size_t start, size_t at, uint32_t number);
/* Offers the open line if it deserves it; nothing where none is open. */
void line_close(struct offers *offers);
/* The open line holds a byte that mending takes away: CR alone, or with `mend` another. */
void line_odd(struct offers *offers, bool mend);
/* Something that is looked for may stand in the open line, or the needle of a step line in one that
 * is wanted: the first call of each asks what the line says. */
void line_weigh(struct offers *offers);
void line_weigh_pulse(struct offers *offers);
/* A needle of matcher->loud or pulse stands at `at` in the open line, which is cut. */
void line_needle(struct offers *offers, size_t at, const struct needle *needle);

#endif
