/* What follows from what, and what came first. */
#include "think/candidate.h"
#include "think/strength.h"

#include <stdlib.h>

enum { FIRST_DECIBANS = 4 };

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
                reason->score <= 0)
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
            outlived |= other->terminal && other->stage > line->stage && a->source == b->source &&
                        a->line < b->line;
        }
        if (outlived) line->score += SURVIVED_DECIBANS;
    }
}

/* Among comparable candidates the one that came first is likelier to be the reason of the rest. */
static void reward_first(struct candidates *list) {
    struct candidate_failure *first = NULL;
    for (int i = 0; i < list->n; i++) {
        struct candidate_failure *at = &list->v[i];
        if (at->explained_by >= 0 || (!at->terminal && at->score < FAMILY_DECIBANS)) continue;
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

void candidates_order(const struct view *view, struct candidates *list) {
    explain_consequences(view, list);
    discount_outlived(list);
    reward_first(list);
    for (int i = 0; i < list->n; i++) /* indexes move: what matters afterwards is only whether */
        if (list->v[i].explained_by >= 0) list->v[i].explained_by = 0;
    if (list->n) qsort(list->v, (size_t)list->n, sizeof *list->v, compare_candidates);
}
