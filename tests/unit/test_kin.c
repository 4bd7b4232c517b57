/* Ranks' files that differ in their numbers only are told by the first of them. */
#include "input/kin.h"

#include <stdio.h>
#include <unistd.h>

#include "input/tell.h"
#include "test.h"

enum { FILES = 600 };

/* FILES files of which only the first is there, with these lines. */
static void files_make(struct arena *arena, struct walked *files, const char *real,
                       const char *pattern, const char *line) {
    FILE *out = fopen(real, "w");
    for (int i = 0; ftell(out) < 2 * TELL_PASTE; i++) fprintf(out, line, i % 7, i);
    fclose(out);
    for (int i = 0; i < FILES; i++)
        files[i] = (struct walked){.path = arena_printf(arena, pattern, i),
                                   .real = i ? "/nowhere" : real,
                                   .size = 2 * TELL_PASTE};
}

static void check(const char *pattern, const char *line, size_t n, bool log, bool numbered) {
    struct arena arena = {0};
    struct kins kins;
    struct walked files[FILES];
    char real[64];
    snprintf(real, sizeof real, "/tmp/test_kin.%ld", (long)getpid());
    files_make(&arena, files, real, pattern, line);
    kins_find(&kins, &arena, files, n);
    assert_null(kin_log(&kins, &files[0])); /* it is told by itself */
    for (size_t i = 1; i < n; i++) assert_int_equal(kin_log(&kins, &files[i]) != NULL, log);
    if (log) assert_int_equal(kin_log(&kins, &files[1])->custom.numbered, numbered);
    if (log) assert_int_equal(kin_log(&kins, &files[1])->ranks, numbered);
    if (log) assert_non_null(kin_log(&kins, &files[1])->head);
    kins_release(&kins);
    unlink(real);
    arena_release(&arena);
}

static void the_first_tells(void **state) {
    (void)state;
    check("rank_%03d.log", "step %d: loss 1.%d\n", FILES, true, false);
    check("node1/rank%d.log", "%d: loss 1.%d\n", FILES, true, true);
}

static void what_is_not_told(void **state) {
    (void)state;
    check("rank_%03d.log", "step %d: loss 1.%d\n", 200, false, false);   /* they are few */
    check("part_%03d.log", "step %d: loss 1.%d\n", FILES, false, false); /* of no rank */
    check("rank_%03d.log", "[ %d.%06d] usb 1-1: new device\n", FILES, false,
          false); /* a kernel's */
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_first_tells),
                                       cmocka_unit_test(what_is_not_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
