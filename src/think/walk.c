/* The walk: which question would separate the remaining causes best for its cost.
 *
 * A choice moves each cause by the clues that become true when it is supposed.  The same moves tell
 * how likely a choice is under a cause, so the expected entropy after the question follows without
 * further numbers.  What is then told of each choice is no estimate: it is the diagnosis under that
 * answer. */
#include "think/walk.h"

#include "think/finding.h"
#include "think/see.h"
#include "think/stage.h"

#include <math.h>
#include <stdlib.h>

enum { DECIDED_PERCENT = 90 };
static const double least_gain =
    0.02; /* bits: below this a question changes nothing a person would notice */
static const double least_share = 0.001; /* of a cause that is still worth asking about */
static const double probe_cost = 0.1;    /* 100 ms, where a person's glance costs 1 */

struct walk {
    const struct view *view;
    struct lead *leads;
    int n;
    bool *asks; /* [lead * n_questions + question]: the question may move the lead */
};

static const struct cause *cause_of(const struct lead *lead) {
    return lead->cause >= 0 ? &lead->candidate->scope.failure->causes[lead->cause] : NULL;
}

/* moves[choice * n + lead]: decibans by which a choice moves a lead; NULL: none moves any. */
static int *moves_of(const struct walk *walk, int question) {
    const struct question *row = &walk->view->kb->questions[question];
    struct arena *arena = walk->view->arena;
    struct view supposed = *walk->view;
    int *moves = NULL;
    for (int i = 0; i < walk->n; i++) {
        const struct cause *cause = cause_of(&walk->leads[i]);
        if (!walk->asks[i * walk->view->kb->n_questions + question]) continue;
        if (!moves) {
            moves = ARENA_ARRAY(arena, int, row->n_choices * walk->n + 1);
            supposed.supposed_key = arena_printf(arena, "answer." STR_FMT, STR_ARG(row->id));
        }
        struct scope scope = walk->leads[i].candidate->scope;
        int before = cause_clues(walk->view, cause, &scope);
        scope.view = &supposed;
        for (int c = 0; c < row->n_choices; c++) {
            supposed.supposed_value = row->choices[c].id;
            moves[c * walk->n + i] = cause_clues(&supposed, cause, &scope) - before;
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

/* The shares after a choice, into `after`; returns how likely the choice is: under each lead in
 * proportion to the odds by which the choices move it. */
static double suppose(const struct walk *walk, const int *moves, int n_choices, int choice,
                      double *after) {
    double total = 0, likely = 0;
    for (int f = 0; f < walk->n; f++) {
        double all = 0, odds = pow(10, moves[choice * walk->n + f] / 10.0);
        for (int c = 0; c < n_choices; c++) all += pow(10, moves[c * walk->n + f] / 10.0);
        likely += walk->leads[f].share * odds / all;
        after[f] = walk->leads[f].share * odds;
        total += after[f];
    }
    for (int f = 0; f < walk->n; f++) after[f] /= total > 0 ? total : 1;
    return likely;
}

/* Expected drop of entropy in bits. */
static double gain_of(const struct walk *walk, int question) {
    int n_choices = walk->view->kb->questions[question].n_choices;
    const int *moves = moves_of(walk, question);
    if (!moves) return 0;
    double *after = ARENA_ARRAY(walk->view->arena, double, walk->n + 1);
    double expected = 0;
    for (int c = 0; c < n_choices; c++) {
        double likely = suppose(walk, moves, n_choices, c, after);
        expected += likely * entropy(after, walk->n);
    }
    for (int i = 0; i < walk->n; i++) after[i] = walk->leads[i].share;
    return entropy(after, walk->n) - expected;
}

/* The choice that stands for a question, empty while it is open. */
static struct str answer_of(const struct walk *walk, int question) {
    return scope_answer(&walk->leads[0].candidate->scope, question);
}

static double cost_of(const struct question *question) {
    return question->probe.n ? probe_cost : question->cost;
}

static struct walk walk_open(const struct view *view, const struct leads *leads) {
    struct walk walk = {.view = view, .leads = leads->v};
    double total = 0;
    while (walk.n < leads->n && (walk.n == 0 || leads->v[walk.n].share >= least_share))
        total += leads->v[walk.n++].share;
    int n_questions = view->kb->n_questions;
    walk.asks = ARENA_ARRAY(view->arena, bool, walk.n *n_questions + 1);
    for (int i = 0; i < walk.n; i++) {
        const struct cause *cause = cause_of(&walk.leads[i]);
        walk.leads[i].share /= total > 0 ? total : 1;
        if (cause) cause_asks(view->kb, cause, walk.asks + i * n_questions);
    }
    return walk;
}

/* Bits for its cost; 0: known, or it would tell nothing. */
static double worth_of(const struct walk *walk, int question, double *gain) {
    *gain = gain_of(walk, question);
    if (*gain < least_gain || answer_of(walk, question).n) return 0;
    return *gain / (1 + cost_of(&walk->view->kb->questions[question]));
}

int walk_choose(const struct view *view, const struct candidates *candidates, double *gain) {
    const struct leads leads = leads_of(view, candidates);
    const struct walk walk = walk_open(view, &leads);
    int chosen = -1;
    double best = 0;
    for (int q = 0; walk.n && q < view->kb->n_questions; q++) {
        double gained, worth = worth_of(&walk, q, &gained);
        if (worth <= best) continue;
        best = worth;
        chosen = q;
        *gain = gained;
    }
    return chosen;
}

/* ---- what is told of a step ----------------------------------------------------------------- */

static int compare_effects(const void *a, const void *b) {
    const struct walk_effect *x = a, *y = b;
    double dx = fabs(x->after - x->before), dy = fabs(y->after - y->before);
    if (dx != dy) return dx > dy ? -1 : 1;
    if (x->of->failure != y->of->failure) return x->of->failure < y->of->failure ? -1 : 1;
    return (x->of->cause > y->of->cause) - (x->of->cause < y->of->cause);
}

static const struct finding *finding_like(const struct diagnosis *diagnosis,
                                          const struct finding *finding) {
    for (int i = 0; i < diagnosis->n_findings; i++)
        if (diagnosis->findings[i].failure == finding->failure &&
            diagnosis->findings[i].cause == finding->cause &&
            diagnosis->findings[i].root == finding->root) /* another stage, another code */
            return &diagnosis->findings[i];
    return NULL;
}

/* The diagnosis before the answer beside the one after it. */
static void effects_build(struct walk_choice *choice, const struct diagnosis *before,
                          const struct diagnosis *after, struct arena *arena) {
    choice->effects =
        ARENA_ARRAY(arena, struct walk_effect, before->n_findings + after->n_findings + 1);
    for (int i = 0; i < before->n_findings; i++) {
        const struct finding *of = &before->findings[i], *then = finding_like(after, of);
        choice->effects[choice->n_effects++] =
            (struct walk_effect){of, of->confidence, then ? then->confidence : 0};
    }
    for (int i = 0; i < after->n_findings; i++)
        if (!finding_like(before, &after->findings[i]))
            choice->effects[choice->n_effects++] =
                (struct walk_effect){&after->findings[i], 0, after->findings[i].confidence};
    qsort(choice->effects, (size_t)choice->n_effects, sizeof *choice->effects, compare_effects);
}

/* What each choice of the step would change. */
static void foresee(const struct view *view, const struct diagnosis *diagnosis,
                    struct walk_step *step) {
    struct arena *arena = view->arena;
    struct think_options options = {.job = diagnosis->job,
                                    .attempt = diagnosis->attempt,
                                    .supposed_key =
                                        arena_printf(arena, "answer." STR_FMT, STR_ARG(step->id))};
    for (int c = 0; c < step->n_choices; c++) {
        options.supposed_value = step->choices[c].id;
        effects_build(&step->choices[c], diagnosis,
                      diagnose(view->kb, view->evidence, &options, arena), arena);
    }
}

/* Questions whose answer stands and would move a lead if it were another one. */
static void known_build(const struct walk *walk, struct walk_step *step) {
    const struct kb *kb = walk->view->kb;
    step->known = ARENA_ARRAY(walk->view->arena, struct walk_known, kb->n_questions + 1);
    for (int q = 0; q < kb->n_questions; q++) {
        const int *moves = moves_of(walk, q);
        bool moved = false;
        for (int i = 0; moves && i < kb->questions[q].n_choices * walk->n; i++)
            moved |= moves[i] != 0;
        struct str choice = moved ? answer_of(walk, q) : (struct str){0};
        if (choice.n) step->known[step->n_known++] = (struct walk_known){q, choice};
    }
}

static void ask(const struct view *view, const struct diagnosis *diagnosis,
                struct walk_step *step) {
    const struct question *row = &view->kb->questions[step->question];
    step->id = row->id;
    step->ask = row->ask;
    step->why = row->why;
    step->how = row->how;
    step->probe = row->probe;
    step->cost = row->cost;
    step->n_choices = row->n_choices;
    step->choices = ARENA_ARRAY(view->arena, struct walk_choice, row->n_choices + 1);
    for (int c = 0; c < row->n_choices; c++)
        step->choices[c] =
            (struct walk_choice){.id = row->choices[c].id, .text = row->choices[c].text};
    foresee(view, diagnosis, step);
}

/* The same line means another thing in another stage: where the input leaves that open, the stage
 * is the first thing to ask. */
static bool ask_stage(const struct view *view, const struct candidates *candidates,
                      const struct diagnosis *diagnosis, struct walk_step *step) {
    const struct candidate_failure *best = &candidates->v[0];
    bool open[STAGE_COUNT];
    if (best->failure < 0 || !best->hit ||
        !stage_is_open(view, best->hit, best->trace, best->scope.failure->symptom, open))
        return false;
    see_stage(view, open, step);
    step->decided = false;
    foresee(view, diagnosis, step);
    return true;
}

/* True where no line started the diagnosis: it begins with what the user sees. */
static bool is_blind(const struct diagnosis *diagnosis) {
    if (!diagnosis->n_findings) return diagnosis->verdict == VERDICT_UNKNOWN;
    return diagnosis->findings[0].failure >= 0 && diagnosis->findings[0].hit < 0;
}

struct walk_step *walk_next(const struct kb *kb, const struct evidence *evidence,
                            const struct diagnosis *diagnosis, struct arena *arena) {
    struct walk_step *step = ARENA_NEW(arena, struct walk_step);
    struct think_options options = {.job = diagnosis->job, .attempt = diagnosis->attempt};
    *step = (struct walk_step){.question = -1, .decided = true};
    if (!diagnosis->n_findings && diagnosis->verdict != VERDICT_UNKNOWN) return step;
    const struct view *view = view_new(kb, evidence, &options, arena);
    if (is_blind(diagnosis) && see_next(view, step)) {
        step->decided = false;
        return step;
    }
    if (!diagnosis->n_findings) return step;
    const struct candidates *candidates = candidates_find(view);
    const struct leads leads = leads_of(view, candidates);
    const struct walk walk = walk_open(view, &leads);
    known_build(&walk, step);
    if (ask_stage(view, candidates, diagnosis, step)) return step;
    step->question = walk_choose(view, candidates, &step->gain);
    if (step->question < 0) return step;
    step->decided = diagnosis->findings[0].share * 100 >= DECIDED_PERCENT;
    ask(view, diagnosis, step);
    return step;
}

/* ---- everything that is worth knowing ------------------------------------------------------- */

struct wants {
    struct want *v;
    int n, cap;
};

/* Facts that describe the fault are never asked for. */
static bool is_askable(struct str key) {
    static const char derived[][8] = {"cap.", "fault.", "job.", "hang.", "answer."};
    for (size_t i = 0; i < COUNT_OF(derived); i++)
        if (str_starts(key, str_of(derived[i]))) return false;
    return key.n > 0;
}

static void want_fact(struct wants *wants, struct str key, double worth) {
    for (int i = 0; i < wants->n; i++)
        if (wants->v[i].question < 0 && str_eq(wants->v[i].key, key)) {
            wants->v[i].worth += worth;
            return;
        }
    if (wants->n < wants->cap) wants->v[wants->n++] = (struct want){-1, key, worth};
}

/* The unknown facts that a cause's clues look at. */
static void want_clues(const struct lead *lead, struct wants *wants) {
    const struct cause *cause = cause_of(lead);
    const struct fact *row;
    for (int i = 0; cause && i < cause->n_clues; i++) {
        const struct cond *cond = cause->clues[i].cond;
        double worth = lead->share * abs(cause->clues[i].decibans);
        if (cond_eval(cond, &lead->candidate->scope) == TRUTH_TRUE) continue;
        for (int c = 0; c < cond->size; c++)
            if (is_askable(cond[c].key) &&
                !scope_fact(&lead->candidate->scope, cond[c].key, &row).n)
                want_fact(wants, cond[c].key, worth);
    }
}

static int compare_wants(const void *a, const void *b) {
    const struct want *x = a, *y = b;
    if ((x->question >= 0) != (y->question >= 0)) return x->question >= 0 ? -1 : 1;
    if (x->worth != y->worth) return x->worth > y->worth ? -1 : 1;
    return str_cmp(x->key, y->key);
}

struct want *walk_wants(const struct kb *kb, const struct evidence *evidence,
                        const struct diagnosis *diagnosis, struct arena *arena, int *n) {
    enum { FACTS_MAX = 256 };
    struct think_options options = {.job = diagnosis->job, .attempt = diagnosis->attempt};
    struct wants wants = {.cap = kb->n_questions + FACTS_MAX};
    wants.v = ARENA_ARRAY(arena, struct want, wants.cap + 1);
    *n = 0;
    if (!diagnosis->n_findings) return wants.v;
    const struct view *view = view_new(kb, evidence, &options, arena);
    const struct leads leads = leads_of(view, candidates_find(view));
    const struct walk walk = walk_open(view, &leads);
    for (int q = 0; q < kb->n_questions; q++) {
        double gain, worth = worth_of(&walk, q, &gain);
        struct str key = arena_printf(arena, "answer." STR_FMT, STR_ARG(kb->questions[q].id));
        if (worth > 0) wants.v[wants.n++] = (struct want){q, key, worth};
    }
    for (int i = 0; i < walk.n; i++) want_clues(&walk.leads[i], &wants);
    *n = wants.n;
    qsort(wants.v, (size_t)wants.n, sizeof *wants.v, compare_wants);
    return wants.v;
}
