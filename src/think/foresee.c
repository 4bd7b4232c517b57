#include "think/foresee.h"

#include <math.h>
#include <stdlib.h>

static int compare_effects(const void *a, const void *b) {
    const struct walk_effect *x = a, *y = b;
    double dx = fabs(x->after - x->before), dy = fabs(y->after - y->before);
    if (dx != dy) return dx > dy ? -1 : 1;
    if (x->of->failure != y->of->failure) return x->of->failure < y->of->failure ? -1 : 1;
    return (x->of->cause > y->of->cause) - (x->of->cause < y->of->cause);
}

static const struct finding *finding_like(const struct diagnosis *diagnosis,
                                          const struct finding *finding) {
    for (int i = 0; i < diagnosis->n_findings; i++)
        if (diagnosis->findings[i].failure == finding->failure &&
            diagnosis->findings[i].cause == finding->cause &&
            diagnosis->findings[i].symptom == finding->symptom && /* another stage, another code */
            diagnosis->findings[i].root == finding->root)
            return &diagnosis->findings[i];
    return NULL;
}

/* The diagnosis before the answer beside the one after it. */
static void effects_build(struct walk_choice *choice, const struct diagnosis *before,
                          const struct diagnosis *after, struct arena *arena) {
    choice->effects =
        ARENA_ARRAY(arena, struct walk_effect, before->n_findings + after->n_findings + 1);
    for (int i = 0; i < before->n_findings; i++) {
        const struct finding *of = &before->findings[i], *then = finding_like(after, of);
        choice->effects[choice->n_effects++] =
            (struct walk_effect){of, of->confidence, then ? then->confidence : 0};
    }
    for (int i = 0; i < after->n_findings; i++)
        if (!finding_like(before, &after->findings[i]))
            choice->effects[choice->n_effects++] =
                (struct walk_effect){&after->findings[i], 0, after->findings[i].confidence};
    qsort(choice->effects, (size_t)choice->n_effects, sizeof *choice->effects, compare_effects);
}

/* What each choice of the step would change. */
void foresee(const struct view *view, const struct diagnosis *diagnosis, struct walk_step *step) {
    struct arena *arena = view->arena;
    struct think_options options = {.job = diagnosis->job,
                                    .attempt = diagnosis->attempt,
                                    .study = view->study,
                                    .supposed_key =
                                        arena_printf(arena, "answer." STR_FMT, STR_ARG(step->id))};
    for (int c = 0; c < step->n_choices; c++) {
        options.supposed_value = step->choices[c].id;
        effects_build(&step->choices[c], diagnosis,
                      diagnose(view->kb, view->evidence, &options, arena), arena);
    }
}
