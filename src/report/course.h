/* course.h - the course of a run in a few characters: sparklines and their figures.  Private to
 * report/.
 *
 * Shown only where there are enough readings; what stands out is told in words beside it. */
#ifndef FAULTLINE_REPORT_COURSE_H
#define FAULTLINE_REPORT_COURSE_H

#include "model/diagnosis.h"

enum { COURSE_ROWS = 3, COURSE_COLUMNS = 32 };

struct course_row {
    const char *name; /* "loss", "norm", "time" */
    struct str line;  /* COURSE_COLUMNS characters at most */
    struct str figures;
};

/* The rows that are worth showing; 0 where the course is too short.  `ascii`: without block
 * characters. */
int course_rows(struct arena *arena, const struct evidence *evidence, const struct course *course,
                bool ascii, struct course_row *rows);
/* "step 10 to 3000, 1.25 s each (train.log)" */
struct str course_head(struct arena *arena, const struct evidence *evidence,
                       const struct course *course);

#endif
