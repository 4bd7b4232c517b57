/* May it run again, and what is lost: on evidence made by hand. */
#include "think/restart.h"

#include "report/phrase.h"
#include "tests/unit/test.h"

enum { BROKEN, STEP, LOST, N_SIGNALS };
static struct str groups[] = {{"node", 4}};
static struct signal signals[N_SIGNALS] = {
    [BROKEN] = {.id = {"a-broken", 8}, .role = ROLE_INITIATING, .failure = 0},
    [STEP] = {.id = {"b-step", 6}, .role = ROLE_PROGRESS, .failure = -1},
    [LOST] = {.id = {"c-lost", 6}, .role = ROLE_INITIATING, .groups = groups, .n_groups = 1}};
static int told[] = {BROKEN, LOST};
static struct failure failures[] = {
    {.id = {"broken", 6}, .signals = told, .n_signals = COUNT_OF(told)},
    {.id = {"ended", 5}, .harmless = true}};
static const struct kb kb = {
    .signals = signals, .n_signals = N_SIGNALS, .failures = failures, .n_failures = 2};
static struct str drain[] = {{"scontrol update nodename=NODE state=drain", 41}};
static struct fix swap = {.title = {"Take the node out", 17}, .commands = drain, .n_commands = 1};
static struct fix halve = {.title = {"Halve the batch", 15}};

static const int64_t minute = 60000000000;

struct fixture {
    struct evidence evidence;
    struct arena arena;
    struct finding finding;
    struct diagnosis diagnosis;
};

static struct origin at(uint32_t line, int rank, int minutes) {
    return (struct origin){.line = line, .rank = rank, .time = minutes * minute, .attempt = 1};
}

static void begin(struct fixture *f, struct fix *fix) {
    *f = (struct fixture){0};
    struct source source = {.path = STR("job.log"), .kind = KIND_LOG, .rank = -1, .attempts = 1};
    vec_push(&f->evidence.arena, &f->evidence.sources, source);
    f->finding = (struct finding){.confidence = 0.8, .fixes = fix, .n_fixes = 1};
    f->diagnosis =
        (struct diagnosis){.verdict = VERDICT_FAILED, .findings = &f->finding, .n_findings = 1};
    f->diagnosis.first_fault =
        (struct fault_line){.known = true, .origin = at(1000, 3, 160), .signal = BROKEN};
}

static void add_fact(struct fixture *f, const char *key, const char *value, struct origin origin) {
    struct fact fact = {.key = str_of(key), .value = str_of(value), .origin = origin};
    evidence_add_fact(&f->evidence, &fact);
}

static void add_hit(struct fixture *f, int signal, struct origin origin) {
    struct hit hit = {.signal = signal, .first = origin, .last = origin, .count = 1, .trace = -1};
    vec_push(&f->evidence.arena, &f->evidence.hits, hit);
}

static void add_step(struct fixture *f, int64_t step, uint32_t line) {
    struct track track = {.origin = at(line, 0, 0), .step = step};
    vec_push(&f->evidence.arena, &f->evidence.tracks, track);
}

static const struct restart *fill(struct fixture *f) {
    struct think_options options = {0};
    restart_fill(view_new(&kb, &f->evidence, &options, &f->arena, &f->arena), &f->diagnosis);
    return &f->diagnosis.restart;
}

static void done(struct fixture *f) {
    evidence_release(&f->evidence);
    arena_release(&f->arena);
}

static void steps_in_names(void **state) {
    (void)state;
    static const struct {
        const char *name;
        int step;
    } names[] = {{"global_step1000", 1000},
                 {"/ckpt/iter_0000500", 500},
                 {"out/checkpoint-250", 250},
                 {"ckpts/step_70/model.pt", 70},
                 {"epoch=3-step=1200.ckpt", 1200},
                 {"/ckpt/llama-7b", -1},
                 {"step", -1}};
    for (size_t i = 0; i < COUNT_OF(names); i++)
        assert_int_equal(checkpoint_step(str_of(names[i].name)), names[i].step);
}

static void the_last_complete_one_counts(void **state) {
    (void)state;
    struct fixture f;
    begin(&f, &halve);
    add_fact(&f, "job.world_size", "16", (struct origin){.source = -1});
    for (int r = 0; r < 4; r++) {
        add_fact(&f, "job.checkpoint", "global_step500", at(100 + (uint32_t)r, r, 60));
        if (r != 2)
            add_fact(&f, "job.checkpoint", "global_step1000", at(500 + (uint32_t)r, r, 110));
    }
    add_step(&f, 1180, 900);
    const struct restart *restart = fill(&f);
    assert_int_equal(restart->advice, RESTART_AFTER_CHANGE);
    assert_str(restart->checkpoint, "global_step500");
    assert_int_equal(restart->steps_lost, 680);
    assert_int_equal(restart->seconds_lost, 100 * 60);
    assert_true(restart->cut);
    assert_str(phrase_restart(&f.arena, restart),
               "again after the change; last complete checkpoint: global_step500 (step 500); 680 "
               "steps and 26.7 GPU-hours lost since (16 ranks, 100 min); a later one was begun and "
               "not finished by all");
    done(&f);
}

/* What is saved while the loss is no number holds weights that are none. */
static void saved_after_the_loss_was_lost(void **state) {
    (void)state;
    struct fixture f;
    begin(&f, &halve);
    add_fact(&f, "job.checkpoint", "global_step200", at(300, 0, 40));
    add_fact(&f, "steps.loss.lost", "260", at(400, 0, 60));
    add_fact(&f, "job.checkpoint", "global_step400", at(600, 0, 90));
    add_step(&f, 450, 900);
    const struct restart *restart = fill(&f);
    assert_str(restart->checkpoint, "global_step200");
    assert_int_equal(restart->steps_lost, 250);
    assert_true(restart->spoiled);
    assert_false(restart->cut);
    struct str text = phrase_restart(&f.arena, restart);
    assert_true(str_has(text, STR("; later ones hold weights that are no numbers")));
    done(&f);
    begin(&f, &halve);
    add_fact(&f, "steps.loss.lost", "260", at(400, 0, 60));
    add_fact(&f, "job.checkpoint", "global_step400", at(600, 0, 90));
    add_step(&f, 450, 900);
    assert_str(phrase_restart(&f.arena, fill(&f)),
               "again after the change; no checkpoint was reported as complete in these logs "
               "before the loss was no number any more: 450 steps lost");
    done(&f);
}

/* A writer that tells only that it begins: steps after it prove that it was done. */
static void begun_and_not_finished(void **state) {
    (void)state;
    struct fixture f;
    begin(&f, &halve);
    add_fact(&f, "job.checkpoint_begun", "out/checkpoint-500", at(100, -1, 60));
    add_hit(&f, STEP, at(200, -1, 70));
    add_fact(&f, "job.checkpoint_begun", "out/checkpoint-1000", at(300, -1, 110));
    const struct restart *restart = fill(&f);
    assert_str(restart->checkpoint, "out/checkpoint-500");
    assert_true(restart->cut);
    done(&f);
}

static void no_checkpoint_at_all(void **state) {
    (void)state;
    struct fixture f;
    begin(&f, &halve);
    add_step(&f, 70, 900);
    const struct restart *restart = fill(&f);
    assert_str(restart->checkpoint, "");
    assert_int_equal(restart->steps_lost, 70);
    assert_str(phrase_restart(&f.arena, restart),
               "again after the change; no checkpoint was reported as complete in these logs: 70 "
               "steps lost");
    done(&f);
}

static void nothing_is_lost(void **state) {
    (void)state;
    struct fixture f;
    begin(&f, &halve);
    add_fact(&f, "job.world_size", "8", (struct origin){.source = -1});
    add_fact(&f, "job.checkpoint", "global_step70", at(100, 0, 160));
    add_step(&f, 70, 50);
    assert_str(phrase_restart(&f.arena, fill(&f)),
               "again after the change; last complete checkpoint: global_step70 (step 70); no step "
               "lost since");
    done(&f);
    begin(&f, &halve);
    add_step(&f, 1, 900);
    assert_str(phrase_restart(&f.arena, fill(&f)),
               "again after the change; no checkpoint was reported as complete in these logs: 1 "
               "step lost");
    done(&f);
}

/* Time that runs backwards tells no loss. */
static void a_checkpoint_after_the_end(void **state) {
    (void)state;
    struct fixture f;
    begin(&f, &halve);
    add_fact(&f, "job.checkpoint", "global_step500", at(100, 0, 300));
    add_step(&f, 400, 900);
    const struct restart *restart = fill(&f);
    assert_int_equal(restart->seconds_lost, -1);
    assert_int_equal(restart->steps_lost, -1);
    done(&f);
}

static void a_part_of_one_node(void **state) {
    (void)state;
    struct fixture f;
    begin(&f, &swap);
    f.diagnosis.first_fault.origin.host = STR("node017");
    const struct restart *restart = fill(&f);
    assert_int_equal(restart->advice, RESTART_WITHOUT_NODE);
    assert_str(restart->exclude[0], "node017");
    assert_str(restart->command, "sbatch --exclude=node017");
    done(&f);
}

/* What leaves it out is said for what starts the job. */
static void a_node_is_left_out_as_the_launcher_has_it(void **state) {
    (void)state;
    static const struct {
        const char *key, *value, *command;
    } rows[] = {{"cmd.launcher", "deepspeed", "deepspeed --exclude=node017"},
                {"cmd.launcher", "colossalai", "colossalai run --exclude node017"},
                {"cmd.launcher", "srun", "sbatch --exclude=node017"},
                {"slurm.job_id", "4711", "sbatch --exclude=node017"},
                {"kube.reason", "Error", "kubectl cordon node017"},
                {"cmd.launcher", "torchrun", ""}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct fixture f;
        begin(&f, &swap);
        f.diagnosis.first_fault.origin.host = STR("node017");
        add_fact(&f, rows[i].key, rows[i].value, at(1, -1, 0));
        assert_str(fill(&f)->command, rows[i].command);
        done(&f);
    }
}

/* A scheduler's line stands in the log of one node and names another: that one is left out. */
static void a_node_that_the_line_names(void **state) {
    (void)state;
    struct fixture f;
    begin(&f, &swap);
    struct str named[] = {STR("node031")};
    struct origin line = at(1000, -1, 160);
    line.host = STR("node017");
    f.diagnosis.first_fault.origin = line;
    f.diagnosis.first_fault.signal = LOST;
    add_hit(&f, LOST, line);
    f.evidence.hits.v[0].captures = named;
    f.evidence.hits.v[0].n_captures = 1;
    const struct restart *restart = fill(&f);
    assert_int_equal(restart->advice, RESTART_WITHOUT_NODE);
    assert_int_equal(restart->n_exclude, 1);
    assert_str(restart->exclude[0], "node031");
    done(&f);
}

/* On two nodes it is no part of one. */
static void the_same_on_two_nodes(void **state) {
    (void)state;
    struct fixture f;
    begin(&f, &swap);
    f.diagnosis.first_fault.origin.host = STR("node017");
    struct origin other = at(1001, 9, 160);
    other.host = STR("node018");
    add_hit(&f, BROKEN, other);
    assert_int_equal(fill(&f)->advice, RESTART_AFTER_CHANGE);
    done(&f);
}

static void attempts_that_broke_in_one_place(void **state) {
    (void)state;
    struct fixture f;
    begin(&f, &halve);
    f.evidence.sources.v[0].attempts = 3;
    for (int attempt = 1; attempt <= 3; attempt++) {
        struct origin origin = at((uint32_t)attempt * 100, 3, attempt * 10);
        origin.host = STR("node017");
        origin.attempt = attempt;
        add_hit(&f, BROKEN, origin);
    }
    f.diagnosis.first_fault.origin.host = STR("node017");
    const struct restart *restart = fill(&f);
    assert_int_equal(restart->advice, RESTART_WITHOUT_NODE);
    assert_str(restart->basis, "3 attempts broke there in the same way");
    done(&f);
}

static void ended_from_outside(void **state) {
    (void)state;
    struct fixture f;
    begin(&f, &halve);
    f.finding.failure = 1;
    assert_int_equal(fill(&f)->advice, RESTART_AS_IS);
    done(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_in_names),
        cmocka_unit_test(the_last_complete_one_counts),
        cmocka_unit_test(saved_after_the_loss_was_lost),
        cmocka_unit_test(begun_and_not_finished),
        cmocka_unit_test(no_checkpoint_at_all),
        cmocka_unit_test(nothing_is_lost),
        cmocka_unit_test(a_checkpoint_after_the_end),
        cmocka_unit_test(a_part_of_one_node),
        cmocka_unit_test(a_node_is_left_out_as_the_launcher_has_it),
        cmocka_unit_test(a_node_that_the_line_names),
        cmocka_unit_test(the_same_on_two_nodes),
        cmocka_unit_test(attempts_that_broke_in_one_place),
        cmocka_unit_test(ended_from_outside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
