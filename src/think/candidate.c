#include "think/candidate.h"
#include "think/stage.h"

#include <stdlib.h>

/* How much a hit says by itself, in decibans.  A specific line outranks the exception that a
 * process died of when that exception is generic, not when it is of a known family. */
static const int level_decibans[] = {
    [LEVEL_GENERIC] = 4, [LEVEL_FAMILY] = 10, [LEVEL_SPECIFIC] = 16};
enum {
    WEAK_DECIBANS = 3,     /* only a wrapper or a cascade line speaks */
    TERMINAL_DECIBANS = 5, /* the exception that ended a process */
    ROOT_DECIBANS = 4,     /* ... or the direct cause of that exception */
    CHAINED_DECIBANS = 2,  /* ... or one during whose handling it came */
    IGNORED_DECIBANS = -9, /* "Exception ignored in", logged and survived */
    WARNING_DECIBANS = -7, /* the line calls itself a warning or information */
    ADVISED_DECIBANS = -8,   /* the line is known as advice or noise, or is echoed source code */
    WORDS_DECIBANS = -5,
    SURVIVED_DECIBANS = -9, /* steps went on after it */
    AFTER_DONE_DECIBANS = -6,
    BEFORE_DONE_DECIBANS = -9,
    FIRST_DECIBANS = 4,
    FALLBACK_DECIBANS = 3,
    WORDS_YIELD = 8,    /* complaints count where no log speaks louder than this */
    FOREIGN_LINES = 300 /* a longer log without any sign of a job is another system's */
};

const struct origin *candidate_origin(const struct candidate_failure *candidate) {
    if (candidate->hit) return &candidate->hit->first;
    if (candidate->trace) return &candidate->trace->end;
    return &candidate->standout->origin;
}

static const struct trace *hit_trace(const struct view *view, const struct hit *hit) {
    return hit->trace >= 0 ? &view->evidence->traces.v[hit->trace] : NULL;
}

static bool trace_terminal(const struct trace *trace) {
    return trace && !trace->followed && !trace->ignored;
}

/* Does a hit of this role in the same source come after the line?  Ranks are compared when both are
 * known. */
static bool role_after(const struct view *view, enum role role, const struct origin *line) {
    for (int i = 0; i < view->n_hits; i++) {
        const struct hit *hit = view->hits[i];
        if (view->kb->signals[hit->signal].role != role || hit->last.source != line->source)
            continue;
        if (hit->last.rank >= 0 && line->rank >= 0 && hit->last.rank != line->rank) continue;
        if (hit->last.line > line->line) return true;
    }
    return false;
}

static bool done_before(const struct view *view, const struct origin *line) {
    for (int i = 0; i < view->n_hits; i++) {
        const struct hit *hit = view->hits[i];
        if (view->kb->signals[hit->signal].role == ROLE_DONE && hit->first.source == line->source &&
            hit->first.line < line->line)
            return true;
    }
    return false;
}

static int trace_strength(const struct view *view, const struct trace *trace, bool exception) {
    if (!trace) return 0;
    if (trace->ignored) return IGNORED_DECIBANS;
    if (!exception) return 0;
    if (!trace->followed) return TERMINAL_DECIBANS;
    for (size_t i = 0; i < view->evidence->traces.n; i++) {
        const struct trace *next = &view->evidence->traces.v[i];
        if (next->cause >= 0 && &view->evidence->traces.v[next->cause] == trace)
            return next->direct ? ROOT_DECIBANS : CHAINED_DECIBANS;
    }
    return CHAINED_DECIBANS;
}

static int survival_strength(const struct view *view, const struct origin *first,
                             const struct origin *last) {
    int strength = 0;
    if (role_after(view, ROLE_PROGRESS, last)) strength += SURVIVED_DECIBANS;
    if (role_after(view, ROLE_DONE, last))
        strength += BEFORE_DONE_DECIBANS;
    else if (done_before(view, first))
        strength += AFTER_DONE_DECIBANS;
    return strength;
}

static int hit_strength(const struct view *view, const struct hit *hit) {
    const struct signal *signal = &view->kb->signals[hit->signal];
    int strength = signal->role == ROLE_INITIATING ? level_decibans[signal->level] : WEAK_DECIBANS;
    strength += trace_strength(view, hit_trace(view, hit), hit->flags & HIT_EXCEPTION || hit->trace >= 0);
    if (hit->flags & HIT_WARNING) strength += WARNING_DECIBANS;
    if (hit->flags & HIT_ADVICE || (hit->flags & HIT_IN_TRACEBACK && hit->trace < 0 && signal->in != IN_FRAME))
        strength += ADVISED_DECIBANS;
    if (hit->flags & HIT_WORDS || signal->in == IN_WORDS) return strength + WORDS_DECIBANS;
    return strength + survival_strength(view, &hit->first, &hit->last);
}

/* A log of another system: long, and nothing in it is a traceback or a line that only jobs of this
 * field print.  Words such as "connection refused" mean nothing there. */
static bool source_is_foreign(const struct view *view, int source) {
    const struct source *row = &view->evidence->sources.v[source];
    if (row->kind != KIND_LOG || row->lines < FOREIGN_LINES) return false;
    for (size_t i = 0; i < view->evidence->traces.n; i++)
        if (view->evidence->traces.v[i].end.source == source &&
            view->evidence->traces.v[i].n_frames)
            return false;
    for (int i = 0; i < view->n_hits; i++) {
        const struct signal *signal = &view->kb->signals[view->hits[i]->signal];
        if (view->hits[i]->first.source != source || view->hits[i]->flags & HIT_WORDS) continue;
        if (signal->role == ROLE_INITIATING) continue;
        if (signal->role == ROLE_PROGRESS || signal->role == ROLE_START ||
            signal->role == ROLE_DONE)
            return false;
        for (int s = 0; s < STAGE_COUNT; s++)
            if (signal->stage[s] >= 3) return false;
    }
    return true;
}

static bool role_starts(enum role role, bool weak) {
    return role == ROLE_INITIATING || (weak && (role == ROLE_WRAPPER || role == ROLE_CASCADE));
}

/* The strongest hit of a failure, the earliest of equals.  NULL: it has none that may start a
 * diagnosis. */
static const struct hit *anchor_find(const struct view *view, const struct failure *failure,
                                     bool weak, bool words, int *strength) {
    const struct hit *best = NULL;
    for (int i = 0; i < view->n_hits; i++) {
        const struct hit *hit = view->hits[i];
        const struct signal *signal = &view->kb->signals[hit->signal];
        bool prose = signal->in == IN_WORDS || hit->flags & HIT_WORDS;
        if (signal->failure < 0 || &view->kb->failures[signal->failure] != failure) continue;
        if (!role_starts(signal->role, weak) || prose != words) continue;
        if (signal->in != IN_KERNEL && view->foreign[hit->first.source]) continue;
        int s = hit_strength(view, hit);
        if (!best || s > *strength ||
            (s == *strength && origin_order(&hit->first, &best->first) < 0)) {
            best = hit;
            *strength = s;
        }
    }
    return best;
}

/* What else of the failure was seen: further signals, and how well its best cause fits. */
static int support(const struct view *view, const struct candidate_failure *candidate) {
    const struct failure *failure = &view->kb->failures[candidate->failure];
    int others = 0;
    for (int i = 0; i < failure->n_signals; i++) {
        const struct hit *hit = view->first_of[failure->signals[i]];
        if (hit && hit->signal != candidate->hit->signal) others++;
    }
    return others > 2 ? 4 : others * 2;
}

static void candidate_settle(const struct view *view, struct candidate_failure *candidate) {
    const struct failure *failure = &view->kb->failures[candidate->failure];
    int scores[STAGE_COUNT];
    candidate->trace = hit_trace(view, candidate->hit);
    candidate->terminal = candidate->hit->flags & HIT_EXCEPTION && trace_terminal(candidate->trace);
    stage_scores(view, candidate->hit, candidate->trace, scores);
    candidate->stage = stage_choose(scores, failure->symptom);
    candidate->scope = (struct scope){.view = view,
                                      .failure = failure,
                                      .hit = candidate->hit,
                                      .trace = candidate->trace,
                                      .stage = candidate->stage};
    candidate->explained_by = -1;
}

/* A line that ended nothing: after it the program reached a later stage of its life. */
static bool went_on(const struct view *view, const struct candidate_failure *candidate) {
    const struct origin *line = &candidate->hit->last;
    for (int i = 0; i < view->n_hits; i++) {
        const struct hit *hit = view->hits[i];
        const struct signal *signal = &view->kb->signals[hit->signal];
        if (hit->first.source != line->source || hit->first.line <= line->line) continue;
        if (signal->role == ROLE_INITIATING || signal->in != IN_LINE || hit->flags & HIT_WORDS) continue;
        for (int s = candidate->stage + 1; s < STAGE_COUNT; s++)
            if (signal->stage[s] >= 3 && (s != STAGE_INFER || candidate->stage != STAGE_TRAIN)) return true;
    }
    return false;
}

static void collect(const struct view *view, struct candidates *list, bool weak, bool words) {
    for (int f = 0; f < view->kb->n_failures; f++) {
        const struct failure *failure = &view->kb->failures[f];
        struct candidate_failure candidate = {.failure = f, .fallback = -1};
        candidate.hit = anchor_find(view, failure, weak, words, &candidate.score);
        if (!candidate.hit) continue;
        candidate_settle(view, &candidate);
        if (candidate.stage == STAGE_NONE) continue;
        if (failure->context && cond_eval(failure->context, &candidate.scope) == TRUTH_FALSE)
            continue;
        candidate.score += support(view, &candidate);
        if (!candidate.trace && !words && went_on(view, &candidate)) candidate.score += SURVIVED_DECIBANS;
        candidate_weigh(view, &candidate);
        list->v[list->n++] = candidate;
    }
}

/* ---- the fallback: by exception, words and stage -----------------------------------------------
 */

static struct str last_part(struct str type) {
    for (size_t i = type.n; i-- > 0;)
        if (type.p[i] == '.') return str_sub(type, i + 1, type.n);
    return type;
}

static bool row_fits(const struct fallback *row, struct str type, struct str message,
                     const struct trace *trace) {
    bool typed = row->n_exceptions == 0, worded = row->n_contains == 0;
    for (int i = 0; i < row->n_exceptions && !typed; i++)
        typed = str_eq(row->exceptions[i], last_part(type)) || str_eq(row->exceptions[i], type);
    for (int i = 0; i < row->n_contains && !worded; i++) {
        worded = str_find_nocase(message, row->contains[i], 0) >= 0;
        for (int f = 0; trace && f < trace->n_frames && !worded; f++)
            worded = str_find_nocase(trace->frames[f].path, row->contains[i], 0) >= 0 ||
                     str_find_nocase(trace->frames[f].function, row->contains[i], 0) >= 0;
    }
    return typed && worded;
}

static int fallback_row(const struct kb *kb, struct str type, struct str message,
                        const struct trace *trace, const int scores[STAGE_COUNT]) {
    for (int i = 0; i < kb->n_fallbacks; i++) {
        const struct fallback *row = &kb->fallbacks[i];
        if (!type.n && !row->n_contains) continue;
        if (row_fits(row, type, message, trace) && stage_choose(scores, row->symptom) != STAGE_NONE)
            return i;
    }
    return -1;
}

static bool trace_is_taken(const struct view *view, const struct candidates *list,
                           const struct trace *trace) {
    for (int i = 0; i < list->n; i++)
        if (list->v[i].trace == trace && list->v[i].hit && list->v[i].hit->flags & HIT_EXCEPTION)
            return true;
    for (int i = 0; i < view->n_hits; i++) { /* its exception line is known to be an echo */
        const struct hit *hit = view->hits[i];
        if (hit_trace(view, hit) != trace || !(hit->flags & HIT_EXCEPTION)) continue;
        enum role role = view->kb->signals[hit->signal].role;
        if (role == ROLE_CASCADE || role == ROLE_WRAPPER || role == ROLE_TEARDOWN ||
            role == ROLE_ADVICE)
            return true;
    }
    return false;
}

static void fallback_add(const struct view *view, struct candidates *list,
                         const struct trace *trace, const struct standout *standout) {
    int scores[STAGE_COUNT];
    stage_scores(view, NULL, trace, scores);
    struct str type = trace ? trace->type : (struct str){0};
    struct str message = trace ? trace->message : standout->text;
    int row = fallback_row(view->kb, type, message, trace, scores);
    if (row < 0) return;
    struct candidate_failure candidate = {.failure = -1,
                                          .fallback = row,
                                          .trace = trace,
                                          .standout = standout,
                                          .terminal = trace_terminal(trace),
                                          .explained_by = -1};
    candidate.stage = stage_choose(scores, view->kb->fallbacks[row].symptom);
    candidate.score = FALLBACK_DECIBANS + (trace ? trace_strength(view, trace, true) : 0);
    const struct origin *origin = candidate_origin(&candidate);
    candidate.score += survival_strength(view, origin, origin);
    candidate.scope = (struct scope){.view = view, .trace = trace, .stage = candidate.stage};
    list->v[list->n++] = candidate;
}

/* The earliest traceback that no entry explains; without any candidate also the line that stands
 * out most. */
static void collect_fallback(const struct view *view, struct candidates *list) {
    const struct trace *first = NULL;
    for (size_t i = 0; i < view->evidence->traces.n; i++) {
        const struct trace *trace = &view->evidence->traces.v[i];
        if (!trace_terminal(trace) || !view_holds(view, &trace->end) ||
            view->foreign[trace->end.source] || trace_is_taken(view, list, trace))
            continue;
        if (!first || origin_order(&trace->end, &first->end) < 0) first = trace;
    }
    if (first) fallback_add(view, list, first, NULL);
    if (list->n || view->progress) return;
    const struct standout *best = NULL;
    for (size_t i = 0; i < view->evidence->standouts.n; i++) {
        const struct standout *standout = &view->evidence->standouts.v[i];
        if (!view_holds(view, &standout->origin) || view->foreign[standout->origin.source]) continue;
        if (!best || standout->score > best->score)
            best = standout;
    }
    if (best) fallback_add(view, list, NULL, best);
}

/* ---- what follows from what
 * ------------------------------------------------------------------------ */

static bool names_as_reason(const struct kb *kb, int failure, int reason) {
    const struct failure *row = &kb->failures[failure];
    for (int i = 0; i < row->n_consequence_of; i++)
        if (row->consequence_of[i] == reason) return true;
    return false;
}

static void explain_consequences(const struct view *view, struct candidates *list) {
    for (int i = 0; i < list->n; i++) {
        for (int j = 0; j < list->n && list->v[i].explained_by < 0; j++) {
            struct candidate_failure *effect = &list->v[i], *reason = &list->v[j];
            if (i == j || effect->failure < 0 || reason->failure < 0 ||
                reason->score < WEAK_DECIBANS)
                continue;
            if (!names_as_reason(view->kb, effect->failure, reason->failure)) continue;
            bool mutual = names_as_reason(view->kb, reason->failure, effect->failure);
            if (mutual && origin_order(candidate_origin(effect), candidate_origin(reason)) < 0)
                continue;
            effect->explained_by = j;
        }
    }
}

/* A line of an early stage did not end a program that died of an exception in a later one. */
static void discount_outlived(struct candidates *list) {
    for (int i = 0; i < list->n; i++) {
        struct candidate_failure *line = &list->v[i];
        bool outlived = false;
        for (int j = 0; j < list->n && !line->trace && line->hit; j++) {
            const struct candidate_failure *other = &list->v[j];
            const struct origin *a = candidate_origin(line), *b = candidate_origin(other);
            outlived |= other->terminal && other->stage > line->stage && a->source == b->source && a->line < b->line;
        }
        if (outlived) line->score += SURVIVED_DECIBANS;
    }
}

/* Among comparable candidates the one that came first is likelier to be the reason of the rest. */
static void reward_first(struct candidates *list) {
    struct candidate_failure *first = NULL;
    for (int i = 0; i < list->n; i++) {
        struct candidate_failure *at = &list->v[i];
        if (at->explained_by >= 0 || (!at->terminal && at->score < level_decibans[LEVEL_FAMILY]))
            continue;
        if (!first || origin_order(candidate_origin(at), candidate_origin(first)) < 0) first = at;
    }
    if (first) first->score += FIRST_DECIBANS;
}

static int compare_candidates(const void *a, const void *b) {
    const struct candidate_failure *x = a, *y = b;
    if ((x->explained_by >= 0) != (y->explained_by >= 0)) return x->explained_by >= 0 ? 1 : -1;
    if (x->score != y->score) return x->score > y->score ? -1 : 1;
    int order = origin_order(candidate_origin(x), candidate_origin(y));
    return order ? order : (x->failure > y->failure) - (x->failure < y->failure);
}

static int best_score(const struct candidates *list) {
    int best = 0;
    for (int i = 0; i < list->n; i++)
        if (list->v[i].score > best) best = list->v[i].score;
    return best;
}

struct candidates *candidates_find(const struct view *view) {
    struct candidates *list = ARENA_NEW(view->arena, struct candidates);
    list->v = ARENA_ARRAY(view->arena, struct candidate_failure, 3 * view->kb->n_failures + 4);
    for (size_t i = 0; i < view->evidence->sources.n; i++)
        view->foreign[i] = source_is_foreign(view, (int)i);
    collect(view, list, false, false);
    collect_fallback(view, list);
    if (best_score(list) < WORDS_YIELD) {
        collect(view, list, false, true);
    }
    if (list->n == 0) collect(view, list, true, false);
    explain_consequences(view, list);
    discount_outlived(list);
    reward_first(list);
    for (int i = 0; i < list->n; i++) /* indexes move: what matters afterwards is only whether */
        if (list->v[i].explained_by >= 0) list->v[i].explained_by = 0;
    qsort(list->v, (size_t)list->n, sizeof *list->v, compare_candidates);
    return list;
}
