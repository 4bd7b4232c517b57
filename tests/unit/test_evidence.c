/* Merging keeps a bounded part of what many sources say, the same whoever reads first. */
#include "model/evidence.h"

#include <stdio.h>

#include "tests/unit/test.h"

enum { SOURCES = 600 };

static void fill(struct evidence *one, int number) {
    struct source source = {
        .path = arena_printf(&one->arena, "rank_%04d.log", number), .rank = number, .attempts = 2};
    *one = (struct evidence){.arena = one->arena};
    vec_push(&one->arena, &one->sources, source);
    for (int attempt = 1; attempt <= 2; attempt++) {
        struct origin origin = {.line = (uint32_t)attempt * 10,
                                .rank = number,
                                .time = (int64_t)(SOURCES - number) * 1000 + attempt,
                                .attempt = attempt};
        struct trace trace = {
            .origin = origin, .end = origin, .type = STR("KeyError"), .cause = -1};
        vec_push(&one->arena, &one->traces, trace);
        struct hit hit = {.signal = 3,
                          .first = origin,
                          .last = origin,
                          .text = arena_printf(&one->arena, "line of %d", number),
                          .count = 2,
                          .trace = attempt - 1};
        vec_push(&one->arena, &one->hits, hit);
    }
    for (int i = 0; i < 100; i++) {
        struct track track = {.origin = {.line = (uint32_t)i + 1}, .step = i};
        vec_push(&one->arena, &one->tracks, track);
    }
}

static void merge_all(struct evidence *all) {
    for (int i = 0; i < SOURCES; i++) {
        struct evidence one = {0};
        fill(&one, i);
        evidence_merge(all, &one);
        evidence_release(&one);
    }
}

static void the_earliest_hits_stay(void **state) {
    (void)state;
    struct evidence all = {0};
    merge_all(&all);
    evidence_sort(&all);
    int last = 0;
    uint32_t lines = 0;
    assert_int_equal(all.hits.n, 2 * LIMIT_HITS); /* of the last attempt, and of those before it */
    for (size_t i = 0; i < all.hits.n; i++) {
        const struct hit *hit = &all.hits.v[i];
        last += hit->first.attempt == 2;
        lines += hit->count;
        /* the last sources have the earliest times */
        assert_true(hit->first.rank >= SOURCES - LIMIT_HITS);
        assert_str(hit->text, all.sources.v[hit->first.source].rank == hit->first.rank
                                  ? arena_printf(&all.arena, "line of %d", hit->first.rank).p
                                  : "another source");
        assert_true(hit->trace >= 0);
        assert_int_equal(all.traces.v[hit->trace].end.source, hit->first.source);
        assert_int_equal(all.traces.v[hit->trace].end.line, hit->first.line);
    }
    assert_int_equal(last, LIMIT_HITS);
    for (size_t i = 0; i < all.rests.n; i++) lines += all.rests.v[i].lines;
    assert_int_equal(lines, SOURCES * 2 * 2); /* the rest only count */
    evidence_release(&all);
}

/* Whoever is read first, a place stays in its file. */
static void places_move_with_their_sources(void **state) {
    (void)state;
    static const char *const paths[] = {"b.log", "a.log"};
    struct evidence all = {0};
    for (size_t i = 0; i < COUNT_OF(paths); i++) {
        struct evidence one = {0};
        struct source source = {.path = str_of(paths[i]), .attempts = 1};
        struct trace trace = {.type = str_of(paths[i]), .cause = -1};
        vec_push(&one.arena, &one.sources, source);
        vec_push(&one.arena, &one.traces, trace);
        evidence_merge(&all, &one);
        evidence_release(&one);
    }
    evidence_sort(&all);
    for (size_t i = 0; i < all.traces.n; i++) {
        const struct trace *trace = &all.traces.v[i];
        assert_true(str_eq(all.sources.v[trace->origin.source].path, trace->type));
        assert_true(str_eq(all.sources.v[trace->end.source].path, trace->type));
        assert_true(str_eq(all.sources.v[trace->code_at.source].path, trace->type));
    }
    evidence_release(&all);
}

/* Each rank counts once, whatever their order and how far apart they lie; room is for chunks. */
static void ranks_are_told_apart(void **state) {
    (void)state;
    struct arena arena = {0};
    struct rank_set set = {0}, other = {0};
    static const int ranks[] = {64000, 3, 64001, 65535, 3, 255, 256, -1, RANK_SET_MAX, 64000};
    for (size_t i = 0; i < COUNT_OF(ranks); i++) rank_set_add(&arena, &set, ranks[i], NULL);
    assert_int_equal(rank_set_count(&set), 6);
    assert_true(arena.used < 1024); /* few of all that lie between */
    int room = 2;
    for (int rank = 0; rank < RANK_SET_MAX; rank += 200) rank_set_add(&arena, &other, rank, &room);
    assert_int_equal(room, 0);
    assert_int_equal(rank_set_count(&other), 3); /* 0, 200 and 400 */
    room = 0;
    rank_set_join(&arena, &other, &set, &room);
    assert_int_equal(rank_set_count(&other), 6); /* 3, 255 and 256 with them */
    rank_set_join(&arena, &other, &set, NULL);
    assert_int_equal(rank_set_count(&other), 9);
    for (int rank = RANK_SET_MAX; rank-- > 0;) rank_set_add(&arena, &set, rank, NULL);
    assert_int_equal(rank_set_count(&set), RANK_SET_MAX);
    arena_release(&arena);
}

/* Where times are equal, or none is known, the first sources' stay. */
static void of_equal_times_the_first_places_stay(void **state) {
    (void)state;
    struct evidence all = {0};
    for (int i = 0; i < SOURCES; i++) {
        struct evidence one = {0};
        struct source source = {.path = STR("rank.log"), .attempts = 1};
        int64_t time = i % 2 ? 1000 : i % 4 ? 2000 : TIME_UNKNOWN;
        struct origin origin = {.line = 1, .rank = i, .time = time, .attempt = 1};
        struct hit hit = {.signal = 3, .first = origin, .last = origin, .count = 1, .trace = -1};
        vec_push(&one.arena, &one.sources, source);
        vec_push(&one.arena, &one.hits, hit);
        evidence_merge(&all, &one);
        evidence_release(&one);
    }
    evidence_sort(&all);
    assert_int_equal(all.hits.n, LIMIT_HITS);
    for (int i = 0; i < LIMIT_HITS; i++) assert_int_equal(all.hits.v[i].first.rank, 2 * i + 1);
    evidence_release(&all);
}

static void readings_thin_out(void **state) {
    (void)state;
    struct evidence all = {0};
    merge_all(&all);
    assert_true(all.tracks.n <= LIMIT_ALL_TRACKS);
    int seen[SOURCES] = {0}, first[SOURCES] = {0}, last[SOURCES] = {0};
    for (size_t i = 0; i < all.tracks.n; i++) {
        const struct track *track = &all.tracks.v[i];
        seen[track->origin.source]++;
        first[track->origin.source] += track->step == 0;
        last[track->origin.source] += track->step == 99;
    }
    for (int i = 0; i < SOURCES; i++) {
        assert_true(seen[i] >= 20);
        assert_int_equal(first[i], 1);
        assert_int_equal(last[i], 1);
    }
    evidence_release(&all);
}

/* Sorting moves rows; what comes later must find them again. */
/* A hundred thousand short logs leave no hundred thousand texts; what people wrote has room of its
 * own, and configurations all stay. */
static void the_first_texts_stay(void **state) {
    (void)state;
    struct evidence all = {0};
    for (int i = 0; i < 60; i++) {
        struct evidence one = {0};
        struct source source = {.path = arena_printf(&one.arena, "%02d", i),
                                .kind = i % 2 ? KIND_LOG : KIND_WORDS};
        struct document words = {.format = STR("words"), .text = source.path};
        struct document config = {.format = STR("ds_config"), .text = source.path};
        vec_push(&one.arena, &one.sources, source);
        vec_push(&one.arena, &one.documents, words);
        vec_push(&one.arena, &one.documents, config);
        evidence_merge(&all, &one);
        evidence_release(&one);
    }
    int words = 0;
    for (size_t i = 0; i < all.documents.n; i++) {
        if (!str_eq(all.documents.v[i].format, STR("words"))) continue;
        words++;
        assert_true(all.documents.v[i].source < 2 * LIMIT_ALL_WORDS);
    }
    assert_int_equal(words, 2 * LIMIT_ALL_WORDS);
    assert_int_equal(all.documents.n, 60 + words);
    evidence_release(&all);
}

/* A packed folder is one evidence of several sources. */
static void texts_of_several_sources_stay(void **state) {
    (void)state;
    struct evidence all = {0}, one = {0};
    for (int i = 0; i < 60; i++) {
        struct source source = {.path = arena_printf(&one.arena, "%02d", i), .kind = KIND_LOG};
        struct document words = {.format = STR("words"), .text = source.path, .source = i};
        vec_push(&one.arena, &one.sources, source);
        vec_push(&one.arena, &one.documents, words);
    }
    evidence_merge(&all, &one);
    assert_int_equal(all.documents.n, LIMIT_ALL_WORDS);
    assert_int_equal(all.documents.v[LIMIT_ALL_WORDS - 1].source, LIMIT_ALL_WORDS - 1);
    evidence_release(&one);
    evidence_release(&all);
}

static void merging_goes_on_after_sorting(void **state) {
    (void)state;
    struct evidence all = {0};
    merge_all(&all);
    evidence_sort(&all);
    merge_all(&all);
    evidence_sort(&all);
    assert_int_equal(all.hits.n, 2 * LIMIT_HITS);
    for (size_t i = 0; i < all.hits.n; i++)
        assert_true(all.hits.v[i].first.rank >= SOURCES - LIMIT_HITS / 2 - 1);
    evidence_release(&all);
}

/* More sources than readings can be kept of, each with a long last line. */
static void many_sources_are_bounded(void **state) {
    (void)state;
    enum { MANY = 60000, LINE = 500 };
    struct evidence all = {0}, one = {0};
    char line[LINE];
    memset(line, 'x', sizeof line);
    vec_push(&one.arena, &one.sources,
             (struct source){.path = STR("a.log"), .attempts = 1, .last_line = {line, LINE}});
    for (int step = 0; step < 3; step++)
        vec_push(&one.arena, &one.tracks,
                 (struct track){.step = step, .origin = {.line = (uint32_t)step + 1}});
    for (int i = 0; i < MANY; i++) evidence_merge(&all, &one);
    assert_int_equal(all.sources.n, MANY);
    assert_in_range(all.tracks.n, LIMIT_ALL_TRACKS / 2, LIMIT_LAST_TRACKS);
    size_t kept = 0;
    for (size_t i = 0; i < all.sources.n; i++) kept += all.sources.v[i].last_line.n;
    assert_in_range(kept, LIMIT_LAST_LINES / 2, LIMIT_LAST_LINES);
    assert_true(all.arena.used < (size_t)32 * 1024 * 1024);
    evidence_release(&all);
    evidence_release(&one);
}

static void merge_fact(struct evidence *all, struct str value) {
    struct evidence one = {0};
    struct fact fact = {.key = STR("nccl.version"), .value = value, .from = STR("log")};
    vec_push(&one.arena, &one.sources, (struct source){.path = STR("a.log"), .attempts = 1});
    evidence_add_fact(&one, &fact);
    evidence_merge(all, &one);
    evidence_release(&one);
}

/* What thousands of ranks repeat is dropped, the one that tells otherwise is not. */
static void another_value_is_kept(void **state) {
    (void)state;
    struct evidence all = {0};
    char value[32];
    for (int i = 0; i < LIMIT_FACTS + 100; i++) merge_fact(&all, STR("2.18.1"));
    assert_int_equal(all.facts.n, LIMIT_FACTS);
    merge_fact(&all, STR("2.20.5"));
    merge_fact(&all, STR("2.20.5"));
    assert_int_equal(all.facts.n, LIMIT_FACTS + 1);
    assert_true(str_eq(evidence_fact(&all, STR("nccl.version")), STR("2.20.5")));
    for (int i = 0; i < LIMIT_ALL_FACTS; i++) {
        snprintf(value, sizeof value, "0.%d", i);
        merge_fact(&all, str_of(value));
    }
    assert_int_equal(all.facts.n, LIMIT_ALL_FACTS);
    evidence_release(&all);
}

/* Configurations of a hundred thousand runs leave room for the dumps of a job that hangs. */
static void documents_are_bounded(void **state) {
    (void)state;
    enum { BYTES = 64 * 1024 };
    static char text[BYTES];
    struct evidence all = {0}, config = {0}, dump = {0};
    struct document document = {.format = STR("text"), .text = {text, BYTES}};
    vec_push(&config.arena, &config.sources, (struct source){.kind = KIND_CONFIG});
    vec_push(&config.arena, &config.documents, document);
    vec_push(&dump.arena, &dump.sources, (struct source){.kind = KIND_FLIGHT});
    vec_push(&dump.arena, &dump.documents, document);
    for (int i = 0; i < 1000; i++) evidence_merge(&all, &config);
    assert_int_equal(all.documents.n, LIMIT_ALL_DOCUMENTS / BYTES);
    for (int i = 0; i < 1000; i++) evidence_merge(&all, &dump);
    assert_int_equal(all.documents.n, LIMIT_ALL_DUMPS / BYTES);
    evidence_release(&dump);
    evidence_release(&config);
    evidence_release(&all);
}

/* Hundreds of signals, each on hundreds of ranks: a few hits of every one stay, the earliest. */
static void hits_of_all_signals_are_bounded(void **state) {
    (void)state;
    enum { SIGNALS = 400, RANKS = 200 };
    struct evidence all = {0};
    uint32_t lines = 0;
    for (int rank = 0; rank < RANKS; rank++) {
        struct evidence one = {0};
        struct source source = {.path = STR("a.log"), .attempts = 1};
        vec_push(&one.arena, &one.sources, source);
        for (int signal = 0; signal < SIGNALS; signal++) {
            struct origin origin = {.rank = rank, .time = RANKS - rank, .attempt = 1};
            struct hit hit = {
                .signal = signal, .first = origin, .last = origin, .count = 1, .trace = -1};
            vec_push(&one.arena, &one.hits, hit);
        }
        evidence_merge(&all, &one);
        evidence_release(&one);
    }
    assert_in_range(all.hits.n, LIMIT_ALL_HITS, LIMIT_ALL_HITS + SIGNALS * LIMIT_HITS_LEAST);
    int first[SIGNALS] = {0};
    for (size_t i = 0; i < all.hits.n; i++)
        first[all.hits.v[i].signal] |= all.hits.v[i].first.rank == RANKS - 1;
    for (int signal = 0; signal < SIGNALS; signal++) assert_true(first[signal]);
    for (size_t i = 0; i < all.rests.n; i++) lines += all.rests.v[i].lines;
    assert_int_equal(lines + all.hits.n, SIGNALS * RANKS);
    evidence_release(&all);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hits_of_all_signals_are_bounded),
        cmocka_unit_test(another_value_is_kept),
        cmocka_unit_test(documents_are_bounded),
        cmocka_unit_test(the_earliest_hits_stay),
        cmocka_unit_test(ranks_are_told_apart),
        cmocka_unit_test(of_equal_times_the_first_places_stay),
        cmocka_unit_test(readings_thin_out),
        cmocka_unit_test(many_sources_are_bounded),
        cmocka_unit_test(the_first_texts_stay),
        cmocka_unit_test(texts_of_several_sources_stay),
        cmocka_unit_test(merging_goes_on_after_sorting),
        cmocka_unit_test(places_move_with_their_sources),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
