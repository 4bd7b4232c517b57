/* Streams of zstd frames: what they hold is read, as far as it comes; what is damaged or takes too
 * much memory is told. */
#include "tests/unit/reads.h"

static const struct str fault = STR("RuntimeError: CUDA out of memory. Tried to allocate 2 GiB\n");

enum { BLOCK_MOST = 100000 };

/* A frame as RFC 8878 has it, of blocks that are not compressed; its window is given as the power
 * of two. */
static void add_frame(struct buf *out, struct str text, int window_log) {
    buf_str(out, STR("\x28\xB5\x2F\xFD"));
    buf_char(out, 0);
    buf_char(out, (char)((window_log - 10) << 3));
    do {
        struct str block = str_sub(text, 0, BLOCK_MOST);
        text = str_sub(text, block.n, text.n - block.n);
        uint32_t head = (uint32_t)block.n << 3 | (text.n == 0);
        for (int i = 0; i < 3; i++) buf_char(out, (char)(head >> 8 * i));
        buf_str(out, block);
    } while (text.n > 0);
}

static struct evidence read_frames(struct fixture *fixture, const char *name, struct str frames,
                                   struct errors *errors) {
    const char *path = put(fixture, name, frames);
    struct evidence evidence = {0};
    bool whole = read_paths(fixture, &evidence, &path, 1, 2, errors);
    assert_true(whole == (errors->n == 0));
    assert_int_equal(evidence.sources.n, 1);
    return evidence;
}

static void frames_are_one_log(void **state) {
    struct fixture *fixture = *state;
    struct buf frames = {0}, log = {0};
    struct errors errors = {0};
    while (log.n < 3 << 20) buf_str(&log, STR("a step of the training\n"));
    size_t steps = log.n / STR("a step of the training\n").n;
    add_frame(&frames, buf_view(&log), 17);
    add_frame(&frames, (struct str){0}, 17);
    add_frame(&frames, fault, 17);
    struct evidence evidence = read_frames(fixture, "a.log.zst", buf_view(&frames), &errors);
    assert_int_equal(errors.n, 0);
    assert_int_equal(hit_of(&evidence, S_OOM)->first.line, steps + 1);
    assert_true(str_ends(evidence.sources.v[0].path, STR("a.log.zst")));
    evidence_release(&evidence);
    buf_release(&frames);
    buf_release(&log);
}

static void what_comes_before_the_damage_is_read(void **state) {
    struct fixture *fixture = *state;
    struct buf frames = {0};
    add_frame(&frames, fault, 17);
    size_t whole = frames.n;
    buf_str(&frames, STR("no frame at all"));
    for (int cut = 0; cut < 2; cut++) {
        struct errors errors = {0};
        struct str bytes = str_sub(buf_view(&frames), 0, cut ? whole - 1 : frames.n);
        struct evidence evidence = read_frames(fixture, "b.log.zst", bytes, &errors);
        assert_int_equal(errors.n, 1);
        assert_true(evidence.sources.v[0].truncated);
        assert_non_null(hit_of(&evidence, S_OOM));
        evidence_release(&evidence);
    }
    buf_release(&frames);
}

static void a_window_is_bounded(void **state) {
    struct fixture *fixture = *state;
    for (int window_log = 24; window_log < 28; window_log++) {
        struct buf frames = {0};
        struct errors errors = {0};
        add_frame(&frames, fault, window_log);
        struct evidence evidence = read_frames(fixture, "c.log.zst", buf_view(&frames), &errors);
        assert_int_equal(errors.n, window_log > 25);
        if (errors.n) assert_non_null(strstr(errors.last.detail, "memory"));
        evidence_release(&evidence);
        buf_release(&frames);
    }
}

/* An archive in frames counts as one with them: compressed logs in it are opened. */
static void an_archive_within(void **state) {
    struct fixture *fixture = *state;
    struct buf inner = {0}, outer = {0};
    char command[512], room[32768];
    add_frame(&inner, fault, 17);
    put(fixture, "d/rank1.log.zst", buf_view(&inner));
    snprintf(command, sizeof command, "tar -C %s -cf %s/d.tar d", fixture->folder, fixture->folder);
    assert_int_equal(system(command), 0);
    FILE *file = fopen(path_of(fixture, "d.tar"), "rb");
    size_t n = fread(room, 1, sizeof room, file);
    fclose(file);
    add_frame(&outer, (struct str){room, n}, 17);
    struct errors errors = {0};
    struct evidence evidence = read_frames(fixture, "d.tar.zst", buf_view(&outer), &errors);
    assert_int_equal(errors.n, 0);
    assert_true(str_ends(evidence.sources.v[0].path, STR("d.tar.zst:d/rank1.log.zst")));
    assert_int_equal(hit_of(&evidence, S_OOM)->first.rank, 1);
    evidence_release(&evidence);
    buf_release(&inner);
    buf_release(&outer);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(frames_are_one_log),
        TEST(what_comes_before_the_damage_is_read),
        TEST(a_window_is_bounded),
        TEST(an_archive_within),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
