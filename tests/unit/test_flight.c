/* One rank's dump: pickled and as JSON, of several versions, torn and absurd. */
#include "facts/flight.h"
#include "facts/pickle.h"
#include "facts/readers.h"
#include "tests/unit/test.h"

/* A dump of three ranks, written with protocol 2: one collective done, two pending. */
static const char pickled[] =
    "\x80\x02}q\x00(X\x07\x00\x00\x00versionq\x01X\x04\x00\x00\x00"
    "2.10q\x02X\x0c\x00\x00"
    "\x00nccl_versionq\x03X\x06\x00\x00\x00"
    "2.21.5q\x04X\x09\x00\x00\x00pg_configq\x05}q\x06"
    "(X\x01\x00\x00\x00"
    "0q\x07}q\x08(X\x04\x00\x00\x00nameq\x09h\x07X\x04\x00\x00\x00"
    "d"
    "escq\x0aX\x0a\x00\x00\x00"
    "default_pgq\x0bX\x05\x00\x00\x00ranksq\x0cX\x09\x00\x00\x00"
    "[0, 1, 2]q\x0duX\x01\x00\x00\x00"
    "1q\x0e}q\x0f(h\x09h\x0eh\x0aX\x03\x00\x00\x00ownq\x10"
    "h\x0cX\x03\x00\x00\x00[2]q\x11uuX\x09\x00\x00\x00pg_statusq\x12}q\x13h\x07}q\x14(X\x18"
    "\x00\x00\x00last_enqueued_collectiveq\x15K\x07X\x17\x00\x00\x00last_started_collective"
    "q\x16K\x06X\x19\x00\x00\x00last_completed_collectiveq\x17K\x05usX\x07\x00\x00\x00"
    "en"
    "triesq\x18]q\x19(}q\x1a(X\x09\x00\x00\x00record_idq\x1bK\x04X\x05\x00\x00\x00pg_idq\x1c"
    "K\x00X\x0d\x00\x00\x00process_groupq\x1dh\x07h\x0b\x86q\x1eX\x11\x00\x00\x00"
    "collect"
    "ive_seq_idq\x1fK\x05X\x0a\x00\x00\x00p2p_seq_idq K\x00X\x05\x00\x00\x00op_idq!K\x05X\x0e"
    "\x00\x00\x00profiling_nameq\"X\x0e\x00\x00\x00nccl:broadcastq#X\x0f\x00\x00\x00time_cr"
    "eated_nsq$\x8a\x08\x01\x00*6\xfe\x9c\x97\x17X\x0b\x00\x00\x00input_sizesq%]q&]q'K\x08"
    "a"
    "aX\x0c\x00\x00\x00input_dtypesq(]q)X\x04\x00\x00\x00Longq*aX\x0c\x00\x00\x00output_siz"
    "esq+]q,]q-K\x08"
    "aaX\x0d\x00\x00\x00output_dtypesq.]q/h*aX\x05\x00\x00\x00stateq0X\x09"
    "\x00\x00\x00"
    "completedq1X\x06\x00\x00\x00is_p2pq2\x89X\x07\x00\x00\x00retiredq3\x88X"
    "\x06\x00\x00\x00"
    "framesq4]q5u}q6(h\x1bK\x05h\x1cK\x00h\x1dh\x1eh\x1fK\x06h K\x00h!K\x06"
    "h\"X\x0f\x00\x00\x00nccl:all_reduceq7h$\x8a\x08\x01\xe1\x1f<\xfe\x9c\x97\x17h%]q8(]q9("
    "K\x02K\x03"
    "e]q:K\x04"
    "aeh(]q;X\x05\x00\x00\x00"
    "Floatq<ah+]q=(]q>(K\x02K\x03"
    "e]q"
    "?K\x04"
    "aeh.]q@h<ah0X\x07\x00\x00\x00startedqAh2\x89h3\x89h4]qB(}qC(h\x09X\x0a\x00\x00"
    "\x00"
    "all_reduceqDX\x08\x00\x00\x00"
    "filenameqEXG\x00\x00\x00/env/lib/python3.10/sit"
    "e-packages/torch/distributed/distributed_c10d.pyqFX\x04\x00\x00\x00lineqGM\xf6\x0au}qH"
    "(h\x09X\x04\x00\x00\x00stepqIhEX\x11\x00\x00\x00/home/u/train\x09.pyqJhGK)ueu}qK(h\x1b"
    "K\x06h\x1cK\x00h\x1dh\x1eh\x1fK\x07h K\x00h!K\x07h\"h7h$\x8a\x08\x01\xc2\x15"
    "B\xfe\x9c"
    "\x97\x17h%]qL]qMK\x09"
    "aah(]qNh<ah+]qO]qPK\x09"
    "aah.]qQh<ah0X\x09\x00\x00\x00schedul"
    "edqRh2\x89h3\x89h4]qSueu.";

static struct evidence read_as(const char *path, struct str bytes) {
    struct evidence evidence = {0};
    struct source source = {.path = str_of(path), .kind = KIND_FLIGHT, .rank = -1, .attempts = 1};
    vec_push(&evidence.arena, &evidence.sources, source);
    struct origin origin = {.line = 1, .rank = -1, .time = TIME_UNKNOWN, .attempt = 1};
    reader_flight.read(&evidence, bytes, &origin);
    return evidence;
}

static void fact_is(const struct evidence *evidence, const char *key, const char *value) {
    assert_str(evidence_fact(evidence, str_of(key)), value);
}

static void test_pickled(void **state) {
    (void)state;
    struct str bytes = {pickled, sizeof pickled - 1};
    assert_true(facts_recognize(bytes, STR("dump_2")) == &reader_flight);
    struct evidence evidence = read_as("job/nccl_trace_rank_2", bytes);
    fact_is(&evidence, "flight.rank", "2");
    fact_is(&evidence, "job.world_size", "3");
    fact_is(&evidence, "nccl.version", "2.21.5");
    fact_is(&evidence, "flight.pending", "2");
    fact_is(&evidence, "flight.collective", "nccl:all_reduce");
    fact_is(&evidence, "flight.seq", "6");
    fact_is(&evidence, "flight.state", "started");
    fact_is(&evidence, "flight.enqueued.0", "7");
    fact_is(&evidence, "flight.completed.0", "5");
    fact_is(&evidence, "flight.sizes", "2x3,4 to 2x3,4");
    assert_int_equal(evidence.sources.v[0].rank, 2);
    assert_int_equal(evidence.ranks.n, 1);
    assert_str(flight_headline(&evidence, 0), "flight recorder: rank 2 waits in nccl:all_reduce of "
                                              "default_pg, sequence number 6");
    struct str text = evidence.documents.v[0].text;
    assert_true(str_has(text, STR("\nrank\t2\n")));
    assert_true(str_has(text, STR("\ngroup\t0\tdefault_pg\t0-2\t7\t5\n")));
    assert_true(str_has(text, STR("\nop\t6\tnccl:all_reduce\t10\t10\tFloat\tstarted\t")));
    /* the user's frame, not torch's; its tab must not part fields */
    assert_true(str_has(text, STR("\t/home/u/train .py:41 step\n")));
    assert_false(str_has(text, STR("op\t5\t")));
    evidence_release(&evidence);
}

static void test_json(void **state) {
    (void)state;
    const char *text =
        "{\"version\": \"2.9\", \"pg_config\": {\"0\": {\"name\": \"0\", \"desc\": \"default_pg\", "
        "\"ranks\": [0, 4, 8, 12]}}, \"entries\": [{\"pg_id\": 0, \"process_group\": [\"0\", "
        "\"default_pg\"], \"collective_seq_id\": 9, \"profiling_name\": \"nccl:all_gather\", "
        "\"input_sizes\": [[3]], \"output_sizes\": [[12]], \"state\": \"scheduled\"}]}";
    assert_true(facts_recognize(str_of(text), STR("dump_4.json")) == &reader_flight);
    struct evidence evidence = read_as("dump_4.json", str_of(text));
    fact_is(&evidence, "flight.rank", "4");
    assert_true(str_has(evidence.documents.v[0].text, STR("\t0-12/4\t9\t8\n")));
    evidence_release(&evidence);
}

/* Before groups had names and collectives a number of their own. */
static void test_old_version(void **state) {
    (void)state;
    const char *text = "{\"version\": \"1.5\", \"entries\": [{\"pg_id\": 1, \"seq_id\": 3, "
                       "\"profiling_name\": \"nccl:broadcast\", \"input_sizes\": [[3]], \"state\": "
                       "\"completed\"}, {\"pg_id\": 1, \"seq_id\": 4, \"profiling_name\": "
                       "\"nccl:barrier\", \"input_sizes\": [[1]], \"state\": \"started\"}]}";
    struct evidence evidence = read_as("rank7", str_of(text));
    fact_is(&evidence, "flight.rank", "7");
    fact_is(&evidence, "flight.group", "1");
    fact_is(&evidence, "flight.completed.1", "3");
    evidence_release(&evidence);
}

static void test_point_to_point_is_left_out(void **state) {
    (void)state;
    const char *text = "{\"pg_config\": {}, \"entries\": [{\"pg_id\": 1, \"collective_seq_id\": 3, "
                       "\"is_p2p\": true, \"profiling_name\": \"nccl:send 0->1\", \"state\": "
                       "\"scheduled\"}]}";
    struct evidence evidence = read_as("rank1", str_of(text));
    assert_str(flight_headline(&evidence, 0), "flight recorder: rank 1 has nothing pending");
    assert_true(str_has(evidence.documents.v[0].text, STR("last\tnccl:send 0->1 of 1")));
    evidence_release(&evidence);
}

/* The name says 9, but no group of this dump has a rank 9. */
static void test_rank_outside_its_groups(void **state) {
    (void)state;
    const char *several =
        "{\"pg_config\": {\"0\": {\"desc\": \"default_pg\", \"ranks\": \"[0, 1]\"}}, "
        "\"entries\": []}";
    const char *alone =
        "{\"pg_config\": {\"0\": {\"desc\": \"default_pg\", \"ranks\": \"[0, 1]\"}, "
        "\"1\": {\"ranks\": \"[1]\"}}, \"entries\": []}";
    struct evidence evidence = read_as("dump_9", str_of(several));
    fact_is(&evidence, "flight.rank", "");
    assert_int_equal(evidence.sources.v[0].rank, -1);
    evidence_release(&evidence);
    evidence = read_as("dump_9", str_of(alone));
    fact_is(&evidence, "flight.rank", "1");
    evidence_release(&evidence);
}

static void test_torn_and_absurd(void **state) {
    (void)state;
    for (size_t n = 0; n + 1 < sizeof pickled; n += 7) {
        struct evidence evidence = read_as("dump_0", (struct str){pickled, n});
        assert_int_equal(evidence.documents.n, 0);
        assert_true(evidence.sources.v[0].truncated && evidence.sources.v[0].note);
        evidence_release(&evidence);
    }
    static const char *const absurd[] = {
        "{\"entries\": 3}", "{\"entries\": [1, null, {\"profiling_name\": 7}]}",
        "{\"pg_config\": [], \"entries\": {}}",
        "{\"pg_config\": {\"0\": {\"ranks\": \"[99999999999999999999, -1, 5, 5]\"}}}",
        "{\"entries\": [{\"pg_id\": 1, \"seq_id\": 1e300, \"profiling_name\": \"x\", "
        "\"input_sizes\": [[1e300, 1e300, -4]], \"time_created_ns\": -1e400}]}"};
    for (size_t i = 0; i < COUNT_OF(absurd); i++) {
        struct evidence evidence = read_as("dump_0", str_of(absurd[i]));
        assert_true(evidence.documents.n <= 1);
        evidence_release(&evidence);
    }
}

static void test_calls_are_refused(void **state) {
    (void)state;
    struct str bytes = {"\x80\x02"
                        "cos\nsystem\n(X\x0e\x00\x00\x00profiling_nametR.",
                        36};
    struct evidence evidence = read_as("dump_0", bytes);
    assert_int_equal(evidence.documents.n, 0);
    assert_str(str_of(evidence.sources.v[0].note), "it wants to import or call something");
    evidence_release(&evidence);
}

static void test_others_are_not_recognized(void **state) {
    (void)state;
    assert_int_equal(
        reader_flight.recognize(STR("\x80\x02}q\x00X\x05\x00\x00\x00model"), STR("m.pt")), 0);
    assert_int_equal(
        reader_flight.recognize(STR("{\"train_batch_size\": 4, \"entries\": 1}"), STR("c.json")),
        0);
    assert_int_equal(
        reader_flight.recognize(STR("INFO nccl_version entries pg_config"), STR("a.log")), 0);
}

static void runs_are(const int *ranks, size_t n, const char *expected) {
    struct arena arena = {0};
    assert_str(flight_runs(&arena, ranks, n), expected);
    arena_release(&arena);
}

static void test_runs(void **state) {
    (void)state;
    runs_are((const int[]){0, 1, 2, 3}, 4, "0-3");
    runs_are((const int[]){0, 4, 8, 12, 13}, 5, "0-12/4,13");
    runs_are((const int[]){3}, 1, "3");
    runs_are((const int[]){3, 9}, 2, "3,9");
    runs_are((const int[]){3, 4, 9}, 3, "3-4,9");
    runs_are(NULL, 0, "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pickled),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_old_version),
        cmocka_unit_test(test_point_to_point_is_left_out),
        cmocka_unit_test(test_rank_outside_its_groups),
        cmocka_unit_test(test_torn_and_absurd),
        cmocka_unit_test(test_calls_are_refused),
        cmocka_unit_test(test_others_are_not_recognized),
        cmocka_unit_test(test_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
