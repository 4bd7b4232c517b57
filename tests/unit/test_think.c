/* The heart on hand-made knowledge and evidence.  Links base, model and think alone: the wall is
 * the link line. */
#include <math.h>

#include "model/leaning.h"
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

static struct origin at(int source, uint32_t line, int rank) {
    return (struct origin){
        .source = source, .line = line, .rank = rank, .time = TIME_UNKNOWN, .attempt = 1};
}

static void add_source(struct evidence *evidence, enum kind kind) {
    struct source source = {
        .path = STR("log"), .kind = kind, .lines = 100, .rank = -1, .attempts = 1};
    vec_push(&evidence->arena, &evidence->sources, source);
}

static void add_hit(struct evidence *evidence, int signal, uint32_t line, unsigned flags) {
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

static void add_fact(struct evidence *evidence, const char *key, const char *value) {
    struct fact fact = {.key = str_of(key), .value = str_of(value), .origin = {.source = -1}};
    evidence_add_fact(evidence, &fact);
}

static struct diagnosis *think(struct evidence *evidence, struct arena *arena) {
    struct think_options options = {0};
    return diagnose(&kb, evidence, &options, arena);
}

struct fixture {
    struct evidence evidence;
    struct arena arena;
};

static int setup(void **state) {
    struct fixture *fixture = calloc(1, sizeof *fixture);
    add_source(&fixture->evidence, KIND_LOG);
    *state = fixture;
    return 0;
}

static int teardown(void **state) {
    struct fixture *fixture = *state;
    evidence_release(&fixture->evidence);
    arena_release(&fixture->arena);
    free(fixture);
    return 0;
}

static void first_cause_is_the_prior(void **state) {
    struct fixture *f = *state;
    add_hit(&f->evidence, SIG_OOM, 10, 0);
    struct diagnosis *d = think(&f->evidence, &f->arena);
    assert_int_equal(d->verdict, VERDICT_FAILED);
    assert_int_equal(d->findings[0].failure, F_OOM);
    assert_int_equal(d->findings[0].cause, 0);
    assert_str(d->findings[0].why, "the batch asks 2 GiB");
    assert_int_equal(d->first_fault.origin.line, 10);
}

static void documentation_is_no_complaint(void **state) {
    struct fixture *f = *state;
    for (int i = 0; i < 9; i++) add_source(&f->evidence, KIND_WORDS);
    add_hit(&f->evidence, SIG_WORDS, 1, HIT_WORDS);
    f->evidence.hits.v[0].first.source = f->evidence.hits.v[0].last.source = 1;
    assert_int_equal(think(&f->evidence, &f->arena)->verdict, VERDICT_UNKNOWN);
}

/* Many files, none called a log and none with a sign of a job: sources, documentation, a home
 * folder.  The same line counts in a log of its own, beside a job's log, and where a few files are
 * all there is. */
static void a_line_among_stray_files_is_none(void **state) {
    struct fixture *f = *state;
    f->evidence.sources.v[0].path = STR("lib/errors");
    add_hit(&f->evidence, SIG_OOM, 10, 0);
    for (int i = 0; i < 8; i++) add_source(&f->evidence, KIND_LOG);
    for (int i = 1; i < 9; i++) f->evidence.sources.v[i].path = STR("lib/module");
    assert_int_equal(think(&f->evidence, &f->arena)->verdict, VERDICT_FAILED);
    for (int i = 9; i < 40; i++) add_source(&f->evidence, KIND_LOG);
    for (int i = 9; i < 40; i++) f->evidence.sources.v[i].path = STR("lib/module");
    assert_int_equal(think(&f->evidence, &f->arena)->verdict, VERDICT_UNKNOWN);
    f->evidence.sources.v[0].path = STR("lib/train.log");
    assert_int_equal(think(&f->evidence, &f->arena)->verdict, VERDICT_FAILED);
    f->evidence.sources.v[0].path = STR("lib/errors");
    f->evidence.sources.v[39].rank = 3;
    assert_int_equal(think(&f->evidence, &f->arena)->verdict, VERDICT_FAILED);
    f->evidence.sources.v[39].path = STR("elsewhere/rank3");
    assert_int_equal(think(&f->evidence, &f->arena)->verdict, VERDICT_UNKNOWN);
}

/* Several logs that are as long together as another system's are that. */
static void long_logs_without_a_sign_are_foreign(void **state) {
    struct fixture *f = *state;
    add_hit(&f->evidence, SIG_OOM, 10, 0);
    add_source(&f->evidence, KIND_LOG);
    f->evidence.sources.v[1].lines = 1500;
    assert_int_equal(think(&f->evidence, &f->arena)->verdict, VERDICT_FAILED);
    f->evidence.sources.v[1].lines = 1950;
    assert_int_equal(think(&f->evidence, &f->arena)->verdict, VERDICT_UNKNOWN);
}

/* A complaint decides; the log beside it says nothing that is known, and is shown all the same. */
static void a_complaint_shows_what_the_log_ends_with(void **state) {
    struct fixture *f = *state;
    add_source(&f->evidence, KIND_WORDS);
    f->evidence.sources.v[0].last_line = STR("Rank = 2, Number of batches 8");
    f->evidence.sources.v[0].last_line_no = 4;
    add_hit(&f->evidence, SIG_WORDS, 1, HIT_WORDS);
    f->evidence.hits.v[0].first.source = f->evidence.hits.v[0].last.source = 1;
    struct diagnosis *d = think(&f->evidence, &f->arena);
    assert_int_equal(d->findings[0].failure, F_WORDS);
    assert_int_equal(d->findings[0].reasons[1].kind, REASON_LOG);
    assert_str(d->findings[0].reasons[1].text, "Rank = 2, Number of batches 8");
    assert_int_equal(d->findings[0].reasons[1].origin.line, 4);
}

static void a_clue_turns_the_order_and_groups_count_once(void **state) {
    struct fixture *f = *state;
    add_hit(&f->evidence, SIG_CLUE, 5, 0);
    add_hit(&f->evidence, SIG_OOM, 10, 0);
    struct diagnosis *d = think(&f->evidence, &f->arena);
    assert_int_equal(d->findings[0].cause, 1);
    /* prior 40 % is -4, the stronger clue of the group adds 12, the weaker nothing; the hit is a
     * first family: 14 */
    assert_int_equal(d->findings[0].score, 14 - 4 + 12);
    assert_str(d->findings[0].reasons[1].why, "memory grew");
}

/* What is spare must hold what was asked and two GiB more; a size that nobody told decides nothing.
 */
static void sizes_are_compared(void **state) {
    static const struct {
        const char *spare, *asked;
        int cause;
    } rows[] = {{"12.90 GiB", "2.50 GiB", 1}, {"12.90 GiB", "10.95 GiB", 0},
                {"4608 MiB", "2.5 GiB", 1},   {"4607 MiB", "2.5 GiB", 0},
                {"12.90 GiB", NULL, 0},       {"much", "2.5 GiB", 0}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct fixture *f = NULL;
        setup((void **)&f);
        add_hit(&f->evidence, SIG_OOM, 10, 0);
        add_fact(&f->evidence, "job.spare", rows[i].spare);
        if (rows[i].asked) add_fact(&f->evidence, "job.asked", rows[i].asked);
        assert_int_equal(think(&f->evidence, &f->arena)->findings[0].cause, rows[i].cause);
        teardown((void **)&f);
    }
    (void)state;
}

static void a_consequence_yields_to_its_reason(void **state) {
    struct fixture *f = *state;
    add_hit(&f->evidence, SIG_WATCHDOG, 3, 0);
    add_hit(&f->evidence, SIG_OOM, 10, 0);
    struct diagnosis *d = think(&f->evidence, &f->arena);
    assert_int_equal(d->findings[0].failure, F_OOM);
    for (int i = 0; i < d->n_findings; i++) assert_int_not_equal(d->findings[i].failure, F_TIMEOUT);
}

/* Of what somebody writes a word by the way is no reason of what he says loudly. */
static void a_remark_by_the_way_is_no_reason(void **state) {
    struct fixture *f = *state;
    struct signal own[N_SIGNALS];
    struct kb said = kb;
    struct think_options options = {0};
    memcpy(own, signals, sizeof own);
    own[SIG_WATCHDOG].in = own[SIG_OOM].in = IN_WORDS;
    own[SIG_OOM].level = LEVEL_GENERIC;
    said.signals = own;
    add_source(&f->evidence, KIND_WORDS);
    add_hit(&f->evidence, SIG_WATCHDOG, 1, HIT_WORDS);
    add_hit(&f->evidence, SIG_OOM, 2, HIT_WORDS);
    struct diagnosis *d = diagnose(&said, &f->evidence, &options, &f->arena);
    assert_int_equal(d->findings[0].failure, F_TIMEOUT);
    own[SIG_OOM].level = LEVEL_SPECIFIC;
    d = diagnose(&said, &f->evidence, &options, &f->arena);
    assert_int_equal(d->findings[0].failure, F_OOM);
}

/* What is seen answers a general question, which weighs causes by their codes, half as much as
 * somebody's answer; unless he gave one, or the entry looks at the same itself. */
static void what_is_seen_answers_a_general_question(void **state) {
    struct fixture *f = *state;
    struct weigh weighs[] = {{.root = 1, .decibans = 16}, {.root = -1, .decibans = 0}};
    struct cond is_seen = {.op = COND_SEEN, .signal = SIG_CASCADE, .size = 1};
    struct choice choices[] = {
        {.id = STR("yes"), .when = &is_seen, .weighs = weighs, .n_weighs = 2}, {.id = STR("no")}};
    struct question general[] = {
        {.id = STR("general"), .cost = 1, .choices = choices, .n_choices = 2}};
    struct kb asking = kb;
    struct think_options options = {0};
    asking.questions = general;
    add_hit(&f->evidence, SIG_PROGRESS, 5, 0);
    add_hit(&f->evidence, SIG_OOM, 10, 0);
    struct diagnosis *d = diagnose(&asking, &f->evidence, &options, &f->arena);
    assert_str(roots[d->findings[0].root].id, "R4.5");
    add_hit(&f->evidence, SIG_CASCADE, 9, 0);
    d = diagnose(&asking, &f->evidence, &options, &f->arena);
    assert_str(roots[d->findings[0].root].id, "R4.1");
    is_seen.signal = SIG_CLUE;
    add_hit(&f->evidence, SIG_CLUE, 9, 0); /* the entry's own 12 decibans stand alone */
    d = diagnose(&asking, &f->evidence, &options, &f->arena);
    for (int i = 0; i < d->findings[0].n_reasons; i++)
        assert_int_not_equal(d->findings[0].reasons[i].weight, 8);
}

/* Nothing tells whether the job had begun to train: both readings of the line stand in the
 * diagnosis. */
static void an_open_stage_leaves_both_symptoms(void **state) {
    struct fixture *f = *state;
    add_hit(&f->evidence, SIG_OOM, 10, 0);
    struct diagnosis *d = think(&f->evidence, &f->arena);
    bool prepare = false, train = false;
    for (int i = 0; i < d->n_findings; i++) {
        prepare |= d->findings[i].stage == STAGE_PREPARE &&
                   str_eq(symptoms[d->findings[i].symptom].id, STR("3.4"));
        train |= d->findings[i].stage == STAGE_TRAIN &&
                 str_eq(symptoms[d->findings[i].symptom].id, STR("4.2"));
    }
    assert_true(prepare && train);
}

static void the_stage_decides_the_symptom(void **state) {
    struct fixture *f = *state;
    add_hit(&f->evidence, SIG_PROGRESS, 5, 0);
    add_hit(&f->evidence, SIG_OOM, 10, 0);
    struct diagnosis *d = think(&f->evidence, &f->arena);
    assert_str(symptoms[d->findings[0].symptom].id, "4.2");
    assert_int_equal(d->stage, STAGE_TRAIN);
}

/* Two lines that signals of one failure know speak for preparation once, so the step decides. */
static void signals_of_one_failure_tell_the_stage_once(void **state) {
    struct fixture *f = *state;
    struct signal own[N_SIGNALS];
    struct kb doubled = kb;
    struct think_options options = {0};
    memcpy(own, signals, sizeof own);
    own[SIG_CLUE].failure = F_OOM;
    own[SIG_CLUE].stage[STAGE_PREPARE] = own[SIG_OOM].stage[STAGE_PREPARE] = 5;
    doubled.signals = own;
    add_hit(&f->evidence, SIG_PROGRESS, 5, 0);
    add_hit(&f->evidence, SIG_CLUE, 9, 0);
    add_hit(&f->evidence, SIG_OOM, 10, 0);
    struct diagnosis *d = diagnose(&doubled, &f->evidence, &options, &f->arena);
    assert_int_equal(d->stage, STAGE_TRAIN);
    own[SIG_CLUE].failure = -1; /* another's: a piece of its own */
    d = diagnose(&doubled, &f->evidence, &options, &f->arena);
    assert_int_equal(d->stage, STAGE_PREPARE);
}

/* Its command and its script say the same of what a job is for. */
static void purposes_tell_the_stage_once(void **state) {
    struct fixture *f = *state;
    struct signal own[N_SIGNALS];
    struct kb telling = kb;
    struct think_options options = {0};
    memcpy(own, signals, sizeof own);
    own[SIG_CLUE].stage[STAGE_TRAIN] = own[SIG_CASCADE].stage[STAGE_TRAIN] = 6;
    own[SIG_CASCADE].role = ROLE_CONTEXT;
    own[SIG_OOM].stage[STAGE_PREPARE] = 8;
    telling.signals = own;
    add_hit(&f->evidence, SIG_CLUE, 8, 0);
    add_hit(&f->evidence, SIG_CASCADE, 9, 0);
    add_hit(&f->evidence, SIG_OOM, 10, 0);
    struct diagnosis *d = diagnose(&telling, &f->evidence, &options, &f->arena);
    assert_int_equal(d->stage, STAGE_TRAIN);
    own[SIG_CLUE].purpose = own[SIG_CASCADE].purpose = true;
    d = diagnose(&telling, &f->evidence, &options, &f->arena);
    assert_int_equal(d->stage, STAGE_PREPARE);
}

static void steps_that_went_on_make_it_survived(void **state) {
    struct fixture *f = *state;
    add_hit(&f->evidence, SIG_OOM, 10, 0);
    add_hit(&f->evidence, SIG_PROGRESS, 50, 0);
    add_hit(&f->evidence, SIG_DONE, 60, 0);
    struct diagnosis *d = think(&f->evidence, &f->arena);
    assert_int_equal(d->verdict, VERDICT_HEALTHY);
    assert_int_equal(d->ended, ENDED_FINISHED);
    assert_int_equal(d->n_findings, 0);
}

/* What a server or a job outlived by hundreds of lines is no end, however plainly it is told. */
static void long_progress_outweighs_a_plain_line(void **state) {
    struct fixture *f = *state;
    add_hit(&f->evidence, SIG_WATCHDOG, 10, 0);
    add_hit(&f->evidence, SIG_PROGRESS, 50, 0);
    assert_int_equal(think(&f->evidence, &f->arena)->verdict, VERDICT_FAILED);
    f->evidence.sources.v[0].progress_line = 5000;
    assert_int_equal(think(&f->evidence, &f->arena)->verdict, VERDICT_HEALTHY);
}

/* A bar without a name is no signal's, and yet the job went on. */
static void steps_that_no_signal_knows_count(void **state) {
    struct fixture *f = *state;
    add_hit(&f->evidence, SIG_OOM, 3, 0);
    assert_int_equal(think(&f->evidence, &f->arena)->verdict, VERDICT_FAILED);
    for (int i = 1; i <= 5; i++) {
        struct track track = {
            .origin = {.line = (uint32_t)(10 * i), .rank = -1, .attempt = 1, .time = TIME_UNKNOWN},
            .step = i};
        vec_push(&f->evidence.arena, &f->evidence.tracks, track);
    }
    assert_int_equal(think(&f->evidence, &f->arena)->verdict, VERDICT_HEALTHY);
}

/* A loss that is no number on one line, and on later ones is: nothing was spoiled, unless it ends
 * so. */
static void a_loss_that_comes_back(void **state) {
    struct fixture *f = *state;
    add_hit(&f->evidence, SIG_WATCHDOG, 10, 0);
    const double losses[] = {INFINITY, 2.1, 2, INFINITY, 1.9};
    for (int i = 0; i < 5; i++) {
        struct track track = {
            .origin = {.line = (uint32_t)(10 + i), .rank = -1, .attempt = 1, .time = TIME_UNKNOWN},
            .step = 5 + i,
            .loss = losses[i]};
        vec_push(&f->evidence.arena, &f->evidence.tracks, track);
        int left = think(&f->evidence, &f->arena)->n_findings;
        assert_true(i < 4 ? left > 0 : left == 0);
    }
}

/* A bar that is drawn once more when its program ends tells of no work behind the error. */
static void a_closing_bar_is_no_progress(void **state) {
    struct fixture *f = *state;
    struct track track = {.origin = {.line = 12, .rank = -1, .attempt = 1, .time = TIME_UNKNOWN},
                          .step = 14};
    add_hit(&f->evidence, SIG_OOM, 10, 0);
    add_hit(&f->evidence, SIG_PROGRESS, 12, 0);
    f->evidence.sources.v[0].progress_line = 12;
    assert_int_equal(think(&f->evidence, &f->arena)->verdict, VERDICT_HEALTHY);
    vec_push(&f->evidence.arena, &f->evidence.tracks, track);
    assert_int_equal(think(&f->evidence, &f->arena)->verdict, VERDICT_FAILED);
    track.origin.line = 14;
    track.step = 15;
    vec_push(&f->evidence.arena, &f->evidence.tracks, track);
    assert_int_equal(think(&f->evidence, &f->arena)->verdict, VERDICT_HEALTHY);
}

static void nothing_is_unknown(void **state) {
    struct fixture *f = *state;
    assert_int_equal(think(&f->evidence, &f->arena)->verdict, VERDICT_UNKNOWN);
}

static void words_speak_only_where_no_log_does(void **state) {
    struct fixture *f = *state;
    add_hit(&f->evidence, SIG_WORDS, 1, HIT_WORDS);
    assert_int_equal(think(&f->evidence, &f->arena)->findings[0].failure, F_WORDS);
    add_hit(&f->evidence, SIG_OOM, 10, 0);
    struct diagnosis *d = think(&f->evidence, &f->arena);
    assert_int_equal(d->findings[0].failure, F_OOM);
}

/* Words that leaks print make a leak the first cause, and are told; a log without them changes
 * nothing, and neither do words alone. */
static void words_lean_to_a_cause(void **state) {
    struct fixture *f = *state;
    struct leaning_row rows[] = {{.word = STR("creeping")}, {.word = STR("_memory")},
                                 {.word = STR("of")},       {.word = STR("each")},
                                 {.word = STR("rank")},     {.word = STR("on")},
                                 {.word = STR("its")}};
    rows[0].leans[3 + 1] = rows[1].leans[3 + 1] = 120; /* R4.1 */
    rows[0].leans[3 + 2] = -120;
    const int8_t bias[LEANING_CLASSES] = {0};
    struct kb leaning = kb;
    leaning.leanings = leanings_pack(rows, 7, bias, 3 + 4, &f->arena);
    struct think_options options = {0};
    struct document words = {.format = STR("words"),
                             .text = STR("Creeping host_memory of each rank on its 3 GiB")};
    vec_push(&f->evidence.arena, &f->evidence.documents, words);
    assert_int_equal(diagnose(&leaning, &f->evidence, &options, &f->arena)->verdict,
                     VERDICT_UNKNOWN);
    add_hit(&f->evidence, SIG_PROGRESS, 5, 0);
    add_hit(&f->evidence, SIG_OOM, 10, 0);
    assert_int_equal(think(&f->evidence, &f->arena)->findings[0].cause, 0);
    struct diagnosis *d = diagnose(&leaning, &f->evidence, &options, &f->arena);
    const struct finding *first = &d->findings[0];
    assert_int_equal(first->cause, 1);
    assert_str(first->reasons[first->n_reasons - 1].text, "words = creeping");
    f->evidence.documents.v[0].text = STR("another memory_host of each rank on its node");
    d = diagnose(&leaning, &f->evidence, &options, &f->arena);
    assert_int_equal(d->findings[0].cause, 1); /* a part of a word is one, too */
    f->evidence.documents.v[0].text = STR("memory of each rank on its creepings");
    assert_int_equal(diagnose(&leaning, &f->evidence, &options, &f->arena)->findings[0].cause, 0);
    f->evidence.documents.v[0].text = STR("creeping of host_memory"); /* too few words are known */
    assert_int_equal(diagnose(&leaning, &f->evidence, &options, &f->arena)->findings[0].cause, 0);
}

static void an_unknown_exception_falls_back(void **state) {
    struct fixture *f = *state;
    struct trace trace = {.origin = at(0, 4, -1),
                          .end = at(0, 9, -1),
                          .type = STR("KeyError"),
                          .message = STR("'x'"),
                          .text = STR("KeyError: 'x'"),
                          .cause = -1,
                          .count = 1};
    vec_push(&f->evidence.arena, &f->evidence.traces, trace);
    struct diagnosis *d = think(&f->evidence, &f->arena);
    assert_int_equal(d->verdict, VERDICT_FAILED);
    assert_int_equal(d->findings[0].failure, -1);
    assert_str(d->first_fault.text, "KeyError: 'x'");
    assert_true(d->findings[0].confidence < 0.5);
}

/* Frames at the end of a log say more than somebody who writes that it failed, not more than one
 * who says what. */
static void a_cut_traceback_outweighs_vague_words(void **state) {
    struct fixture *f = *state;
    static struct str cut[] = {{"CutTraceback", 12}};
    struct trace trace = {.origin = at(0, 4, -1),
                          .end = at(0, 9, -1),
                          .text = STR("main()"),
                          .cause = -1,
                          .count = 1};
    struct signal own[N_SIGNALS];
    struct fallback row = fallbacks[0];
    struct kb said = kb;
    struct think_options options = {0};
    memcpy(own, signals, sizeof own);
    own[SIG_WORDS].level = LEVEL_GENERIC;
    row.exceptions = cut;
    said.signals = own;
    said.fallbacks = &row;
    f->evidence.sources.v[0].lines = 9;
    vec_push(&f->evidence.arena, &f->evidence.traces, trace);
    add_source(&f->evidence, KIND_WORDS);
    add_hit(&f->evidence, SIG_WORDS, 1, HIT_WORDS);
    f->evidence.hits.v[0].first.source = f->evidence.hits.v[0].last.source = 1;
    assert_int_equal(diagnose(&said, &f->evidence, &options, &f->arena)->findings[0].failure, -1);
    own[SIG_WORDS].level = LEVEL_SPECIFIC;
    struct diagnosis *d = diagnose(&said, &f->evidence, &options, &f->arena);
    assert_int_equal(d->findings[0].failure, F_WORDS);
}

static void answers_are_evidence_and_undo_is_free(void **state) {
    struct fixture *f = *state;
    add_hit(&f->evidence, SIG_OOM, 10, 0);
    assert_str(think(&f->evidence, &f->arena)->next.id, "see-stage"); /* two stages are open */
    add_fact(&f->evidence, "answer.see-stage", "train");
    struct diagnosis *before = think(&f->evidence, &f->arena);
    assert_int_equal(before->next.question, 0);
    assert_int_equal(before->next.n_choices, 2);
    add_fact(&f->evidence, "answer.when", "later");
    struct diagnosis *d = think(&f->evidence, &f->arena);
    assert_int_equal(d->findings[0].cause, 1);
    assert_int_equal(d->next.question, -1);
    f->evidence.facts.n--;
    struct diagnosis *again = think(&f->evidence, &f->arena);
    assert_int_equal(again->findings[0].score, before->findings[0].score);
}

/* Nothing tells the stage of a line that occurs in two: the walk asks, and the answer moves the
 * codes. */
static void an_open_stage_is_asked_first(void **state) {
    struct fixture *f = *state;
    add_hit(&f->evidence, SIG_OOM, 10, 0);
    struct diagnosis *d = think(&f->evidence, &f->arena);
    struct walk_step *step = walk_next(&kb, &f->evidence, d, false, &f->arena);
    assert_str(step->id, "see-stage");
    assert_int_equal(step->n_choices, 2);
    assert_str(step->choices[0].id, "prepare");
    assert_str(symptoms[d->findings[0].symptom].id, "3.4");
    assert_true(step->choices[1].effects[0].after != step->choices[1].effects[0].before);
    add_fact(&f->evidence, "answer.see-stage", "train");
    d = think(&f->evidence, &f->arena);
    assert_str(symptoms[d->findings[0].symptom].id, "4.2");
    assert_str(roots[d->findings[0].root].id, "R4.5");
    assert_int_equal(walk_next(&kb, &f->evidence, d, false, &f->arena)->question, 0);
}

static void the_walk_tells_what_an_answer_would_change(void **state) {
    struct fixture *f = *state;
    add_hit(&f->evidence, SIG_PROGRESS, 5, 0);
    add_hit(&f->evidence, SIG_OOM, 10, 0);
    struct diagnosis *d = think(&f->evidence, &f->arena);
    struct walk_step *step = walk_next(&kb, &f->evidence, d, false, &f->arena);
    assert_int_equal(step->question, 0);
    assert_true(step->gain > 0);
    add_fact(&f->evidence, "answer.when", "later");
    struct diagnosis *after = think(&f->evidence, &f->arena);
    for (int e = 0; e < step->choices[1].n_effects; e++) {
        const struct walk_effect *effect = &step->choices[1].effects[e];
        for (int i = 0; i < after->n_findings; i++)
            if (after->findings[i].cause == effect->of->cause &&
                after->findings[i].stage == effect->of->stage)
                assert_true(effect->after == after->findings[i].confidence);
    }
}

static void placeholders_are_filled_or_named(void **state) {
    struct fixture *f = *state;
    add_hit(&f->evidence, SIG_OOM, 10, 0);
    add_fact(&f->evidence, "ds.batch", "8");
    struct diagnosis *d = think(&f->evidence, &f->arena);
    assert_str(d->findings[0].fixes[0].title, "halve 4 of <nothing>");
}

/* Values of commands come from logs: what a user pastes must not be what a log wants to be run. */
static void commands_are_safe_to_paste(void **state) {
    static const struct {
        const char *path, *module, *ls, *pip, *python;
    } rows[] = {
        {"/data/a.bin", "sklearn.metrics", "ls /data/a.bin PATH", "pip install scikit-learn",
         "python -c \"import sklearn.metrics\""},
        {"/my drive/it's; rm -rf x", "apex", "ls '/my drive/it'\\''s; rm -rf x' PATH",
         "pip install PACKAGE", "python -c \"import apex\""},
        {"-rf", "os\"; rm -rf x; \"", "ls PATH PATH", "pip install 'os\"; rm -rf x; \"'",
         "python -c \"import MODULE\""},
    };
    struct fixture *f = *state;
    add_hit(&f->evidence, SIG_OOM, 10, 0);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        add_fact(&f->evidence, "job.path", rows[i].path);
        add_fact(&f->evidence, "job.module", rows[i].module);
        const struct fix *fix = &think(&f->evidence, &f->arena)->findings[0].fixes[0];
        assert_str(fix->commands[0], rows[i].ls);
        assert_str(fix->commands[1], rows[i].pip);
        assert_str(fix->commands[2], rows[i].python);
    }
}

static void the_last_attempt_counts(void **state) {
    struct fixture *f = *state;
    f->evidence.sources.v[0].attempts = 2;
    add_hit(&f->evidence, SIG_OOM, 10, 0);
    assert_int_equal(think(&f->evidence, &f->arena)->verdict, VERDICT_UNKNOWN);
    struct think_options first = {.attempt = 1};
    assert_int_equal(diagnose(&kb, &f->evidence, &first, &f->arena)->verdict, VERDICT_FAILED);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {TEST(first_cause_is_the_prior),
                                       TEST(a_clue_turns_the_order_and_groups_count_once),
                                       TEST(sizes_are_compared),
                                       TEST(a_consequence_yields_to_its_reason),
                                       TEST(a_remark_by_the_way_is_no_reason),
                                       TEST(what_is_seen_answers_a_general_question),
                                       TEST(the_stage_decides_the_symptom),
                                       TEST(signals_of_one_failure_tell_the_stage_once),
                                       TEST(purposes_tell_the_stage_once),
                                       TEST(an_open_stage_leaves_both_symptoms),
                                       TEST(steps_that_went_on_make_it_survived),
                                       TEST(steps_that_no_signal_knows_count),
                                       TEST(a_closing_bar_is_no_progress),
                                       TEST(long_progress_outweighs_a_plain_line),
                                       TEST(a_loss_that_comes_back),
                                       TEST(nothing_is_unknown),
                                       TEST(words_speak_only_where_no_log_does),
                                       TEST(words_lean_to_a_cause),
                                       TEST(an_unknown_exception_falls_back),
                                       TEST(a_cut_traceback_outweighs_vague_words),
                                       TEST(answers_are_evidence_and_undo_is_free),
                                       TEST(an_open_stage_is_asked_first),
                                       TEST(the_walk_tells_what_an_answer_would_change),
                                       TEST(placeholders_are_filled_or_named),
                                       TEST(commands_are_safe_to_paste),
                                       TEST(the_last_attempt_counts),
                                       TEST(a_complaint_shows_what_the_log_ends_with),
                                       TEST(documentation_is_no_complaint),
                                       TEST(a_line_among_stray_files_is_none),
                                       TEST(long_logs_without_a_sign_are_foreign)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
