#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "match/matcher.h"
#include "match/plan.h"
#include "tests/unit/match_reference.h"
#include "world/image.h"

/* ---- making blocks ----------------------------------------------------------------------- */

static uint64_t random_next(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void add_noise(struct buf *buf, uint64_t *state) {
    static const struct str alphabet = STR("abcdEror: 0123456789\xe2\x94\x1b\r\n\tx");
    size_t n = random_next(state) % 90;
    for (size_t i = 0; i < n; i++) buf_char(buf, alphabet.p[random_next(state) % alphabet.n]);
}

static void add_length(struct buf *buf, uint64_t *state) {
    static const size_t lengths[] = {0,   1,   2,    3,    63,   64,   65,
                                     127, 128, 4090, 4095, 4096, 4097, 9000};
    size_t n = lengths[random_next(state) % COUNT_OF(lengths)];
    for (size_t i = 0; i < n; i++) buf_char(buf, "abcdefgh ijkl0123"[random_next(state) % 17]);
}

/* Needles, near misses, noise and lines of awkward lengths. */
static void make_block(struct buf *buf, uint64_t *state, size_t bytes) {
    buf_clear(buf);
    while (buf->n < bytes) {
        unsigned kind = random_next(state) % 16;
        if (kind == 0) add_noise(buf, state);
        if (kind == 1 && bytes > 2000) add_length(buf, state);
        if (kind < 6) buf_char(buf, '\n');
        if (kind > 1)
            buf_str(buf, reference_pieces[random_next(state) % COUNT_OF(reference_pieces)]);
    }
    buf->n = bytes;
}

/* ---- helpers ----------------------------------------------------------------------------- */

struct fixture {
    struct arena arena;
    struct kb *kb;
    struct matcher *matcher;
    struct match_scratch *scratch;
};

static int set_up(void **state) {
    struct fixture *f = calloc(1, sizeof *f);
    f->kb = reference_kb(&f->arena);
    f->matcher = matcher_new(&f->arena, f->kb);
    f->scratch = match_scratch_new(f->matcher);
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    struct fixture *f = *state;
    match_scratch_release(f->scratch);
    matcher_release(f->matcher);
    arena_release(&f->arena);
    free(f);
    return 0;
}

/* Scans a copy of the block that ends where its memory ends, so that a read beyond it is seen by
 * sanitizers. */
static uint32_t scan(struct fixture *f, struct str block, struct arena *arena, candidate_vec *out) {
    char *exact = malloc(block.n ? block.n : 1);
    if (block.n) memcpy(exact, block.p, block.n);
    *out = (candidate_vec){0};
    uint32_t lines = match_scan(f->matcher, f->scratch, (struct str){exact, block.n}, arena, out);
    free(exact);
    return lines;
}

static void assert_same_as_reference(struct fixture *f, struct str block, const char *what) {
    struct arena arena = {0};
    candidate_vec out;
    uint32_t lines = scan(f, block, &arena, &out);
    long differs = reference_differs(f->kb, block, &out, lines);
    if (differs >= 0)
        print_message("%s: line %ld of a block of %zu bytes\n", what, differs, block.n);
    assert_int_equal(differs, -1);
    arena_release(&arena);
}

static void assert_same_candidates(const candidate_vec *a, const candidate_vec *b) {
    assert_int_equal(a->n, b->n);
    for (size_t k = 0; k < a->n; k++) {
        assert_int_equal(a->v[k].start, b->v[k].start);
        assert_int_equal(a->v[k].length, b->v[k].length);
        assert_int_equal(a->v[k].line, b->v[k].line);
        assert_int_equal(a->v[k].structural, b->v[k].structural);
        assert_int_equal(a->v[k].trouble, b->v[k].trouble);
    }
}

/* All kernels of this machine against each other and, where asked, the reference. */
static void assert_kernels_agree(struct fixture *f, struct str block, bool reference) {
    struct arena arena = {0};
    candidate_vec first, other;
    const struct kernel *best = f->matcher->kernel;
    f->matcher->kernel = &kernels[0];
    uint32_t lines = scan(f, block, &arena, &first);
    if (reference) assert_same_as_reference(f, block, "scalar");
    for (int i = 1; i < n_kernels; i++) {
        if (!kernels[i].usable()) continue;
        f->matcher->kernel = &kernels[i];
        assert_int_equal(scan(f, block, &arena, &other), lines);
        assert_same_candidates(&first, &other);
    }
    f->matcher->kernel = best;
    arena_release(&arena);
}

/* ---- the scan ---------------------------------------------------------------------------- */

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
            match_scan(f->matcher, f->scratch, buf_view(&buf), &arena, &out);
            told += check_rolls(f, buf_view(&buf), &out);
            f->scratch->way = SCAN_EITHER;
            out = (candidate_vec){0};
            match_scan(f->matcher, f->scratch, buf_view(&buf), &arena, &out);
            check_rolls(f, buf_view(&buf), &out);
            arena_release(&arena);
        }
    }
    assert_true(told > 1000);
    buf_release(&buf);
}

/* ---- match_line -------------------------------------------------------------------------- */

enum { ALL_BUT_WORDS = (1 << WHERE_COUNT) - 1 - (1 << IN_WORDS) };

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
    match_scan(matcher, scratch, (struct str){line, sizeof line}, &arena, &out);
    assert_int_equal(out.n, 1); /* the scan leaves it to match_line, which counts it */
    match_scratch_release(scratch);
    matcher_release(matcher);
    arena_release(&arena);
}

static void assert_same_match(const struct match *a, const struct match *b) {
    assert_int_equal(a->signal, b->signal);
    assert_int_equal(a->start, b->start);
    assert_int_equal(a->end, b->end);
    assert_int_equal(a->n_captures, b->n_captures);
    for (int g = 0; g < a->n_captures; g++) assert_true(str_eq(a->captures[g], b->captures[g]));
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
            assert_int_equal(match_signals(f->matcher, f->scratch, line, ALL_BUT_WORDS, later,
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

/* match_line on every line says what needle and regex say by themselves; how many hits it gives. */
static int assert_lines_match(struct fixture *f, struct str rest) {
    struct str line;
    int hits = 0;
    while (str_line(&rest, &line)) {
        struct match m[REFERENCE_SIGNALS];
        int n = match_line(f->matcher, f->scratch, line, ALL_BUT_WORDS, m, REFERENCE_SIGNALS),
            k = 0;
        for (int i = 0; i < f->kb->n_signals; i++) {
            const struct signal *s = &f->kb->signals[i];
            struct match want;
            if (s->in == IN_WORDS || !reference_needle(s, line)) continue;
            int groups = regex_try(s->regex, false, line, 0, &want);
            if (groups <= 0) continue;
            want.signal = i;
            assert_true(k < n);
            assert_same_match(&m[k++], &want);
        }
        assert_int_equal(k, n);
        hits += n;
    }
    return hits;
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

/* ---- threads ----------------------------------------------------------------------------- */

struct errand {
    struct fixture *f;
    struct str block;
    size_t candidates, hits;
};

static void *run_errand(void *ctx) {
    struct errand *errand = ctx;
    struct match_scratch *scratch = match_scratch_new(errand->f->matcher);
    for (int round = 0; round < 8; round++) {
        struct arena arena = {0};
        candidate_vec out = {0};
        match_scan(errand->f->matcher, scratch, errand->block, &arena, &out);
        errand->candidates += out.n;
        for (size_t i = 0; i < out.n; i++) {
            struct match m[8];
            struct str line = str_sub(errand->block, out.v[i].start, out.v[i].length);
            errand->hits += (size_t)match_line(errand->f->matcher, scratch, line, ~0u, m, 8);
        }
        arena_release(&arena);
    }
    match_scratch_release(scratch);
    return NULL;
}

/* Threads that meet an expression at the same time compile it once or twice, and agree. */
static void threads_share_a_matcher(void **state) {
    enum { THREADS = 4 };
    struct errand errands[THREADS] = {{0}};
    pthread_t threads[THREADS];
    struct buf buf = {0};
    uint64_t seed = 5;
    make_block(&buf, &seed, 30000);
    for (int i = 0; i < THREADS; i++) {
        errands[i] = (struct errand){.f = *state, .block = buf_view(&buf)};
        assert_int_equal(pthread_create(&threads[i], NULL, run_errand, &errands[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; i++) {
        assert_true(errands[i].candidates > 100 && errands[i].hits > 100);
        assert_int_equal(errands[i].candidates, errands[0].candidates);
        assert_int_equal(errands[i].hits, errands[0].hits);
    }
    buf_release(&buf);
}

/* ---- the real knowledge ------------------------------------------------------------------ */

/* Every kernel finds what needle and regex say about the samples of every signal, as the slow way
 * does. */
static void real_knowledge_agrees(void **state) {
    (void)state;
    struct image *image;
    struct err err;
    if (!image_embedded().n || !image_open(&image, NULL, 0, &err)) skip();
    struct fixture f = {.kb = (struct kb *)image_kb(image)};
    struct buf buf = {0};
    f.matcher = matcher_new(&f.arena, f.kb);
    f.scratch = match_scratch_new(f.matcher);
    for (int i = 0; i < f.kb->n_signals; i++) {
        struct image_sample samples[32];
        int n = image_samples(image, &f.arena, f.kb->signals[i].id, samples, 32);
        for (int k = 0; k < n; k++) {
            buf_str(&buf, samples[k].line);
            buf_char(&buf, '\n');
        }
        if (buf.n < 60000 && i + 1 < f.kb->n_signals) continue;
        assert_kernels_agree(&f, buf_view(&buf), true);
        buf_clear(&buf);
    }
    buf_release(&buf);
    match_scratch_release(f.scratch);
    matcher_release(f.matcher);
    arena_release(&f.arena);
    image_close(image);
}

static void assert_same_needles(const struct needle_set *a, const struct needle_set *b) {
    assert_int_equal(a->n_needles, b->n_needles);
    assert_int_equal(a->n_refs, b->n_refs);
    assert_memory_equal(&a->tables, &b->tables, sizeof a->tables);
    for (int i = 0; i < a->n_needles; i++) {
        assert_true(str_eq(a->needles[i].text, b->needles[i].text));
        assert_int_equal(a->needles[i].signal, b->needles[i].signal);
        assert_int_equal(a->needles[i].group, b->needles[i].group);
    }
}

/* A matcher of the choices that an image keeps is the one that chooses anew. */
static void plan_gives_the_same_matcher(void **state) {
    struct fixture *f = *state;
    struct kb planned = *f->kb;
    planned.plan = match_plan(&f->arena, f->kb);
    struct matcher *matcher = matcher_new(&f->arena, &planned);
    struct str first = matcher->loud->needles[0].text;
    assert_in_range(first.p - planned.plan.p, 1, planned.plan.n); /* it did read the plan */
    assert_same_needles(matcher->loud, f->matcher->loud);
    assert_same_needles(matcher->pulse, f->matcher->pulse);
    assert_same_needles(matcher->blind, f->matcher->blind);
    /* marks of trouble are the same whatever the digits and addresses */
    for (int i = 0; i < matcher->blind->n_needles; i++)
        assert_int_not_equal(matcher->blind->needles[i].group, NEEDLE_TROUBLE);
    for (int i = 0; i < f->kb->n_signals; i++) {
        assert_int_equal(match_heat(matcher, i), match_heat(f->matcher, i));
        assert_int_equal(matcher->pulses[i], f->matcher->pulses[i]);
        assert_int_equal(matcher->digit_blind[i], f->matcher->digit_blind[i]);
    }
    matcher_release(matcher);
}

/* A plan that is cut, changed or of other knowledge is not followed, or harmless. */
static void plan_may_be_damaged(void **state) {
    struct fixture *f = *state;
    struct kb damaged = *f->kb;
    struct plan plan;
    struct str whole = match_plan(&f->arena, f->kb);
    for (size_t n = 0; n < whole.n; n++) {
        char *copy = malloc(n + 1); /* so that a sanitizer sees what is read beyond */
        memcpy(copy, whole.p, n);
        damaged.plan = (struct str){copy, n};
        assert_false(plan_read(&plan, &damaged, &f->arena));
        free(copy);
    }
    uint64_t random = 7;
    for (int i = 0; i < 300; i++) {
        struct str copy = arena_str(&f->arena, whole);
        ((char *)(uintptr_t)copy.p)[random_next(&random) % whole.n] ^= (char)random_next(&random);
        damaged.plan = copy;
        matcher_release(matcher_new(&f->arena, &damaged));
    }
    damaged.plan = whole;
    damaged.n_signals--;
    assert_false(plan_read(&plan, &damaged, &f->arena));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(scan_equals_reference, set_up, tear_down),
        cmocka_unit_test_setup_teardown(scan_finds_a_fault_anywhere, set_up, tear_down),
        cmocka_unit_test_setup_teardown(scan_of_tiny_blocks, set_up, tear_down),
        cmocka_unit_test_setup_teardown(scan_cuts_a_long_line, set_up, tear_down),
        cmocka_unit_test_setup_teardown(scan_samples_step_lines, set_up, tear_down),
        cmocka_unit_test_setup_teardown(scan_bounds_trouble, set_up, tear_down),
        cmocka_unit_test_setup_teardown(scan_tells_digits_apart, set_up, tear_down),
        cmocka_unit_test(memo_forgets_and_stays_right),
        cmocka_unit_test_setup_teardown(scan_ways_agree, set_up, tear_down),
        cmocka_unit_test_setup_teardown(search_finds_a_fault_anywhere, set_up, tear_down),
        cmocka_unit_test_setup_teardown(rolls_are_of_the_lines_between, set_up, tear_down),
        cmocka_unit_test_setup_teardown(line_gives_captures, set_up, tear_down),
        cmocka_unit_test_setup_teardown(line_obeys_kinds_and_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(line_takes_words_without_case, set_up, tear_down),
        cmocka_unit_test_setup_teardown(line_finds_in_a_long_line, set_up, tear_down),
        cmocka_unit_test(line_counts_limits),
        cmocka_unit_test_setup_teardown(line_equals_reference, set_up, tear_down),
        cmocka_unit_test_setup_teardown(addresses_have_their_own_verdicts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(signals_may_be_read_later, set_up, tear_down),
        cmocka_unit_test_setup_teardown(threads_share_a_matcher, set_up, tear_down),
        cmocka_unit_test_setup_teardown(plan_gives_the_same_matcher, set_up, tear_down),
        cmocka_unit_test_setup_teardown(plan_may_be_damaged, set_up, tear_down),
        cmocka_unit_test(real_knowledge_agrees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
