#include "think/stage.h"

/* What is likely before anything is known: half of all issues are met in training (the study's
 * shares, flattened, because a failure's own list of stages already says most of it). */
static const int prior[STAGE_COUNT] = {-1, -1, -1, 0, -2};

static bool same_chain(const struct evidence *evidence, const struct trace *trace,
                       const struct hit *hit) {
    for (int guard = 0; trace && guard < 8; guard++) {
        if (hit->first.source == trace->end.source && hit->first.line >= trace->origin.line &&
            hit->first.line <= trace->end.line &&
            (hit->first.rank == trace->end.rank || hit->first.rank < 0 || trace->end.rank < 0))
            return true;
        trace = trace->cause >= 0 ? &evidence->traces.v[trace->cause] : NULL;
    }
    return false;
}

static bool speaks(const struct view *view, const struct hit *hit, const struct hit *at,
                   const struct trace *trace) {
    const struct signal *signal = &view->kb->signals[hit->signal];
    if (trace && (signal->in == IN_FRAME || hit->flags & HIT_IN_TRACEBACK))
        return same_chain(view->evidence, trace, hit);
    const struct origin *moment = at ? &at->first : trace ? &trace->end : NULL;
    return !moment || hit->first.source != moment->source || hit->first.line <= moment->line;
}

void stage_scores(const struct view *view, const struct hit *at, const struct trace *trace,
                  int scores[STAGE_COUNT]) {
    for (int s = 0; s < STAGE_COUNT; s++) scores[s] = prior[s];
    int counted = -1; /* hits of one signal need not be neighbours, so the signals are marked */
    bool *done = ARENA_ARRAY(view->arena, bool, view->kb->n_signals + 1);
    for (int i = 0; i < view->n_hits; i++) {
        const struct hit *hit = view->hits[i];
        const struct signal *signal = &view->kb->signals[hit->signal];
        if (hit->signal == counted || done[hit->signal]) continue;
        bool any = false;
        for (int s = 0; s < STAGE_COUNT; s++) any |= signal->stage[s] != 0;
        if (!any || !speaks(view, hit, at, trace)) continue;
        counted = hit->signal;
        done[hit->signal] = true;
        for (int s = 0; s < STAGE_COUNT; s++) scores[s] += signal->stage[s];
    }
}

enum stage stage_choose(const int scores[STAGE_COUNT], const int codes[STAGE_COUNT]) {
    enum stage best = STAGE_NONE;
    for (int s = 0; s < STAGE_COUNT; s++)
        if (codes[s] >= 0 && (best == STAGE_NONE || scores[s] > scores[best])) best = (enum stage)s;
    return best;
}
