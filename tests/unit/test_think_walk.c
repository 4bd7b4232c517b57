/* Questions, answers, and what is filled into the fixes. */
#include "heart.h"

/* What is seen answers a general question, which weighs causes by their codes, half as much as
 * somebody's answer; unless he gave one, or the entry looks at the same itself. */
static void what_is_seen_answers_a_general_question(void **state) {
    struct fixture *f = *state;
    struct weigh weighs[] = {{.root = 1, .decibans = 16}, {.root = -1, .decibans = 0}};
    struct cond is_seen = {.op = COND_SEEN, .signal = SIG_CASCADE, .size = 1};
    struct choice choices[] = {
        {.id = STR("yes"), .when = &is_seen, .weighs = weighs, .n_weighs = 2}, {.id = STR("no")}};
    struct question general[] = {
        {.id = STR("general"), .cost = 1, .choices = choices, .n_choices = 2}};
    struct kb asking = kb;
    struct think_options options = {0};
    asking.questions = general;
    add_hit(&f->evidence, SIG_PROGRESS, 5, 0);
    add_hit(&f->evidence, SIG_OOM, 10, 0);
    struct diagnosis *d = diagnose(&asking, &f->evidence, &options, &f->arena);
    assert_str(roots[d->findings[0].root].id, "R4.5");
    add_hit(&f->evidence, SIG_CASCADE, 9, 0);
    d = diagnose(&asking, &f->evidence, &options, &f->arena);
    assert_str(roots[d->findings[0].root].id, "R4.1");
    is_seen.signal = SIG_CLUE;
    add_hit(&f->evidence, SIG_CLUE, 9, 0); /* the entry's own 12 decibans stand alone */
    d = diagnose(&asking, &f->evidence, &options, &f->arena);
    for (int i = 0; i < d->findings[0].n_reasons; i++)
        assert_int_not_equal(d->findings[0].reasons[i].weight, 8);
}

static void answers_are_evidence_and_undo_is_free(void **state) {
    struct fixture *f = *state;
    add_hit(&f->evidence, SIG_OOM, 10, 0);
    assert_str(think(&f->evidence, &f->arena)->next.id, "see-stage"); /* two stages are open */
    add_fact(&f->evidence, "answer.see-stage", "train");
    struct diagnosis *before = think(&f->evidence, &f->arena);
    assert_int_equal(before->next.question, 0);
    assert_int_equal(before->next.n_choices, 2);
    add_fact(&f->evidence, "answer.when", "later");
    struct diagnosis *d = think(&f->evidence, &f->arena);
    assert_int_equal(d->findings[0].cause, 1);
    assert_int_equal(d->next.question, -1);
    f->evidence.facts.n--;
    struct diagnosis *again = think(&f->evidence, &f->arena);
    assert_int_equal(again->findings[0].score, before->findings[0].score);
}

/* Nothing tells the stage of a line that occurs in two: the walk asks, and the answer moves the
 * codes. */
static void an_open_stage_is_asked_first(void **state) {
    struct fixture *f = *state;
    add_hit(&f->evidence, SIG_OOM, 10, 0);
    struct diagnosis *d = think(&f->evidence, &f->arena);
    struct walk_step *step = walk_next(&kb, &f->evidence, d, false, &f->arena);
    assert_str(step->id, "see-stage");
    assert_int_equal(step->n_choices, 2);
    assert_str(step->choices[0].id, "prepare");
    assert_str(symptoms[d->findings[0].symptom].id, "3.4");
    assert_true(step->choices[1].effects[0].after != step->choices[1].effects[0].before);
    add_fact(&f->evidence, "answer.see-stage", "train");
    d = think(&f->evidence, &f->arena);
    assert_str(symptoms[d->findings[0].symptom].id, "4.2");
    assert_str(roots[d->findings[0].root].id, "R4.5");
    assert_int_equal(walk_next(&kb, &f->evidence, d, false, &f->arena)->question, 0);
}

static void the_walk_tells_what_an_answer_would_change(void **state) {
    struct fixture *f = *state;
    add_hit(&f->evidence, SIG_PROGRESS, 5, 0);
    add_hit(&f->evidence, SIG_OOM, 10, 0);
    struct diagnosis *d = think(&f->evidence, &f->arena);
    struct walk_step *step = walk_next(&kb, &f->evidence, d, false, &f->arena);
    assert_int_equal(step->question, 0);
    assert_true(step->gain > 0);
    add_fact(&f->evidence, "answer.when", "later");
    struct diagnosis *after = think(&f->evidence, &f->arena);
    for (int e = 0; e < step->choices[1].n_effects; e++) {
        const struct walk_effect *effect = &step->choices[1].effects[e];
        for (int i = 0; i < after->n_findings; i++)
            if (after->findings[i].cause == effect->of->cause &&
                after->findings[i].stage == effect->of->stage)
                assert_true(effect->after == after->findings[i].confidence);
    }
}

static void placeholders_are_filled_or_named(void **state) {
    struct fixture *f = *state;
    add_hit(&f->evidence, SIG_OOM, 10, 0);
    add_fact(&f->evidence, "ds.batch", "8");
    struct diagnosis *d = think(&f->evidence, &f->arena);
    assert_str(d->findings[0].fixes[0].title, "halve 4 of <nothing>");
}

/* Values of commands come from logs: what a user pastes must not be what a log wants to be run. */
static void commands_are_safe_to_paste(void **state) {
    static const struct {
        const char *path, *module, *ls, *pip, *python;
    } rows[] = {
        {"/data/a.bin", "sklearn.metrics", "ls /data/a.bin PATH", "pip install scikit-learn",
         "python -c \"import sklearn.metrics\""},
        {"/my drive/it's; rm -rf x", "apex", "ls '/my drive/it'\\''s; rm -rf x' PATH",
         "pip install PACKAGE", "python -c \"import apex\""},
        {"-rf", "os\"; rm -rf x; \"", "ls PATH PATH", "pip install 'os\"; rm -rf x; \"'",
         "python -c \"import MODULE\""},
    };
    struct fixture *f = *state;
    add_hit(&f->evidence, SIG_OOM, 10, 0);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        add_fact(&f->evidence, "job.path", rows[i].path);
        add_fact(&f->evidence, "job.module", rows[i].module);
        const struct fix *fix = &think(&f->evidence, &f->arena)->findings[0].fixes[0];
        assert_str(fix->commands[0], rows[i].ls);
        assert_str(fix->commands[1], rows[i].pip);
        assert_str(fix->commands[2], rows[i].python);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {HEART_TEST(what_is_seen_answers_a_general_question),
                                       HEART_TEST(answers_are_evidence_and_undo_is_free),
                                       HEART_TEST(an_open_stage_is_asked_first),
                                       HEART_TEST(the_walk_tells_what_an_answer_would_change),
                                       HEART_TEST(placeholders_are_filled_or_named),
                                       HEART_TEST(commands_are_safe_to_paste)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
