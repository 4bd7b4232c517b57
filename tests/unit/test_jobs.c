/* Which numbers in paths are jobs' numbers. */
#include "think/jobs.h"

#include "model/job_name.h"

#include "tests/unit/test.h"

static void numbers_of_jobs(void **state) {
    (void)state;
    static const struct {
        const char *path, *number;
        bool scheduled;
    } paths[] = {{"slurm-123.out", "123", true},
                 {"slurm-12.out", "12", false},
                 {"slurm-884412.out", "884412", true},
                 {"slurm-884412/rank_3.log", "884412", true},
                 {"logs/train-884412.err", "884412", false},
                 {"logs/884412/rank_3.log", "884412", false},
                 {"train.o77120", "77120", true},
                 {"pretrain_884412_7.out", "884412", false},
                 {"job_42/out.log", "42", false},
                 {"rank_00012.log", "", false},
                 {"run-20240501.log", "", false},
                 {"train_20240501_120000.log", "", false},
                 {"train-1714564800.log", "", false},
                 {"nccl.node7.23111.log", "", false},
                 {"worker-01000000-23111.out", "", false},
                 {"gpt3-13b/out.log", "", false},
                 {"log.txt", "", false}};
    for (size_t i = 0; i < COUNT_OF(paths); i++) {
        bool scheduled;
        assert_str(job_number(str_of(paths[i].path), &scheduled), paths[i].number);
        assert_int_equal(scheduled, paths[i].scheduled);
    }
}

static void add(struct evidence *evidence, const char *path, enum kind kind, int rank) {
    struct source source = {.path = str_of(path), .kind = kind, .rank = rank, .attempts = 1};
    vec_push(&evidence->arena, &evidence->sources, source);
}

static void ranks_are_no_jobs(void **state) {
    (void)state;
    struct evidence evidence = {0};
    struct arena arena = {0};
    add(&evidence, "rank_00000.log", KIND_LOG, 0);
    add(&evidence, "rank_00001.log", KIND_LOG, 1);
    add(&evidence, "out.00002", KIND_LOG, 2);
    assert_int_equal(jobs_find(&evidence, &arena).n, 0);
    arena_release(&arena);
    evidence_release(&evidence);
}

static void files_without_number_belong_to_all(void **state) {
    (void)state;
    struct evidence evidence = {0};
    struct arena arena = {0};
    add(&evidence, "dmesg.txt", KIND_KERNEL, -1);
    add(&evidence, "ds_config.json", KIND_CONFIG, -1);
    add(&evidence, "slurm-1001.out", KIND_LOG, -1);
    add(&evidence, "slurm-999.out", KIND_LOG, -1);
    struct jobs jobs = jobs_find(&evidence, &arena);
    assert_int_equal(jobs.n, 2);
    assert_str(jobs.ids[0], "999");
    assert_str(jobs.ids[1], "1001");
    assert_int_equal(jobs.of[0] + jobs.of[1], 0);
    assert_int_equal(jobs.of[2], 2);
    assert_int_equal(jobs.of[3], 1);
    arena_release(&arena);
    evidence_release(&evidence);
}

/* Names of outputs with their numbers; how many jobs. */
static void check_jobs(const char *const *paths, int n, int jobs) {
    struct evidence evidence = {0};
    struct arena arena = {0};
    for (int i = 0; i < n; i++) add(&evidence, paths[i], KIND_LOG, -1);
    assert_int_equal(jobs_find(&evidence, &arena).n, jobs);
    arena_release(&arena);
    evidence_release(&evidence);
}

/* A small cluster's numbers are told by the two streams of each job. */
static void short_numbers_with_both_streams(void **state) {
    (void)state;
    static const char *const jobs[] = {"train-107.err", "train-107.output", "train-1081.err",
                                       "train-1081.output"};
    static const char *const one_stream[] = {"train-107.log", "train-108.log", false};
    static const char *const tasks[] = {"out-8.err", "out-8.out", "out-100.err", "out-100.out"};
    static const char *const ranks[] = {"worker-107.err", "worker-107.out", "worker-108.err"};
    check_jobs(jobs, 4, 2);
    check_jobs(one_stream, 2, 0);
    check_jobs(tasks, 4, 0);
    check_jobs(ranks, 3, 0);
}

enum { HOUR = 3600 };

static void add_timed(struct evidence *evidence, const char *path, int64_t first, int64_t last) {
    const int64_t second = 1000000000, day = 1714521600;
    add(evidence, path, KIND_LOG, -1);
    struct source *source = &evidence->sources.v[evidence->sources.n - 1];
    source->first_time = (day + first) * second;
    source->last_time = (day + last) * second;
}

/* Two runs in folders side by side, a day and more apart; the earlier one is named later. */
static void folders_days_apart_are_jobs(void **state) {
    (void)state;
    struct evidence evidence = {0};
    struct arena arena = {0};
    add_timed(&evidence, "runs/wide/rank0.log", 40 * HOUR, 44 * HOUR);
    add_timed(&evidence, "runs/wide/rank1.log", 40 * HOUR, 43 * HOUR);
    add_timed(&evidence, "runs/zero/out/train.log", 0, 9 * HOUR);
    add(&evidence, "runs/zero/ds_config.json", KIND_CONFIG, -1);
    add(&evidence, "runs/hostfile", KIND_CONFIG, -1);
    struct jobs jobs = jobs_find(&evidence, &arena);
    assert_int_equal(jobs.n, 2);
    assert_str(jobs.ids[0], "zero");
    assert_str(jobs.ids[1], "wide");
    static const int of[] = {2, 2, 1, 1, 0};
    for (size_t i = 0; i < COUNT_OF(of); i++) assert_int_equal(jobs.of[i], of[i]);
    arena_release(&arena);
    evidence_release(&evidence);
}

/* Nodes of one job, attempts of one job, a run that goes on in the morning, a log beside them. */
static void other_folders_are_one_job(void **state) {
    (void)state;
    static const struct {
        const char *a, *b;
        int64_t last, again;
    } pairs[] = {{"node1/out.log", "node2/out.log", 9 * HOUR, 1 * HOUR},
                 {"attempt_0/0/stderr.log", "attempt_1/0/stderr.log", 9 * HOUR, 60 * HOUR},
                 {"part1/out.log", "part2/out.log", 9 * HOUR, 20 * HOUR},
                 {"setup.log", "run/out.log", 1 * HOUR, 60 * HOUR}};
    for (size_t i = 0; i < COUNT_OF(pairs); i++) {
        struct evidence evidence = {0};
        struct arena arena = {0};
        add_timed(&evidence, pairs[i].a, 0, pairs[i].last);
        add_timed(&evidence, pairs[i].b, pairs[i].again, pairs[i].again + HOUR);
        assert_int_equal(jobs_find(&evidence, &arena).n, 0);
        arena_release(&arena);
        evidence_release(&evidence);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_jobs),
        cmocka_unit_test(ranks_are_no_jobs),
        cmocka_unit_test(files_without_number_belong_to_all),
        cmocka_unit_test(short_numbers_with_both_streams),
        cmocka_unit_test(folders_days_apart_are_jobs),
        cmocka_unit_test(other_folders_are_one_job),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
