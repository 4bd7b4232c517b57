#include "think/course.h"

#include <math.h>

#include "think/steps.h"

enum { COURSE_MIN = 5 };

/* Tracks lie in the order of sources and lines, so an attempt is a run of them.  Losses count: a
 * bar alone shows little. */
static int run_length(const struct view *view, int from, int *worth) {
    const struct evidence *evidence = view->evidence;
    const struct origin *first = &evidence->tracks.v[from].origin;
    int end = from;
    *worth = 0;
    for (; end < (int)evidence->tracks.n; end++) {
        const struct track *track = &evidence->tracks.v[end];
        if (track->origin.source != first->source || track->origin.attempt != first->attempt) break;
        *worth += isnan(track->loss) ? 1 : 3;
    }
    return end - from;
}

/* A setting with the word step in its name, printed before the run: above what follows, and without
 * a loss where that has one. */
static bool is_setting(const struct track *track, const struct track *next) {
    return track->step > next->step && isnan(track->loss) && !isnan(next->loss);
}

static void tell(const struct view *view, struct course *course) {
    const struct track *tracks = view->evidence->tracks.v + course->first;
    struct step_event events[STEP_TROUBLES];
    int n = steps_judge(tracks, course->n, events);
    course->told = ARENA_ARRAY(view->arena, struct str, STEP_TROUBLES);
    for (int i = 0; i < n; i++) {
        struct str text = steps_sentence(view->arena, tracks, &events[i]);
        course->told[course->n_told++] = str_sub(text, sizeof "steps: " - 1, text.n);
    }
}

const struct course *course_take(const struct view *view) {
    const struct evidence *evidence = view->evidence;
    struct course best = {0};
    int most = 0, worth, n;
    for (int i = 0; i < (int)evidence->tracks.n; i += n) {
        n = run_length(view, i, &worth);
        if (n < COURSE_MIN || worth <= most || !view_holds(view, &evidence->tracks.v[i].origin))
            continue;
        most = worth;
        best = (struct course){.source = evidence->tracks.v[i].origin.source, .first = i, .n = n};
    }
    if (!most) return NULL;
    while (best.n > COURSE_MIN &&
           is_setting(&evidence->tracks.v[best.first], &evidence->tracks.v[best.first + 1]))
        best.first++, best.n--;
    struct course *course = ARENA_NEW(view->arena, struct course);
    bool seconds;
    *course = best;
    course->pace = ARENA_ARRAY(view->arena, double, best.n);
    steps_pace(evidence->tracks.v + best.first, best.n, course->pace, &seconds);
    course->seconds = steps_median(course->pace, best.n);
    if (!seconds) course->seconds = NAN;
    tell(view, course);
    return course;
}
