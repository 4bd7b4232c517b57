#include "think/lead.h"

#include "think/finding.h"

#include <stdlib.h>

static int compare_leads(const void *a, const void *b) {
    const struct lead *x = a, *y = b;
    if (x->share != y->share) return x->share > y->share ? -1 : 1;
    if (x->candidate->failure != y->candidate->failure)
        return (x->candidate->failure < y->candidate->failure) -
               (x->candidate->failure > y->candidate->failure);
    return (x->cause > y->cause) - (x->cause < y->cause);
}

struct leads leads_of(const struct view *view, const struct candidates *candidates) {
    struct leads leads = {0};
    int most = 0;
    for (int i = 0; i < candidates->n; i++) most += candidates->v[i].n_causes + 1;
    leads.v = ARENA_ARRAY(view->arena, struct lead, most + 1);
    double *shares = ARENA_ARRAY(view->arena, double, candidates->n + 1);
    candidate_shares(candidates, shares);
    for (int i = 0; i < candidates->n; i++) {
        const struct candidate_failure *candidate = &candidates->v[i];
        if (candidate->explained_by >= 0 || candidate->fault > 1) continue;
        if (candidate->failure < 0)
            leads.v[leads.n++] = (struct lead){candidate, -1, candidate->score, shares[i]};
        for (int c = 0; candidate->failure >= 0 && c < candidate->n_causes; c++)
            leads.v[leads.n++] = (struct lead){candidate, candidate->causes[c].cause,
                                               candidate->score + candidate->causes[c].score,
                                               shares[i] * candidate->causes[c].share};
    }
    if (leads.n > 1) qsort(leads.v + 1, (size_t)leads.n - 1, sizeof *leads.v, compare_leads);
    return leads;
}
