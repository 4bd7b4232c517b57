#include "think/general.h"

/* Somebody who tells of another release was not asked for it: half of what his answer would say. */
enum { TOLD_PART = 2 };

/* The choice that what was seen makes true, NULL: none, or somebody answered. */
static const struct choice *choice_seen(const struct scope *scope,
                                        const struct question *question) {
    if (view_answer(scope->view, question->id).n) return NULL;
    for (int c = 0; c < question->n_choices; c++) {
        const struct choice *choice = &question->choices[c];
        const struct cond *leaf =
            choice->when && choice->n_weighs ? cond_witness(choice->when, scope) : NULL;
        if (leaf && leaf->op == COND_SEEN) return choice;
    }
    return NULL;
}

static bool holds_signal(const struct cond *cond, int signal) {
    for (int i = 0; i < cond->size; i++)
        if (cond[i].op == COND_SEEN && cond[i].signal == signal) return true;
    return false;
}

/* What an entry says of it is nearer than what is said of the code. */
static bool entry_looks_at(const struct scope *scope, const struct choice *choice) {
    for (int c = 0; c < scope->failure->n_causes; c++) {
        const struct cause *cause = &scope->failure->causes[c];
        for (int i = 0; i < cause->n_clues; i++) {
            const struct cond *leaf = cond_witness(cause->clues[i].cond, scope);
            if (leaf && leaf->op == COND_SEEN && holds_signal(choice->when, leaf->signal))
                return true;
        }
    }
    return false;
}

int choice_weight(const struct choice *choice, int root) {
    int others = 0;
    for (int i = 0; i < choice->n_weighs; i++) {
        if (choice->weighs[i].root < 0)
            others = choice->weighs[i].decibans;
        else if (choice->weighs[i].root == root)
            return choice->weighs[i].decibans;
    }
    return others;
}

/* What an answer would say of the cause. */
static int cause_weight(const struct scope *scope, const struct cause *cause,
                        const struct choice *choice) {
    int root = cause->root[scope->stage];
    return root >= 0 ? choice_weight(choice, root) : 0;
}

/* The next question that was answered so, from `*q` on; NULL: no further one. */
static const struct choice *next_seen(const struct scope *scope, int *q) {
    const struct kb *kb = scope->view->kb;
    const struct choice *choice = NULL;
    for (; *q < kb->n_questions && !choice; ++*q)
        if (kb_question_is_general(&kb->questions[*q]))
            choice = choice_seen(scope, &kb->questions[*q]);
    return choice;
}

void general_weigh(const struct scope *scope, int *added) {
    const struct choice *choice;
    for (int q = 0; (choice = next_seen(scope, &q));) {
        if (entry_looks_at(scope, choice)) continue;
        for (int c = 0; c < scope->failure->n_causes; c++)
            added[c] += cause_weight(scope, &scope->failure->causes[c], choice) / TOLD_PART;
    }
}

bool general_clue(const struct scope *scope, const struct cause *cause, struct clue *clue) {
    const struct choice *choice;
    for (int q = 0; (choice = next_seen(scope, &q));) {
        int weight = cause_weight(scope, cause, choice) / TOLD_PART;
        if (weight <= 0 || entry_looks_at(scope, choice)) continue;
        *clue = (struct clue){.cond = choice->when, .decibans = weight, .why = choice->text};
        return true;
    }
    return false;
}

/* Of the study's causes in this stage the one that the choice speaks for most. */
static const struct fix *fix_of_study(const struct scope *scope, const struct choice *choice) {
    const struct kb *kb = scope->view->kb;
    const struct fix *fix = NULL;
    int most = 0;
    for (int f = 0; f < kb->n_failures; f++) {
        const struct failure *study = &kb->failures[f];
        for (int c = 0; study->study && c < study->n_causes; c++) {
            const struct cause *cause = &study->causes[c];
            int weight = cause_weight(scope, cause, choice);
            if (weight <= most || !cause->n_fixes) continue;
            most = weight;
            fix = &study->fixes[cause->fixes[0]];
        }
    }
    return fix;
}

const struct fix *general_fix(const struct scope *scope, const struct cause *cause) {
    const struct choice *choice;
    for (int q = 0; (choice = next_seen(scope, &q));)
        if (cause_weight(scope, cause, choice) > 0) return fix_of_study(scope, choice);
    return NULL;
}
