/* Which lines a scan gives, wherever they stand in a block and however it is read. */
#include "tests/unit/match_fixture.h"

static void scan_equals_reference(void **state) {
    uint64_t seed = 88172645463325252u;
    struct buf buf = {0};
    for (int round = 0; round < 400; round++) {
        make_block(&buf, &seed,
                   round < 200 ? random_next(&seed) % 300 : random_next(&seed) % 20000);
        assert_kernels_agree(*state, buf_view(&buf), true);
    }
    buf_release(&buf);
}

/* Large blocks may be read by lines or searched by needles, whatever was remembered before: the
 * candidates are the same. */
static void scan_ways_agree(void **state) {
    struct fixture *f = *state;
    uint64_t seed = 2463534242u;
    struct buf buf = {0};
    for (int round = 0; round < 6; round++) {
        make_block(&buf, &seed, 130 * 1024 + random_next(&seed) % 300000);
        struct arena arena = {0};
        candidate_vec by_lines, by_needles, either;
        f->scratch->way = SCAN_LINES;
        uint32_t lines = scan(f, buf_view(&buf), &arena, &by_lines);
        assert_true(by_lines.n > 100);
        for (int i = 0; i < n_kernels; i++) {
            if (!kernels[i].usable()) continue;
            f->matcher->kernel = &kernels[i];
            f->scratch->way = SCAN_NEEDLES;
            assert_int_equal(scan(f, buf_view(&buf), &arena, &by_needles), lines);
            assert_same_candidates(&by_lines, &by_needles);
        }
        f->scratch->way = SCAN_EITHER;
        assert_int_equal(scan(f, buf_view(&buf), &arena, &either), lines);
        assert_same_candidates(&by_lines, &either);
        arena_release(&arena);
    }
    buf_release(&buf);
}

/* Lines of 99 bytes with one fault in them, alone on its line as far as the block goes. */
static void plant(char *block, size_t size, struct str fault, size_t at) {
    memset(block, '.', size);
    for (size_t i = 99; i < size; i += 100) block[i] = '\n';
    memcpy(block + at, fault.p, fault.n);
    if (at + fault.n < size) block[at + fault.n] = '\n';
    if (at > 0) block[at - 1] = '\n';
}

static void assert_found_alone(struct fixture *f, struct str block, size_t at) {
    struct arena arena = {0};
    candidate_vec out;
    uint32_t before = 0, all = 0;
    for (size_t b = 0; b < block.n; b++) {
        all += block.p[b] == '\n';
        before += block.p[b] == '\n' && b < at;
    }
    for (int i = 0; i < n_kernels; i++) {
        if (!kernels[i].usable()) continue;
        f->matcher->kernel = &kernels[i];
        uint32_t lines = scan(f, block, &arena, &out);
        if (out.n != 1) print_message("%s: %zu of %zu\n", kernels[i].name, at, block.n);
        assert_int_equal(out.n, 1);
        assert_int_equal(out.v[0].start, at);
        assert_int_equal(out.v[0].line, before);
        assert_int_equal(lines, all + (block.p[block.n - 1] != '\n'));
    }
    arena_release(&arena);
}

static const struct str faults[] = {STR("lm loss: nan"), STR("abcdabcdabcd"), STR("\x1b[1mKilled"),
                                    STR("\xe2\x95\xae (most recent call last)"),
                                    STR("RuntimeError")};

/* The same in a block large enough to be searched by needles, around the borders of stretches, of
 * what of them is always read by lines, and of chunks. */
static void search_finds_a_fault_anywhere(void **state) {
    static const size_t borders[] = {65536, 65536 + 4096, 65536 + 8192, 131072 + 512};
    static char block[131072 + 512];
    struct fixture *f = *state;
    f->scratch->way = SCAN_NEEDLES;
    for (size_t b = 0; b < COUNT_OF(borders); b++)
        for (size_t back = 0; back < 140; back += 3) {
            struct str fault = faults[back % COUNT_OF(faults)];
            size_t at = borders[b] + 70 - back;
            if (at + fault.n > sizeof block) continue;
            plant(block, sizeof block, fault, at);
            assert_found_alone(f, (struct str){block, sizeof block}, at);
        }
    f->scratch->way = SCAN_EITHER;
}

/* A fault at every offset around the borders of words, chunks and the block's end. */
static void scan_finds_a_fault_anywhere(void **state) {
    static const size_t sizes[] = {70, 127, 128, 129, 8191, 8192, 8193, 8192 + 66, 16400};
    char block[16400];
    for (size_t s = 0; s < COUNT_OF(sizes); s++)
        for (size_t k = 0; k < COUNT_OF(faults); k++) {
            size_t size = sizes[s], n = faults[k].n;
            for (size_t at = 0; at + n <= size; at++) {
                bool border = at < 70 || at + n + 70 > size || (at > 8120 && at < 8260);
                if (!border) continue;
                plant(block, size, faults[k], at);
                assert_found_alone(*state, (struct str){block, size}, at);
            }
        }
}

static void scan_of_tiny_blocks(void **state) {
    static const struct str blocks[] = {STR(""),       STR("\n"),   STR("a"),        STR("abc"),
                                        STR("abcd"),   STR("\r\n"), STR("\r"),       STR("\n\n\n"),
                                        STR("bcda12"), STR("\0"),   STR("\xe2\x94"), STR("\xe2")};
    for (size_t i = 0; i < COUNT_OF(blocks); i++) assert_kernels_agree(*state, blocks[i], true);
}

/* A line of megabytes gives a bounded number of windows, each within the limit. */
static void scan_cuts_a_long_line(void **state) {
    struct fixture *f = *state;
    struct arena arena = {0};
    struct buf buf = {0};
    candidate_vec out;
    for (int i = 0; i < 20000; i++) buf_str(&buf, STR("abcdabcdabcd CUDA out of memory Error: "));
    buf_str(&buf, STR("\nRuntimeError: after\n"));
    uint32_t lines = scan(f, buf_view(&buf), &arena, &out);
    assert_int_equal(lines, 2);
    assert_true(out.n > 10 && out.n <= 66);
    struct candidate end = out.v[out.n - 2]; /* its end is there whatever stands before */
    assert_int_equal(end.start + end.length, 20000 * 39);
    for (size_t i = 0; i < out.n; i++) assert_true(out.v[i].length <= LIMIT_TEXT);
    assert_int_equal(out.v[out.n - 1].line, 1);
    buf_clear(&buf);
    for (int i = 0; i < 3000; i++) buf_printf(&buf, "Epoch 1: %d/3000 [00:01<00:02]\r", i);
    buf_str(&buf, STR("RuntimeError: at its end\n"));
    scan(f, buf_view(&buf), &arena, &out);
    assert_true(out.n >= 2 && out.n <= 66);
    assert_int_equal(out.v[0].start, 0);
    assert_true(out.v[0].structural);
    struct candidate last = out.v[out.n - 1];
    assert_true(str_ends(str_sub(buf_view(&buf), last.start, last.length), STR("at its end")));
    arena_release(&arena);
    buf_release(&buf);
}

/* Beyond 128 KiB step lines are sampled: one in each 64 KiB, and the last one always. */
static void scan_samples_step_lines(void **state) {
    struct fixture *f = *state;
    struct arena arena = {0};
    struct buf buf = {0};
    candidate_vec out;
    int n = 0;
    for (; buf.n < 1 << 20; n++)
        buf_printf(&buf,
                   " iteration %8d/ 500000 | elapsed time per iteration (ms): 1.0 | lm loss: 2\n",
                   n);
    buf_str(&buf, STR("it ends here\n"));
    for (int i = 0; i < n_kernels; i++) {
        if (!kernels[i].usable()) continue;
        f->matcher->kernel = &kernels[i];
        assert_int_equal(scan(f, buf_view(&buf), &arena, &out), n + 1);
        assert_true(out.n >= 16 && out.n <= 19);
        assert_int_equal(out.v[0].line, 0);
        assert_int_equal(out.v[out.n - 1].line, n - 1);
        for (size_t k = 1; k < out.n; k++) assert_true(out.v[k].start > out.v[k - 1].start);
    }
    buf.n = 100000;
    scan(f, buf_view(&buf), &arena, &out);
    assert_true(out.n > 1000);
    arena_release(&arena);
    buf_release(&buf);
}

/* Of lines that only lend colour a block beyond 128 KiB gives as many as are asked for in each 256
 * KiB, the first ones. */
static void scan_bounds_colour(void **state) {
    struct fixture *f = *state;
    struct arena arena = {0};
    struct buf buf = {0};
    while (buf.n < 512 * 1024)
        buf_printf(&buf, "node%d [0] NCCL WARN Call to connect : refused\n", (int)(buf.n % 7));
    for (uint32_t mild = 1; mild <= MATCH_MILD; mild *= 2) {
        candidate_vec out = {0};
        match_scan(f->matcher, f->scratch, buf_view(&buf), mild, &arena, &out);
        assert_int_equal(out.n, 2 * mild);
        assert_int_equal(out.v[mild - 1].line, mild - 1);
        assert_in_range(out.v[mild].start, 256 * 1024, 256 * 1024 + 100);
    }
    arena_release(&arena);
    buf_release(&buf);
}

/* Words of trouble are bounded in each stretch; signals are not. */
static void scan_bounds_trouble(void **state) {
    struct fixture *f = *state;
    struct arena arena = {0};
    struct buf buf = {0};
    candidate_vec out;
    for (int i = 0; i < 1000; i++) buf_printf(&buf, "worker %d: error: odd\n", i);
    for (int i = 0; i < 1000; i++) buf_printf(&buf, "OddError: %d\n", i + 1000);
    for (int i = 0; i < 1000; i++) buf_printf(&buf, "%d lm loss: nan\n", i);
    scan(f, buf_view(&buf), &arena, &out);
    assert_int_equal(out.n, 64 + 512 + 1000);
    assert_same_as_reference(f, buf_view(&buf), "trouble");
    arena_release(&arena);
    buf_release(&buf);
}

/* The hash of the lines between two candidates, from the scan, is that of the lines by themselves.
 */
static int check_rolls(struct fixture *f, struct str block, const candidate_vec *out) {
    int told = 0;
    for (size_t i = 0; i + 1 < out->n; i++) {
        const struct candidate *from = &out->v[i], *to = from + 1;
        uint64_t hash, want = 0;
        if (to->line == from->line || !match_rolled(from, to, &hash)) continue;
        const char *end = memchr(block.p + from->start, '\n', block.n - from->start);
        size_t at = (size_t)(end - block.p) + 1;
        while (at <= to->start) want = match_roll(f->matcher, f->scratch, block, &at, want);
        assert_true(hash == want);
        told++;
    }
    return told;
}

static void rolls_are_of_the_lines_between(void **state) {
    struct fixture *f = *state;
    int told = 0;
    uint64_t seed = 11;
    struct buf buf = {0};
    for (int round = 0; round < 60; round++) {
        make_block(&buf, &seed, round % 4 ? 9000 : 200000);
        buf_str(&buf, STR("\n............................................\n"));
        for (int i = 0; i < n_kernels; i++) {
            struct arena arena = {0};
            candidate_vec out = {0};
            if (!kernels[i].usable()) continue;
            f->matcher->kernel = &kernels[i];
            f->scratch->way = SCAN_LINES;
            match_scan(f->matcher, f->scratch, buf_view(&buf), MATCH_MILD, &arena, &out);
            told += check_rolls(f, buf_view(&buf), &out);
            f->scratch->way = SCAN_EITHER;
            out = (candidate_vec){0};
            match_scan(f->matcher, f->scratch, buf_view(&buf), MATCH_MILD, &arena, &out);
            check_rolls(f, buf_view(&buf), &out);
            arena_release(&arena);
        }
    }
    assert_true(told > 1000);
    buf_release(&buf);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(scan_equals_reference, set_up, tear_down),
        cmocka_unit_test_setup_teardown(scan_finds_a_fault_anywhere, set_up, tear_down),
        cmocka_unit_test_setup_teardown(scan_of_tiny_blocks, set_up, tear_down),
        cmocka_unit_test_setup_teardown(scan_cuts_a_long_line, set_up, tear_down),
        cmocka_unit_test_setup_teardown(scan_samples_step_lines, set_up, tear_down),
        cmocka_unit_test_setup_teardown(scan_bounds_colour, set_up, tear_down),
        cmocka_unit_test_setup_teardown(scan_bounds_trouble, set_up, tear_down),
        cmocka_unit_test_setup_teardown(scan_ways_agree, set_up, tear_down),
        cmocka_unit_test_setup_teardown(search_finds_a_fault_anywhere, set_up, tear_down),
        cmocka_unit_test_setup_teardown(rolls_are_of_the_lines_between, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
