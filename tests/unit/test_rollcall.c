/* The roll call on documents and lines made by hand: who did not come, who disagrees, who stopped,
 * and who only waits for somebody else. */
#include "think/rollcall.h"

#include "tests/unit/test.h"

struct fixture {
    struct evidence evidence;
    struct arena arena;
    struct view *view;
};

static void add_source(struct fixture *f, const char *path) {
    struct source source = {.path = str_of(path), .kind = KIND_FLIGHT, .rank = -1, .attempts = 1};
    vec_push(&f->evidence.arena, &f->evidence.sources, source);
}

static void add_dump(struct fixture *f, const char *path, const char *text) {
    add_source(f, path);
    struct document document = {
        .source = (int)f->evidence.sources.n - 1, .format = STR("flight"), .text = str_of(text)};
    vec_push(&f->evidence.arena, &f->evidence.documents, document);
}

/* A rank that has asked group `name` for everything up to `enqueued`, and waits in the next. */
static void add_rank(struct fixture *f, int rank, const char *groups) {
    struct arena *arena = &f->evidence.arena;
    struct str text =
        arena_printf(arena, "flight recorder: rank %d waits\nrank\t%d\nlast\twhat %d did\n%s", rank,
                     rank, rank, groups);
    add_dump(f, arena_printf(arena, "job/dump_%d", rank).p, text.p);
}

static struct signal watchdog = {.id = {"watchdog", 8}, .role = ROLE_CASCADE, .failure = -1};

static void add_line(struct fixture *f, int rank, const char *text) {
    if (!f->evidence.sources.n) add_source(f, "job.log");
    struct origin origin = {
        .line = (uint32_t)f->evidence.hits.n + 1, .rank = rank, .time = TIME_UNKNOWN, .attempt = 1};
    struct hit hit = {
        .first = origin, .last = origin, .text = str_of(text), .count = 1, .trace = -1};
    vec_push(&f->evidence.arena, &f->evidence.hits, hit);
}

static void add_world(struct fixture *f, const char *size) {
    struct fact fact = {
        .key = STR("job.world_size"), .value = str_of(size), .origin = {.source = -1}};
    evidence_add_fact(&f->evidence, &fact);
}

static const struct rollcall *take(struct fixture *f) {
    static const struct kb kb = {.signals = &watchdog, .n_signals = 1};
    struct think_options options = {0};
    f->view = view_new(&kb, &f->evidence, &options, &f->arena, &f->arena);
    return f->view->rollcall;
}

static void done(struct fixture *f) {
    evidence_release(&f->evidence);
    arena_release(&f->arena);
}

static void ranks_are(const int *ranks, int n, const char *expected) {
    struct arena arena = {0};
    struct str text = {0};
    for (int i = 0; i < n; i++)
        text = arena_printf(&arena, STR_FMT "%s%d", STR_ARG(text), i ? " " : "", ranks[i]);
    assert_str(text, expected);
    arena_release(&arena);
}

#define WORLD4(enqueued, completed) "group\t0\tdefault_pg\t0-3\t" enqueued "\t" completed "\n"
#define REDUCE(seq, n, type)                                                                       \
    "op\t" seq "\tnccl:all_reduce\t" n "\t" n "\t" type "\tstarted\t100\t" n "\t\n"

static void test_missing(void **state) {
    (void)state;
    struct fixture f = {0};
    for (int r = 0; r < 4; r++)
        add_rank(&f, r, r == 2 ? WORLD4("7", "7") : WORLD4("8", "7") REDUCE("8", "16", "Float"));
    const struct rollcall *call = take(&f);
    assert_non_null(call);
    assert_string_equal(call->kind, "missing");
    ranks_are(call->missing, call->n_missing, "2");
    assert_int_equal(call->n_mismatched + call->n_stalled, 0);
    assert_int_equal(call->seq, 8);
    assert_int_equal(call->waiting, 3);
    assert_str(call->group, "default_pg");
    assert_str(call->collective, "nccl:all_reduce");
    assert_int_equal(call->n_last, 1);
    assert_str(call->last[0].what, "what 2 did");
    assert_str(
        call->text,
        "rank 2 did not come to nccl:all_reduce of default_pg, sequence number 8; 3 of 4 wait");
    assert_str(rollcall_fact(f.view, STR("missing")), "2");
    assert_str(rollcall_fact(f.view, STR("mismatch")), "");
    assert_str(rollcall_fact(f.view, STR("kind")), "missing");
    done(&f);
}

/* 3 did not come to the pair 2-3; 2 therefore not to the world: it waits, it is not to blame. */
static void test_who_waits_is_not_to_blame(void **state) {
    (void)state;
    struct fixture f = {0};
    add_rank(&f, 0, WORLD4("8", "7") REDUCE("8", "16", "Float"));
    add_rank(&f, 1, WORLD4("8", "7") REDUCE("8", "16", "Float"));
    add_rank(&f, 2,
             WORLD4("7", "7") "group\t5\tTENSOR\t2-3\t41\t40\nop\t41\tnccl:all_"
                              "gather\t4\t8\tFloat\tstarted\t50\t\t\n");
    add_rank(&f, 3, WORLD4("7", "7") "group\t5\tTENSOR\t2-3\t40\t40\n");
    const struct rollcall *call = take(&f);
    ranks_are(call->missing, call->n_missing, "3");
    assert_str(call->group, "TENSOR"); /* waited for longer than the world */
    assert_int_equal(call->seq, 41);
    done(&f);
}

static void test_circle(void **state) {
    (void)state;
    struct fixture f = {0};
    const char *a = "group\t1\tA\t0-1\t3\t2\nop\t3\tnccl:all_"
                    "reduce\t4\t4\tFloat\tstarted\t50\t\t\ngroup\t2\tB\t0-1\t6\t6\n";
    const char *b = "group\t1\tA\t0-1\t2\t2\ngroup\t2\tB\t0-1\t7\t6\nop\t7\tnccl:all_"
                    "reduce\t4\t4\tFloat\tstarted\t60\t\t\n";
    add_rank(&f, 0, a);
    add_rank(&f, 1, b);
    const struct rollcall *call = take(&f);
    ranks_are(call->missing, call->n_missing, "0 1");
    assert_str(call->group, "A");
    done(&f);
}

static void test_mismatch(void **state) {
    (void)state;
    static const char *const odd[] = {
        WORLD4("8", "7") REDUCE("8", "17", "Float"), WORLD4("8", "7") REDUCE("8", "16", "BFloat16"),
        WORLD4("8", "7") "op\t8\tnccl:broadcast\t16\t16\tFloat\tstarted\t100\t16\t\n"};
    for (size_t i = 0; i < COUNT_OF(odd); i++) {
        struct fixture f = {0};
        for (int r = 0; r < 4; r++)
            add_rank(&f, r, r == 1 ? odd[i] : WORLD4("8", "7") REDUCE("8", "16", "Float"));
        const struct rollcall *call = take(&f);
        assert_string_equal(call->kind, "mismatch");
        ranks_are(call->mismatched, call->n_mismatched, "1");
        assert_int_equal(call->n_missing, 0);
        assert_str(rollcall_fact(f.view, STR("mismatch")), "1");
        done(&f);
    }
}

/* Uneven sizes are what all_to_all is for. */
static void test_uneven_all_to_all_agrees(void **state) {
    (void)state;
    struct fixture f = {0};
    add_rank(
        &f, 0,
        "group\t0\tdefault_pg\t0-1\t3\t2\nop\t3\tnccl:all_to_all\t40\t37\tFloat\tstarted\t5\t\t\n");
    add_rank(
        &f, 1,
        "group\t0\tdefault_pg\t0-1\t3\t2\nop\t3\tnccl:all_to_all\t40\t43\tFloat\tstarted\t5\t\t\n");
    const struct rollcall *call = take(&f);
    assert_string_equal(call->kind, "stalled");
    assert_int_equal(call->n_mismatched + call->n_missing + call->n_stalled, 0);
    assert_true(str_starts(call->text, STR("all 2 ranks came to nccl:all_to_all")));
    done(&f);
}

static void test_stalled_in_what_others_completed(void **state) {
    (void)state;
    struct fixture f = {0};
    for (int r = 0; r < 4; r++)
        add_rank(&f, r,
                 r == 3 ? WORLD4("12", "4") REDUCE("5", "16", "Float") REDUCE("12", "16", "Float")
                        : WORLD4("12", "11") REDUCE("12", "16", "Float"));
    const struct rollcall *call = take(&f);
    assert_string_equal(call->kind, "stalled");
    ranks_are(call->stalled, call->n_stalled, "3");
    assert_int_equal(call->last[0].rank, 3);
    done(&f);
}

/* Half of the group speaks: who left no dump did not come; of a lone dump nothing follows. */
static void test_silent_ranks(void **state) {
    (void)state;
    struct fixture f = {0};
    for (int r = 0; r < 3; r++) add_rank(&f, r, WORLD4("8", "7") REDUCE("8", "16", "Float"));
    const struct rollcall *call = take(&f);
    ranks_are(call->missing, call->n_missing, "3");
    assert_true(call->undumped);
    assert_str(call->last[0].what, "it left no record");
    assert_int_equal(call->last[0].source, -1);
    done(&f);
    f = (struct fixture){0};
    for (int r = 0; r < 3; r++) add_rank(&f, r, WORLD4("8", "7") REDUCE("8", "16", "Float"));
    add_source(&f, "job/rank3.log");
    f.evidence.sources.v[3].kind = KIND_LOG;
    f.evidence.sources.v[3].rank = 3;
    f.evidence.sources.v[3].last_line = STR("evaluating shard 17");
    call = take(&f);
    assert_str(call->last[0].what, "evaluating shard 17");
    assert_int_equal(call->last[0].source, 3);
    done(&f);
    f = (struct fixture){0};
    add_rank(&f, 0, WORLD4("8", "7") REDUCE("8", "16", "Float"));
    call = take(&f);
    assert_int_equal(call->n_missing, 0);
    done(&f);
}

static void test_nothing_pending(void **state) {
    (void)state;
    struct fixture f = {0};
    assert_null(take(&f));
    done(&f);
    f = (struct fixture){0};
    for (int r = 0; r < 4; r++) add_rank(&f, r, WORLD4("8", "8"));
    assert_null(take(&f));
    assert_str(rollcall_fact(f.view, STR("missing")), "");
    done(&f);
}

/* Dumps of two jobs below one folder are not mixed. */
static void test_two_jobs(void **state) {
    (void)state;
    struct fixture f = {0};
    add_dump(&f, "a/dump_0", "x\nrank\t0\n" WORLD4("3", "3"));
    for (int r = 0; r < 4; r++)
        add_rank(&f, r, r == 1 ? WORLD4("7", "7") : WORLD4("8", "7") REDUCE("8", "16", "Float"));
    const struct rollcall *call = take(&f);
    ranks_are(call->missing, call->n_missing, "1");
    done(&f);
}

static void test_absurd_documents(void **state) {
    (void)state;
    static const char *const absurd[] = {
        "",
        "\n\n\t\t\n",
        "x\nrank\t-4\ngroup\t0\n",
        "x\nrank\t99999999\n" WORLD4("8", "7"),
        "x\nrank\t1\nop\t\t\t\n",
        "x\nrank\t1\ngroup\t0\tg\t5-2,-,0-99999999999/0,7-8/"
        "-1\t9223372036854775807\t9223372036854775806\nop\t9223372036854775807\tn\n",
        "x\nrank\t7\n" WORLD4("8", "7") REDUCE("8", "16", "Float")};
    struct fixture f = {0};
    for (size_t i = 0; i < COUNT_OF(absurd); i++) add_dump(&f, "d", absurd[i]);
    take(&f); /* rank 7 lies beyond its world of 4; nothing is read outside of its arrays */
    done(&f);
    f = (struct fixture){0};
    add_dump(&f, "d", absurd[COUNT_OF(absurd) - 1]);
    const struct rollcall *call = take(&f);
    assert_true(!call || call->n_missing == 0);
    done(&f);
}

static void test_watchdog_lines(void **state) {
    (void)state;
    struct fixture f = {0};
    const char *line =
        "Watchdog caught collective operation timeout: WorkNCCL(SeqNum=812, OpType=ALLREDUCE, "
        "NumelIn=64, NumelOut=64, Timeout(ms)=600000) ran for 600213 milliseconds";
    add_world(&f, "4");
    add_line(&f, 0, line);
    add_line(&f, 1, line);
    add_line(&f, 3, line);
    const struct rollcall *call = take(&f);
    ranks_are(call->missing, call->n_missing, "2");
    assert_int_equal(call->seq, 812);
    assert_str(call->collective, "ALLREDUCE");
    done(&f);
    f = (struct fixture){0};
    add_line(&f, 0, line);
    add_line(&f, 1,
             "[Rank 1] ... WorkNCCL(SeqNum=812, OpType=BROADCAST, NumelIn=64, NumelOut=64, "
             "Timeout(ms)=1)");
    add_line(&f, 2, line);
    call = take(&f);
    assert_string_equal(call->kind, "mismatch");
    ranks_are(call->mismatched, call->n_mismatched, "1");
    done(&f);
    f = (struct fixture){0};
    add_world(&f, "64");
    add_line(&f, 0, line);
    assert_null(take(&f)); /* one line of one rank says nothing of the other 63 */
    done(&f);
}

/* The ranks below the highest that speaks are there, whether or not the world is told. */
static void test_watchdog_lines_without_a_world(void **state) {
    (void)state;
    struct fixture f = {0};
    const char *line =
        "Watchdog caught collective operation timeout: WorkNCCL(SeqNum=412, OpType=ALLREDUCE, "
        "NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600213 milliseconds";
    for (int r = 1; r < 4; r++) add_line(&f, r, line);
    const struct rollcall *call = take(&f);
    ranks_are(call->missing, call->n_missing, "0");
    done(&f);
    f = (struct fixture){0};
    for (int r = 4; r < 8; r++) add_line(&f, r, line);
    assert_null(take(&f)); /* the other node's log is not there */
    done(&f);
    f = (struct fixture){0};
    for (int r = 0; r < 4; r++) add_line(&f, r, line);
    assert_null(take(&f)); /* there may be more */
    done(&f);
}

/* All that there are waited for the whole time-out in one collective. */
static void test_watchdog_lines_of_all(void **state) {
    (void)state;
    struct fixture f = {0};
    const char *line =
        "Watchdog caught collective operation timeout: WorkNCCL(SeqNum=1, OpType=ALLREDUCE, "
        "NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600213 milliseconds";
    add_world(&f, "4");
    for (int r = 0; r < 4; r++) add_line(&f, r, line);
    const struct rollcall *call = take(&f);
    assert_string_equal(call->kind, "stalled");
    assert_int_equal(call->waiting, 4);
    ranks_are(call->missing, call->n_missing, "");
    done(&f);
}

/* The whole heart: the line that starts the diagnosis is of a rank that waits, the fault is of the
 * rank that did not come. */
static void test_first_fault_is_the_missing_rank(void **state) {
    (void)state;
    static struct code symptom = {.id = {"4.7", 3}, .stage = STAGE_TRAIN},
                       root = {.id = {"R4.7", 4}, .stage = STAGE_TRAIN};
    static struct cause cause = {.id = {"absent", 6},
                                 .root = {-1, -1, -1, 0, -1},
                                 .symptom = {-1, -1, -1, -1, -1},
                                 .prior = 100};
    static struct cond known = {.op = COND_KNOWN, .key = {"hang.kind", 9}, .size = 1};
    static int own[] = {0};
    static struct failure failure = {.id = {"flight-recorder-roll-call", 25},
                                     .title = {"a hang", 6},
                                     .symptom = {-1, -1, -1, 0, -1},
                                     .causes = &cause,
                                     .n_causes = 1,
                                     .signals = own,
                                     .n_signals = 1,
                                     .context = &known};
    static struct signal waits = {
        .id = {"waits", 5}, .role = ROLE_CASCADE, .level = LEVEL_SPECIFIC, .failure = 0};
    const struct kb kb = {.symptoms = &symptom,
                          .n_symptoms = 1,
                          .roots = &root,
                          .n_roots = 1,
                          .signals = &waits,
                          .n_signals = 1,
                          .failures = &failure,
                          .n_failures = 1};
    struct fixture f = {0};
    struct think_options options = {0};
    for (int r = 0; r < 4; r++)
        add_rank(&f, r, r == 2 ? WORLD4("7", "7") : WORLD4("8", "7") REDUCE("8", "16", "Float"));
    add_line(&f, 0, "flight recorder: rank 0 waits");
    const struct diagnosis *d = diagnose(&kb, &f.evidence, &options, &f.arena);
    assert_int_equal(d->verdict, VERDICT_FAILED);
    assert_int_equal(d->first_fault.origin.rank, 2);
    assert_int_equal(d->first_fault.origin.source, 2);
    assert_true(d->first_fault.called && !d->first_fault.text.n); /* its document has no line */
    assert_non_null(d->rollcall);
    assert_true(str_starts(d->rollcall->text, STR("rank 2 did not come")));
    done(&f);
}

/* ---- seen from outside --------------------------------------------------------------------- */

static void add_seen(struct fixture *f, const char *path, const char *format, const char *text) {
    add_dump(f, path, text);
    f->evidence.documents.v[f->evidence.documents.n - 1].format = str_of(format);
}

#define STANDS_IN_REDUCE                                                                           \
    "frame\tall_reduce (torch/distributed/distributed_c10d.py:2501)\nframe\tstep (loop.py:9)\n"

static void stacks_name_the_odd_one(void **state) {
    (void)state;
    struct fixture fixture = {0}, *f = &fixture;
    add_seen(f, "stacks/0", "stacks",
             "rank\t0\n" STANDS_IN_REDUCE "rank\t1\n" STANDS_IN_REDUCE
             "rank\t3\n" STANDS_IN_REDUCE);
    add_seen(f, "stacks/1", "stacks",
             "rank\t2\nframe\tread (/opt/lib/python3.11/socket.py:70)\nframe\tnext_batch "
             "(loader.py:41)\n");
    const struct rollcall *call = take(f);
    assert_non_null(call);
    assert_int_equal(call->n_missing, 1);
    assert_int_equal(call->missing[0], 2);
    assert_str(call->collective, "all_reduce");
    assert_int_equal(call->waiting, 3);
    assert_str(call->last[0].what, "stands in next_batch (loader.py:41)");
    done(f);
}

/* All in one place, or most in none: nobody is waited for. */
static void stacks_of_a_healthy_job(void **state) {
    (void)state;
    struct fixture fixture = {0}, *f = &fixture;
    add_seen(f, "stacks/0", "stacks",
             "rank\t0\n" STANDS_IN_REDUCE "rank\t1\n" STANDS_IN_REDUCE
             "rank\t2\n" STANDS_IN_REDUCE);
    assert_null(take(f));
    add_seen(f, "stacks/1", "stacks",
             "rank\t3\nframe\tforward (net.py:1)\nrank\t4\nframe\tforward (net.py:1)\n"
             "rank\t5\nframe\tforward (net.py:2)\nrank\tx\nframe\tf (a.py:1)\n");
    assert_null(take(f));
    done(f);
}

static void ras_names_who_lags(void **state) {
    (void)state;
    struct fixture fixture = {0}, *f = &fixture;
    add_seen(f, "ras.txt", "ras",
             "comm\t#0-0 (1a)\tAllReduce\ntop\t7\t918\nrank\t5\t911\tGPU 1 on node b2\n");
    const struct rollcall *call = take(f);
    assert_non_null(call);
    assert_int_equal(call->n_missing, 1);
    assert_int_equal(call->missing[0], 5);
    assert_int_equal(call->seq, 918);
    assert_str(call->last[0].what, "GPU 1 on node b2");
    done(f);
}

/* One operation behind is a moment's lag. */
static void ras_of_a_running_job(void **state) {
    (void)state;
    struct fixture fixture = {0}, *f = &fixture;
    add_seen(f, "ras.txt", "ras", "comm\t#0-0 (1a)\tAllReduce\ntop\t7\t918\nrank\t5\t917\tb2\n");
    assert_null(take(f));
    done(f);
}

/* Numbers that reckoning would overflow with are none. */
static void ras_of_absurd_numbers(void **state) {
    (void)state;
    struct fixture fixture = {0}, *f = &fixture;
    add_seen(f, "ras.txt", "ras",
             "comm\t#0-0 (1a)\tAllReduce\ntop\t7\t9223372036854775807\n"
             "rank\t5\t9223372036854775806\tb2\n");
    assert_null(take(f));
    done(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_missing),
        cmocka_unit_test(test_who_waits_is_not_to_blame),
        cmocka_unit_test(test_circle),
        cmocka_unit_test(test_mismatch),
        cmocka_unit_test(test_uneven_all_to_all_agrees),
        cmocka_unit_test(test_stalled_in_what_others_completed),
        cmocka_unit_test(test_silent_ranks),
        cmocka_unit_test(test_nothing_pending),
        cmocka_unit_test(test_two_jobs),
        cmocka_unit_test(test_absurd_documents),
        cmocka_unit_test(test_watchdog_lines),
        cmocka_unit_test(test_watchdog_lines_without_a_world),
        cmocka_unit_test(test_watchdog_lines_of_all),
        cmocka_unit_test(stacks_name_the_odd_one),
        cmocka_unit_test(stacks_of_a_healthy_job),
        cmocka_unit_test(ras_names_who_lags),
        cmocka_unit_test(ras_of_a_running_job),
        cmocka_unit_test(ras_of_absurd_numbers),
        cmocka_unit_test(test_first_fault_is_the_missing_rank),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
