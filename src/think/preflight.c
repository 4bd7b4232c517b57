#include "think/preflight.h"

#include "think/fill.h"

enum { PER_CHECK = 20 /* a file of another kind is wrong in every line */ };

typedef VEC(struct preflight_finding) finding_vec;

static const struct fix *fix_of(const struct failure *failure, struct str id) {
    for (int i = 0; i < failure->n_fixes; i++)
        if (str_eq(failure->fixes[i].id, id)) return &failure->fixes[i];
    return NULL;
}

static void add(finding_vec *list, struct scope *scope, const struct check *check,
                const struct fact *fact) {
    const struct view *view = scope->view;
    int failure = kb_failure(view->kb, check->failure);
    if (failure < 0) return;
    const struct fix *fix = fix_of(&view->kb->failures[failure], check->fix);
    if (!fix) return;
    scope->chosen = fact;
    struct preflight_finding finding = {.check = check,
                                        .failure = &view->kb->failures[failure],
                                        .fix = fill_fix(fix, scope),
                                        .fact = fact,
                                        .text = fill_text(check->says, scope),
                                        .advice = fill_text(check->advice, scope)};
    vec_push(view->arena, list, finding);
}

/* The same value told by two files is one finding, at the first. */
static bool repeated(const struct evidence *evidence, size_t at) {
    const struct fact *fact = &evidence->facts.v[at];
    for (size_t i = 0; i < at; i++)
        if (str_eq(evidence->facts.v[i].key, fact->key) &&
            str_eq(evidence->facts.v[i].value, fact->value))
            return true;
    return false;
}

static void run(finding_vec *list, const struct view *view, const struct check *check) {
    const struct evidence *evidence = view->evidence;
    struct scope scope = {.view = view, .stage = STAGE_NONE};
    bool placed = false;
    size_t most = list->n + PER_CHECK;
    if (cond_eval(check->when, &scope) != TRUTH_TRUE) return;
    for (size_t i = 0; i < evidence->facts.n && list->n < most; i++) {
        const struct fact *fact = &evidence->facts.v[i];
        if (!str_eq(fact->key, check->key) || repeated(evidence, i)) continue;
        /* the condition has to hold for this very value */
        scope.chosen = fact;
        if (cond_eval(check->when, &scope) == TRUTH_TRUE) add(list, &scope, check, fact);
        placed = true;
    }
    scope.chosen = NULL;
    if (!placed) add(list, &scope, check, NULL);
}

struct preflight preflight_check(const struct kb *kb, const struct evidence *evidence,
                                 struct arena *arena) {
    static const struct think_options options = {0};
    const struct view *view = view_new(kb, evidence, &options, arena, arena);
    finding_vec list = {0};
    struct preflight result = {0};
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < kb->n_checks; i++)
            if (kb->checks[i].error == (pass == 0)) run(&list, view, &kb->checks[i]);
        if (pass == 0) result.n_errors = (int)list.n;
    }
    result.v = list.v;
    result.n = (int)list.n;
    return result;
}
