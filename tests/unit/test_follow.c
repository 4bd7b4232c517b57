/* Logs that are still being written: what came is read once, whole lines alone, wherever it came.
 */
#include "tests/unit/reads.h"

#include "input/follow.h"

#include <unistd.h>

#define OOM "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB\n"

static void append(const char *path, const char *text) {
    FILE *file = fopen(path, "ab");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void hear(void *ctx) {
    ++*(int *)ctx;
}

static struct follow *follow_folder(struct fixture *fixture, const char *const *folder,
                                    int *heard) {
    return follow_new(&kb, fixture->matcher, folder, 1, hear, heard);
}

static void lines_are_read_once_and_whole(void **state) {
    struct fixture *fixture = *state;
    const char *folder = fixture->folder,
               *path = put(fixture, "a.log", STR("[INFO] one\n[INFO] t"));
    int heard = 0;
    size_t files;
    struct evidence evidence = {0};
    struct follow *follow = follow_folder(fixture, &folder, &heard);
    assert_int_equal(follow_read(follow, &files), strlen("[INFO] one\n"));
    assert_int_equal(files, 1);
    assert_int_equal(heard, 1);
    assert_int_equal(follow_read(follow, &files), 0); /* half a line is none */
    append(path, "wo\n" OOM "the end");
    assert_int_equal(follow_read(follow, &files), strlen("[INFO] two\n" OOM));
    follow_finish(follow, &evidence); /* now the rest counts, too */
    assert_int_equal(evidence.sources.v[0].bytes, strlen("[INFO] one\n[INFO] two\n" OOM "the end"));
    assert_int_equal(hit_of(&evidence, S_OOM)->first.line, 3);
    assert_int_equal(hit_of(&evidence, S_OOM)->count, 1);
    assert_str(evidence.sources.v[0].last_line, "the end");
    evidence_release(&evidence);
    follow_release(follow);
}

/* The kernel tells of it behind what it tells of files that are known. */
static void a_new_file_is_found_at_the_next_look(void **state) {
    struct fixture *fixture = *state;
    const char *folder = fixture->folder, *path = put(fixture, "rank0.log", STR("[INFO] one\n"));
    int heard = 0;
    size_t files;
    struct follow *follow = follow_folder(fixture, &folder, &heard);
    follow_read(follow, &files);
    append(path, "[INFO] two\n");
    put(fixture, "rank1.log", STR("[INFO] one\n" OOM));
    follow_wait(follow, -1, 5000);
    assert_int_equal(follow_read(follow, &files), strlen("[INFO] two\n[INFO] one\n" OOM));
    assert_int_equal(files, 2);
    follow_release(follow);
}

static void a_file_that_became_shorter_begins_anew(void **state) {
    struct fixture *fixture = *state;
    const char *folder = fixture->folder;
    int heard = 0;
    size_t files;
    struct evidence evidence = {0};
    put(fixture, "a.log", STR("[INFO] one\n" OOM "[INFO] three\n"));
    struct follow *follow = follow_folder(fixture, &folder, &heard);
    follow_read(follow, &files);
    put(fixture, "a.log", STR("[INFO] begun again\n"));
    assert_int_equal(follow_read(follow, &files), strlen("[INFO] begun again\n"));
    follow_finish(follow, &evidence);
    assert_int_equal(count_hits(&evidence, S_OOM), 0);
    assert_int_equal(evidence.sources.v[0].lines, 1);
    evidence_release(&evidence);
    follow_release(follow);
}

static void one_that_is_gone_keeps_what_it_told(void **state) {
    struct fixture *fixture = *state;
    const char *folder = fixture->folder, *path = put(fixture, "a.log", STR("[INFO] one\n" OOM));
    int heard = 0;
    size_t files;
    struct evidence evidence = {0};
    struct follow *follow = follow_folder(fixture, &folder, &heard);
    follow_read(follow, &files);
    unlink(path);
    assert_int_equal(follow_read(follow, &files), 0);
    follow_finish(follow, &evidence);
    assert_int_equal(hit_of(&evidence, S_OOM)->first.line, 2);
    evidence_release(&evidence);
    follow_release(follow);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(lines_are_read_once_and_whole),
        TEST(a_new_file_is_found_at_the_next_look),
        TEST(a_file_that_became_shorter_begins_anew),
        TEST(one_that_is_gone_keeps_what_it_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
