/* Which failure and cause a diagnosis names, and where it names none. */
#include "heart.h"

#include "model/leaning.h"

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

enum { CLASSES = 3 + 4, ROOT = 3 /* the class of the first root cause */ };

/* A knowledge in which "creeping", and "_memory" with it, lean so; the words around them are known
 * and lean to nothing. */
static struct str leanings_of(struct fixture *f, struct leaning_row creeping) {
    static const char *const known[] = {"creeping", "_memory", "memory", "of",    "each",
                                        "rank",     "on",      "its",    "while", "it",
                                        "runs",     "for",     "days"};
    enum { KNOWN = sizeof known / sizeof known[0] };
    const int8_t bias[LEANING_CLASSES] = {0};
    struct leaning_row rows[KNOWN] = {creeping, creeping};
    for (int i = 0; i < KNOWN; i++) rows[i].word = str_of(known[i]);
    return leanings_pack(rows, KNOWN, bias, CLASSES, &f->arena);
}

static struct document *add_words(struct fixture *f, struct str text) {
    struct document words = {.format = STR("words"), .text = text};
    vec_push(&f->evidence.arena, &f->evidence.documents, words);
    return &f->evidence.documents.v[f->evidence.documents.n - 1];
}

/* Words that leaks print make a leak the first cause, and are told; a log without them changes
 * nothing, and neither do words alone. */
static void words_lean_to_a_cause(void **state) {
    struct fixture *f = *state;
    struct kb leaning = kb;
    leaning.leanings =
        leanings_of(f, (struct leaning_row){.leans = {[ROOT + 1] = 120, [ROOT + 2] = -120}});
    struct think_options options = {0};
    struct document *words =
        add_words(f, STR("Creeping host_memory of each rank on its 3 GiB while it runs for days"));
    assert_int_equal(diagnose(&leaning, &f->evidence, &options, &f->arena)->verdict,
                     VERDICT_UNKNOWN);
    add_hit(&f->evidence, SIG_PROGRESS, 5, 0);
    add_hit(&f->evidence, SIG_OOM, 10, 0);
    assert_int_equal(think(&f->evidence, &f->arena)->findings[0].cause, 0);
    struct diagnosis *d = diagnose(&leaning, &f->evidence, &options, &f->arena);
    const struct finding *first = &d->findings[0];
    assert_int_equal(first->cause, 1);
    assert_str(first->reasons[first->n_reasons - 1].text, "words = creeping");
    words->text = STR("another memory_host of each rank on its node while it runs for days");
    d = diagnose(&leaning, &f->evidence, &options, &f->arena);
    assert_int_equal(d->findings[0].cause, 1); /* a part of a word is one, too */
    words->text = STR("memory of each rank on its creepings while it runs for days");
    assert_int_equal(diagnose(&leaning, &f->evidence, &options, &f->arena)->findings[0].cause, 0);
    words->text = STR("creeping of host_memory"); /* too few words are known */
    assert_int_equal(diagnose(&leaning, &f->evidence, &options, &f->arena)->findings[0].cause, 0);
}

/* What words lean to may raise a faint line of a log over a complaint, which says that something
 * failed: that stays so.  Over another log's line they raise none. */
static void words_lean_to_a_line_beside_a_complaint(void **state) {
    struct fixture *f = *state;
    struct signal own[N_SIGNALS];
    struct kb leaning = kb;
    struct think_options options = {0};
    memcpy(own, signals, sizeof own);
    own[SIG_WORDS].level = LEVEL_FAMILY;
    leaning.signals = own;
    leaning.leanings = leanings_of(
        f, (struct leaning_row){.leans = {[1] = 127, [ROOT + 2] = 127}}); /* 4.2, R4.5 */
    add_source(&f->evidence, KIND_WORDS);
    add_hit(&f->evidence, SIG_PROGRESS, 5, 0);
    add_hit(&f->evidence, SIG_OOM, 10, HIT_WARNING);
    add_hit(&f->evidence, SIG_WORDS, 1, HIT_WORDS);
    struct hit *said = &f->evidence.hits.v[2];
    said->first.source = said->last.source = 1;
    assert_int_equal(think(&f->evidence, &f->arena)->findings[0].failure, F_WORDS);
    add_words(f, STR("creeping memory of each rank on rank 3 while it runs for days"));
    struct diagnosis *d = diagnose(&leaning, &f->evidence, &options, &f->arena);
    assert_int_equal(d->verdict, VERDICT_FAILED);
    assert_int_equal(d->findings[0].failure, F_OOM);
    own[SIG_WORDS].in = IN_LINE;
    said->flags = 0;
    d = diagnose(&leaning, &f->evidence, &options, &f->arena);
    assert_int_equal(d->findings[0].failure, F_WORDS);
}

/* What words leave just behind comes first where another cause has the same code. */
static void leads_of_one_cause_agree(void **state) {
    struct fixture *f = *state;
    struct cause causes[] = {oom_causes[0], oom_causes[1], oom_causes[1]};
    struct failure own[N_FAILURES];
    struct kb leaning = kb;
    struct think_options options = {0};
    memcpy(own, failures, sizeof own);
    causes[0].prior = 36;
    causes[1].prior = causes[2].prior = 32;
    own[F_OOM].causes = causes;
    own[F_OOM].n_causes = 3;
    leaning.failures = own;
    leaning.leanings = leanings_of(f, (struct leaning_row){.leans = {[ROOT + 1] = 62}}); /* R4.1 */
    add_words(f, STR("creeping memory of each rank on rank 3 while it runs for days"));
    add_hit(&f->evidence, SIG_PROGRESS, 5, 0);
    add_hit(&f->evidence, SIG_OOM, 10, 0);
    struct diagnosis *d = diagnose(&leaning, &f->evidence, &options, &f->arena);
    assert_int_equal(d->findings[0].cause, 1);
    causes[2].root[STAGE_TRAIN] = 3;
    d = diagnose(&leaning, &f->evidence, &options, &f->arena);
    assert_int_equal(d->findings[0].cause, 0);
}

/* What was seen and names a cause is outvoted by no words; a weaker clue is. */
static void words_take_nothing_from_what_names_a_cause(void **state) {
    struct fixture *f = *state;
    struct clue clues[] = {{.cond = &seen_clue, .decibans = 19}};
    struct cause causes[] = {oom_causes[0], oom_causes[1]};
    struct failure own[N_FAILURES];
    struct kb leaning = kb;
    struct think_options options = {0};
    memcpy(own, failures, sizeof own);
    causes[1].clues = clues;
    causes[1].n_clues = 1;
    causes[1].prior = 1;
    own[F_OOM].causes = causes;
    leaning.failures = own;
    leaning.leanings =
        leanings_of(f, (struct leaning_row){.leans = {[ROOT + 1] = -127, [ROOT + 2] = 127}});
    add_words(f, STR("creeping memory of each rank on rank 3 while it runs for days"));
    add_hit(&f->evidence, SIG_CLUE, 4, 0);
    add_hit(&f->evidence, SIG_PROGRESS, 5, 0);
    add_hit(&f->evidence, SIG_OOM, 10, 0);
    struct diagnosis *d = diagnose(&leaning, &f->evidence, &options, &f->arena);
    assert_int_equal(d->findings[0].cause, 0);
    clues[0].decibans = 20;
    d = diagnose(&leaning, &f->evidence, &options, &f->arena);
    assert_int_equal(d->findings[0].cause, 1);
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

/* Of four ranks that each died of something else the first fault is told, too. */
static void four_faults_are_told(void **state) {
    enum { FAULTS = 4 };
    struct fixture *f = *state;
    static int own[FAULTS][1] = {{0}, {1}, {2}, {3}};
    struct failure each[FAULTS];
    struct signal says[FAULTS];
    struct kb four = kb;
    for (int i = 0; i < FAULTS; i++) {
        each[i] = failures[F_OOM];
        each[i].signals = own[i];
        says[i] = signals[SIG_OOM];
        says[i].failure = i;
        uint32_t line = 10 * (uint32_t)(i + 1);
        struct trace trace = {
            .origin = at(0, line, i), .end = at(0, line, i), .cause = -1, .count = 1};
        vec_push(&f->evidence.arena, &f->evidence.traces, trace);
        add_hit(&f->evidence, i, line, HIT_EXCEPTION);
        f->evidence.hits.v[i].trace = i;
        f->evidence.hits.v[i].first.rank = f->evidence.hits.v[i].last.rank = i;
    }
    four.failures = each;
    four.signals = says;
    four.n_failures = four.n_signals = FAULTS;
    const struct diagnosis *d =
        diagnose(&four, &f->evidence, &(struct think_options){0}, &f->arena);
    int told[FAULTS] = {0};
    for (int i = 0; i < d->n_findings; i++) told[d->findings[i].fault - 1]++;
    assert_int_equal(d->findings[0].fault, 1);
    for (int i = 0; i < FAULTS; i++) assert_true(told[i] > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {HEART_TEST(first_cause_is_the_prior),
                                       HEART_TEST(four_faults_are_told),
                                       HEART_TEST(a_clue_turns_the_order_and_groups_count_once),
                                       HEART_TEST(sizes_are_compared),
                                       HEART_TEST(a_consequence_yields_to_its_reason),
                                       HEART_TEST(a_remark_by_the_way_is_no_reason),
                                       HEART_TEST(nothing_is_unknown),
                                       HEART_TEST(words_speak_only_where_no_log_does),
                                       HEART_TEST(words_lean_to_a_cause),
                                       HEART_TEST(words_lean_to_a_line_beside_a_complaint),
                                       HEART_TEST(words_take_nothing_from_what_names_a_cause),
                                       HEART_TEST(leads_of_one_cause_agree),
                                       HEART_TEST(an_unknown_exception_falls_back),
                                       HEART_TEST(a_cut_traceback_outweighs_vague_words),
                                       HEART_TEST(a_complaint_shows_what_the_log_ends_with),
                                       HEART_TEST(documentation_is_no_complaint),
                                       HEART_TEST(a_line_among_stray_files_is_none),
                                       HEART_TEST(long_logs_without_a_sign_are_foreign)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
