/* The same evidence for any number of threads, also of files that change meanwhile. */
#include <stdio.h>
#include <unistd.h>

#include "input/blocks.h"
#include "tests/unit/reads.h"

static void describe(struct buf *out, const struct evidence *evidence) {
    for (size_t i = 0; i < evidence->sources.n; i++) {
        const struct source *source = &evidence->sources.v[i];
        buf_printf(out, "S " STR_FMT " %d %llu %llu %d " STR_FMT "\n", STR_ARG(source->path),
                   source->kind, (unsigned long long)source->bytes,
                   (unsigned long long)source->lines, source->attempts, STR_ARG(source->last_line));
    }
    for (size_t i = 0; i < evidence->hits.n; i++) {
        const struct hit *hit = &evidence->hits.v[i];
        buf_printf(out, "H %d %d:%u-%u %llu %d %d %lld %u %u %d " STR_FMT "\n", hit->signal,
                   hit->first.source, hit->first.line, hit->last.line,
                   (unsigned long long)hit->first.offset, hit->first.rank, hit->first.attempt,
                   (long long)hit->first.time, hit->count, hit->flags, hit->trace,
                   STR_ARG(hit->text));
    }
    for (size_t i = 0; i < evidence->traces.n; i++)
        buf_printf(out, "T %d:%u %u %d " STR_FMT "\n", evidence->traces.v[i].end.source,
                   evidence->traces.v[i].end.line, evidence->traces.v[i].count,
                   evidence->traces.v[i].n_frames, STR_ARG(evidence->traces.v[i].message));
    for (size_t i = 0; i < evidence->standouts.n; i++)
        buf_printf(out, "O %d:%u %d\n", evidence->standouts.v[i].origin.source,
                   evidence->standouts.v[i].origin.line, evidence->standouts.v[i].score);
    for (size_t i = 0; i < evidence->tracks.n; i++)
        buf_printf(out, "K %d:%u %lld\n", evidence->tracks.v[i].origin.source,
                   evidence->tracks.v[i].origin.line, (long long)evidence->tracks.v[i].step);
    for (size_t i = 0; i < evidence->facts.n; i++)
        buf_printf(out, "F " STR_FMT "=" STR_FMT "\n", STR_ARG(evidence->facts.v[i].key),
                   STR_ARG(evidence->facts.v[i].value));
}

static void threads_do_not_matter(void **state) {
    struct fixture *fixture = *state;
    struct buf text = {0}, first = {0}, now = {0};
    put(fixture, "many/large.log",
        noisy_log(&text, 1, 250000)); /* beyond the size that several threads share */
    assert_true(text.n > 16 * 1024 * 1024);
    for (int i = 0; i < 20; i++) {
        char name[32];
        snprintf(name, sizeof name, "many/n%d/rank%d.log", i % 3, i);
        put(fixture, name, noisy_log(&text, (unsigned)i, 3000));
    }
    const char *whole[] = {path_of(fixture, "many")};
    for (int threads = 1; threads <= 5; threads++) {
        struct evidence evidence = {0};
        assert_true(read_paths(fixture, &evidence, whole, 1, threads, NULL));
        buf_clear(&now);
        describe(&now, &evidence);
        if (threads == 1) describe(&first, &evidence);
        assert_true(str_eq(buf_view(&first), buf_view(&now)));
        evidence_release(&evidence);
    }
    const char *forth[] = {path_of(fixture, "many/n0"), path_of(fixture, "many/n1")},
               *back[] = {forth[1], forth[0]};
    struct evidence a = {0}, b = {0};
    read_paths(fixture, &a, forth, 2, 2, NULL);
    read_paths(fixture, &b, back, 2, 3, NULL);
    buf_clear(&first);
    buf_clear(&now);
    describe(&first, &a);
    describe(&now, &b);
    assert_true(first.n > 100 && str_eq(buf_view(&first), buf_view(&now)));
    evidence_release(&a);
    evidence_release(&b);
    buf_release(&text);
    buf_release(&first);
    buf_release(&now);
}

struct looks {
    size_t hits, partial_hits, sources;
    bool shrank;
};

static void count_look(void *ctx, const struct evidence *merged, const struct evidence *partial) {
    struct looks *looks = ctx;
    looks->shrank |= merged->hits.n < looks->hits || merged->sources.n < looks->sources;
    looks->hits = merged->hits.n;
    looks->sources = merged->sources.n;
    if (partial && partial->hits.n > looks->partial_hits) looks->partial_hits = partial->hits.n;
}

/* What is known is shown while more is read, and changes nothing. */
static void one_can_look_while_reading(void **state) {
    struct fixture *fixture = *state;
    struct buf text = {0}, plain = {0}, looked = {0};
    put(fixture, "look/large.log", noisy_log(&text, 1, 250000));
    put(fixture, "look/small.log", noisy_log(&text, 2, 3000));
    const char *paths[] = {path_of(fixture, "look")};
    for (int threads = 1; threads <= 2; threads++) {
        struct evidence a = {0}, b = {0};
        struct looks looks = {0};
        struct input_options options = {.threads = threads, .on_look = count_look, .ctx = &looks};
        read_paths(fixture, &a, paths, 1, threads, NULL);
        assert_true(input_read(&b, &kb, fixture->matcher, paths, 1, &options));
        assert_int_equal(looks.sources, 2);
        assert_true(looks.hits > 0 && looks.partial_hits > 0);
        assert_false(looks.shrank);
        buf_clear(&plain);
        buf_clear(&looked);
        describe(&plain, &a);
        describe(&looked, &b);
        assert_true(str_eq(buf_view(&plain), buf_view(&looked)));
        evidence_release(&a);
        evidence_release(&b);
    }
    buf_release(&text);
    buf_release(&plain);
    buf_release(&looked);
}

struct leaver {
    uint64_t done, total;
    int asked;
};

static void leaver_progress(void *ctx, uint64_t done, uint64_t total) {
    struct leaver *leaver = ctx;
    assert_true(done >= leaver->done);
    leaver->done = done;
    leaver->total = total;
}

static bool leaver_left(void *ctx) {
    return ++((struct leaver *)ctx)->asked > 1;
}

/* A text in memory tells how far it is read, and can be left. */
static void a_text_can_be_left(void **state) {
    struct fixture *fixture = *state;
    struct buf text = {0};
    struct evidence whole = {0}, part = {0};
    struct leaver stays = {0}, leaves = {0};
    noisy_log(&text, 1, 300000);
    struct input_options options = {.on_progress = leaver_progress, .ctx = &stays};
    input_read_text(&whole, &kb, fixture->matcher, buf_view(&text), STR("paste"), &options);
    assert_int_equal(stays.done, text.n);
    assert_int_equal(stays.total, text.n);
    options.cancelled = leaver_left;
    options.ctx = &leaves;
    input_read_text(&part, &kb, fixture->matcher, buf_view(&text), STR("paste"), &options);
    assert_true(leaves.done > 0 && leaves.done < text.n);
    assert_true(part.sources.v[0].truncated);
    assert_true(part.sources.v[0].lines < whole.sources.v[0].lines);
    evidence_release(&whole);
    evidence_release(&part);
    buf_release(&text);
}

/* Lines of a file that several threads read have the numbers and hits that a plain count gives. */
static void blocks_lose_nothing(void **state) {
    struct fixture *fixture = *state;
    struct buf text = {0};
    unsigned expected[16], n = 0;
    for (unsigned line = 1; text.n < 20 * 1024 * 1024; line++) {
        bool hit = line % 40009 == 7 && n < COUNT_OF(expected);
        if (hit) expected[n++] = line;
        if (hit)
            buf_printf(&text, "[rank%u]: CUDA out of memory. Tried to allocate 2 GiB\n", n);
        else
            buf_printf(&text, "%.*s\n", (int)(line * 37 % 90),
                       "ordinary words of a long log file that never end and never mean a thing to "
                       "anyone at all x");
    }
    const char *path = put(fixture, "lines.log", buf_view(&text));
    for (int threads = 1; threads <= 4; threads += 3) {
        struct evidence evidence = {0};
        assert_true(read_paths(fixture, &evidence, &path, 1, threads, NULL));
        assert_int_equal(count_hits(&evidence, S_OOM), n);
        unsigned i = 0;
        for (size_t h = 0; h < evidence.hits.n; h++)
            if (evidence.hits.v[h].signal == S_OOM)
                assert_int_equal(evidence.hits.v[h].first.line, expected[i++]);
        evidence_release(&evidence);
    }
    buf_release(&text);
}

/* One fault, placed around the border of blocks and elsewhere, is found once, on its line. */
static void border_faults_are_found(void **state) {
    enum { SIZE = 3 << 20, BORDER = 1 << 20 };
    static const char fault_line[] = "[rank3]: CUDA out of memory. Tried to allocate 2 GiB\n";
    struct fixture *fixture = *state;
    char *text = malloc(SIZE);
    unsigned seed = 11;
    for (int i = 0; i < 40; i++) {
        seed = seed * 1103515245u + 12345u;
        size_t at =
            i < 28 ? BORDER * (1 + (size_t)i % 2) - 60 + 4 * (size_t)i : 200 + seed % (SIZE - 1000);
        unsigned line = 2;
        for (size_t k = 0; k < SIZE; k++) text[k] = k % 83 == 82 ? '\n' : 'a';
        text[at - 1] = '\n';
        memcpy(text + at, fault_line, sizeof fault_line - 1);
        text[SIZE - 1] = '\n';
        for (size_t k = 0; k + 1 < at; k++) line += text[k] == '\n';
        const char *path = put(fixture, "border.log", (struct str){text, SIZE});
        struct evidence evidence = {0};
        assert_true(read_paths(fixture, &evidence, &path, 1, 1 + i % 2, NULL));
        assert_int_equal(count_hits(&evidence, S_OOM), 1);
        assert_int_equal(hit_of(&evidence, S_OOM)->first.line, line);
        assert_int_equal(hit_of(&evidence, S_OOM)->count, 1);
        evidence_release(&evidence);
    }
    free(text);
}

struct meddler {
    const char *path;
    int done;   /* calls so far */
    off_t size; /* the file is made this long at the first; -1: it is removed */
    struct errors errors;
};

static void meddle(void *ctx, uint64_t done, uint64_t total) {
    struct meddler *meddler = ctx;
    (void)done, (void)total;
    if (meddler->done++) return;
    if (meddler->size < 0)
        assert_int_equal(unlink(meddler->path), 0);
    else
        assert_int_equal(truncate(meddler->path, meddler->size), 0);
}

static void meddler_error(void *ctx, const struct err *err) {
    count_error(&((struct meddler *)ctx)->errors, err);
}

/* What was read stays; a file that became shorter is told, one that grew or went is read as it was.
 */
static void files_change_meanwhile(void **state) {
    static const off_t sizes[] = {2 << 20, 40 << 20, -1};
    struct fixture *fixture = *state;
    struct buf text = {0};
    buf_str(&text, STR("[rank1]: CUDA out of memory. Tried to allocate 2 GiB\n"));
    while (text.n < 6 << 20) buf_str(&text, STR("an ordinary line of a log that is long enough\n"));
    buf_str(&text, STR("[rank2]: CUDA out of memory. Tried to allocate 2 GiB\n"));
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        struct meddler meddler = {.path = put(fixture, "alive.log", buf_view(&text)),
                                  .size = sizes[i]};
        struct input_options options = {
            .threads = 1, .on_progress = meddle, .on_error = meddler_error, .ctx = &meddler};
        struct evidence evidence = {0};
        bool shorter = i == 0;
        assert_int_equal(input_read(&evidence, &kb, fixture->matcher, &meddler.path, 1, &options),
                         !shorter);
        assert_true(meddler.done > 1);
        assert_int_equal(meddler.errors.n, shorter);
        if (shorter) assert_non_null(strstr(meddler.errors.last.detail, "shorter"));
        assert_int_equal(count_hits(&evidence, S_OOM), shorter ? 1 : 2);
        assert_int_equal(evidence.sources.v[0].truncated, shorter);
        evidence_release(&evidence);
    }
    buf_release(&text);
}

/* A packed log is taken apart by one thread at a time and scanned by all: whatever their number,
 * every fault is found, on its line. */
static void packed_log_by_threads(void **state) {
    struct fixture *fixture = *state;
    struct buf text = {0};
    char command[256];
    uint32_t lines = 0, faults = 0, first = 0;
    while (text.n < 9 << 20) {
        bool is_bad = ++lines % 5000 == 77;
        if (is_bad && !faults++) first = lines;
        buf_printf(&text,
                   is_bad ? "CUDA out of memory. Tried to allocate %u.00 GiB\n"
                          : "[INFO] worker %u has read its share of the data for today\n",
                   lines % 60 + 1);
    }
    put(fixture, "rank0.log", buf_view(&text));
    snprintf(command, sizeof command, "cd %s && tar cf packed.tar rank0.log", fixture->folder);
    assert_int_equal(system(command), 0);
    const char *path = path_of(fixture, "packed.tar");
    for (int threads = 1; threads <= 3; threads++) {
        struct evidence evidence = {0};
        assert_true(read_paths(fixture, &evidence, &path, 1, threads, NULL));
        assert_int_equal(evidence.sources.v[0].bytes, text.n);
        assert_int_equal(evidence.sources.v[0].lines, lines);
        assert_int_equal(hit_of(&evidence, S_OOM)->count, faults);
        assert_int_equal(hit_of(&evidence, S_OOM)->first.line, first);
        evidence_release(&evidence);
    }
    buf_release(&text);
}

/* The room of one file is the next one's. */
static void rooms_are_used_again(void **state) {
    (void)state;
    struct worker worker = {0};
    char *one = room_take(&worker), *two = room_take(&worker), *three = room_take(&worker);
    char *second = two, *none = NULL;
    memset(three, 1, ROOM_BYTES);
    room_give(&worker, &none);
    room_give(&worker, &one);
    room_give(&worker, &two);
    room_give(&worker, &three); /* no more than two are kept */
    assert_true(!one && !two && !three);
    two = room_take(&worker);
    assert_ptr_equal(two, second);
    room_give(&worker, &two);
    worker_release(&worker);
    assert_int_equal(worker.n_rooms, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(threads_do_not_matter), TEST(one_can_look_while_reading), TEST(a_text_can_be_left),
        TEST(blocks_lose_nothing),   TEST(border_faults_are_found),    TEST(files_change_meanwhile),
        TEST(packed_log_by_threads), TEST(rooms_are_used_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
