/* The scan of every kernel against the slow way, and expressions that must not crash the readers.
 * Bytes below 64 stand for pieces of lines, so that the fuzzer finds hits without guessing them. */
#include <stdio.h>
#include <stdlib.h>

#include "match/literal.h"
#include "match/matcher.h"
#include "match/syntax.h"
#include "tests/unit/match_reference.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct fixture {
    struct arena arena;
    struct kb *kb;
    struct matcher *matcher;
    struct match_scratch *scratch;
};

static struct fixture *fixture(void) {
    static struct fixture f;
    if (f.kb) return &f;
    f.kb = reference_kb(&f.arena);
    f.matcher = matcher_new(&f.arena, f.kb);
    f.scratch = match_scratch_new(f.matcher);
    return &f;
}

static void fail(const char *what, const char *kernel, long line) {
    fprintf(stderr, "%s: %s, line %ld\n", kernel, what, line);
    abort();
}

static void check_block(struct fixture *f, struct str block) {
    for (int i = 0; i < n_kernels; i++) {
        struct arena arena = {0};
        candidate_vec out = {0};
        if (!kernels[i].usable()) continue;
        f->matcher->kernel = &kernels[i];
        char *exact = malloc(block.n + !block.n); /* so that a read beyond it is seen */
        if (block.n) memcpy(exact, block.p, block.n);
        uint32_t lines = match_scan(f->matcher, f->scratch, (struct str){exact, block.n},
                                    MATCH_MILD, &arena, &out);
        long differs = reference_differs(f->kb, (struct str){exact, block.n}, &out, lines);
        if (differs >= 0) fail("differs from the reference", kernels[i].name, differs);
        for (size_t k = 0; k < out.n; k++) {
            struct match m[4];
            struct str line = {exact + out.v[k].start, out.v[k].length};
            int n = match_line(f->matcher, f->scratch, line, (1 << WHERE_COUNT) - 1, m, 4);
            for (int j = 0; j < n; j++)
                if (m[j].end > line.n || m[j].start > m[j].end)
                    fail("match outside its line", kernels[i].name, (long)k);
        }
        free(exact);
        arena_release(&arena);
    }
}

static uint64_t cost(void *ctx, struct str literal) {
    (void)ctx;
    return 1000 - literal.n;
}

/* Whatever it is: refused or accepted, and never a crash; what is accepted compiles, and a line
 * that it matches holds one of the strings that it proves. */
static void check_expression(struct str text) {
    ptrdiff_t lf = str_find(text, STR("\n"), 0);
    struct str regex = lf < 0 ? text : str_sub(text, 0, (size_t)lf),
               line = str_sub(text, regex.n, text.n);
    struct arena arena = {0};
    struct literals proved;
    struct err err;
    bool has = literals_of(&arena, regex, cost, NULL, &proved), stands = false;
    if (regex_check(regex, false, &err)) {
        struct syntax syntax;
        if (syntax_plainly_blind(regex) && syntax_read(regex, &syntax, &err) && !syntax.digit_blind)
            fail("plainly blind, but not", "syntax", 0);
        for (int i = 0; has && i < proved.n; i++) stands |= str_has(line, proved.v[i]);
        if (has && !stands && regex_try(regex, false, line, 0, NULL) > 0)
            fail("a match without what it proves", "literal", 0);
    }
    arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct buf block = {0};
    for (size_t i = 0; i < size && block.n < 100000; i++) {
        if (data[i] >= 64 || data[i] == '\n')
            buf_char(&block, (char)data[i]);
        else
            buf_str(&block, reference_pieces[data[i] % COUNT_OF(reference_pieces)]);
    }
    check_block(fixture(), buf_view(&block));
    check_expression((struct str){(const char *)data, size});
    buf_release(&block);
    return 0;
}
