/* What is remembered about a line holds for all that share it, and for no other. */
#include "tests/unit/match_fixture.h"

/* Lines that differ in digits share a verdict only where digits cannot matter. */
static void scan_tells_digits_apart(void **state) {
    struct fixture *f = *state;
    struct arena arena = {0};
    candidate_vec out;
    struct str block =
        STR("NVRM: Xid (PCI:1): 79, a\nNVRM: Xid (PCI:1): 31, a\nNVRM: Xid (PCI:2): 48, a\n"
            "lm loss: nan 1\nlm loss: nan 2\nbcda12\nbcdaxx\nexitcode: -9\nexitcode: -8\n");
    scan(f, block, &arena, &out);
    uint32_t want[] = {0, 2, 3, 4, 5, 7};
    assert_int_equal(out.n, COUNT_OF(want));
    for (size_t i = 0; i < out.n; i++) assert_int_equal(out.v[i].line, want[i]);
    arena_release(&arena);
}

static int memo_says(struct memo *memo, struct str line) {
    const struct decision *decision = memo_find(memo, line, false);
    return decision ? decision->n : -1;
}

static void memo_forgets_and_stays_right(void **state) {
    (void)state;
    struct memo *memo = memo_new();
    char line[MEMO_LINE];
    uint64_t seed = 7;
    for (int i = 0; i < 20000; i++) {
        size_t n = 20 + random_next(&seed) % 200;
        for (size_t k = 0; k < n; k++) line[k] = "ab0189:/"[random_next(&seed) % 8];
        uint32_t letters = 0;
        for (size_t k = 0; k < n; k++)
            letters = letters * 3 + (line[k] == 'a') + 2u * (line[k] == 'b');
        struct decision truth = {.n = (uint16_t)(letters % 7)};
        int known = memo_says(memo, (struct str){line, n});
        assert_true(known == -1 || known == truth.n);
        if (known == -1) memo_store(memo, (struct str){line, n}, &truth);
    }
    assert_int_equal(memo_says(memo, STR("node 1 step 19:59/x")), -1);
    memo_store(memo, STR("node 1 step 19:59/x"), &(struct decision){.n = 1});
    assert_int_equal(memo_says(memo, STR("node 7 step 00:08/x")), 1);
    assert_int_equal(memo_says(memo, STR("node 7 step 00:0a/x")), -1);
    assert_int_equal(memo_says(memo, STR("node 7 step 00:0;/x")), -1);
    assert_int_equal(memo_says(memo, STR("node 7 step 0/:08/x")), -1);
    memo_release(memo);
}

/* The i-th of many lines, none of which is another with other digits. */
static struct str letters_of(char room[24], int i) {
    memset(room, 'a', 24);
    for (int k = 0; i; k++, i /= 26) room[k] = (char)('a' + i % 26);
    return (struct str){room, 24};
}

/* Lines that meet in a full memo drive each other out once, not each time. */
static void memo_keeps_what_comes_again(void **state) {
    (void)state;
    struct memo *memo = memo_new();
    char room[24];
    uint64_t missed = 0;
    for (int round = 0; round < 20; round++)
        for (int i = 0; i < (round ? 1000 : 8000); i++) {
            struct str line = letters_of(room, i);
            if (i == 0) missed = memo_missed(memo);
            if (memo_says(memo, line) < 0) memo_store(memo, line, &(struct decision){.n = 1});
        }
    assert_in_range(memo_missed(memo) - missed, 0, 20);
    memo_release(memo);
}

/* Appends a line: `shape` tells its pieces, `digits` the digits in it, many of which are those of
 * needles. */
static void add_with_digits(struct buf *buf, uint64_t shape, uint64_t *digits) {
    static const char *const pieces[] = {" ",   "0x",  "0x",    " 0x", "1x", "x",  "g", "_", ": ",
                                         ": n", " ad", " badd", ")",   "F",  "\t", "a", " "};
    static const char *const known[] = {"dead", "beef", "7fe", "c0", "abcd",
                                        "1",    "00c0", "e",   "add"};
    static const size_t lengths[] = {1, 2, 3, 4, 5, 6, 8, 12, 31, 32, 33, 70};
    size_t start = buf->n;
    for (int n = 2 + (int)(random_next(&shape) % 12); n > 0; n--) {
        bool run = random_next(&shape) % 2;
        size_t end = buf->n + lengths[random_next(&shape) % COUNT_OF(lengths)];
        const char *piece = pieces[random_next(&shape) % COUNT_OF(pieces)];
        if (!run) buf_str(buf, str_of(piece));
        while (run && buf->n < end) {
            if (random_next(digits) % 2)
                buf_str(buf, str_of(known[random_next(digits) % COUNT_OF(known)]));
            else
                buf_char(buf, "0123456789abcdef"[random_next(digits) % 16]);
        }
        if (run) buf->n = end;
    }
    if (buf->n == start) buf_char(buf, '.');
    buf_char(buf, '\n');
}

/* Lines that differ in the digits of addresses share what is known of them, but no verdict that
 * hangs on those digits: whichever comes first, and in the memos of all kernels. */
static void addresses_have_their_own_verdicts(void **state) {
    struct fixture *f = *state;
    struct buf buf = {0};
    uint64_t shape = 3, digits = 5;
    int hits = 0;
    for (int round = 0; round < 1500; round++) {
        random_next(&shape);
        buf_clear(&buf);
        for (int i = 0; i < 8; i++) add_with_digits(&buf, shape, &digits);
        hits += assert_lines_match(f, buf_view(&buf));
        if (round % 4 == 0) assert_kernels_agree(f, buf_view(&buf), true);
    }
    assert_true(hits > 200);
    buf_release(&buf);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(scan_tells_digits_apart, set_up, tear_down),
        cmocka_unit_test(memo_forgets_and_stays_right),
        cmocka_unit_test(memo_keeps_what_comes_again),
        cmocka_unit_test_setup_teardown(addresses_have_their_own_verdicts, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
