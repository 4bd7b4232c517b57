/* A matcher as a whole: shared by threads, and with the real knowledge. */
#include <pthread.h>

#include "tests/unit/match_fixture.h"
#include "world/image.h"

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
        match_scan(errand->f->matcher, scratch, errand->block, MATCH_MILD, &arena, &out);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(threads_share_a_matcher, set_up, tear_down),
        cmocka_unit_test(real_knowledge_agrees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
