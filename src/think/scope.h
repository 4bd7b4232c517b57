/* scope.h - what a condition can see: the view, and what is derived from it for the hit under
 * consideration.  Private to think/. */
#ifndef FAULTLINE_SCOPE_H
#define FAULTLINE_SCOPE_H

#include "think/view.h"

struct scope {
    const struct view *view;
    const struct failure *failure; /* whose captures "cap." means; NULL: none */
    const struct hit *hit;         /* its deciding hit, or NULL */
    const struct trace *trace;     /* the traceback of the fault, or NULL */
    enum stage stage;
    const struct fact *chosen; /* of several facts of one key the one that counts; NULL: the last */
    int depth;                 /* of questions answered by conditions, against loops */
};

/* The value that the scope gives to a key, or the empty slice.  *row receives the fact it stands
 * in, or NULL when it was derived. */
struct str scope_fact(const struct scope *scope, struct str key, const struct fact **row);
/* The choice that answers a question: by the user, a probe, or a `when` condition; empty: open. */
struct str scope_answer(const struct scope *scope, int question);
/* Sets asked[question] for each question whose answer the cause's clues look at. */
void cause_asks(const struct kb *kb, const struct cause *cause, bool *asked);
/* The first leaf that makes the condition true, for the reasons; NULL when it is not true. */
const struct cond *cond_witness(const struct cond *cond, const struct scope *scope);

#endif
