/* whynot.h - the answer to --why-not, in every format.  Private to report/. */
#ifndef FAULTLINE_REPORT_WHYNOT_H
#define FAULTLINE_REPORT_WHYNOT_H

#include "model/diagnosis.h"

struct why_not_line {
    int depth; /* 0: a cause, 1: what is told of it */
    struct str text;
};
/* The lines of the answer, `n` of them; none where it was not asked for. */
struct why_not_line *why_not_lines(struct arena *arena, const struct kb *kb,
                                   const struct diagnosis *diagnosis, int *n);

struct json;
/* The member "why_not" of a report, where it was asked for. */
void why_not_json(struct json *json, const struct kb *kb, const struct diagnosis *diagnosis);

#endif
