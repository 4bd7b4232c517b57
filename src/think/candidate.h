/* candidate.h - which failures could explain the job, how strongly each is seen, and which of them
 * only follow from others.  Private to think/. */
#ifndef FAULTLINE_CANDIDATE_H
#define FAULTLINE_CANDIDATE_H

#include "think/scope.h"

/* A cause with what speaks for and against it. */
struct weighed {
    int cause;    /* index into the failure's causes */
    int score;    /* decibans: prior and clues */
    double share; /* among the causes of its failure */
};

struct candidate_failure {
    int failure;           /* index into kb.failures, -1: the fallback */
    int fallback;          /* row of the fallback when failure is -1 */
    const struct hit *hit; /* the deciding hit; NULL: the fallback, or what the user sees */
    const struct trace *trace;
    const struct standout *standout;
    struct scope scope;
    enum stage stage;
    int score;        /* decibans */
    int explained_by; /* another candidate that it follows from, -1 none */
    int fault;        /* 1-based: the fault that it is an explanation of */
    bool terminal;    /* it is the exception that ended a process */
    bool complained;  /* somebody's words say that something failed, and mean this */
    bool alike;       /* nothing names it: somebody's words are like those of its entry */
    struct weighed *causes;
    int n_causes;
    int favoured; /* 1-based: the cause that the input's words speak for, 0: none; ... */
    int favour;   /* ... and what that adds to it, in decibans */
};

struct candidates {
    struct candidate_failure *v;
    int n;
};

/* Adds the earliest traceback that no entry explains; without any candidate also the line that
 * stands out most. */
void fallback_collect(const struct view *view, struct candidates *list, bool words);
/* Marks those that follow from another, rewards what came first, sorts. */
void candidates_order(const struct view *view, struct candidates *list);
/* All candidates, the likeliest first.  Those explained by another come last. */
struct candidates *candidates_find(const struct view *view);
/* A candidate that no signal names, weighed; `line` stands for it (NULL: none does).  It follows
 * from no other one. */
struct candidate_failure candidate_make(const struct view *view, int failure, enum stage stage,
                                        int score, const struct standout *line);
/* The same candidate in another stage; its causes are as they were weighed. */
struct candidate_failure *candidate_in_stage(const struct view *view,
                                             const struct candidate_failure *candidate,
                                             enum stage stage);
/* The symptoms of its entry, or of its row of the fallback, by stage; -1: not met there. */
const int *candidate_symptoms(const struct candidate_failure *candidate);
/* Weighs the causes of a candidate anew under its scope (which may suppose an answer). */
void candidate_weigh(const struct view *view, struct candidate_failure *candidate);
/* What the true clues of a cause add up to under a scope, in decibans. */
int cause_clues(const struct view *view, const struct cause *cause, const struct scope *scope);
/* A few lines are all there is: somebody cut them out because they trouble him. */
bool input_is_scrap(const struct view *view);
/* Nothing in the input shows it: it stands for what a user sees. */
bool candidate_is_blind(const struct candidate_failure *candidate);
/* Where the candidate's deciding line stands; source -1 where none does. */
const struct origin *candidate_origin(const struct candidate_failure *candidate);

#endif
