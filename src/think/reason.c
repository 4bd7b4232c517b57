#include "think/reason.h"

#include "think/beside.h"
#include "think/fill.h"
#include "think/fits.h"
#include "think/general.h"
#include "think/leaning.h"
#include "think/study.h"

enum { REASONS_MAX = 8, ANSWERS_MAX = 6, VALUE_SHOWN = 120 /* bytes */ };

static uint32_t ranks_that_say(const struct view *view, int signal, uint32_t *lines) {
    uint32_t ranks = 0;
    *lines = 0;
    for (int i = 0; i < view->n_hits; i++)
        if (view->hits[i]->signal == signal) {
            *lines += view->hits[i]->count;
            ranks++;
        }
    return ranks;
}

static struct reason reason_of_hit(const struct view *view, const struct hit *hit, int weight,
                                   struct str why) {
    const struct source *source = &view->evidence->sources.v[hit->first.source];
    uint32_t lines;
    ranks_that_say(view, hit->signal, &lines);
    return (struct reason){
        .kind = source->kind == KIND_LOG || source->kind == KIND_KERNEL ? REASON_LOG : REASON_FILE,
        .signal = hit->signal,
        .text = hit->text,
        .why = why,
        .origin = hit->first,
        .count = lines,
        .weight = weight};
}

/* What a reason shows of a long value: the words that the condition found in it. */
static struct str words_found(struct str value, const struct cond *leaf) {
    for (int i = 0; leaf->op == COND_CONTAINS && i < leaf->n_values; i++)
        if (str_find_nocase(value, leaf->values[i], 0) >= 0) return leaf->values[i];
    return str_sub(value, 0, VALUE_SHOWN);
}

static struct reason reason_of_fact(const struct scope *scope, const struct cond *leaf, int weight,
                                    struct str why) {
    struct arena *arena = scope->view->arena;
    const struct fact *row;
    struct str value = scope_fact(scope, leaf->key, &row);
    if (value.n > VALUE_SHOWN) value = words_found(value, leaf);
    struct reason reason = {.kind = REASON_FILE,
                            .signal = -1,
                            .why = why,
                            .origin = ORIGIN_NONE,
                            .count = 1,
                            .weight = weight};
    reason.text = arena_printf(arena, STR_FMT " = " STR_FMT, STR_ARG(leaf->key), STR_ARG(value));
    if (row) reason.origin = row->origin;
    if (answer_question(leaf->key).n)
        reason.kind = REASON_ANSWER;
    else if (row && str_starts(row->from, STR("probe")))
        reason.kind = REASON_PROBE;
    return reason;
}

static bool leaf_reason(const struct scope *scope, const struct clue *clue, struct reason *reason) {
    const struct cond *leaf = cond_witness(clue->cond, scope);
    if (!leaf || leaf->op == COND_NOT) return false;
    struct str why = fill_text(clue->why, scope);
    if (leaf->op == COND_SEEN)
        *reason =
            reason_of_hit(scope->view, scope->view->first_of[leaf->signal], clue->decibans, why);
    else
        *reason = reason_of_fact(scope, leaf, clue->decibans, why);
    return true;
}

/* Nothing in the input shows it: it stands because such failures often came from it. */
static struct reason reason_of_study(const struct view *view,
                                     const struct candidate_failure *candidate,
                                     const struct cause *cause) {
    const struct code *root = &view->kb->roots[cause->root[candidate->stage]];
    return (struct reason){
        .kind = REASON_ANSWER,
        .signal = -1,
        .text = arena_printf(view->arena, "in the study %.1f %% of the failures of this stage",
                             root->share),
        .why =
            STR("from the study: nothing in the input shows it; what you answered speaks for it"),
        .origin = *candidate_origin(candidate),
        .count = 1};
}

static struct reason reason_of_answer(const struct view *view, struct str question,
                                      struct str choice, int weight) {
    return (struct reason){.kind = REASON_ANSWER,
                           .signal = -1,
                           .text = arena_printf(view->arena, "answer." STR_FMT " = " STR_FMT,
                                                STR_ARG(question), STR_ARG(choice)),
                           .origin = ORIGIN_NONE,
                           .count = 1,
                           .weight = weight};
}

static void reason_add(struct finding *finding, struct reason reason) {
    finding->reasons[finding->n_reasons++] = reason;
}

void reasons_of_answers(const struct view *view, const struct lead *lead, struct finding *finding) {
    const struct kb *kb = view->kb;
    struct str about, fits = fits_answer(view, lead, &about);
    if (fits.n) reason_add(finding, reason_of_answer(view, about, fits, fits_weigh(view, lead)));
    for (int q = 0, n = 0; q < kb->n_questions && n < ANSWERS_MAX - 1; q++) {
        const struct question *question = &kb->questions[q];
        const struct choice *choice =
            kb_question_is_general(question) ? answer_given(view, question) : NULL;
        int weight = choice ? lead_weigh(view, lead, question, choice) : 0;
        if (!weight) continue;
        reason_add(finding, reason_of_answer(view, question->id, choice->id, weight));
        n++;
    }
}

/* The cause is first for the input's words: which ones. */
static bool reason_of_words(const struct view *view, const struct candidate_failure *candidate,
                            const struct finding *finding, struct reason *reason) {
    if (!candidate->favoured || finding->cause != candidate->favoured - 1) return false;
    struct arena *arena = view->arena;
    struct str words = leaning_tell(view, finding->symptom, finding->root);
    *reason = (struct reason){
        .kind = REASON_ANSWER,
        .signal = -1,
        .text = arena_printf(arena, "words = " STR_FMT, STR_ARG(words)),
        .why = arena_printf(arena, "more often met with words such as " STR_FMT, STR_ARG(words)),
        .origin = ORIGIN_NONE,
        .count = 1,
        .weight = candidate->favour};
    return words.n > 0;
}

/* The line that decides, or what stands for it. */
static struct reason reason_first(const struct view *view,
                                  const struct candidate_failure *candidate,
                                  const struct cause *cause) {
    if (candidate->hit)
        return reason_of_hit(view, candidate->hit, candidate->score,
                             view->kb->signals[candidate->hit->signal].says);
    if (candidate->failure >= 0 && candidate->scope.failure->study)
        return reason_of_study(view, candidate, cause);
    struct reason reason = {.signal = -1,
                            .origin = *candidate_origin(candidate),
                            .count = candidate->trace ? candidate->trace->count : 1,
                            .weight = candidate->score};
    if (candidate_is_blind(candidate)) {
        reason.kind = REASON_ANSWER;
        reason.text = STR("what you see");
        reason.why = STR("no line tells; what you see does");
        return reason;
    }
    reason.kind = REASON_LOG;
    reason.text = candidate->standout ? candidate->standout->text : candidate->trace->text;
    reason.why = candidate->failure < 0
                     ? STR("no entry knows this line; told by exception and stage")
                     : STR("no signal knows these words; they are like what is known of it");
    return reason;
}

void reasons_build(const struct view *view, const struct candidate_failure *candidate,
                   const struct cause *cause, struct finding *finding) {
    finding->reasons = ARENA_ARRAY(view->arena, struct reason, REASONS_MAX + ANSWERS_MAX + 3);
    reason_add(finding, reason_first(view, candidate, cause));
    struct reason reason;
    struct clue general;
    if (beside_complaint(view, candidate, &reason)) reason_add(finding, reason);
    for (int i = 0; cause && i < cause->n_clues && finding->n_reasons < REASONS_MAX; i++)
        if (leaf_reason(&candidate->scope, &cause->clues[i], &reason)) reason_add(finding, reason);
    if (cause && finding->n_reasons < REASONS_MAX &&
        general_clue(&candidate->scope, cause, &general) &&
        leaf_reason(&candidate->scope, &general, &reason))
        reason_add(finding, reason);
    if (reason_of_words(view, candidate, finding, &reason)) reason_add(finding, reason);
}
