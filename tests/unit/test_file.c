/* Files that are read in one go, and bytes that are written to the last one. */
#include "tests/unit/test.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

enum { LARGE = 300 * 1000 }; /* more than one read gives */

/* LARGE bytes, the i-th of which is i % 251, in a file that is removed at once; its path is that of
 * the descriptor, so that it can be read by name all the same. */
static int large_file(char path[64]) {
    char name[] = "/tmp/faultline-file-XXXXXX", *bytes = heap_bytes(LARGE);
    int fd = mkstemp(name);
    assert_true(fd >= 0);
    unlink(name);
    for (int i = 0; i < LARGE; i++) bytes[i] = (char)(i % 251);
    assert_true(fd_write(fd, bytes, LARGE));
    snprintf(path, 64, "/proc/self/fd/%d", fd);
    free(bytes);
    return fd;
}

static void a_file_is_read_whole(void **state) {
    (void)state;
    char path[64];
    struct err err;
    int fd = large_file(path);
    struct buf text = {.limit = LARGE}; /* which it just fits */
    assert_true(file_read(path, &text, &err));
    assert_int_equal(text.n, LARGE);
    for (int i = 0; i < LARGE; i++) assert_int_equal((unsigned char)text.p[i], i % 251);
    assert_true(file_read("/dev/null", &text, &err)); /* appended: nothing */
    assert_int_equal(text.n, LARGE);
    buf_release(&text);
    close(fd);
}

static void a_larger_one_says_so(void **state) {
    (void)state;
    char path[64];
    struct err err;
    int fd = large_file(path);
    struct buf text = {.limit = 1 << 18};
    assert_false(file_read(path, &text, &err));
    assert_true(text.full);
    assert_int_equal(text.n, 1 << 18); /* what fits is there */
    assert_string_equal(err.detail, "it is larger than 0.25 MiB");
    buf_release(&text);
    close(fd);
}

static void what_cannot_be_read_says_why(void **state) {
    (void)state;
    static const struct {
        const char *path;
        int error;
    } rows[] = {{"/nowhere/at/all", ENOENT}, {"/tmp", EISDIR}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct buf text = {0};
        struct err err;
        char room[8];
        assert_false(file_read(rows[i].path, &text, &err));
        assert_string_equal(err.detail, strerror(rows[i].error));
        assert_true(str_has(str_of(err.what), str_of(rows[i].path)));
        assert_int_equal(text.n, 0);
        assert_false(text.full);
        assert_int_equal(file_head(rows[i].path, room, sizeof room).n, 0);
        buf_release(&text);
    }
}

static void a_head_is_no_more_than_asked(void **state) {
    (void)state;
    char path[64], room[LARGE + 1];
    int fd = large_file(path);
    assert_int_equal(file_head(path, room, 7).n, 7);
    assert_memory_equal(room, "\0\1\2\3\4\5\6", 7);
    assert_int_equal(file_head(path, room, 0).n, 0);
    assert_int_equal(file_head(path, room, sizeof room).n, LARGE);
    close(fd);
}

static void nobody_left_to_read_is_told(void **state) {
    (void)state;
    int ends[2];
    signal(SIGPIPE, SIG_IGN);
    assert_int_equal(pipe(ends), 0);
    close(ends[0]);
    assert_false(fd_write(ends[1], "x", 1));
    assert_int_equal(errno, EPIPE);
    assert_true(fd_write(ends[1], "", 0));
    close(ends[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_read_whole),
        cmocka_unit_test(a_larger_one_says_so),
        cmocka_unit_test(what_cannot_be_read_says_why),
        cmocka_unit_test(a_head_is_no_more_than_asked),
        cmocka_unit_test(nobody_left_to_read_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
