/* Digits that tell sooner: whatever was learned from lines tried in vain, a line that the
 * expression takes is found. */
#include "tests/unit/match_fixture.h"

/* Signals that hang on digits, and the line that holds one: '#' is any digit. */
static const struct {
    struct str needle, regex, line;
} rows[] = {
    {STR("\"loss\":"), STR("\"loss\": *0(?:\\.0+)?[,}]"),
     STR("{\"step\": ##, \"loss\": #.###, x}")},
    {STR("nan iterations:"), STR("nan iterations: +([1-9]\\d*)"), STR("| nan iterations:  # | ##")},
    {STR("exit code "), STR("exit code (?:1[23]|9|[^0-8]5)\\b"), STR("worker # exit code ##.")},
    {STR("grad"), STR("grad(?:ient)?(?:s|_norm)?:? *(?:0\\.0{2,4}|[7-9]\\d{2})"),
     STR("grad_norm: #.#### lr ###")},
    {STR("free "), STR("free [^1-9]+ of|free 3"), STR("gpu ## free ## of ## GiB")},
    {STR("used"), STR("used .{0,9}7 .{0,9}7"), STR("used ## ## ## ## of ##")},
};

struct hung {
    struct arena arena;
    struct kb *kb;
    struct matcher *matcher;
    struct match_scratch *scratch;
};

static struct hung hung_new(size_t row) {
    struct hung h = {0};
    static struct str needle[1];
    needle[0] = rows[row].needle;
    h.kb = ARENA_NEW(&h.arena, struct kb);
    h.kb->signals = ARENA_ARRAY(&h.arena, struct signal, 1);
    h.kb->n_signals = 1;
    h.kb->signals[0] = (struct signal){.role = ROLE_INITIATING,
                                       .in = IN_LINE,
                                       .regex = rows[row].regex,
                                       .needles = needle,
                                       .n_needles = 1,
                                       .failure = -1};
    h.matcher = matcher_new(&h.arena, h.kb);
    h.scratch = match_scratch_new(h.matcher);
    return h;
}

static void hung_release(struct hung *h) {
    match_scratch_release(h->scratch);
    matcher_release(h->matcher);
    arena_release(&h->arena);
}

/* Appends the row's line with random digits, of which a part is `often`. */
static void add_line(struct buf *buf, size_t row, uint64_t *seed, char often) {
    for (size_t i = 0; i < rows[row].line.n; i++) {
        char c = rows[row].line.p[i];
        uint64_t roll = random_next(seed);
        buf_char(buf, c != '#' ? c : roll % 4 ? often : (char)('0' + roll / 4 % 10));
    }
    buf_char(buf, '\n');
}

/* Numbers of the lines that the expression takes. */
static size_t expected(size_t row, struct str rest, uint32_t *lines) {
    struct str line;
    size_t n = 0;
    for (uint32_t number = 0; str_line(&rest, &line); number++)
        if (regex_try(rows[row].regex, false, line, 0, NULL) > 0) lines[n++] = number;
    return n;
}

/* Blocks in which one digit is frequent, and then another: what was learned in one must not hide a
 * line of the next. */
static void no_line_is_hidden(void **state) {
    (void)state;
    enum { LINES = 700 };
    static uint32_t want[LINES];
    uint64_t seed = 88172645463325252u;
    struct buf buf = {0};
    size_t hits = 0;
    for (size_t row = 0; row < COUNT_OF(rows); row++) {
        struct hung h = hung_new(row);
        for (int round = 0; round < 60; round++) {
            char often = (char)('0' + random_next(&seed) % 10);
            struct arena arena = {0};
            candidate_vec found = {0};
            buf_clear(&buf);
            for (int i = 0; i < LINES; i++) add_line(&buf, row, &seed, often);
            size_t n = expected(row, buf_view(&buf), want);
            match_scan(h.matcher, h.scratch, buf_view(&buf), MATCH_MILD, &arena, &found);
            assert_int_equal(found.n, n);
            for (size_t i = 0; i < n; i++) assert_int_equal(found.v[i].line, want[i]);
            hits += n;
            arena_release(&arena);
        }
        hung_release(&h);
    }
    assert_true(hits > 2000);
    buf_release(&buf);
}

/* A pass goes on over lines whose digits tell, and stops at one whose digits do not. */
static void lines_in_vain_are_passed_over(void **state) {
    (void)state;
    struct hung h = hung_new(0);
    struct arena arena = {0};
    candidate_vec found = {0};
    struct buf buf = {0};
    for (int i = 0; i < 100; i++) buf_str(&buf, STR("{\"step\": 12, \"loss\": 2.345, x}\n"));
    match_scan(h.matcher, h.scratch, buf_view(&buf), MATCH_MILD, &arena, &found);
    assert_int_equal(found.n, 0);
    size_t before = buf.n;
    buf_str(&buf, STR("{\"step\": 34, \"loss\": 0.000, x}\n{\"step\": 35, \"loss\": 2.345, x}\n"));
    for (int i = 0; i < 9; i++) buf_str(&buf, STR("................................\n"));
    struct pass pass = {.block = buf_view(&buf), .stop = buf.n, .wanted = ABOUT_LOUD, .round = 1};
    h.matcher->kernel->pass(h.scratch->memo, &pass);
    if (h.matcher->kernel->pass != kernels[0].pass) assert_int_equal(pass.at, before);
    arena_release(&arena);
    buf_release(&buf);
    hung_release(&h);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_line_is_hidden),
        cmocka_unit_test(lines_in_vain_are_passed_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
