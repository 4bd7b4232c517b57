/* The heart: knowledge and evidence in, diagnosis out.
 *
 *   view        the hits of the attempt that counts
 *   candidates  failures with a line that starts them, scored, consequences set aside
 *   findings    their causes weighed by clues, with reasons and filled fixes
 *   verdict     whether that makes a failed job, and what is said of it as a whole
 */
#include "think/course.h"
#include "think/finding.h"
#include "think/jobs.h"
#include "think/remarks.h"
#include "think/verdict.h"
#include "think/walk.h"
#include "think/whynot.h"

static struct diagnosis *diagnose_job(const struct kb *kb, const struct evidence *evidence,
                                      const struct think_options *options, struct arena *arena) {
    struct diagnosis *diagnosis = ARENA_NEW(arena, struct diagnosis);
    *diagnosis = (struct diagnosis){.stage = STAGE_NONE,
                                    .attempt = options->attempt,
                                    .job = options->job,
                                    .next = {.question = -1}};
    struct arena room = {0};
    const struct view *view = view_new(kb, evidence, options, &room, arena);
    const struct candidates *candidates = candidates_find(view);
    diagnosis->verdict = verdict_decide(view, candidates);
    if (diagnosis->verdict == VERDICT_FAILED) findings_build(view, candidates, diagnosis);
    verdict_fill(view, candidates, diagnosis);
    if (!options->supposed_key.n) diagnosis->course = course_take(view);
    if (!options->supposed_key.n) remarks_fill(view, diagnosis);
    diagnosis->why_not_code = options->why_not;
    if (options->why_not.n) why_not_build(view, candidates, options->why_not, diagnosis);
    if (!options->supposed_key.n && !options->study)
        walk_first(view, candidates, diagnosis, &diagnosis->next);
    arena_release(&room);
    return diagnosis;
}

/* The job that failed last; of several that tell no time the one with the highest number. */
static int failed_last(const struct evidence *evidence, const struct jobs *jobs,
                       struct diagnosis *const *all) {
    int found = -1;
    int64_t end = TIME_UNKNOWN;
    for (int i = 0; i < jobs->n; i++) {
        int64_t own = job_end(evidence, jobs, i + 1);
        if (all[i]->verdict != VERDICT_FAILED || (found >= 0 && own < end)) continue;
        found = i;
        end = own;
    }
    return found < 0 ? jobs->n - 1 : found;
}

struct diagnosis *diagnose(const struct kb *kb, const struct evidence *evidence,
                           const struct think_options *options, struct arena *arena) {
    struct jobs jobs = {0};
    if (!options->job && !options->supposed_key.n) jobs = jobs_find(evidence, arena);
    if (!jobs.n) return diagnose_job(kb, evidence, options, arena);
    struct diagnosis **all = ARENA_ARRAY(arena, struct diagnosis *, jobs.n);
    for (int i = 0; i < jobs.n; i++) {
        struct think_options own = *options;
        own.job = i + 1;
        all[i] = diagnose_job(kb, evidence, &own, arena);
        all[i]->job_id = jobs.ids[i];
        all[i]->job_of = jobs.of;
    }
    struct diagnosis *diagnosis = ARENA_NEW(arena, struct diagnosis);
    *diagnosis = *all[failed_last(evidence, &jobs, all)];
    diagnosis->jobs = all;
    diagnosis->n_jobs = jobs.n;
    return diagnosis;
}
