/* think.h - the pure heart: knowledge and evidence in, diagnosis out.
 *
 * Same evidence, same answer.  No input or output, no clock, no writable data; calls only memory,
 * string and math functions and the arena.  Undoing an answer is running it again without the
 * answer.
 */
#ifndef FAULTLINE_THINK_H
#define FAULTLINE_THINK_H

#include "model/diagnosis.h"

struct think_options {
    int attempt; /* 0: the last one of each source; n: that one; -1: all */
};
/* The diagnosis, allocated in the arena; it borrows texts from kb and evidence. */
struct diagnosis *diagnose(const struct kb *kb, const struct evidence *evidence,
                           const struct think_options *options, struct arena *arena);

/* ---- the walk ------------------------------------------------------------------------------ */

/* What an answer would change: the share of each finding after it. */
struct walk_effect {
    int finding;
    double before, after;
};
struct walk_choice {
    struct str id, text;
    struct walk_effect
        *effects; /* as many as diagnosis.findings of its fault, the largest change first */
    int n_effects;
};
/* A question that the evidence answered before anybody was asked. */
struct walk_known {
    int question;
    struct str choice;
};
struct walk_step {
    int question; /* index into kb.questions, -1: nothing left to ask */
    double gain;  /* expected drop of entropy in bits, before cost */
    struct walk_choice *choices;
    int n_choices;
    bool decided; /* one cause leads clearly, or no question can change the order */
    struct walk_known *known; /* of the questions that bear on these findings, answers too */
    int n_known;
};
/* The best next question for its cost; what is known or was answered (also "unknown") is never
 * asked. */
struct walk_step *walk_next(const struct kb *kb, const struct evidence *evidence,
                            const struct diagnosis *diagnosis, struct arena *arena);

/* ---- conditions ---------------------------------------------------------------------------- */

enum truth { TRUTH_FALSE, TRUTH_TRUE, TRUTH_UNKNOWN };
struct scope; /* the hit under consideration and its derived facts: think/scope.h */
enum truth cond_eval(const struct cond *cond, const struct scope *scope);

#endif
