#include "think/finding.h"

#include "think/fill.h"
#include "think/patch.h"
#include "think/reason.h"
#include "think/study.h"

#include <math.h>
#include <stdlib.h>

enum { CAUSES_SHOWN = 4, HYPOTHESES_MAX = 10 };

void candidate_shares(const struct candidates *candidates, double *shares) {
    for (int i = 0; i < candidates->n; i++) {
        const struct candidate_failure *candidate = &candidates->v[i];
        shares[i] = candidate->explained_by >= 0 ? 0 : pow(10, candidate->score / 10.0);
    }
    for (int fault = 1, left = candidates->n; left > 0; fault++) {
        double total = 0;
        for (int i = 0; i < candidates->n; i++)
            if (candidates->v[i].fault == fault) total += shares[i];
        for (int i = 0; i < candidates->n; i++) {
            if (candidates->v[i].fault != fault) continue;
            shares[i] /= total > 0 ? total : 1;
            left--;
        }
    }
}

/* ---- fixes and questions -------------------------------------------------------------------- */

static void pattern_add(struct finding *finding, int pattern) {
    for (int i = 0; i < finding->n_patterns; i++)
        if (finding->patterns[i] == pattern) return;
    if (finding->n_patterns < (int)COUNT_OF(finding->patterns))
        finding->patterns[finding->n_patterns++] = pattern;
}

static void fixes_build(const struct candidate_failure *candidate, const struct failure *failure,
                        const struct cause *cause, struct finding *finding, struct arena *arena) {
    int n = cause->n_fixes ? cause->n_fixes : failure->n_fixes;
    finding->fixes = ARENA_ARRAY(arena, struct fix, n + 1);
    finding->diffs = ARENA_ARRAY(arena, struct str, n + 1);
    for (int i = 0; i < n; i++) {
        const struct fix *fix = &failure->fixes[cause->n_fixes ? cause->fixes[i] : i];
        struct fix filled = fill_fix(fix, &candidate->scope);
        finding->diffs[finding->n_fixes] = patch_diff(candidate->scope.view, &filled.patch);
        finding->fixes[finding->n_fixes++] = filled;
        pattern_add(finding, fix->pattern);
    }
}

static void questions_build(const struct view *view, const struct candidate_failure *candidate,
                            struct finding *finding) {
    const struct failure *failure = candidate->scope.failure;
    int n = view->kb->n_questions;
    bool *asked = ARENA_ARRAY(view->arena, bool, n + 1);
    finding->questions = ARENA_ARRAY(view->arena, int, n + 1);
    for (int c = 0; c < failure->n_causes; c++) cause_asks(view->kb, &failure->causes[c], asked);
    for (int q = 0; q < n; q++)
        if (asked[q] && !scope_answer(&candidate->scope, q).n)
            finding->questions[finding->n_questions++] = q;
}

/* ---- one finding ---------------------------------------------------------------------------- */

double finding_confidence(const struct view *view, const struct candidate_failure *candidate,
                          double share, double shared) {
    static const struct confidence unmeasured = {-4, 23, 10, -5, -4};
    const struct confidence *of = view->kb->confidence ? view->kb->confidence : &unmeasured;
    bool generic =
        !candidate->hit || view->kb->signals[candidate->hit->signal].level == LEVEL_GENERIC;
    double decibans = of->base + of->line * candidate->score / 100.0 + of->share * shared;
    if (generic) decibans += of->generic;
    if (candidate->failure < 0) decibans += of->unknown;
    double odds = pow(10, decibans / 10), confidence = odds / (1 + odds);
    bool blind = !candidate->hit && !candidate->trace && !candidate->standout;
    return blind && share < confidence ? share : confidence; /* only what a user sees */
}

/* Of the fault of the finding, what lies on its root cause. */
static double share_of_root(const struct diagnosis *diagnosis, const struct finding *finding) {
    double shared = 0;
    for (int i = 0; i < diagnosis->n_findings; i++)
        if (diagnosis->findings[i].fault == finding->fault &&
            diagnosis->findings[i].root == finding->root)
            shared += diagnosis->findings[i].share;
    return shared;
}

static struct finding finding_fallback(const struct view *view,
                                       const struct candidate_failure *candidate, double share) {
    const struct fallback *row = &view->kb->fallbacks[candidate->fallback];
    struct finding finding = {.fault = candidate->fault,
                              .failure = -1,
                              .cause = -1,
                              .stage = candidate->stage,
                              .hit = -1};
    finding.symptom = row->symptom[candidate->stage];
    finding.root = row->root[candidate->stage];
    finding.title = row->title;
    finding.score = candidate->score;
    finding.share = share;
    for (int i = 0; i < row->n_patterns; i++) pattern_add(&finding, row->patterns[i]);
    reasons_build(view, candidate, NULL, &finding);
    finding.fixes = ARENA_NEW(view->arena, struct fix);
    finding.diffs = ARENA_NEW(view->arena, struct str);
    finding.questions = ARENA_NEW(view->arena, int);
    return finding;
}

static struct finding finding_known(const struct view *view,
                                    const struct candidate_failure *candidate,
                                    const struct weighed *weighed, double share) {
    const struct failure *failure = &view->kb->failures[candidate->failure];
    const struct cause *cause = &failure->causes[weighed->cause];
    struct finding finding = {.fault = candidate->fault,
                              .failure = candidate->failure,
                              .cause = weighed->cause,
                              .stage = candidate->stage,
                              .hit = candidate->hit ? (int)(candidate->hit - view->evidence->hits.v)
                                                    : -1};
    int override = cause->symptom[candidate->stage];
    finding.symptom = override >= 0 ? override : failure->symptom[candidate->stage];
    finding.root = cause->root[candidate->stage];
    finding.title = fill_text(failure->title, &candidate->scope);
    finding.why = fill_text(cause->why, &candidate->scope);
    finding.score = candidate->score + weighed->score;
    finding.share = share * weighed->share;
    reasons_build(view, candidate, cause, &finding);
    fixes_build(candidate, failure, cause, &finding, view->arena);
    questions_build(view, candidate, &finding);
    return finding;
}

/* The first failure's first cause leads; the rest follow by their share of the fault. */
static int compare_findings(const void *a, const void *b) {
    const struct finding *x = a, *y = b;
    if (x->fault != y->fault) return x->fault > y->fault ? 1 : -1;
    if (x->share != y->share) return x->share > y->share ? -1 : 1;
    if (x->failure != y->failure) return x->failure > y->failure ? 1 : -1;
    return (x->cause > y->cause) - (x->cause < y->cause);
}

static int add_causes(const struct view *view, const struct candidate_failure *candidate,
                      double share, struct finding *out, int room) {
    if (candidate->failure < 0) {
        out[0] = finding_fallback(view, candidate, share);
        return 1;
    }
    int n = 0;
    for (int i = 0; i < candidate->n_causes && i < CAUSES_SHOWN && n < room; i++)
        out[n++] = finding_known(view, candidate, &candidate->causes[i], share);
    return n;
}

/* The candidate that the first finding of a fault was made of. */
static const struct candidate_failure *candidate_of(const struct candidates *candidates,
                                                    const struct finding *finding) {
    for (int k = 0; k < candidates->n; k++)
        if (candidates->v[k].failure == finding->failure &&
            candidates->v[k].fault == finding->fault)
            return &candidates->v[k];
    return &candidates->v[0];
}

/* The others of a fault have what its first leaves, and never more than the first for its share. */
static void confidences_fill(const struct view *view, const struct candidates *candidates, int from,
                             struct diagnosis *diagnosis) {
    double first = 0, lead = 1;
    for (int i = from; i < diagnosis->n_findings; i++) {
        struct finding *finding = &diagnosis->findings[i];
        if (i == from || finding->fault != finding[-1].fault) {
            first = finding_confidence(view, candidate_of(candidates, finding), finding->share,
                                       share_of_root(diagnosis, finding));
            finding->confidence = first;
            lead = finding->share + 1e-9;
            continue;
        }
        double left = (1 - first) * finding->share / (1 - lead + 2e-9);
        double most = first * finding->share / lead;
        finding->confidence = left < most ? left : most;
    }
}

static bool is_head(const struct candidates *candidates, int index) {
    for (int i = 0; i < index; i++)
        if (candidates->v[i].fault == candidates->v[index].fault &&
            candidates->v[i].explained_by < 0)
            return false;
    return true;
}

/* A cause of the study is a cause of what is seen: it shows the same symptom in the same stage. */
static void study_place(const struct candidates *candidates, struct finding *finding) {
    const struct candidate_failure *first = &candidates->v[0];
    if (first->failure == finding->failure) return;
    const struct kb *kb = first->scope.view->kb;
    const struct failure *seen = first->failure >= 0 ? first->scope.failure : NULL;
    const struct fallback *row = seen ? NULL : &kb->fallbacks[first->fallback];
    finding->title = seen ? fill_text(seen->title, &first->scope) : row->title;
    if (first->stage == finding->stage)
        finding->symptom = seen ? seen->symptom[first->stage] : row->symptom[first->stage];
}

static struct finding finding_of_lead(const struct view *view, const struct candidates *candidates,
                                      const struct lead *lead) {
    const struct candidate_failure *candidate = lead->candidate;
    struct finding finding;
    if (lead->cause < 0) {
        finding = finding_fallback(view, candidate, lead->share);
    } else {
        struct weighed weighed = {lead->cause, lead->score - candidate->score, 1};
        finding = finding_known(view, candidate, &weighed, lead->share);
    }
    if (candidate->failure >= 0 && candidate->scope.failure->study) {
        finding.study = true;
        finding.why = arena_printf(view->arena, "from the study: " STR_FMT, STR_ARG(finding.why));
        study_place(candidates, &finding);
    }
    finding.confidence = lead->share;
    reasons_of_answers(view, lead, &finding);
    return finding;
}

/* The first fault's causes after the general answers, with the study's beside them. */
static int add_hypotheses(const struct view *view, const struct candidates *candidates,
                          struct finding *out) {
    const struct leads leads = hypotheses_of(view, candidates);
    int n = leads.n < HYPOTHESES_MAX ? leads.n : HYPOTHESES_MAX;
    for (int i = 0; i < n; i++) out[i] = finding_of_lead(view, candidates, &leads.v[i]);
    return n;
}

void findings_build(const struct view *view, const struct candidates *candidates,
                    struct diagnosis *diagnosis) {
    double *shares = ARENA_ARRAY(view->arena, double, candidates->n + 1);
    candidate_shares(candidates, shares);
    diagnosis->findings = ARENA_ARRAY(view->arena, struct finding, FINDINGS_MAX + CAUSES_SHOWN);
    bool study = study_counts(view);
    if (study) diagnosis->n_findings = add_hypotheses(view, candidates, diagnosis->findings);
    int from = diagnosis->n_findings, fixed = study ? from : 1;
    for (int heads = 1; heads >= 0; heads--) /* the first of each fault, then the others */
        for (int i = 0; i < candidates->n && diagnosis->n_findings < FINDINGS_MAX; i++)
            if (candidates->v[i].explained_by < 0 && is_head(candidates, i) == heads &&
                !(study && candidates->v[i].fault == 1))
                diagnosis->n_findings += add_causes(
                    view, &candidates->v[i], shares[i], diagnosis->findings + diagnosis->n_findings,
                    FINDINGS_MAX + CAUSES_SHOWN - diagnosis->n_findings);
    if (diagnosis->n_findings > fixed)
        qsort(diagnosis->findings + fixed, (size_t)(diagnosis->n_findings - fixed),
              sizeof *diagnosis->findings, compare_findings);
    if (diagnosis->n_findings > FINDINGS_MAX) diagnosis->n_findings = FINDINGS_MAX;
    confidences_fill(view, candidates, from, diagnosis);
}
