/* What the signals say of one line: hits, captures, limits. */
#include "tests/unit/match_fixture.h"

static void line_gives_captures(void **state) {
    struct fixture *f = *state;
    struct match m[8];
    struct str line =
        STR("[rank3]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB. x");
    assert_int_equal(match_line(f->matcher, f->scratch, line, ALL_BUT_WORDS, m, 8), 1);
    assert_int_equal(m[0].signal, 0);
    assert_int_equal(m[0].n_captures, 2);
    assert_true(str_eq(m[0].captures[0], STR("CUDA")));
    assert_true(str_eq(m[0].captures[1], STR("2.50 GiB")));
    assert_true(str_eq(str_sub(line, m[0].start, m[0].end - m[0].start),
                       STR("CUDA out of memory. Tried to allocate 2.50 GiB")));
}

static void line_obeys_kinds_and_order(void **state) {
    struct fixture *f = *state;
    struct match m[8];
    struct str line = STR("Error: 42 lm loss: nan abcdabcdabcd bcda12 abcd x abcd-x");
    assert_int_equal(match_line(f->matcher, f->scratch, line, 1u << IN_LINE, m, 8), 2);
    assert_int_equal(m[0].signal, 6);
    assert_int_equal(m[1].signal, 8);
    assert_int_equal(match_line(f->matcher, f->scratch, line, ALL_BUT_WORDS, m, 8), 5);
    for (int i = 1; i < 5; i++) assert_true(m[i - 1].signal < m[i].signal);
    assert_int_equal(match_line(f->matcher, f->scratch, line, ALL_BUT_WORDS, m, 2), 2);
    assert_int_equal(m[1].signal, 8);
    assert_int_equal(match_line(f->matcher, f->scratch, line, 1u << IN_EXCEPTION, m, 8), 1);
    assert_int_equal(match_line(f->matcher, f->scratch, line, 0, m, 8), 0);
    assert_int_equal(match_line(f->matcher, f->scratch, line, ALL_BUT_WORDS, m, 0), 0);
    assert_int_equal(match_line(f->matcher, f->scratch, (struct str){0}, ALL_BUT_WORDS, m, 8), 0);
}

static void line_takes_words_without_case(void **state) {
    struct fixture *f = *state;
    struct match m[8];
    for (int i = 0; i < 20; i++) { /* past the point where the wordings turn to machine code */
        struct str text = STR("My Training HANGS at once, and the Loss becomes NaN");
        assert_int_equal(match_line(f->matcher, f->scratch, text, 1u << IN_WORDS, m, 8), 2);
        assert_true(str_eq(m[0].captures[0], STR("HANGS")));
        assert_int_equal(match_line(f->matcher, f->scratch, text, ALL_BUT_WORDS, m, 8), 0);
        assert_int_equal(
            match_line(f->matcher, f->scratch, STR("training is stuck"), 1u << IN_WORDS, m, 8), 0);
    }
}

static void line_finds_in_a_long_line(void **state) {
    struct fixture *f = *state;
    struct match m[8];
    struct buf buf = {0};
    for (size_t lead = 3900; lead < 4300; lead += 7) {
        buf_clear(&buf);
        for (size_t i = 0; i < lead; i++) buf_char(&buf, '.');
        buf_str(&buf, STR("CUDA out of memory. Tried to allocate 1 GiB"));
        for (size_t i = 0; i < 5000; i++) buf_char(&buf, '.');
        assert_int_equal(match_line(f->matcher, f->scratch, buf_view(&buf), ALL_BUT_WORDS, m, 8),
                         1);
        assert_int_equal(m[0].start, lead);
        assert_true(str_eq(m[0].captures[1], STR("1 GiB")));
    }
    buf_release(&buf);
}

static void line_counts_limits(void **state) {
    (void)state;
    struct arena arena = {0};
    struct str needle[] = {STR("aaaa")};
    struct signal signal = {.in = IN_LINE,
                            .regex = STR("(?:a+)+(?:a+)+(?:a+)+[bd]"),
                            .needles = needle,
                            .n_needles = 1};
    struct kb kb = {.signals = &signal, .n_signals = 1};
    struct matcher *matcher = matcher_new(&arena, &kb);
    struct match_scratch *scratch = match_scratch_new(matcher);
    char line[3000];
    struct match m;
    candidate_vec out = {0};
    memset(line, 'a', sizeof line);
    line[2999] = 'c';
    assert_int_equal(match_line(matcher, scratch, (struct str){line, sizeof line}, 1, &m, 1), 0);
    assert_int_equal(match_limited(scratch), 1);
    match_scan(matcher, scratch, (struct str){line, sizeof line}, MATCH_MILD, &arena, &out);
    assert_int_equal(out.n, 1); /* the scan leaves it to match_line, which counts it */
    match_scratch_release(scratch);
    matcher_release(matcher);
    arena_release(&arena);
}

/* What is left unread is the same when it is read. */
static void signals_may_be_read_later(void **state) {
    struct fixture *f = *state;
    uint64_t seed = 5;
    struct buf buf = {0};
    int unread = 0;
    for (int round = 0; round < 200; round++) {
        make_block(&buf, &seed, 1500);
        struct str rest = buf_view(&buf), line;
        while (str_line(&rest, &line)) {
            struct match whole[REFERENCE_SIGNALS], later[REFERENCE_SIGNALS];
            int n =
                match_line(f->matcher, f->scratch, line, ALL_BUT_WORDS, whole, REFERENCE_SIGNALS);
            assert_int_equal(match_signals(f->matcher, f->scratch, line, NULL, ALL_BUT_WORDS, later,
                                           REFERENCE_SIGNALS),
                             n);
            for (int i = 0; i < n; i++) {
                assert_false(whole[i].unread);
                unread += later[i].unread;
                match_read(f->matcher, f->scratch, line, &later[i]);
                assert_false(later[i].unread);
                assert_same_match(&whole[i], &later[i]);
            }
        }
    }
    assert_true(unread > 100);
    buf_release(&buf);
}

/* What the scan knows of a candidate says the same as the candidate asked anew. */
static void candidates_bring_what_is_known(void **state) {
    struct fixture *f = *state;
    uint64_t seed = 7;
    struct buf buf = {0};
    int known = 0;
    for (int round = 0; round < 100; round++) {
        struct arena arena = {0};
        candidate_vec out = {0};
        make_block(&buf, &seed, 3000);
        f->scratch->way = round % 3;
        match_scan(f->matcher, f->scratch, buf_view(&buf), MATCH_MILD, &arena, &out);
        for (size_t k = 0; k < out.n; k++) {
            struct match asked[REFERENCE_SIGNALS], told[REFERENCE_SIGNALS];
            struct str line = str_sub(buf_view(&buf), out.v[k].start, out.v[k].length);
            int n = match_signals(f->matcher, f->scratch, line, NULL, ALL_BUT_WORDS, asked,
                                  REFERENCE_SIGNALS);
            assert_int_equal(match_signals(f->matcher, f->scratch, line, out.v[k].decision,
                                           ALL_BUT_WORDS, told, REFERENCE_SIGNALS),
                             n);
            for (int i = 0; i < n; i++) {
                match_read(f->matcher, f->scratch, line, &asked[i]);
                match_read(f->matcher, f->scratch, line, &told[i]);
                assert_same_match(&asked[i], &told[i]);
            }
            known += out.v[k].decision != NULL;
            assert_true(out.v[k].decision || out.v[k].structural);
        }
        arena_release(&arena);
    }
    assert_true(known > 300);
    buf_release(&buf);
}

static void line_equals_reference(void **state) {
    uint64_t seed = 99;
    struct buf buf = {0};
    for (int round = 0; round < 300; round++) {
        make_block(&buf, &seed, 1500);
        assert_lines_match(*state, buf_view(&buf));
    }
    buf_release(&buf);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(line_gives_captures, set_up, tear_down),
        cmocka_unit_test_setup_teardown(line_obeys_kinds_and_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(line_takes_words_without_case, set_up, tear_down),
        cmocka_unit_test_setup_teardown(line_finds_in_a_long_line, set_up, tear_down),
        cmocka_unit_test(line_counts_limits),
        cmocka_unit_test_setup_teardown(line_equals_reference, set_up, tear_down),
        cmocka_unit_test_setup_teardown(signals_may_be_read_later, set_up, tear_down),
        cmocka_unit_test_setup_teardown(candidates_bring_what_is_known, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
