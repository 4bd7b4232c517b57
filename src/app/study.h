/* study.h - the issues that the study cites in its text, by tracker and number, and what each
 * illustrates there.  The report of the knowledge base shows which entry answers each. */
#ifndef FAULTLINE_STUDY_H
#define FAULTLINE_STUDY_H

struct study_issue {
    const char *tracker; /* as references write it: "DeepSpeed", "ColossalAI" */
    int number;
    const char *what;
};
extern const struct study_issue study_issues[];
extern const int n_study_issues;

#endif
