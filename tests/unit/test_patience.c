/* A word when nothing comes: once each time, and not while nothing is asked for. */
#include "tests/unit/test.h"

#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

#include "app/patience.h"

enum { SHORT_MS = 20, LONG_MS = 10000 };

struct told {
    atomic_int n;
    char what[256];
};

static void count(void *ctx, const struct err *err) {
    struct told *told = ctx;
    snprintf(told->what, sizeof told->what, "%s", err->what);
    told->n++;
}

static void pass(int ms) {
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L}, NULL);
}

/* True as soon as so many were told; false after long. */
static bool becomes(const struct told *told, int n) {
    for (int ms = 0; ms < LONG_MS && told->n < n; ms += SHORT_MS) pass(SHORT_MS);
    return told->n == n;
}

static void told_once_each_time(void **state) {
    (void)state;
    struct told told = {0};
    struct patience *patience = patience_begin("mnt/job", 0.02, count, &told);
    assert_true(becomes(&told, 1));
    assert_string_equal(told.what, "nothing came from 'mnt/job' for 0 s");
    pass(5 * SHORT_MS);
    assert_int_equal(told.n, 1);
    patience_heard(patience);
    assert_true(becomes(&told, 2));
    patience_rest(patience);
    pass(5 * SHORT_MS);
    assert_int_equal(told.n, 2);
    patience_heard(patience);
    assert_true(becomes(&told, 3));
    patience_end(patience);
}

static void silent_while_something_comes(void **state) {
    (void)state;
    struct told told = {0};
    struct patience *patience = patience_begin("job", LONG_MS / 1e3, count, &told);
    for (int i = 0; i < 5; i++, pass(SHORT_MS)) patience_heard(patience);
    patience_rest(patience);
    patience_end(patience); /* at once */
    assert_int_equal(told.n, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(told_once_each_time),
        cmocka_unit_test(silent_while_something_comes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
