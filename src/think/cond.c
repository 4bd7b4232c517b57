/* Conditions: three-valued logic over hits and facts.  Unknown changes nothing. */
#include "text/chars.h"
#include "think/scope.h"

static enum truth truth_of(bool value) {
    return value ? TRUTH_TRUE : TRUTH_FALSE;
}

static bool is_any(struct str value, const struct cond *cond) {
    for (int i = 0; i < cond->n_values; i++)
        if (str_eq_nocase(value, cond->values[i])) return true;
    return false;
}

static bool contains_any(struct str value, const struct cond *cond) {
    for (int i = 0; i < cond->n_values; i++)
        if (str_find_nocase(value, cond->values[i], 0) >= 0) return true;
    return false;
}

/* Numbers compare as numbers, everything else by its dotted version. */
static enum truth compare(struct str value, const struct cond *cond) {
    if (!value.n || cond->n_values < 1) return TRUTH_UNKNOWN;
    double a, b;
    int order;
    if (str_number(value, &a) && str_number(cond->values[0], &b) &&
        !str_has(cond->key, STR("version")))
        order = (a > b) - (a < b);
    else if (is_digit(value.p[0]) || value.p[0] == 'v')
        order = version_cmp(value, cond->values[0]);
    else
        return TRUTH_UNKNOWN;
    if (cond->op == COND_BELOW) return truth_of(order < 0);
    return truth_of(cond->op == COND_ABOVE ? order > 0 : order >= 0);
}

/* The size that a fact tells, or that the text is itself; false where it tells none. */
static bool size_of(const struct scope *scope, struct str text, double *gib) {
    const struct fact *row;
    return str_gib(text, 'B', gib) || str_gib(scope_fact(scope, text, &row), 'B', gib);
}

static enum truth covers(const struct cond *cond, const struct scope *scope) {
    double whole, part, sum = 0;
    if (!size_of(scope, cond->key, &whole)) return TRUTH_UNKNOWN;
    for (int i = 0; i < cond->n_values; i++, sum += part)
        if (!size_of(scope, cond->values[i], &part)) return TRUTH_UNKNOWN;
    return truth_of(whole >= sum);
}

/* A log shows what there was to see, and a traceback in somebody's words which frames it passed;
 * without a log words are all there is. */
static bool absence_tells(const struct view *view, int signal) {
    if (view->has_log || signal < 0) return view->has_log;
    enum where in = view->kb->signals[signal].in;
    return in == IN_WORDS || (view->has_frames && in == IN_FRAME);
}

static enum truth leaf_eval(const struct cond *cond, const struct scope *scope) {
    const struct fact *row;
    if (cond->op == COND_SEEN) {
        if (cond->signal >= 0 && scope->view->first_of[cond->signal]) return TRUTH_TRUE;
        return absence_tells(scope->view, cond->signal) ? TRUTH_FALSE : TRUTH_UNKNOWN;
    }
    struct str value = scope_fact(scope, cond->key, &row);
    if (cond->op == COND_KNOWN) return truth_of(value.n > 0);
    if (!value.n) return TRUTH_UNKNOWN;
    switch (cond->op) {
    case COND_IS: return truth_of(is_any(value, cond));
    case COND_CONTAINS: return truth_of(contains_any(value, cond));
    case COND_DIFFERS: {
        struct str other =
            cond->n_values ? scope_fact(scope, cond->values[0], &row) : (struct str){0};
        return other.n ? truth_of(!str_eq_nocase(value, other)) : TRUTH_UNKNOWN;
    }
    case COND_COVERS: return covers(cond, scope);
    default: return compare(value, cond);
    }
}

enum truth cond_eval(const struct cond *cond, const struct scope *scope) {
    if (cond->op != COND_ALL && cond->op != COND_ANY && cond->op != COND_NOT)
        return leaf_eval(cond, scope);
    const struct cond *arg = cond + 1;
    if (cond->op == COND_NOT) {
        enum truth truth = cond_eval(arg, scope);
        return truth == TRUTH_UNKNOWN ? truth : truth_of(truth == TRUTH_FALSE);
    }
    enum truth deciding = cond->op == COND_ALL ? TRUTH_FALSE : TRUTH_TRUE;
    enum truth result = cond->op == COND_ALL ? TRUTH_TRUE : TRUTH_FALSE;
    for (int i = 0; i < cond->n_args; i++, arg += arg->size) {
        enum truth truth = cond_eval(arg, scope);
        if (truth == deciding) return deciding;
        if (truth == TRUTH_UNKNOWN) result = TRUTH_UNKNOWN;
    }
    return result;
}

const struct cond *cond_witness(const struct cond *cond, const struct scope *scope) {
    if (cond_eval(cond, scope) != TRUTH_TRUE) return NULL;
    const struct cond *arg = cond + 1;
    if (cond->op != COND_ALL && cond->op != COND_ANY) return cond;
    const struct cond *found = NULL;
    for (int i = 0; i < cond->n_args && !found; i++, arg += arg->size)
        found = cond_witness(arg, scope);
    return found;
}
