/* Whatever a path may be: encodings, archives, pipes, folders, hostile files. */
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/reads.h"

static struct str wide(struct arena *arena, struct str text, bool big) {
    char *out = arena_alloc(arena, 2 * text.n + 2);
    memcpy(out, big ? "\xFE\xFF" : "\xFF\xFE", 2);
    for (size_t i = 0; i < text.n; i++) out[2 + 2 * i + (big ? 1 : 0)] = text.p[i];
    return (struct str){out, 2 * text.n + 2};
}

static struct str repeated(struct arena *arena, struct str head, struct str body, size_t n,
                           struct str tail) {
    char *text = arena_alloc(arena, head.n + body.n * n + tail.n), *at = text;
    if (head.n) at = memcpy(at, head.p, head.n), at += head.n;
    for (size_t i = 0; i < n; i++) memcpy(at, body.p, body.n), at += body.n;
    if (tail.n) memcpy(at, tail.p, tail.n);
    return (struct str){text, head.n + body.n * n + tail.n};
}

static const struct str fault = STR("RuntimeError: CUDA out of memory. Tried to allocate 2 GiB\n");

static void utf16_and_line_ends(void **state) {
    struct fixture *fixture = *state;
    struct arena arena = {0};
    struct str small = repeated(&arena, STR("begin\r\n"), STR("step\r\n"), 5, fault);
    for (int big = 0; big < 2; big++) {
        struct evidence evidence = read_text(fixture, "wide.log", wide(&arena, small, big));
        assert_int_equal(hit_of(&evidence, S_OOM)->first.line, 7);
        evidence_release(&evidence);
        struct str large =
            repeated(&arena, STR("begin\n"), STR("a step of the training\n"), 60000, fault);
        evidence = read_text(fixture, "wide-large.log", wide(&arena, large, big));
        assert_int_equal(hit_of(&evidence, S_OOM)->first.line, 60002);
        evidence_release(&evidence);
    }
    struct evidence evidence = read_text(
        fixture, "mac.log",
        STR("begin\rstep\rRuntimeError: CUDA out of memory. Tried to allocate 2 GiB\rend\r"));
    assert_int_equal(hit_of(&evidence, S_OOM)->first.line, 3);
    evidence_release(&evidence);
    struct str mac = repeated(&arena, STR("begin\r"), STR("a step of the training\r"), 60000,
                              STR("CUDA out of memory. Tried to allocate 2 GiB\r"));
    evidence = read_text(fixture, "mac-large.log", mac);
    assert_int_equal(hit_of(&evidence, S_OOM)->first.line, 60002);
    evidence_release(&evidence);
    evidence = read_text(fixture, "dos.log",
                         STR("begin\r\nKeyError: 'a'\r\nRuntimeError: CUDA out of memory. Tried to "
                             "allocate 2 GiB\r\n"));
    assert_int_equal(hit_of(&evidence, S_OOM)->first.line, 3);
    assert_int_equal(evidence.traces.n, 2);
    evidence_release(&evidence);
    arena_release(&arena);
}

static void foreign_files_are_listed(void **state) {
    struct fixture *fixture = *state;
    static const struct {
        const char *name;
        struct str text;
        enum kind kind;
    } files[] = {
        {"empty.log", {0}, KIND_EMPTY},
        {"model.bin", STR("\x80\x02}q\x01CUDA out of memory. Tried to allocate 2 GiB"), KIND_OTHER},
        {"data.safetensors",
         STR("\x10\0\0\0\0\0\0\0{\"a\": CUDA out of memory. Tried to allocate 2 GiB}"), KIND_OTHER},
        {"x.png", STR("\x89PNG\r\n CUDA out of memory. Tried to allocate 2 GiB"), KIND_OTHER},
        {"train.py", STR("raise RuntimeError('CUDA out of memory. Tried to allocate 2 GiB')\n"),
         KIND_OTHER},
        {"kernel.c", STR("/* NVRM: Xid (PCI:0000:10:1c): 63, pid=1850, Row Remapper */\n"),
         KIND_OTHER},
        {"noise",
         STR("\x01\x02\x03\x04\x05\x06\x07\x0e\x0f\x10 CUDA out of memory. Tried to allocate 2 "
             "GiB"),
         KIND_OTHER},
        {"zeros.log", STR("\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"), KIND_OTHER}};
    for (size_t i = 0; i < COUNT_OF(files); i++) {
        struct evidence evidence = read_text(fixture, files[i].name, files[i].text);
        if (evidence.sources.v[0].kind != files[i].kind)
            fail_msg("%s is %s", files[i].name, kind_names[evidence.sources.v[0].kind]);
        assert_int_equal(evidence.hits.n, 0);
        evidence_release(&evidence);
    }
    struct evidence evidence =
        read_text(fixture, "nuls.log",
                  STR("begin of a log that lost a block\n\0\0\0\0\0\0\nRuntimeError: CUDA out of "
                      "memory. Tried to allocate 2 GiB\n"));
    assert_int_equal(hit_of(&evidence, S_OOM)->first.line, 3);
    evidence_release(&evidence);
}

static void folders_and_links(void **state) {
    struct fixture *fixture = *state;
    put(fixture, "job/rank0.log", STR("launcher begins\n"));
    put(fixture, "job/sub/rank1.log", fault);
    put(fixture, "job/.git/HEAD", fault);
    assert_int_equal(symlink("..", path_of(fixture, "job/sub/loop")), 0);
    assert_int_equal(symlink("rank0.log", path_of(fixture, "job/latest.log")), 0);
    assert_int_equal(symlink("nowhere", path_of(fixture, "job/dangling")), 0);
    assert_int_equal(mkfifo(path_of(fixture, "job/pipe"), 0600),
                     0); /* inside a folder nobody waits for a writer */
    struct evidence evidence = read_one(fixture, path_of(fixture, "job"));
    assert_int_equal(evidence.sources.n, 2);
    assert_str(evidence.sources.v[0].path, "rank0.log");
    assert_str(evidence.sources.v[1].path, "sub/rank1.log");
    assert_int_equal(hit_of(&evidence, S_OOM)->first.source, 1);
    assert_int_equal(hit_of(&evidence, S_OOM)->first.rank, 1);
    evidence_release(&evidence);
}

/* A number in a file's name is the rank where job and task name it, or where the files say so. */
static void numbers_in_names(void **state) {
    struct fixture *fixture = *state;
    static const struct {
        const char *name, *says; /* both of the file's number */
        int first, rank;         /* numbers from `first` on; the rank of the second file */
    } sets[] = {{"fit-71234-%d.out", "fold %d", 0, 1},
                {"fit-71234-%d.out", "fold %d", 1, -1},
                {"fit-71234_%d.out", "fold %d", 0, -1},
                {"fit-71234_%d.out", "| distributed init (rank %d): env://", 0, 1},
                {"log_%d.txt", "RANK=%d", 0, 1},
                {"log_%d.txt", "LOCAL_RANK=%d", 0, -1},
                {"log_%d.txt", "ranking %d", 0, -1},
                {"log_%d.txt", "rank: %d.5", 0, -1},
                {"%d.log", "[rank%d]: beside rank 0", 0, 1},
                {"%d.log", "[rank%d]: beside rank 7", 0, -1},
                {"fit-20240501-%d.out", "fold %d", 0, -1}};
    for (size_t i = 0; i < COUNT_OF(sets); i++) {
        char name[80], text[80], folder[20];
        snprintf(folder, sizeof folder, "set%zu", i);
        for (int number = sets[i].first; number < sets[i].first + 3; number++) {
            int n = snprintf(name, sizeof name, "%s/", folder);
            snprintf(name + n, sizeof name - (size_t)n, sets[i].name, number);
            snprintf(text, sizeof text, sets[i].says, number);
            put(fixture, name, arena_printf(&fixture->arena, "%s\nglobal_step=1\n", text));
        }
        struct evidence evidence = read_one(fixture, path_of(fixture, folder));
        assert_int_equal(evidence.sources.n, 3);
        if (evidence.sources.v[1].rank != sets[i].rank)
            fail_msg("%s '%s': rank %d", sets[i].name, sets[i].says, evidence.sources.v[1].rank);
        evidence_release(&evidence);
    }
}

static void unreadable_paths_are_told(void **state) {
    struct fixture *fixture = *state;
    const char *paths[] = {put(fixture, "good.log", fault), path_of(fixture, "absent.log"),
                           "/dev/null"};
    struct evidence evidence = {0};
    struct errors errors = {0};
    assert_false(read_paths(fixture, &evidence, paths, 3, 2, &errors));
    assert_int_equal(errors.n, 2);
    assert_int_equal(count_hits(&evidence, S_OOM), 1);
    evidence_release(&evidence);
    if (geteuid() == 0) return; /* root reads everything */
    const char *closed = put(fixture, "closed.log", fault);
    chmod(closed, 0);
    errors = (struct errors){0};
    assert_false(read_paths(fixture, &evidence, &closed, 1, 1, &errors));
    assert_int_equal(errors.n, 1);
    evidence_release(&evidence);
}

struct writer {
    const char *path;
    struct str text;
};

static void *write_pipe(void *arg) {
    struct writer *writer = arg;
    FILE *file = fopen(writer->path, "wb");
    if (!file) return NULL;
    for (size_t at = 0; at < writer->text.n;) { /* in pieces that end inside lines */
        size_t n = writer->text.n - at < 7777 ? writer->text.n - at : 7777;
        at += fwrite(writer->text.p + at, 1, n, file);
        fflush(file);
    }
    fclose(file);
    return NULL;
}

static void pipes_are_read(void **state) {
    struct fixture *fixture = *state;
    struct arena arena = {0};
    const char *path = path_of(fixture, "fifo");
    assert_int_equal(mkfifo(path, 0600), 0);
    struct str text =
        repeated(&arena, (struct str){0}, STR("an uneventful line of a log\n"), 100000, fault);
    struct writer writer = {path, text};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, write_pipe, &writer), 0);
    struct evidence evidence = read_one(fixture, path);
    pthread_join(thread, NULL);
    assert_int_equal(hit_of(&evidence, S_OOM)->first.line, 100001);
    assert_int_equal(evidence.sources.v[0].lines, 100001);
    assert_int_equal(evidence.sources.v[0].bytes, text.n);
    evidence_release(&evidence);
    arena_release(&arena);
}

static void one_endless_line(void **state) {
    struct fixture *fixture = *state;
    struct arena arena = {0};
    struct str text = repeated(&arena, STR("first\n"), STR("0123456789abcdef"), 600000,
                               STR(" CUDA out of memory. Tried to allocate 2 GiB\nlast line\n"));
    struct evidence evidence = read_text(fixture, "long.log", text);
    assert_int_equal(hit_of(&evidence, S_OOM)->first.line, 2);
    assert_true(hit_of(&evidence, S_OOM)->text.n <= LIMIT_TEXT);
    assert_int_equal(evidence.sources.v[0].lines, 3);
    assert_str(evidence.sources.v[0].last_line, "last line");
    evidence_release(&evidence);
    arena_release(&arena);
}

static void memory_is_bounded(void **state) {
    struct fixture *fixture = *state;
    struct arena arena = {0};
    struct str text =
        repeated(&arena, (struct str){0},
                 STR("[rank1]: RuntimeError: CUDA out of memory. Tried to allocate 2 GiB of 7\n"),
                 150000, fault);
    struct evidence evidence = read_text(fixture, "hits.log", text);
    assert_int_equal(count_hits(&evidence, S_OOM), 2);
    assert_int_equal(hit_of(&evidence, S_OOM)->count, 150000);
    assert_true(evidence.arena.used < 1024 * 1024);
    evidence_release(&evidence);
    arena_release(&arena);
    struct buf many = {0};
    for (int rank = 0; rank < 3000; rank++)
        buf_printf(&many, "[rank%d]: CUDA out of memory. Tried to allocate 2 GiB\n", rank);
    evidence = read_text(fixture, "ranks.log", buf_view(&many));
    assert_int_equal(count_hits(&evidence, S_OOM), LIMIT_HITS);
    uint32_t count = 0;
    for (size_t i = 0; i < evidence.hits.n; i++) count += evidence.hits.v[i].count;
    assert_int_equal(count, 3000);
    assert_int_equal(evidence.ranks.n, 3000);
    evidence_release(&evidence);
    buf_release(&many);
}

/* A line of spaces shrinks a thousandfold: the rest of such a file is not worth the time. */
static void bombs_end_early(void **state) {
    struct fixture *fixture = *state;
    char command[512];
    snprintf(
        command, sizeof command,
        "cd %s && (echo start; head -c 200000000 /dev/zero | tr '\\0' 'a') | gzip -9 > bomb.log.gz",
        fixture->folder);
    assert_int_equal(system(command), 0);
    const char *path = path_of(fixture, "bomb.log.gz");
    struct evidence evidence = {0};
    struct errors errors = {0};
    assert_false(read_paths(fixture, &evidence, &path, 1, 1, &errors));
    assert_int_equal(errors.n, 1);
    assert_true(evidence.sources.v[0].truncated);
    assert_true(evidence.sources.v[0].bytes < 150000000);
    evidence_release(&evidence);
}

static void packed_files(void **state) {
    struct fixture *fixture = *state;
    char command[512];
    put(fixture, "packed/logs/rank0.log", STR("launcher begins\n"));
    put(fixture, "packed/logs/rank1.log", fault);
    snprintf(command, sizeof command,
             "cd %s/packed && tar czf ../a.tar.gz logs && gzip -k logs/rank1.log && mv "
             "logs/rank1.log.gz ..",
             fixture->folder);
    assert_int_equal(system(command), 0);
    struct evidence evidence = read_one(fixture, path_of(fixture, "a.tar.gz"));
    assert_int_equal(evidence.sources.n, 2);
    assert_true(str_ends(evidence.sources.v[1].path, STR("a.tar.gz:logs/rank1.log")));
    assert_int_equal(hit_of(&evidence, S_OOM)->first.source, 1);
    assert_int_equal(hit_of(&evidence, S_OOM)->first.rank, 1);
    evidence_release(&evidence);
    evidence = read_one(fixture, path_of(fixture, "rank1.log.gz"));
    assert_int_equal(evidence.sources.n, 1);
    assert_int_equal(hit_of(&evidence, S_OOM)->first.rank, 1);
    evidence_release(&evidence);
    snprintf(command, sizeof command, "cd %s && tar cf b.tar rank1.log.gz && cat a.tar.gz > c",
             fixture->folder);
    assert_int_equal(system(command), 0);
    evidence = read_one(fixture, path_of(fixture, "b.tar")); /* a compressed log in an archive */
    assert_true(str_ends(evidence.sources.v[0].path, STR("b.tar:rank1.log.gz")));
    assert_int_equal(hit_of(&evidence, S_OOM)->first.rank, 1);
    evidence_release(&evidence);
    struct errors errors = {0};
    const char *broken = put(fixture, "broken.gz", STR("\x1F\x8B\x08\x00garbage that is no gzip"));
    assert_false(read_paths(fixture, &evidence, &broken, 1, 1, &errors));
    assert_int_equal(errors.n, 1);
    evidence_release(&evidence);
}

/* What stands far behind the words of an information is its data; behind those of an error it is
 * not, nor where a bar was written over the line. */
static void data_within_a_line(void **state) {
    struct fixture *fixture = *state;
    static const struct {
        const char *head;
        unsigned flags;
    } rows[] = {
        {"[2024-05-01 12:00:00,123 INFO] Processing [", HIT_WARNING | HIT_ADVICE | HIT_WORDS},
        {"[2024-05-01 12:00:00,123 ERROR] Processing [", 0},
        {"[2024-05-01 12:00:00,123 INFO] Processing\r[", 0}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct buf text = {0};
        buf_str(&text, str_of(rows[i].head));
        while (text.n < 100000) buf_str(&text, STR("many words of a text, "));
        buf_str(&text, STR("CUDA out of memory. Tried to allocate 3.00 GiB. "));
        while (text.n < 200000) buf_str(&text, STR("many words of a text, "));
        buf_str(&text, STR("\n"));
        struct evidence evidence = read_text(fixture, "data.log", buf_view(&text));
        assert_int_equal(hit_of(&evidence, S_OOM)->flags, rows[i].flags);
        evidence_release(&evidence);
        buf_release(&text);
    }
}

/* A line without an end that is nothing but hits costs its reading: some of its windows are looked
 * at, its last one always. */
static void endless_line_is_bounded(void **state) {
    struct fixture *fixture = *state;
    struct buf text = {0};
    while (text.n < 9 << 20) buf_str(&text, STR("global_step=77, and exits successfully; "));
    buf_str(&text, STR("CUDA out of memory. Tried to allocate 3.00 GiB. "));
    struct evidence evidence = read_text(fixture, "endless.log", buf_view(&text));
    assert_int_equal(hit_of(&evidence, S_OOM)->first.line, 1);
    assert_in_range(hit_of(&evidence, S_DONE)->count, 64, 300);
    assert_int_equal(evidence.sources.v[0].lines, 1);
    evidence_release(&evidence);
    buf_release(&text);
}

/* What stands in a long line before the part that is looked at may be the name of a bar. */
static void a_bar_cut_from_its_name(void **state) {
    struct fixture *fixture = *state;
    for (int shift = 0; shift < 64; shift++) {
        struct buf text = {0};
        while (text.n < 20000)
            buf_str(&text, STR("Loading weights:  24%|##4  | 244/1013 [00:02<00:07, 101.18it/s]"));
        buf_printf(&text, "%*sCUDA out of memory. Tried to allocate 3.00 GiB.\n", shift, "");
        struct evidence evidence = read_text(fixture, "bars.log", buf_view(&text));
        assert_non_null(hit_of(&evidence, S_OOM));
        assert_int_equal(evidence.tracks.n, 0);
        evidence_release(&evidence);
        buf_release(&text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(utf16_and_line_ends),       TEST(foreign_files_are_listed), TEST(folders_and_links),
        TEST(unreadable_paths_are_told), TEST(pipes_are_read),           TEST(one_endless_line),
        TEST(memory_is_bounded),         TEST(endless_line_is_bounded),  TEST(packed_files),
        TEST(bombs_end_early),           TEST(numbers_in_names),         TEST(data_within_a_line),
        TEST(a_bar_cut_from_its_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
