/* The heart: knowledge and evidence in, diagnosis out.
 *
 *   view        the hits of the attempt that counts
 *   candidates  failures with a line that starts them, scored, consequences set aside
 *   findings    their causes weighed by clues, with reasons and filled fixes
 *   verdict     whether that makes a failed job, and what is said of it as a whole
 */
#include "think/course.h"
#include "think/finding.h"
#include "think/verdict.h"
#include "think/walk.h"
#include "think/whynot.h"

struct diagnosis *diagnose(const struct kb *kb, const struct evidence *evidence,
                           const struct think_options *options, struct arena *arena) {
    struct diagnosis *diagnosis = ARENA_NEW(arena, struct diagnosis);
    *diagnosis = (struct diagnosis){
        .stage = STAGE_NONE, .attempt = options->attempt, .next = {.question = -1}};
    const struct view *view = view_new(kb, evidence, options, arena);
    const struct candidates *candidates = candidates_find(view);
    diagnosis->verdict = verdict_decide(view, candidates);
    if (diagnosis->verdict == VERDICT_FAILED) findings_build(view, candidates, diagnosis);
    verdict_fill(view, candidates, diagnosis);
    if (!options->supposed_key.n) diagnosis->course = course_take(view);
    diagnosis->why_not_code = options->why_not;
    if (options->why_not.n) why_not_build(view, candidates, options->why_not, diagnosis);
    if (!diagnosis->n_findings || options->supposed_key.n) return diagnosis;
    double gain;
    int question = walk_choose(view, candidates, &gain);
    if (question >= 0)
        diagnosis->next = (struct next_step){question, kb->questions[question].ask,
                                             kb->questions[question].probe};
    return diagnosis;
}
