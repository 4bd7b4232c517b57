#include "think/remarks.h"

enum { REMARKS_MOST = 4 };
static const int64_t back_ns = 60 * SECOND_NS;

static void remark(struct diagnosis *diagnosis, struct str text) {
    if (diagnosis->n_remarks < REMARKS_MOST) diagnosis->remarks[diagnosis->n_remarks++] = text;
}

static struct str span_text(struct arena *arena, int64_t ns) {
    long long seconds = (long long)(ns / SECOND_NS);
    if (seconds < 5400) return arena_printf(arena, "%lld minutes", (seconds + 30) / 60);
    if (seconds < 172800) return arena_printf(arena, "%lld hours", (seconds + 1800) / 3600);
    return arena_printf(arena, "%lld days", seconds / 86400);
}

static bool same_writer(const struct origin *a, const struct origin *b) {
    return a->source == b->source && a->attempt == b->attempt && a->rank == b->rank;
}

/* The next reading of the same writer: ranks take turns in one log. */
static const struct track *next_of(const struct evidence *evidence, size_t i) {
    const struct track *track = &evidence->tracks.v[i];
    for (size_t k = i + 1; k < evidence->tracks.n; k++) {
        const struct track *next = &evidence->tracks.v[k];
        if (next->origin.source != track->origin.source) return NULL;
        if (same_writer(&next->origin, &track->origin)) return next;
    }
    return NULL;
}

/* Steps rise and the clock falls: it was set, or parts of logs were joined. */
static void time_runs_back(const struct view *view, struct diagnosis *diagnosis) {
    const struct evidence *evidence = view->evidence;
    int told = -1;
    for (size_t i = 0; i < evidence->tracks.n; i++) {
        const struct track *track = &evidence->tracks.v[i];
        const struct origin *at = &track->origin;
        if (at->source == told || at->time == TIME_UNKNOWN || track->step < 0 ||
            !view_holds(view, at))
            continue;
        const struct track *next = next_of(evidence, i);
        if (!next || next->origin.time == TIME_UNKNOWN || next->step <= track->step) continue;
        if (at->time - next->origin.time < back_ns) continue;
        told = at->source;
        struct str span = span_text(view->arena, at->time - next->origin.time);
        struct str path = evidence->sources.v[told].path;
        remark(diagnosis,
               arena_printf(view->arena,
                            "time runs backwards by " STR_FMT " before " STR_FMT
                            ":%u, while steps go on: a clock was set, or parts were joined",
                            STR_ARG(span), STR_ARG(path), next->origin.line));
    }
}

static void ranks_beyond(const struct view *view, struct diagnosis *diagnosis) {
    const struct evidence *evidence = view->evidence;
    int beyond = -1, n = 0;
    for (size_t i = 0; i < evidence->voices.n && view->world_size > 0; i++) {
        const struct voice *voice = &evidence->voices.v[i];
        if (voice->rank < view->world_size || view->chosen[voice->source] < 0) continue;
        if (evidence->sources.v[voice->source].attempts > 1) continue; /* a world each, maybe */
        if (voice->rank > beyond) beyond = voice->rank;
        n++;
    }
    if (n)
        remark(diagnosis,
               arena_printf(view->arena,
                            "rank %d wrote, but the world is told to have %d ranks: several jobs "
                            "lie here, or the count is of another one",
                            beyond, view->world_size));
}

static void jobs_left_out(const struct view *view, struct diagnosis *diagnosis) {
    if (!view->evidence->older_jobs) return;
    remark(diagnosis, arena_printf(view->arena,
                                   "%d older jobs lie beside these and were not read: name their "
                                   "files alone to ask about them",
                                   view->evidence->older_jobs));
}

void remarks_fill(const struct view *view, struct diagnosis *diagnosis) {
    diagnosis->remarks = ARENA_ARRAY(view->arena, struct str, REMARKS_MOST);
    time_runs_back(view, diagnosis);
    ranks_beyond(view, diagnosis);
    jobs_left_out(view, diagnosis);
}
