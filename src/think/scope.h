/* scope.h - what a condition can see: the hits of the chosen attempts, the facts, and what is
 * derived from both for the hit under consideration.  Private to think/. */
#ifndef FAULTLINE_SCOPE_H
#define FAULTLINE_SCOPE_H

#include "model/last_facts.h"
#include "think/think.h"

/* The part of the evidence that a diagnosis is about, indexed.  Built once per diagnosis. */
struct view {
    const struct kb *kb;
    const struct evidence *evidence;
    struct arena *room;      /* what only the view and who looks through it need */
    struct arena *arena;     /* what is told by it */
    const struct hit **hits; /* of the chosen attempts, in evidence order */
    int n_hits;
    int *first_in, *next_in; /* by source: its first of these, by hit: the next of its source; -1 */
    int *first_track, *next_track; /* the same of the evidence's tracks, */
    int *first_voice, *next_voice; /* and of its voices */
    const struct hit **first_of;   /* by signal: its first hit in the view, or NULL */
    int *chosen;                   /* by source: the attempt that counts, 0: all */
    bool *foreign;                 /* by source: another system's, see foreign.h */
    bool has_log;          /* some input is a log with lines, so that absence means something */
    bool has_frames;       /* a traceback is there, so that frames that are not in it mean it too */
    int64_t steps;         /* last step seen, -1: none */
    int world_size, nodes; /* 0: not known */
    bool progress, done;
    const struct rollcall *rollcall; /* of a hang, or NULL */
    bool study;                      /* a walk: the study's causes count (think/study.h) */
    bool compared;               /* beside a run that worked: facts good.* and diff.* are there */
    const struct fact **answers; /* the facts answer.*, in evidence order */
    int n_answers;
    struct last_facts facts;
    struct str supposed_key, supposed_value; /* a supposed fact, for the walk; empty: none */
    const struct roster *roster;
    const struct leaning *leaning; /* what the words say; NULL: nothing */
};
/* `room` may be `arena`; of many jobs each has a room of its own, which goes with it. */
struct view *view_new(const struct kb *kb, const struct evidence *evidence,
                      const struct think_options *options, struct arena *room, struct arena *arena);
/* What was answered, or is supposed to be, to the question with this id; empty: nothing. */
struct str view_answer(const struct view *view, struct str question);
/* True when the origin lies in the attempt that is being diagnosed. */
bool view_holds(const struct view *view, const struct origin *origin);
/* A total preorder of events: by line within a source, by time between sources that tell it, else
 * by source.  < 0: a before b. */
int origin_order(const struct origin *a, const struct origin *b);
/* Of different sources whose clocks tell nothing neither line is known to be the earlier one. */
bool origin_known_before(const struct origin *a, const struct origin *b);

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
