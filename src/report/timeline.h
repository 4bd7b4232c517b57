/* timeline.h - the job as a picture: who wrote when, where it broke, what followed.
 *
 * A lane is a rank, where nobody tells ranks a source.  Lanes that behave alike are one row, so
 * that 8 ranks and 8,192 fit a screen; who differs stands alone.  The axis is time where the logs
 * tell it, else the order of lines.  Reads evidence and diagnosis and decides nothing.
 */
#ifndef FAULTLINE_TIMELINE_H
#define FAULTLINE_TIMELINE_H

#include "model/diagnosis.h"

enum lane_mark { /* the stronger hides the weaker in one cell */
                 MARK_NONE,
                 MARK_WROTE,
                 MARK_STEP,
                 MARK_DONE,
                 MARK_FOLLOWS,
                 MARK_FAULT,
                 MARK_FIRST
};
enum { LANE_MARKS = 7, LANE_CELLS = 40 };
extern const char *const lane_mark_names[LANE_MARKS];

struct lane {
    int rank;                        /* -1: a source without ranks */
    int source;                      /* that it writes in, or -1 */
    bool wrote;                      /* false: it should exist, and nothing of it was seen */
    bool early;                      /* it stopped long before the others */
    int64_t step;                    /* the last that it told, -1: none */
    int first, last;                 /* cells it wrote between; -1: not known */
    unsigned char cells[LANE_CELLS]; /* enum lane_mark */
};

struct timeline_row {
    int *lanes; /* indexes, ascending by rank */
    int n;
    unsigned char cells[LANE_CELLS]; /* the strongest of its lanes */
    int64_t step;
};

struct timeline {
    bool timed;         /* else cells are shares of the lines */
    int64_t from, to;   /* nanoseconds since 1970, where timed */
    struct lane *lanes; /* ascending by rank, then source */
    int n_lanes;
    struct timeline_row *rows;
    int n_rows;
};

const struct timeline *timeline_take(struct arena *arena, const struct kb *kb,
                                     const struct evidence *evidence,
                                     const struct diagnosis *diagnosis);
/* At most `width` columns, of which it takes 80, and not less than 40. */
void timeline_text(struct buf *out, const struct evidence *evidence,
                   const struct diagnosis *diagnosis, const struct timeline *timeline, int width,
                   bool colour);
/* Schema faultline.timeline/1. */
void timeline_json(struct buf *out, const struct evidence *evidence,
                   const struct diagnosis *diagnosis, const struct timeline *timeline);

#endif
