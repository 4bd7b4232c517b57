/* heart.h - the heart on hand-made knowledge and evidence, for the tests that link base, model and
 * think alone: the wall is their link line. */
#ifndef FAULTLINE_TEST_HEART_H
#define FAULTLINE_TEST_HEART_H

#include "think/think.h"

#include "test.h"

/* ---- a small knowledge: two failures that share a job, one follows from the first ---- */

enum { SIG_CASCADE, SIG_CLUE, SIG_DONE, SIG_OOM, SIG_PROGRESS, SIG_WATCHDOG, SIG_WORDS, N_SIGNALS };
enum { F_OOM, F_TIMEOUT, F_WORDS, N_FAILURES };

static struct code symptoms[] = {{.id = {"3.4", 3}, .stage = STAGE_PREPARE},
                                 {.id = {"4.2", 3}, .stage = STAGE_TRAIN},
                                 {.id = {"4.7", 3}, .stage = STAGE_TRAIN}};
static struct code roots[] = {{.id = {"R3.2", 4}, .stage = STAGE_PREPARE},
                              {.id = {"R4.1", 4}, .stage = STAGE_TRAIN},
                              {.id = {"R4.5", 4}, .stage = STAGE_TRAIN},
                              {.id = {"R4.7", 4}, .stage = STAGE_TRAIN}};
static struct code patterns[] = {{.id = {"P4", 2}}, {.id = {"P5", 2}}};
static int oom_signals[] = {SIG_OOM}, timeout_signals[] = {SIG_WATCHDOG},
           words_signals[] = {SIG_WORDS};
static int after_oom[] = {F_OOM}, first_fix[] = {0};
static struct str values_first[] = {{"first", 5}}, values_later[] = {{"later", 5}};
static struct str asked_group[] = {{"asked", 5}};
static struct cond seen_clue = {.op = COND_SEEN, .signal = SIG_CLUE, .size = 1};
static struct cond is_first = {
    .op = COND_IS, .key = {"answer.when", 11}, .values = values_first, .n_values = 1, .size = 1};
static struct cond is_later = {
    .op = COND_IS, .key = {"answer.when", 11}, .values = values_later, .n_values = 1, .size = 1};
static struct str values_spare[] = {{"job.asked", 9}, {"2 GiB", 5}};
static struct cond spare_covers = {
    .op = COND_COVERS, .key = {"job.spare", 9}, .values = values_spare, .n_values = 2, .size = 1};
static struct clue batch_clues[] = {{.cond = &is_first, .decibans = 8},
                                    {.cond = &is_later, .decibans = -8}};
static struct clue leak_clues[] = {
    {.cond = &seen_clue, .decibans = 12, .group = {"g", 1}, .why = {"memory grew", 11}},
    {.cond = &seen_clue, .decibans = 5, .group = {"g", 1}},
    {.cond = &is_later, .decibans = 8},
    {.cond = &spare_covers, .decibans = 12}};
static struct cause oom_causes[] = {{.id = {"batch", 5},
                                     .why = {"the batch asks {{asked}}", 24},
                                     .root = {-1, -1, 0, 2, -1},
                                     .symptom = {-1, -1, -1, -1, -1},
                                     .prior = 60,
                                     .clues = batch_clues,
                                     .n_clues = 2,
                                     .fixes = first_fix,
                                     .n_fixes = 1},
                                    {.id = {"leak", 4},
                                     .why = {"a leak", 6},
                                     .root = {-1, -1, -1, 1, -1},
                                     .symptom = {-1, -1, -1, -1, -1},
                                     .prior = 40,
                                     .clues = leak_clues,
                                     .n_clues = 4,
                                     .fixes = first_fix,
                                     .n_fixes = 1}};
static struct cause timeout_causes[] = {{.id = {"net", 3},
                                         .why = {"the network", 11},
                                         .root = {-1, -1, -1, 3, -1},
                                         .symptom = {-1, -1, -1, -1, -1},
                                         .prior = 100,
                                         .fixes = first_fix,
                                         .n_fixes = 1}};
static struct str oom_commands[] = {{"ls {{job.path|PATH}} {{job.none|PATH}}", 38},
                                    {"pip install {{job.module|package}}", 34},
                                    {"python -c \"import {{job.module}}\"", 33}};
static struct fix oom_fixes[] = {{.id = {"smaller", 7},
                                  .title = {"halve {{ds.batch|half}} of {{nothing}}", 38},
                                  .pattern = 1,
                                  .commands = oom_commands,
                                  .n_commands = 3}};
static struct fix timeout_fixes[] = {
    {.id = {"cable", 5}, .title = {"look at the cable", 17}, .pattern = 0}};
static struct failure failures[] = {{.id = {"oom", 3},
                                     .title = {"out of memory", 13},
                                     .symptom = {-1, -1, 0, 1, -1},
                                     .causes = oom_causes,
                                     .n_causes = 2,
                                     .fixes = oom_fixes,
                                     .n_fixes = 1,
                                     .signals = oom_signals,
                                     .n_signals = 1},
                                    {.id = {"timeout", 7},
                                     .title = {"time-out", 8},
                                     .symptom = {-1, -1, -1, 2, -1},
                                     .causes = timeout_causes,
                                     .n_causes = 1,
                                     .fixes = timeout_fixes,
                                     .n_fixes = 1,
                                     .signals = timeout_signals,
                                     .n_signals = 1,
                                     .consequence_of = after_oom,
                                     .n_consequence_of = 1},
                                    {.id = {"words", 5},
                                     .title = {"a complaint", 11},
                                     .symptom = {-1, -1, -1, 2, -1},
                                     .causes = timeout_causes,
                                     .n_causes = 1,
                                     .fixes = timeout_fixes,
                                     .n_fixes = 1,
                                     .signals = words_signals,
                                     .n_signals = 1}};
static struct signal signals[N_SIGNALS] = {
    [SIG_CASCADE] = {.id = {"a-cascade", 9}, .role = ROLE_CASCADE, .failure = -1},
    [SIG_CLUE] = {.id = {"b-clue", 6}, .role = ROLE_CONTEXT, .failure = -1},
    [SIG_DONE] = {.id = {"c-done", 6}, .role = ROLE_DONE, .failure = -1},
    [SIG_OOM] = {.id = {"d-oom", 5},
                 .role = ROLE_INITIATING,
                 .level = LEVEL_FAMILY,
                 .groups = asked_group,
                 .n_groups = 1,
                 .failure = F_OOM},
    [SIG_PROGRESS] = {.id = {"e-step", 6},
                      .role = ROLE_PROGRESS,
                      .stage = {0, 0, 0, 8, 0},
                      .failure = -1},
    [SIG_WATCHDOG] = {.id = {"f-watchdog", 10},
                      .role = ROLE_INITIATING,
                      .level = LEVEL_SPECIFIC,
                      .failure = F_TIMEOUT},
    [SIG_WORDS] = {.id = {"g-words", 7},
                   .role = ROLE_INITIATING,
                   .in = IN_WORDS,
                   .level = LEVEL_SPECIFIC,
                   .failure = F_WORDS}};
static struct choice when_choices[] = {{.id = {"first", 5}}, {.id = {"later", 5}}};
static struct question questions[] = {
    {.id = {"when", 4}, .ask = {"When?", 5}, .cost = 1, .choices = when_choices, .n_choices = 2}};
static struct str key_error[] = {{"KeyError", 8}};
static struct fallback fallbacks[] = {{.exceptions = key_error,
                                       .n_exceptions = 1,
                                       .title = {"a key is missing", 16},
                                       .symptom = {-1, -1, -1, 2, -1},
                                       .root = {-1, -1, -1, 3, -1},
                                       .patterns = {1},
                                       .n_patterns = 1}};
static const struct kb kb = {.symptoms = symptoms,
                             .n_symptoms = 3,
                             .roots = roots,
                             .n_roots = 4,
                             .patterns = patterns,
                             .n_patterns = 2,
                             .signals = signals,
                             .n_signals = N_SIGNALS,
                             .failures = failures,
                             .n_failures = N_FAILURES,
                             .questions = questions,
                             .n_questions = 1,
                             .fallbacks = fallbacks,
                             .n_fallbacks = 1};

/* ---- evidence --------------------------------------------------------------------------- */

static inline struct origin at(int source, uint32_t line, int rank) {
    return (struct origin){
        .source = source, .line = line, .rank = rank, .time = TIME_UNKNOWN, .attempt = 1};
}

static inline void add_source(struct evidence *evidence, enum kind kind) {
    struct source source = {
        .path = STR("log"), .kind = kind, .lines = 100, .rank = -1, .attempts = 1};
    vec_push(&evidence->arena, &evidence->sources, source);
}

static inline void add_hit(struct evidence *evidence, int signal, uint32_t line, unsigned flags) {
    static struct str capture[] = {{"2 GiB", 5}};
    struct hit hit = {.signal = signal,
                      .first = at(0, line, -1),
                      .last = at(0, line, -1),
                      .text = STR("a line"),
                      .count = 1,
                      .flags = flags,
                      .trace = -1,
                      .captures = capture,
                      .n_captures = 1};
    vec_push(&evidence->arena, &evidence->hits, hit);
}

static inline void add_fact(struct evidence *evidence, const char *key, const char *value) {
    struct fact fact = {.key = str_of(key), .value = str_of(value), .origin = {.source = -1}};
    evidence_add_fact(evidence, &fact);
}

static inline struct diagnosis *think(struct evidence *evidence, struct arena *arena) {
    struct think_options options = {0};
    return diagnose(&kb, evidence, &options, arena);
}

struct fixture {
    struct evidence evidence;
    struct arena arena;
};

static inline int setup(void **state) {
    struct fixture *fixture = calloc(1, sizeof *fixture);
    add_source(&fixture->evidence, KIND_LOG);
    *state = fixture;
    return 0;
}

static inline int teardown(void **state) {
    struct fixture *fixture = *state;
    evidence_release(&fixture->evidence);
    arena_release(&fixture->arena);
    free(fixture);
    return 0;
}

#define HEART_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

#endif
