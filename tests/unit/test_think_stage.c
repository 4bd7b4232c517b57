/* In which stage a job was, whether it went on, and which attempt counts. */
#include "heart.h"

#include <math.h>

/* Nothing tells whether the job had begun to train: both readings of the line stand in the
 * diagnosis. */
static void an_open_stage_leaves_both_symptoms(void **state) {
    struct fixture *f = *state;
    add_hit(&f->evidence, SIG_OOM, 10, 0);
    struct diagnosis *d = think(&f->evidence, &f->arena);
    bool prepare = false, train = false;
    for (int i = 0; i < d->n_findings; i++) {
        prepare |= d->findings[i].stage == STAGE_PREPARE &&
                   str_eq(symptoms[d->findings[i].symptom].id, STR("3.4"));
        train |= d->findings[i].stage == STAGE_TRAIN &&
                 str_eq(symptoms[d->findings[i].symptom].id, STR("4.2"));
    }
    assert_true(prepare && train);
}

static void the_stage_decides_the_symptom(void **state) {
    struct fixture *f = *state;
    add_hit(&f->evidence, SIG_PROGRESS, 5, 0);
    add_hit(&f->evidence, SIG_OOM, 10, 0);
    struct diagnosis *d = think(&f->evidence, &f->arena);
    assert_str(symptoms[d->findings[0].symptom].id, "4.2");
    assert_int_equal(d->stage, STAGE_TRAIN);
}

/* Two lines that signals of one failure know speak for preparation once, so the step decides. */
static void signals_of_one_failure_tell_the_stage_once(void **state) {
    struct fixture *f = *state;
    struct signal own[N_SIGNALS];
    struct kb doubled = kb;
    struct think_options options = {0};
    memcpy(own, signals, sizeof own);
    own[SIG_CLUE].failure = F_OOM;
    own[SIG_CLUE].stage[STAGE_PREPARE] = own[SIG_OOM].stage[STAGE_PREPARE] = 5;
    doubled.signals = own;
    add_hit(&f->evidence, SIG_PROGRESS, 5, 0);
    add_hit(&f->evidence, SIG_CLUE, 9, 0);
    add_hit(&f->evidence, SIG_OOM, 10, 0);
    struct diagnosis *d = diagnose(&doubled, &f->evidence, &options, &f->arena);
    assert_int_equal(d->stage, STAGE_TRAIN);
    own[SIG_CLUE].failure = -1; /* another's: a piece of its own */
    d = diagnose(&doubled, &f->evidence, &options, &f->arena);
    assert_int_equal(d->stage, STAGE_PREPARE);
}

/* Its command and its script say the same of what a job is for. */
static void purposes_tell_the_stage_once(void **state) {
    struct fixture *f = *state;
    struct signal own[N_SIGNALS];
    struct kb telling = kb;
    struct think_options options = {0};
    memcpy(own, signals, sizeof own);
    own[SIG_CLUE].stage[STAGE_TRAIN] = own[SIG_CASCADE].stage[STAGE_TRAIN] = 6;
    own[SIG_CASCADE].role = ROLE_CONTEXT;
    own[SIG_OOM].stage[STAGE_PREPARE] = 8;
    telling.signals = own;
    add_hit(&f->evidence, SIG_CLUE, 8, 0);
    add_hit(&f->evidence, SIG_CASCADE, 9, 0);
    add_hit(&f->evidence, SIG_OOM, 10, 0);
    struct diagnosis *d = diagnose(&telling, &f->evidence, &options, &f->arena);
    assert_int_equal(d->stage, STAGE_TRAIN);
    own[SIG_CLUE].purpose = own[SIG_CASCADE].purpose = true;
    d = diagnose(&telling, &f->evidence, &options, &f->arena);
    assert_int_equal(d->stage, STAGE_PREPARE);
}

static void steps_that_went_on_make_it_survived(void **state) {
    struct fixture *f = *state;
    add_hit(&f->evidence, SIG_OOM, 10, 0);
    add_hit(&f->evidence, SIG_PROGRESS, 50, 0);
    add_hit(&f->evidence, SIG_DONE, 60, 0);
    struct diagnosis *d = think(&f->evidence, &f->arena);
    assert_int_equal(d->verdict, VERDICT_HEALTHY);
    assert_int_equal(d->ended, ENDED_FINISHED);
    assert_int_equal(d->n_findings, 0);
}

/* What a server or a job outlived by hundreds of lines is no end, however plainly it is told. */
static void long_progress_outweighs_a_plain_line(void **state) {
    struct fixture *f = *state;
    add_hit(&f->evidence, SIG_WATCHDOG, 10, 0);
    add_hit(&f->evidence, SIG_PROGRESS, 50, 0);
    assert_int_equal(think(&f->evidence, &f->arena)->verdict, VERDICT_FAILED);
    f->evidence.sources.v[0].progress_line = 5000;
    assert_int_equal(think(&f->evidence, &f->arena)->verdict, VERDICT_HEALTHY);
}

/* A bar without a name is no signal's, and yet the job went on. */
static void steps_that_no_signal_knows_count(void **state) {
    struct fixture *f = *state;
    add_hit(&f->evidence, SIG_OOM, 3, 0);
    assert_int_equal(think(&f->evidence, &f->arena)->verdict, VERDICT_FAILED);
    for (int i = 1; i <= 5; i++) {
        struct track track = {
            .origin = {.line = (uint32_t)(10 * i), .rank = -1, .attempt = 1, .time = TIME_UNKNOWN},
            .step = i};
        vec_push(&f->evidence.arena, &f->evidence.tracks, track);
    }
    assert_int_equal(think(&f->evidence, &f->arena)->verdict, VERDICT_HEALTHY);
}

/* A loss that is no number on one line, and on later ones is: nothing was spoiled, unless it ends
 * so. */
static void a_loss_that_comes_back(void **state) {
    struct fixture *f = *state;
    add_hit(&f->evidence, SIG_WATCHDOG, 10, 0);
    const double losses[] = {INFINITY, 2.1, 2, INFINITY, 1.9};
    for (int i = 0; i < 5; i++) {
        struct track track = {
            .origin = {.line = (uint32_t)(10 + i), .rank = -1, .attempt = 1, .time = TIME_UNKNOWN},
            .step = 5 + i,
            .loss = losses[i]};
        vec_push(&f->evidence.arena, &f->evidence.tracks, track);
        int left = think(&f->evidence, &f->arena)->n_findings;
        assert_true(i < 4 ? left > 0 : left == 0);
    }
}

/* A bar that is drawn once more when its program ends tells of no work behind the error. */
static void a_closing_bar_is_no_progress(void **state) {
    struct fixture *f = *state;
    struct track track = {.origin = {.line = 12, .rank = -1, .attempt = 1, .time = TIME_UNKNOWN},
                          .step = 14};
    add_hit(&f->evidence, SIG_OOM, 10, 0);
    add_hit(&f->evidence, SIG_PROGRESS, 12, 0);
    f->evidence.sources.v[0].progress_line = 12;
    assert_int_equal(think(&f->evidence, &f->arena)->verdict, VERDICT_HEALTHY);
    vec_push(&f->evidence.arena, &f->evidence.tracks, track);
    assert_int_equal(think(&f->evidence, &f->arena)->verdict, VERDICT_FAILED);
    track.origin.line = 14;
    track.step = 15;
    vec_push(&f->evidence.arena, &f->evidence.tracks, track);
    assert_int_equal(think(&f->evidence, &f->arena)->verdict, VERDICT_HEALTHY);
}

static void the_last_attempt_counts(void **state) {
    struct fixture *f = *state;
    f->evidence.sources.v[0].attempts = 2;
    add_hit(&f->evidence, SIG_OOM, 10, 0);
    assert_int_equal(think(&f->evidence, &f->arena)->verdict, VERDICT_UNKNOWN);
    struct think_options first = {.attempt = 1};
    assert_int_equal(diagnose(&kb, &f->evidence, &first, &f->arena)->verdict, VERDICT_FAILED);
}

int main(void) {
    const struct CMUnitTest tests[] = {HEART_TEST(the_stage_decides_the_symptom),
                                       HEART_TEST(signals_of_one_failure_tell_the_stage_once),
                                       HEART_TEST(purposes_tell_the_stage_once),
                                       HEART_TEST(an_open_stage_leaves_both_symptoms),
                                       HEART_TEST(steps_that_went_on_make_it_survived),
                                       HEART_TEST(steps_that_no_signal_knows_count),
                                       HEART_TEST(a_closing_bar_is_no_progress),
                                       HEART_TEST(long_progress_outweighs_a_plain_line),
                                       HEART_TEST(a_loss_that_comes_back),
                                       HEART_TEST(the_last_attempt_counts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
