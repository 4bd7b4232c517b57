/* score.h - the figures of a diagnosis tool on labelled cases, as a site measures its own
 * knowledge.
 *
 * A case is a folder ID/ with case.json (the labels) and job/ (what a user has).  The figures and
 * their definitions are those printed by `faultline kb score --help`'s man page section; this
 * module reckons them from verdicts and labels and knows nothing of files. */
#ifndef FAULTLINE_SCORE_H
#define FAULTLINE_SCORE_H

#include "model/diagnosis.h"

#include <stdio.h>

struct json_value;

struct score_row {
    const char *name;
    int hit, n;
};
enum { SCORE_ROWS = 14 };

struct score_said {
    double confidence;
    bool right;
};
struct score_pair { /* first symptom against the label */
    struct str said, label;
};
struct score {
    struct arena arena;
    struct score_row rows[SCORE_ROWS];
    VEC(struct score_said) said;
    VEC(struct score_pair) pairs;
};
void score_init(struct score *score);
/* Counts one case.  Returns false when the first diagnosis was wrong (or a healthy log was blamed),
 * with a line that says so in *miss, in the score's arena. */
bool score_case(struct score *score, struct str id, const struct json_value *label,
                const struct kb *kb, const struct diagnosis *diagnosis, struct str *miss);
/* Checks the member "asks" of a label: question ids, each still open for a diagnosis of the first
 * fault.  Returns false with a line in *miss that names the case and what is not asked. */
bool score_asks(struct score *score, struct str id, const struct json_value *label,
                const struct kb *kb, const struct diagnosis *diagnosis, struct str *miss);
void score_print(const struct score *score, FILE *out);
/* The counted rows by name, and the calibration error. */
void score_json(const struct score *score, FILE *out);
void score_release(struct score *score);

#endif
