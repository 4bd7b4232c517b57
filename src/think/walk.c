/* The walk: which question would separate the remaining causes best for its cost.
 *
 * A choice moves each cause by the clues that become true when it is supposed.  The same moves tell
 * how likely a choice is under a cause, so the expected entropy after the question follows without
 * further numbers. */
#include "think/candidate.h"

#include <math.h>
#include <stdlib.h>

enum { DECIDED_PERCENT = 90 };
static const double least_gain =
    0.02; /* bits: below this a question changes nothing a person would notice */

struct walk {
    const struct view *view;
    const struct diagnosis *diagnosis;
    double *shares; /* of the findings, adding up to 1 */
    int n;
};

static struct scope scope_of(const struct walk *walk, const struct finding *finding) {
    const struct evidence *evidence = walk->view->evidence;
    const struct hit *hit = finding->hit >= 0 ? &evidence->hits.v[finding->hit] : NULL;
    return (struct scope){.view = walk->view,
                          .failure = &walk->view->kb->failures[finding->failure],
                          .hit = hit,
                          .trace = hit && hit->trace >= 0 ? &evidence->traces.v[hit->trace] : NULL,
                          .stage = finding->stage};
}

/* moves[choice * n + finding]: decibans by which a choice moves a finding. */
static int *moves_of(const struct walk *walk, int question) {
    const struct question *row = &walk->view->kb->questions[question];
    struct arena *arena = walk->view->arena;
    int *moves = ARENA_ARRAY(arena, int, row->n_choices * walk->n + 1);
    struct str key = arena_printf(arena, "answer." STR_FMT, STR_ARG(row->id));
    for (int f = 0; f < walk->n; f++) {
        const struct finding *finding = &walk->diagnosis->findings[f];
        if (finding->failure < 0) continue;
        struct scope scope = scope_of(walk, finding);
        const struct cause *cause = &scope.failure->causes[finding->cause];
        int before = cause_clues(walk->view, cause, &scope);
        scope.assume_key = key;
        for (int c = 0; c < row->n_choices; c++) {
            scope.assume_value = row->choices[c].id;
            moves[c * walk->n + f] = cause_clues(walk->view, cause, &scope) - before;
        }
    }
    return moves;
}

static double entropy(const double *shares, int n) {
    double bits = 0;
    for (int i = 0; i < n; i++)
        if (shares[i] > 0) bits -= shares[i] * log2(shares[i]);
    return bits;
}

/* The shares after a choice, into `after`, as a new diagnosis would reckon them; returns how likely
 * the choice is: under each finding in proportion to the odds by which the choices move it. */
static double suppose(const struct walk *walk, const int *moves, int n_choices, int choice,
                      double *after) {
    double total = 0, likely = 0;
    for (int f = 0; f < walk->n; f++) {
        double all = 0, odds = pow(10, moves[choice * walk->n + f] / 10.0);
        for (int c = 0; c < n_choices; c++) all += pow(10, moves[c * walk->n + f] / 10.0);
        likely += walk->shares[f] * odds / all;
        after[f] = walk->shares[f] * odds;
        total += after[f];
    }
    for (int f = 0; f < walk->n; f++) after[f] /= total > 0 ? total : 1;
    return likely;
}

static double gain_of(const struct walk *walk, int question) {
    int n_choices = walk->view->kb->questions[question].n_choices;
    const int *moves = moves_of(walk, question);
    double *after = ARENA_ARRAY(walk->view->arena, double, walk->n + 1);
    double expected = 0;
    for (int c = 0; c < n_choices; c++) {
        double likely = suppose(walk, moves, n_choices, c, after);
        expected += likely * entropy(after, walk->n);
    }
    return entropy(walk->shares, walk->n) - expected;
}

static int compare_effects(const void *a, const void *b) {
    const struct walk_effect *x = a, *y = b;
    double dx = fabs(x->after - x->before), dy = fabs(y->after - y->before);
    if (dx != dy) return dx > dy ? -1 : 1;
    return (x->finding > y->finding) - (x->finding < y->finding);
}

static void choices_build(const struct walk *walk, struct walk_step *step) {
    const struct question *row = &walk->view->kb->questions[step->question];
    struct arena *arena = walk->view->arena;
    const int *moves = moves_of(walk, step->question);
    double *after = ARENA_ARRAY(arena, double, walk->n + 1);
    step->n_choices = row->n_choices;
    step->choices = ARENA_ARRAY(arena, struct walk_choice, row->n_choices + 1);
    for (int c = 0; c < row->n_choices; c++) {
        struct walk_choice *choice = &step->choices[c];
        *choice = (struct walk_choice){.id = row->choices[c].id, .text = row->choices[c].text};
        choice->effects = ARENA_ARRAY(arena, struct walk_effect, walk->n + 1);
        suppose(walk, moves, row->n_choices, c, after);
        for (int f = 0; f < walk->n; f++)
            choice->effects[choice->n_effects++] =
                (struct walk_effect){f, walk->shares[f], after[f]};
        qsort(choice->effects, (size_t)choice->n_effects, sizeof *choice->effects, compare_effects);
    }
}

/* The choice that stands for a question, empty while it is open. */
static struct str answer_of(const struct walk *walk, int question) {
    const struct finding *best = &walk->diagnosis->findings[0];
    struct scope scope =
        best->failure >= 0 ? scope_of(walk, best) : (struct scope){.view = walk->view};
    return scope_answer(&scope, question);
}

/* Questions whose answer stands and would move a finding if it were another one. */
static void known_build(const struct walk *walk, struct walk_step *step) {
    const struct kb *kb = walk->view->kb;
    step->known = ARENA_ARRAY(walk->view->arena, struct walk_known, kb->n_questions + 1);
    for (int q = 0; q < kb->n_questions; q++) {
        struct str choice = answer_of(walk, q);
        if (!choice.n) continue;
        const int *moves = moves_of(walk, q);
        bool moved = false;
        for (int i = 0; i < kb->questions[q].n_choices * walk->n; i++) moved |= moves[i] != 0;
        if (moved) step->known[step->n_known++] = (struct walk_known){q, choice};
    }
}

/* Any finding's causes ask for it. */
static bool is_asked(const struct walk *walk, int question) {
    for (int f = 0; f < walk->n; f++) {
        const struct finding *finding = &walk->diagnosis->findings[f];
        for (int q = 0; q < finding->n_questions; q++)
            if (finding->questions[q] == question) return true;
    }
    return false;
}

static struct walk walk_open(const struct kb *kb, const struct evidence *evidence,
                             const struct diagnosis *diagnosis, struct arena *arena) {
    struct think_options options = {.attempt = diagnosis->attempt};
    struct walk walk = {.diagnosis = diagnosis, .n = diagnosis->n_findings};
    walk.view = view_new(kb, evidence, &options, arena);
    walk.shares = ARENA_ARRAY(arena, double, walk.n + 1);
    double total = 0;
    for (int f = 0; f < walk.n; f++) total += diagnosis->findings[f].share;
    for (int f = 0; f < walk.n; f++)
        walk.shares[f] = diagnosis->findings[f].share / (total > 0 ? total : 1);
    return walk;
}

struct walk_step *walk_next(const struct kb *kb, const struct evidence *evidence,
                            const struct diagnosis *diagnosis, struct arena *arena) {
    struct walk_step *step = ARENA_NEW(arena, struct walk_step);
    step->question = -1;
    step->decided = true;
    if (diagnosis->n_findings == 0) return step;
    struct walk walk = walk_open(kb, evidence, diagnosis, arena);
    known_build(&walk, step);
    double best = 0;
    for (int q = 0; q < kb->n_questions; q++) {
        if (!is_asked(&walk, q) || answer_of(&walk, q).n) continue;
        double gain = gain_of(&walk, q);
        double worth = gain / (1 + kb->questions[q].cost);
        if (gain < least_gain || worth <= best) continue;
        best = worth;
        step->question = q;
        step->gain = gain;
    }
    if (step->question < 0) return step;
    step->decided = walk.shares[0] * 100 >= DECIDED_PERCENT;
    choices_build(&walk, step);
    return step;
}
