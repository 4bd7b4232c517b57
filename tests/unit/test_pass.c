/* Passing over known lines: of every kernel, whatever was expected, no line is taken for another.
 */
#include "tests/unit/test.h"

#include "match/kernel.h"
#include "match/memo.h"
#include "text/masked.h"

enum { LINES = 56, LOUD = ABOUT_LOUD };

static uint64_t random_next(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Lines of awkward lengths; of each there is one that differs in a letter, one with a CR at its
 * end, and that without the CR. */
static struct str make_line(struct buf *room, unsigned which, uint64_t *seed) {
    static const size_t lengths[] = {2, 5, 31, 32, 33, 63, 64, 65, 96, 127, 300, 4064, 4095, 4096};
    size_t n = lengths[which / 4 % COUNT_OF(lengths)];
    uint64_t letters = which / 4 + 1;
    buf_clear(room);
    for (size_t i = 0; i < n; i++) {
        bool digit = i % 7 == 3 || i % 32 == 31;
        char letter = (char)('a' + random_next(&letters) % 26);
        buf_char(room, digit ? (char)('0' + random_next(seed) % 10) : letter);
    }
    if (which % 4 == 1) room->p[n / 2] = '#';
    if (which % 4 == 2) room->p[n - 1] = '\r';
    if (which % 4 == 3) room->n--;
    return buf_view(room);
}

static void know(struct memo *memo, struct str line, unsigned which, unsigned about) {
    struct decision decision = {.n = 1, .ids = {(uint16_t)which}, .about = (uint8_t)about};
    const struct decision *known = memo_find(memo, line, false);
    if (known)
        assert_int_equal(known->ids[0], which);
    else
        memo_store(memo, line, &decision);
}

/* A copy that ends where its memory ends, so that a sanitizer sees a read beyond it. */
static struct str exact(const struct buf *text) {
    char *copy = malloc(text->n + !text->n);
    if (text->n) memcpy(copy, text->p, text->n);
    return (struct str){copy, text->n};
}

/* What a line of the block is: its text without LF or CRLF, and which it was made as. */
struct made {
    size_t at, n;
    unsigned which;
};

/* Appends lines in an order that partly repeats. */
static size_t make_block(struct buf *block, struct made *made, size_t most, uint64_t *seed) {
    struct buf room = {0};
    size_t n = 0;
    buf_clear(block);
    for (unsigned which = 0; n < most; n++) {
        bool follows = random_next(seed) % 4;
        which = follows ? (which * 5 + 1) % LINES : (unsigned)(random_next(seed) % LINES);
        if (random_next(seed) % 16 == 0)
            buf_str(block, random_next(seed) % 2 ? STR("\n") : STR("\r\n"));
        struct str line = make_line(&room, which, seed);
        made[n] = (struct made){block->n, line.n, which};
        bool crlf = line.p[line.n - 1] == '\r' || random_next(seed) % 3 == 0;
        buf_str(block, line);
        buf_str(block, crlf ? STR("\r\n") : STR("\n"));
    }
    buf_release(&room);
    return n;
}

/* Every line is wanted: the pass stops at each that it knows, and tells which it is. */
static void check_stops(struct memo *memo, pass_over *over, struct str block,
                        const struct made *made, size_t n) {
    struct pass pass = {.block = block, .stop = block.n, .wanted = LOUD, .round = 1};
    size_t told = 0;
    for (size_t i = 0; i < n; i++) {
        over(memo, &pass);
        if (pass.at == block.n) break;
        if (pass.known) {
            assert_int_equal(pass.at, made[i].at);
            assert_int_equal(pass.known->ids[0], made[i].which);
            assert_int_equal(pass.length, made[i].n);
            pass.at = pass.next;
            told++;
        } else { /* the last ones, behind which too little can be read, or pass_none */
            assert_true(over == pass_none || made[i].at + made[i].n + 40 > block.n ||
                        made[i].n >= 4064);
            pass.at = i + 1 < n ? made[i + 1].at : block.n;
        }
    }
    assert_true(over == pass_none || told > n / 2);
}

static void every_line_is_itself(void **state) {
    (void)state;
    static struct made made[400];
    uint64_t seed = 88172645463325252u;
    struct buf block = {0}, room = {0};
    for (int k = 0; k < n_kernels; k++) {
        if (!kernels[k].usable()) continue;
        struct memo *memo = memo_new();
        for (unsigned which = 0; which < LINES; which++)
            know(memo, make_line(&room, which, &seed), which, LOUD);
        for (int round = 0; round < 30; round++) {
            size_t n = make_block(&block, made, COUNT_OF(made), &seed);
            struct str text = exact(&block);
            check_stops(memo, kernels[k].pass, text, made, n);
            free((char *)(uintptr_t)text.p);
        }
        memo_release(memo);
    }
    buf_release(&block);
    buf_release(&room);
}

static const struct decision *first_known(struct memo *memo, pass_over *over, struct str block) {
    struct pass pass = {.block = block, .stop = block.n, .wanted = LOUD, .round = 1};
    over(memo, &pass);
    return pass.known;
}

/* A memo that is full starts anew: the line that was expected is forgotten, and its text is now the
 * beginning of another. */
static void an_expected_line_is_forgotten(void **state) {
    (void)state;
    static char other[4096], block[128];
    for (int k = 1; k < n_kernels; k++) {
        if (!kernels[k].usable()) continue;
        struct memo *memo = memo_new();
        memset(block, '\n', sizeof block);
        memset(block, 'a', 64);
        know(memo, (struct str){block, 64}, 1, LOUD);
        for (int i = 0; i < 9; i++) { /* it comes after unknown lines */
            assert_null(
                first_known(memo, kernels[k].pass, STR("?\n..............................")));
            assert_non_null(first_known(memo, kernels[k].pass, (struct str){block, sizeof block}));
        }
        memset(block, 'b', 64);
        memset(other, 'b', sizeof other);
        for (unsigned i = 2; memo_find(memo, STR("b"), false) == NULL; i++) {
            memcpy(other + 64, &(uint32_t){0x61616161 + i % 26 + i / 26 * 256}, 4);
            know(memo, (struct str){other, sizeof other}, i, LOUD);
            assert_null(
                first_known(memo, kernels[k].pass, STR("?\n..............................")));
            assert_null(first_known(memo, kernels[k].pass, (struct str){block, sizeof block}));
            if (i == 400) know(memo, STR("b"), i, LOUD);
        }
        memo_release(memo);
    }
}

/* The same over and over with lines that come and go. */
static void forgotten_lines_are_unknown(void **state) {
    (void)state;
    static char line[4096];
    uint64_t seed = 7;
    for (int k = 1; k < n_kernels; k++) {
        if (!kernels[k].usable()) continue;
        struct memo *memo = memo_new();
        for (unsigned i = 0; i < 3000; i++) {
            size_t n = 64 + random_next(&seed) % 1000;
            for (size_t j = 0; j < n; j++) line[j] = (char)('a' + (i >> j % 12 & 1));
            memset(line + n, '\n', 64);
            struct pass pass = {.block = {line, n + 64}, .stop = 1, .wanted = LOUD, .round = 1};
            kernels[k].pass(memo, &pass);
            if (pass.known) assert_int_equal(pass.known->ids[0], i);
            know(memo, (struct str){line, n}, i, LOUD);
            for (int times = 0; times < 2; times++) {
                pass =
                    (struct pass){.block = {line, n + 64}, .stop = 1, .wanted = LOUD, .round = 1};
                kernels[k].pass(memo, &pass);
                assert_non_null(pass.known);
                assert_int_equal(pass.known->ids[0], i);
            }
        }
        memo_release(memo);
    }
}

static uint32_t passed(struct memo *memo, pass_over *over, struct str block, unsigned wanted,
                       uint32_t round) {
    struct pass pass = {.block = block, .stop = block.n, .wanted = (uint8_t)wanted, .round = round};
    over(memo, &pass);
    return pass.lines;
}

static void wanted_lines_stop_it_until_they_are_muted(void **state) {
    (void)state;
    struct str block = STR("step 1\n\nmild 2\nstep 3\r\nloud 4\nstep 5\nmild 6\n"
                           "..............................................\n");
    for (int k = 1; k < n_kernels; k++) {
        pass_over *over = kernels[k].pass;
        if (!kernels[k].usable()) continue;
        struct memo *memo = memo_new();
        know(memo, STR("step 0"), 1, ABOUT_PULSE);
        know(memo, STR("mild 0"), 2, ABOUT_MILD);
        know(memo, STR("loud 0"), 3, ABOUT_LOUD);
        assert_int_equal(passed(memo, over, block, ABOUT_PULSE, 1), 0);
        assert_int_equal(passed(memo, over, block, ABOUT_MILD, 1), 2);
        assert_int_equal(passed(memo, over, block, ABOUT_LOUD, 1), 4);
        assert_int_equal(passed(memo, over, block, 0, 1), 7); /* dots are unknown */
        memo_mute(memo, memo_find(memo, STR("mild 9"), false), 5);
        assert_int_equal(passed(memo, over, block, ABOUT_MILD | ABOUT_LOUD, 5), 4);
        assert_int_equal(passed(memo, over, block, ABOUT_MILD | ABOUT_LOUD, 6), 2);
        memo_release(memo);
    }
}

/* ---- hexadecimal numbers -------------------------------------------------------------------- */

/* `lead` dots, a number of n digits that ends in a letter, and a tail. */
static struct str make_address(struct buf *room, size_t lead, size_t n, const char *tail,
                               uint64_t *seed) {
    buf_clear(room);
    for (size_t i = 0; i < lead; i++) buf_char(room, '.');
    buf_str(room, STR("4x"));
    for (size_t i = 1; i < n; i++) buf_char(room, "0123456789abcdef"[random_next(seed) % 16]);
    buf_char(room, "abcdef"[random_next(seed) % 6]);
    buf_str(room, str_of(tail));
    return buf_view(room);
}

/* Whether the line that was stored is found again with other digits, by the pass and without. */
static void check_address(struct memo *memo, pass_over *over, struct str line, unsigned which,
                          bool found) {
    static const struct str ends[] = {STR("\n"), STR("\r\n")};
    struct buf block = {0};
    for (size_t i = 0; i < COUNT_OF(ends); i++) {
        buf_clear(&block);
        buf_str(&block, line);
        buf_str(&block, ends[i]);
        buf_str(&block, STR(".................................."));
        const struct decision *known = first_known(memo, over, buf_view(&block));
        assert_int_equal(known != NULL, found);
        if (known) assert_int_equal(known->ids[0], which);
    }
    assert_int_equal(memo_find(memo, line, false) != NULL, found);
    buf_release(&block);
}

static bool same_but_for_digits(struct str a, struct str b) {
    for (size_t i = 0; i < a.n; i++)
        if (a.p[i] != b.p[i] && !(is_digit(a.p[i]) && is_digit(b.p[i]))) return false;
    return a.n == b.n;
}

static void addresses_differ_in_digits_only(void **state) {
    (void)state;
    static const size_t lengths[] = {1, 2, 29, 30, 31, 32, 33, 64, 70};
    static const char *const tails[] = {"", ")", " ", "\xc3\xa4", "g", "_", "F0", "x1"};
    uint64_t seed = 12;
    struct buf a = {0}, b = {0};
    for (int k = 1; k < n_kernels; k++) {
        if (!kernels[k].usable()) continue;
        struct memo *memo = memo_new();
        for (unsigned i = 0; i < 66 * COUNT_OF(lengths) * COUNT_OF(tails); i++) {
            size_t n = lengths[i / 66 % COUNT_OF(lengths)], way = i / 66 / COUNT_OF(lengths);
            struct str line = make_address(&a, i % 66, n, tails[way], &seed);
            know(memo, line, i, LOUD);
            check_address(memo, kernels[k].pass, line, i, true);
            struct str other = make_address(&b, i % 66, n, tails[way], &seed);
            bool same = way < 4 || same_but_for_digits(line, other);
            check_address(memo, kernels[k].pass, other, i, same);
            assert_true(!same || masked_loosely(line) == masked_loosely(other));
            other = make_address(&b, i % 66, n + 1, tails[way], &seed);
            assert_true(way >= 4 || masked_loosely(line) == masked_loosely(other));
        }
        memo_release(memo);
    }
    buf_release(&a);
    buf_release(&b);
}

/* ---- what is kept beside the decision ------------------------------------------------------- */

static void numbers_are_one_to_a_loose_hash(void **state) {
    (void)state;
    struct memo *memo = memo_new();
    struct str a = STR("  File \"/a/b.py\", line 7, in step"),
               b = STR("  File \"/a/b.py\", line 1234, in step");
    uint64_t hash = masked_loosely(a);
    assert_int_equal(masked_loosely(b), hash);
    assert_int_not_equal(masked_loosely(STR("  File \"/a/b.py\", line , in step")), hash);
    assert_int_not_equal(masked_loosely(STR("  File \"/a/b.py\", line 7, in stop")), hash);
    assert_int_not_equal(masked_loosely(STR("12345678ab")), masked_loosely(STR("12345678a")));
    know(memo, a, 1, LOUD);
    assert_int_equal(memo_loosely(memo, memo_find(memo, a, false)), hash);
    assert_int_equal(masked_loosely(STR("")), LOOSELY_NOTHING);
    memo_release(memo);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_line_is_itself),
        cmocka_unit_test(an_expected_line_is_forgotten),
        cmocka_unit_test(forgotten_lines_are_unknown),
        cmocka_unit_test(wanted_lines_stop_it_until_they_are_muted),
        cmocka_unit_test(addresses_differ_in_digits_only),
        cmocka_unit_test(numbers_are_one_to_a_loose_hash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
