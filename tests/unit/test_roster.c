/* Who should have been heard, and whom the others point at: on evidence made by hand. */
#include "think/departure.h"
#include "think/roster.h"

#include "tests/unit/test.h"
#include "think/hosts.h"

enum { CASCADE, FIRST, WRAPPER, DONE, N_SIGNALS };
static struct signal signals[N_SIGNALS] = {
    [CASCADE] = {.id = {"a-cascade", 9}, .role = ROLE_CASCADE, .failure = -1},
    [FIRST] = {.id = {"b-first", 7}, .role = ROLE_INITIATING, .failure = -1},
    [WRAPPER] = {.id = {"c-exit", 6}, .role = ROLE_WRAPPER, .failure = -1},
    [DONE] = {.id = {"d-done", 6}, .role = ROLE_DONE, .failure = -1}};
static const struct kb kb = {.signals = signals, .n_signals = N_SIGNALS};

struct fixture {
    struct evidence evidence;
    struct arena arena;
};

static void open_job(struct fixture *f, int ranks, int silent) {
    *f = (struct fixture){0};
    struct source source = {.path = STR("job.log"), .kind = KIND_LOG, .rank = -1, .attempts = 1};
    vec_push(&f->evidence.arena, &f->evidence.sources, source);
    for (int r = 0; r < ranks; r++) {
        if (r == silent) continue;
        struct voice voice = {.rank = r,
                              .first_line = 1,
                              .last_line = 100,
                              .lines = 90,
                              .first_time = TIME_UNKNOWN,
                              .last_time = TIME_UNKNOWN};
        vec_push(&f->evidence.arena, &f->evidence.voices, voice);
        vec_push(&f->evidence.arena, &f->evidence.ranks, r);
    }
}

static void say(struct fixture *f, int signal, int rank, const char *text) {
    struct origin origin = {
        .line = (uint32_t)f->evidence.hits.n + 1, .rank = rank, .time = TIME_UNKNOWN, .attempt = 1};
    struct hit hit = {.signal = signal,
                      .first = origin,
                      .last = origin,
                      .text = str_of(text),
                      .count = 1,
                      .trace = -1};
    vec_push(&f->evidence.arena, &f->evidence.hits, hit);
    for (size_t i = 0; i < f->evidence.voices.n && (signal == CASCADE || signal == FIRST); i++)
        if (f->evidence.voices.v[i].rank == rank) f->evidence.voices.v[i].erred = 1;
}

static void world_is(struct fixture *f, const char *size) {
    struct fact fact = {
        .key = STR("job.world_size"), .value = str_of(size), .origin = {.source = -1}};
    evidence_add_fact(&f->evidence, &fact);
}

static void all_lose_a_peer(struct fixture *f, int ranks, int but) {
    for (int r = 0; r < ranks; r++)
        if (r != but) say(f, CASCADE, r, "Connection closed by peer");
}

static const struct roster *take(struct fixture *f) {
    struct think_options options = {0};
    return view_new(&kb, &f->evidence, &options, &f->arena, &f->arena)->roster;
}

static void done(struct fixture *f) {
    evidence_release(&f->evidence);
    arena_release(&f->arena);
}

static void a_rank_that_wrote_nothing(void **state) {
    (void)state;
    struct fixture f;
    open_job(&f, 8, 5);
    world_is(&f, "8");
    all_lose_a_peer(&f, 8, 5);
    const struct roster *roster = take(&f);
    assert_int_equal(roster->n_never, 1);
    assert_int_equal(roster->never[0], 5);
    assert_int_equal(roster->culprit, 5);
    assert_string_equal(roster->why, "silent");
    assert_str(roster->text, "rank 5 wrote nothing");
    done(&f);
}

/* The log that the names of the others begin with is rank 0's. */
static void a_log_beside_those_of_ranks(void **state) {
    (void)state;
    struct fixture f;
    open_job(&f, 8, 0);
    world_is(&f, "8");
    f.evidence.sources.v[0].path = STR("out/log.txt");
    struct source source = {
        .path = STR("out/log.txt.rank1"), .kind = KIND_LOG, .rank = 1, .attempts = 1};
    vec_push(&f.evidence.arena, &f.evidence.sources, source);
    assert_int_equal(take(&f)->n_never, 0);
    done(&f);
}

/* A gap in the numbers tells as well where nothing told the world size. */
static void a_gap_is_a_silent_rank(void **state) {
    (void)state;
    struct fixture f;
    open_job(&f, 8, 3);
    const struct roster *roster = take(&f);
    assert_int_equal(roster->world, 8);
    assert_int_equal(roster->n_never, 1);
    assert_int_equal(roster->never[0], 3);
    done(&f);
}

/* Rank 0 alone prints: that is the custom, not silence. */
static void most_ranks_write_nothing(void **state) {
    (void)state;
    struct fixture f;
    open_job(&f, 1, -1);
    world_is(&f, "512");
    const struct roster *roster = take(&f);
    assert_int_equal(roster->n_never, 0);
    assert_int_equal(roster->culprit, -1);
    assert_str(roster->text, "");
    done(&f);
}

static void ranks_beyond_the_world(void **state) {
    (void)state;
    struct fixture f;
    open_job(&f, 12, -1);
    world_is(&f, "8");
    const struct roster *roster = take(&f);
    assert_int_equal(roster->world, 12);
    assert_int_equal(roster->n_never, 0);
    done(&f);
}

static void a_rank_that_alone_reports_no_error(void **state) {
    (void)state;
    struct fixture f;
    open_job(&f, 8, -1);
    all_lose_a_peer(&f, 8, 2);
    const struct roster *roster = take(&f);
    assert_int_equal(roster->n_mute, 1);
    assert_int_equal(roster->culprit, 2);
    assert_str(roster->text, "rank 2 alone reported no error");
    done(&f);
}

static void the_launcher_tells_who_died(void **state) {
    (void)state;
    struct fixture f;
    open_job(&f, 8, -1);
    all_lose_a_peer(&f, 8, 6);
    for (int r = 0; r < 8; r++)
        say(&f, WRAPPER, r, r == 6 ? "  exitcode  : -9 (pid: 12)" : "  exitcode  : 1 (pid: 11)");
    const struct roster *roster = take(&f);
    assert_int_equal(roster->culprit, 6);
    assert_string_equal(roster->why, "died");
    assert_int_equal(roster->code, -9);
    assert_str(roster->at_text, "  exitcode  : -9 (pid: 12)");
    struct fault_line line = {.known = true};
    struct view *view = view_new(&kb, &f.evidence, &(struct think_options){0}, &f.arena, &f.arena);
    roster_place(view, &line);
    assert_int_equal(line.origin.rank, 6);
    done(&f);
}

/* The launcher ends the others itself: SIGTERM is no end of their own. */
static void terminated_by_the_launcher(void **state) {
    (void)state;
    struct fixture f;
    open_job(&f, 8, -1);
    say(&f, FIRST, 4, "KeyError: 'labels'");
    for (int r = 0; r < 8; r++)
        if (r != 4) say(&f, WRAPPER, r, "  exitcode  : -15 (pid: 12)");
    assert_int_equal(take(&f)->culprit, -1);
    done(&f);
}

static void who_left_without_a_word(void **state) {
    (void)state;
    struct fixture f;
    open_job(&f, 4, -1);
    all_lose_a_peer(&f, 4, 1);
    say(&f, WRAPPER, 1, "  exitcode  : 3 (pid: 12)");
    const struct roster *roster = take(&f);
    assert_int_equal(roster->culprit, 1);
    assert_string_equal(roster->why, "exited");
    assert_int_equal(roster->code, 3);
    done(&f);
}

/* Lines without ranks are of those whom Python ended with status 1. */
static void who_left_with_a_status_of_its_own(void **state) {
    (void)state;
    struct fixture f;
    open_job(&f, 0, -1);
    world_is(&f, "4");
    say(&f, CASCADE, -1, "Connection reset by peer");
    say(&f, WRAPPER, -1, "failed (exitcode: 1) local_rank: 2 (pid: 7) of binary: python3");
    say(&f, WRAPPER, -1, "failed (exitcode: 17) local_rank: 1 (pid: 6) of binary: python3");
    const struct roster *roster = take(&f);
    assert_int_equal(roster->culprit, 1);
    assert_string_equal(roster->why, "exited");
    assert_int_equal(roster->code, 17);
    done(&f);
}

static void who_had_done_its_work(void **state) {
    (void)state;
    struct fixture f;
    open_job(&f, 8, -1);
    say(&f, DONE, 3, "training done");
    all_lose_a_peer(&f, 8, -1);
    const struct roster *roster = take(&f);
    assert_int_equal(roster->culprit, 3);
    assert_string_equal(roster->why, "finished");
    assert_str(roster->at_text, "training done");
    done(&f);
}

static void who_stopped_long_before(void **state) {
    (void)state;
    struct fixture f;
    const int64_t minute = 60000000000;
    open_job(&f, 8, -1);
    for (size_t i = 0; i < 8; i++) {
        f.evidence.voices.v[i].first_time = 1000 * minute;
        f.evidence.voices.v[i].last_time = 1030 * minute;
    }
    f.evidence.voices.v[7].last_time = 1010 * minute;
    f.evidence.voices.v[2].first_time = 985 * minute; /* the clock of its host is behind */
    f.evidence.voices.v[2].last_time = 1015 * minute;
    const struct roster *roster = take(&f);
    assert_int_equal(roster->n_early, 1);
    assert_int_equal(roster->early[0], 7);
    assert_str(roster->text, "rank 7 stopped writing long before the others");
    done(&f);
}

static void launchers_lines(void **state) {
    (void)state;
    static const struct {
        const char *line;
        int rank, local, code;
        const char *host;
    } lines[] = {
        {"E0512 10:00:00.1 77 torch/distributed/elastic/multiprocessing/api.py:869] failed "
         "(exitcode: -11) local_rank: 2 (pid: 5428) of binary: /usr/bin/python",
         -1, 2, -11, ""},
        {"  exitcode  : -9 (pid: 4242)", -1, -1, -9, ""},
        {"[ERROR] [launch.py:321:sigkill_handler] ['/usr/bin/python', '-u', 'train.py', "
         "'--local_rank=7'] exits with return code = 137",
         -1, 7, -9, ""},
        {"srun: error: node017: task 137: Killed", 137, -1, -9, "node017"},
        {"srun: error: gpu-a-03: task 3: Exited with exit code 2", 3, -1, 2, "gpu-a-03"},
        {"mpirun noticed that process rank 3 with PID 0 on node n07 exited on signal 11 "
         "(Segmentation fault).",
         3, -1, -11, ""},
        {"torch.multiprocessing.spawn.ProcessExitedException: process 5 terminated with signal "
         "SIGABRT",
         5, -1, -6, ""},
        {"torch.multiprocessing.spawn.ProcessExitedException: process 1 terminated with exit code "
         "4",
         1, -1, 4, ""},
    };
    for (size_t i = 0; i < COUNT_OF(lines); i++) {
        struct departure departure;
        assert_true(departure_read(str_of(lines[i].line), &departure));
        assert_int_equal(departure.rank, lines[i].rank);
        assert_int_equal(departure.local_rank, lines[i].local);
        assert_int_equal(departure.code, lines[i].code);
        assert_str(departure.host, lines[i].host);
    }
    static const char *const others[] = {"srun: error: node017: tasks 0-7: Killed",
                                         "exits with return code = 0", "process 5 started",
                                         "rank 3 exited", "failed (exitcode: x) local_rank: 1"};
    for (size_t i = 0; i < COUNT_OF(others); i++)
        assert_false(departure_read(str_of(others[i]), &(struct departure){0}));
}

/* ---- hosts --------------------------------------------------------------------------------- */

static void lists_of_hosts(void **state) {
    (void)state;
    static const struct {
        const char *list;
        int n;
        const char *first, *last;
    } lists[] = {{"gpu[01-03,7],login2", 5, "gpu01", "login2"},
                 {"node1", 1, "node1", "node1"},
                 {"a-[8-11]-x", 4, "a-8-x", "a-11-x"},
                 {"rack[1-2]n", 2, "rack1n", "rack2n"},
                 {"", 0, "", ""},
                 {"gpu[x-y]", 0, "", ""},
                 {"n[1-100000000]", HOSTS_MOST, "n1", "n4096"},
                 {"n[9223372036854775807]", 1, "n9223372036854775807", "n9223372036854775807"}};
    struct arena arena = {0};
    struct str *names = ARENA_ARRAY(&arena, struct str, HOSTS_MOST);
    for (size_t i = 0; i < COUNT_OF(lists); i++) {
        assert_int_equal(hosts_expand(str_of(lists[i].list), &arena, names), lists[i].n);
        if (!lists[i].n) continue;
        assert_str(names[0], lists[i].first);
        assert_str(names[lists[i].n - 1], lists[i].last);
    }
    arena_release(&arena);
}

/* A log of each host; times in seconds of the run. */
static void host_writes(struct fixture *f, const char *host, int64_t first, int64_t last) {
    const int64_t second = 1000000000;
    struct source source = {.path = str_of(host),
                            .host = str_of(host),
                            .kind = KIND_LOG,
                            .rank = -1,
                            .lines = 9,
                            .attempts = 1,
                            .first_time = (1714521600 + first) * second,
                            .last_time = (1714521600 + last) * second};
    vec_push(&f->evidence.arena, &f->evidence.sources, source);
}

static void hosts_are(struct fixture *f, const char *list) {
    struct fact fact = {
        .key = STR("env.SLURM_JOB_NODELIST"), .value = str_of(list), .origin = {.source = -1}};
    evidence_add_fact(&f->evidence, &fact);
}

static void check_hosts(struct fixture *f, const char *text) {
    struct think_options options = {0};
    const struct view *view = view_new(&kb, &f->evidence, &options, &f->arena, &f->arena);
    assert_str(view->roster->text, text);
    arena_release(&f->arena);
    evidence_release(&f->evidence);
}

static void a_host_that_wrote_nothing(void **state) {
    (void)state;
    struct fixture f = {0};
    hosts_are(&f, "n[1-4]");
    host_writes(&f, "n1", 0, 600);
    host_writes(&f, "n2.cluster", 0, 600);
    host_writes(&f, "n4", 1, 601);
    check_hosts(&f, "n3 wrote nothing");

    f = (struct fixture){0}; /* one log of many says nothing about the others */
    hosts_are(&f, "n[1-4]");
    host_writes(&f, "n1", 0, 600);
    check_hosts(&f, "");

    f = (struct fixture){0};
    hosts_are(&f, "n[1-2]");
    host_writes(&f, "n1", 0, 600);
    host_writes(&f, "n2", 0, 600);
    check_hosts(&f, "");
}

/* A host that died; one whose clock is behind; one that begins late. */
static void a_host_that_stopped_before(void **state) {
    (void)state;
    struct fixture f = {0};
    hosts_are(&f, "n[1-5]");
    host_writes(&f, "n1", 0, 900);
    host_writes(&f, "n2", 0, 300);
    host_writes(&f, "n3", -500, 400);
    host_writes(&f, "n4", 1, 901);
    host_writes(&f, "n5", 60, 905);
    check_hosts(&f, "n2 stopped writing long before the others");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rank_that_wrote_nothing),
        cmocka_unit_test(a_log_beside_those_of_ranks),
        cmocka_unit_test(a_gap_is_a_silent_rank),
        cmocka_unit_test(most_ranks_write_nothing),
        cmocka_unit_test(ranks_beyond_the_world),
        cmocka_unit_test(a_rank_that_alone_reports_no_error),
        cmocka_unit_test(the_launcher_tells_who_died),
        cmocka_unit_test(terminated_by_the_launcher),
        cmocka_unit_test(who_left_without_a_word),
        cmocka_unit_test(who_left_with_a_status_of_its_own),
        cmocka_unit_test(who_had_done_its_work),
        cmocka_unit_test(who_stopped_long_before),
        cmocka_unit_test(launchers_lines),
        cmocka_unit_test(lists_of_hosts),
        cmocka_unit_test(a_host_that_wrote_nothing),
        cmocka_unit_test(a_host_that_stopped_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
