#include "think/whynot.h"

#include "think/fill.h"
#include "think/fits.h"
#include "think/study.h"

#include <stdlib.h>

enum { SHOWN = 3, WOULD_NAME = 5, VALUE_BYTES = 60, GENERAL_MOST = 16 };

/* ---- what a clue wants ---------------------------------------------------------------------- */

/* The first leaf that keeps the condition from being true. */
static const struct cond *cond_missing(const struct cond *cond, const struct scope *scope) {
    const struct cond *arg = cond + 1, *any = NULL;
    if (cond->op != COND_ALL && cond->op != COND_ANY) return cond;
    for (int i = 0; i < cond->n_args; i++, arg += arg->size) {
        if (cond_eval(arg, scope) == TRUTH_TRUE) continue;
        if (!any) any = cond_missing(arg, scope);
    }
    return any ? any : cond;
}

static struct str values_text(struct arena *arena, const struct cond *cond) {
    struct str text = {0};
    const char *join = cond->op == COND_COVERS ? " and " : " or ";
    for (int i = 0; i < cond->n_values; i++)
        text = arena_printf(arena, STR_FMT "%s" STR_FMT, STR_ARG(text), i ? join : "",
                            STR_ARG(cond->values[i]));
    return text;
}

static struct str compared_text(struct arena *arena, const struct cond *cond) {
    static const char words[][12] = {[COND_SEEN] = "",
                                     [COND_KNOWN] = "",
                                     [COND_IS] = "is",
                                     [COND_CONTAINS] = "contains",
                                     [COND_BELOW] = "below",
                                     [COND_ABOVE] = "above",
                                     [COND_AT_LEAST] = "at least",
                                     [COND_DIFFERS] = "unlike",
                                     [COND_COVERS] = "covers"};
    if (cond->op == COND_KNOWN)
        return arena_printf(arena, STR_FMT " were known", STR_ARG(cond->key));
    struct str values = values_text(arena, cond);
    return arena_printf(arena, STR_FMT " %s " STR_FMT, STR_ARG(cond->key), words[cond->op],
                        STR_ARG(values));
}

/* "torch.version below 2.0 (it is 2.3)"; of a long value, a traceback's frames, that it differs. */
static struct str fact_text(const struct scope *scope, const struct cond *cond) {
    struct arena *arena = scope->view->arena;
    const struct fact *row;
    struct str value = scope_fact(scope, cond->key, &row), text = compared_text(arena, cond);
    if (cond->op == COND_KNOWN) return text;
    if (value.n > VALUE_BYTES || str_find(value, STR("\n"), 0) >= 0)
        return arena_printf(arena, STR_FMT " (it is something else)", STR_ARG(text));
    return arena_printf(arena, STR_FMT " (%s" STR_FMT ")", STR_ARG(text),
                        value.n ? "it is " : "not known", STR_ARG(value));
}

static void answer_wanted(const struct scope *scope, const struct cond *cond,
                          struct why_not_clue *out) {
    const struct kb *kb = scope->view->kb;
    struct arena *arena = scope->view->arena;
    struct str id = answer_question(cond->key);
    int question = kb_question(kb, id);
    struct str choice = cond->n_values ? cond->values[0] : (struct str){0};
    if (question < 0 || cond->op != COND_IS) {
        out->text = fact_text(scope, cond);
        return;
    }
    struct str given = scope_answer(scope, question);
    out->text = arena_printf(arena, STR_FMT " - " STR_FMT "%s" STR_FMT "%s",
                             STR_ARG(kb->questions[question].ask),
                             STR_ARG(walk_choice_text(kb, id, choice, arena)),
                             given.n ? " (the answer is " : "", STR_ARG(given), given.n ? ")" : "");
    out->question = id;
    out->choice = choice;
    out->how = kb->questions[question].how;
}

static void wanted(const struct scope *scope, const struct cond *cond, struct why_not_clue *out) {
    const struct kb *kb = scope->view->kb;
    const struct cond *leaf = cond_missing(cond, scope);
    struct arena *arena = scope->view->arena;
    if (leaf->op == COND_SEEN && leaf->signal >= 0)
        out->text = arena_printf(arena, "a line that says: " STR_FMT " [" STR_FMT "]",
                                 STR_ARG(kb->signals[leaf->signal].says),
                                 STR_ARG(kb->signals[leaf->signal].id));
    else if (leaf->op == COND_NOT || leaf->op == COND_ALL || leaf->op == COND_ANY)
        out->text = STR("the opposite of what is seen");
    else if (answer_question(leaf->key).n)
        answer_wanted(scope, leaf, out);
    else
        out->text = fact_text(scope, leaf);
}

/* What made the condition true. */
static struct str told(const struct scope *scope, const struct cond *cond) {
    const struct cond *leaf = cond_witness(cond, scope);
    struct arena *arena = scope->view->arena;
    const struct fact *row;
    if (!leaf || leaf->op == COND_NOT) return (struct str){0};
    if (leaf->op == COND_SEEN)
        return arena_printf(arena, "seen: " STR_FMT,
                            STR_ARG(scope->view->kb->signals[leaf->signal].says));
    struct str value = scope_fact(scope, leaf->key, &row);
    return arena_printf(arena, STR_FMT " = " STR_FMT, STR_ARG(leaf->key),
                        STR_ARG(str_sub(value, 0, 80)));
}

/* ---- one cause ------------------------------------------------------------------------------ */

/* The strongest first. */
static void clue_insert(struct why_not *why, struct why_not_clue row) {
    int at = why->n_clues++;
    for (; at > 0 && abs(why->clues[at - 1].weight) < abs(row.weight); at--)
        why->clues[at] = why->clues[at - 1];
    why->clues[at] = row;
}

/* What a general question's answer says of the cause's code, or the best answer would. */
static struct why_not_clue general_clue(const struct view *view, const struct lead *lead,
                                        const struct question *question) {
    const struct choice *choice = answer_given(view, question);
    struct why_not_clue row = {.kind = CLUE_MISSING};
    if (choice) {
        row.weight = lead_weigh(view, lead, question, choice);
        row.kind = row.weight > 0 ? CLUE_FOR : CLUE_AGAINST;
    }
    for (int c = 0; row.kind == CLUE_MISSING && c < question->n_choices; c++) {
        int weight = lead_weigh(view, lead, question, &question->choices[c]);
        if (weight <= row.weight) continue;
        row.weight = weight;
        choice = &question->choices[c];
    }
    if (!row.weight) return row;
    row.text = arena_printf(view->arena, STR_FMT " - " STR_FMT, STR_ARG(question->ask),
                            STR_ARG(choice->text));
    if (row.kind != CLUE_MISSING) return row;
    row.question = question->id;
    row.choice = choice->id;
    row.how = question->how;
    return row;
}

/* Those that were answered, and of the others (with `open`) the one that would say most. */
static void general_build(const struct view *view, const struct lead *lead, bool open,
                          struct why_not *why) {
    struct why_not_clue best = {0};
    for (int q = 0, n = 0; q < view->kb->n_questions && n < GENERAL_MOST - 1; q++) {
        const struct question *question = &view->kb->questions[q];
        if (!kb_question_is_general(question)) continue;
        struct why_not_clue row = general_clue(view, lead, question);
        if (row.kind == CLUE_MISSING) {
            if (open && row.weight > best.weight) best = row;
        } else if (row.weight) {
            clue_insert(why, row);
            n++;
        }
    }
    if (best.weight) clue_insert(why, best);
}

/* Somebody looked whether it is this cause. */
static void look_build(const struct view *view, const struct lead *lead, struct why_not *why) {
    struct str question, choice = fits_answer(view, lead, &question);
    int weight = fits_weigh(view, lead);
    struct arena *arena = view->arena;
    if (!choice.n || !weight) return;
    struct str text = arena_printf(arena, STR_FMT " - " STR_FMT,
                                   STR_ARG(walk_ask_text(view->kb, question, arena)),
                                   STR_ARG(walk_choice_text(view->kb, question, choice, arena)));
    clue_insert(why, (struct why_not_clue){.weight = weight,
                                           .kind = weight > 0 ? CLUE_FOR : CLUE_AGAINST,
                                           .text = text});
}

static void clues_build(const struct view *view, const struct lead *lead, bool open,
                        struct why_not *why) {
    const struct scope *scope = &lead->candidate->scope;
    const struct cause *cause = &scope->failure->causes[lead->cause];
    why->clues = ARENA_ARRAY(view->arena, struct why_not_clue, cause->n_clues + GENERAL_MOST + 1);
    look_build(view, lead, why);
    general_build(view, lead, open, why);
    for (int i = 0; i < cause->n_clues; i++) {
        const struct clue *clue = &cause->clues[i];
        enum truth truth = cond_eval(clue->cond, scope);
        struct why_not_clue row = {.weight = clue->decibans, .why = clue->why};
        if (truth != TRUTH_TRUE && clue->decibans <= 0) continue;
        row.kind = truth != TRUTH_TRUE  ? CLUE_MISSING
                   : clue->decibans > 0 ? CLUE_FOR
                                        : CLUE_AGAINST;
        if (truth == TRUTH_TRUE)
            row.text = told(scope, clue->cond);
        else
            wanted(scope, clue->cond, &row);
        clue_insert(why, row);
    }
}

/* What an open general question would say is said once: it is the same for all of the code. */
static void lead_build(const struct view *view, const struct leads *leads, int i, bool once,
                       struct why_not *why) {
    const struct lead *lead = &leads->v[i];
    const struct cause *cause = &lead->candidate->scope.failure->causes[lead->cause];
    *why = (struct why_not){.failure = lead->candidate->failure,
                            .cause = lead->cause,
                            .why = fill_text(cause->why, &lead->candidate->scope),
                            .rank = i + 1,
                            .of = leads->n,
                            .share = lead->share,
                            .prior = cause->prior,
                            .behind = leads->v[0].score - lead->score};
    clues_build(view, lead, once, why);
}

/* An entry that was not considered: none of its lines is in the input. */
static void unseen_build(const struct view *view, int failure, int cause, struct why_not *why) {
    const struct failure *row = &view->kb->failures[failure];
    *why = (struct why_not){
        .failure = failure, .cause = cause, .why = row->causes[cause].why, .behind = -1};
    why->clues = ARENA_ARRAY(view->arena, struct why_not_clue, row->n_signals + 1);
    for (int i = 0; i < row->n_signals; i++) {
        const struct signal *signal = &view->kb->signals[row->signals[i]];
        if (signal->role != ROLE_INITIATING || view->first_of[row->signals[i]]) continue;
        why->clues[why->n_clues++] = (struct why_not_clue){
            .kind = CLUE_MISSING,
            .text = arena_printf(view->arena, "a line that says: " STR_FMT " [" STR_FMT "]",
                                 STR_ARG(signal->says), STR_ARG(signal->id))};
    }
}

static void entries_that_would(const struct view *view, int root, struct diagnosis *diagnosis) {
    const struct finding *best = &diagnosis->findings[0];
    for (int f = 0; f < view->kb->n_failures && diagnosis->n_why_not < WOULD_NAME; f++) {
        const struct failure *failure = &view->kb->failures[f];
        if (failure->symptom[best->stage] != best->symptom) continue;
        for (int c = 0; c < failure->n_causes; c++)
            if (failure->causes[c].root[best->stage] == root) {
                unseen_build(view, f, c, &diagnosis->why_not[diagnosis->n_why_not++]);
                break;
            }
    }
}

void why_not_build(const struct view *view, const struct candidates *candidates, struct str code,
                   struct diagnosis *diagnosis) {
    int root = kb_root(view->kb, code);
    if (root < 0 || !diagnosis->n_findings) return;
    bool study = study_counts(view); /* the order that the diagnosis shows */
    const struct leads leads =
        study ? hypotheses_of(view, candidates) : leads_of(view, candidates, 1);
    diagnosis->why_not = ARENA_ARRAY(view->arena, struct why_not, WOULD_NAME + SHOWN);
    for (int i = 0; i < leads.n && diagnosis->n_why_not < SHOWN; i++) {
        const struct lead *lead = &leads.v[i];
        if (lead->cause < 0) continue;
        const struct cause *cause = &lead->candidate->scope.failure->causes[lead->cause];
        if (cause->root[lead->candidate->stage] != root) continue;
        lead_build(view, &leads, i, !diagnosis->n_why_not,
                   &diagnosis->why_not[diagnosis->n_why_not]);
        diagnosis->n_why_not++;
    }
    if (!diagnosis->n_why_not) entries_that_would(view, root, diagnosis);
}
