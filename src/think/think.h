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
    int job;            /* of several in one folder, counted from 1; 0: the one that failed last */
    int attempt;        /* 0: the last one of each source; n: that one; -1: all */
    struct str why_not; /* code of a root cause to argue about; empty: none */
    bool study;         /* a walk: the study's causes stand beside the evidence's */
    struct str supposed_key, supposed_value; /* a fact to suppose, for the walk; empty: none */
};
/* The diagnosis, allocated in the arena; it borrows texts from kb and evidence. */
struct diagnosis *diagnose(const struct kb *kb, const struct evidence *evidence,
                           const struct think_options *options, struct arena *arena);

/* The distinct words of an input as leanings know them (model/leaning.h), each once, in the order
 * of the evidence; a word lives until `found` returns. */
void words_visit(const struct kb *kb, const struct evidence *evidence,
                 void (*found)(void *ctx, struct str word), void *ctx);

/* ---- the walk ------------------------------------------------------------------------------ */

/* What an answer would change: the confidence in a cause, as the diagnosis after it would say. */
struct walk_effect {
    const struct finding *of; /* of the diagnosis before the answer, or of the one after it */
    double before, after;     /* 0: not among the findings then */
};
struct walk_choice {
    struct str id, text;
    struct walk_effect *effects; /* of all findings before and after, the largest change first */
    int n_effects;
};
/* A question that the evidence answered before anybody was asked. */
struct walk_known {
    int question;
    struct str choice;
};
struct walk_step {
    struct str id; /* of the question; empty: nothing left to ask */
    struct str ask, why, how, probe;
    int cost;     /* as a question's */
    int question; /* index into kb.questions, -1: none, or one that no entry writes down */
    bool general; /* it weighs causes by their codes, and fits every failure */
    bool first;   /* one of the taxonomy's: nothing is decided before it is asked */
    double gain;  /* expected drop of entropy in bits, before cost */
    struct walk_choice *choices;
    int n_choices;
    bool decided; /* one cause leads clearly, or no question can change the order */
    const struct diagnosis *standing; /* with the study's causes: what `effects` begin from */
    struct walk_known *known; /* of the questions that bear on these findings, answers too */
    int n_known;
};
/* The best next question for its cost; what is known or was answered (also "unknown") is never
 * asked.  Where the input starts no diagnosis, the taxonomy asks: the stage, the symptom, the
 * failure (see-stage, see-symptom, see-entry); of the cause that leads, whether it is that one
 * (fits.ENTRY.CAUSE).  With `study` the study's causes stand beside those
 * of the evidence and general questions are asked too; without, the entries' own alone. */
struct walk_step *walk_next(const struct kb *kb, const struct evidence *evidence,
                            const struct diagnosis *diagnosis, bool study, struct arena *arena);

/* Something unknown that would tell the causes apart. */
struct want {
    int question;   /* index into kb.questions, -1: a fact */
    struct str key; /* of the fact, or "answer.ID" */
    double worth;   /* of a question bits for its cost, of a fact decibans times share */
};
/* The open questions, the best first, then the facts that clues would look at, the best first. */
struct want *walk_wants(const struct kb *kb, const struct evidence *evidence,
                        const struct diagnosis *diagnosis, struct arena *arena, int *n);

/* The words of a question and of one of its choices, by id; also of those that no entry writes
 * down: the taxonomy's, and whether one cause is it (fits.ENTRY.CAUSE). */
struct str walk_ask_text(const struct kb *kb, struct str question, struct arena *arena);
struct str walk_choice_text(const struct kb *kb, struct str question, struct str choice,
                            struct arena *arena);
/* True when there is such a question and it has this choice ("unknown" always). */
bool walk_takes(const struct kb *kb, struct str question, struct str choice);

/* ---- conditions ---------------------------------------------------------------------------- */

enum truth { TRUTH_FALSE, TRUTH_TRUE, TRUTH_UNKNOWN };
struct scope; /* the hit under consideration and its derived facts: think/scope.h */
enum truth cond_eval(const struct cond *cond, const struct scope *scope);

#endif
