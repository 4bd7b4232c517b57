/* Reports of diagnoses made by hand: what is hostile stays text in every format, the members of the
 * JSON have their types, the text fits its width. */
#include "tests/unit/test.h"

#include "base/json.h"
#include "report/layout.h"
#include "report/phrase.h"
#include "report/report.h"

#define NASTY                                                                                      \
    "<b>&\"'`*_[x](y)|#~\\ \033[31m \007\xc2\x9b \xe2\x80\xae\xe4\xb8\xad\xff\xed\xa0\x80 end"

static struct code symptoms[] = {{.id = STR("4.2"), .name = STR("Memory " NASTY), .stage = 3}};
static struct code roots[] = {{.id = STR("R4.1"), .name = STR("one"), .stage = 3},
                              {.id = STR("R4.5"), .name = STR("two"), .stage = 3}};
static struct code patterns[] = {{.id = STR("P5"), .name = STR("Less " NASTY), .stage = -1}};
static struct str sets[] = {STR("a.b " NASTY), STR("4 " NASTY)};
static struct str steps[] = {STR("step " NASTY)}, commands[] = {STR("command " NASTY)},
                  references[] = {STR("docs " NASTY)};
static struct fix fixes[] = {{.id = STR("less"),
                              .title = STR("Fix " NASTY),
                              .cost = STR("cost " NASTY),
                              .verify = STR("verify " NASTY),
                              .kind = FIX_CURE,
                              .steps = steps,
                              .n_steps = 1,
                              .commands = commands,
                              .n_commands = 1,
                              .references = references,
                              .n_references = 1,
                              .patch = {.file = STR("ds_config"), .sets = sets, .n_sets = 1}}};
static struct str diffs[] = {STR("--- a\n+++ b " NASTY "\n-old\n+new\n")};
static struct signal signals[] = {{.id = STR("oom"), .says = STR("no memory " NASTY)},
                                  {.id = STR("watchdog"), .says = STR("time ran out")}};
static struct failure failures[] = {{.id = STR("oom-entry"), .title = STR("Title " NASTY)}};
static struct choice choices[] = {{.id = STR("yes"), .text = STR("Yes")},
                                  {.id = STR("no"), .text = STR("No")}};
static struct str next_choices[] = {STR("early"), STR("late")};
static struct question questions[] = {
    {.id = STR("when"), .ask = STR("When?"), .choices = choices, .n_choices = 2}};
static const struct kb kb = {.version = STR("1"),
                             .digest = STR("abc"),
                             .symptoms = symptoms,
                             .n_symptoms = 1,
                             .roots = roots,
                             .n_roots = 2,
                             .patterns = patterns,
                             .n_patterns = 1,
                             .signals = signals,
                             .n_signals = 2,
                             .failures = failures,
                             .n_failures = 1,
                             .questions = questions,
                             .n_questions = 1};

static struct reason reasons[] = {{.kind = REASON_LOG,
                                   .signal = 0,
                                   .text = STR("line " NASTY),
                                   .origin = {.source = 0, .line = 7, .rank = 2},
                                   .count = 3,
                                   .weight = 20},
                                  {.kind = REASON_ANSWER,
                                   .signal = -1,
                                   .text = STR("answer.when = yes"),
                                   .why = STR("why " NASTY),
                                   .origin = {.source = -1, .rank = -1},
                                   .count = 1,
                                   .weight = 4}};
static int asked[] = {0};

static struct finding make_finding(int root, double confidence) {
    return (struct finding){.fault = 1,
                            .failure = 0,
                            .stage = STAGE_TRAIN,
                            .root = root,
                            .patterns = {0},
                            .n_patterns = 1,
                            .title = STR("Title " NASTY),
                            .why = STR("cause " NASTY),
                            .confidence = confidence,
                            .reasons = reasons,
                            .n_reasons = 2,
                            .fixes = fixes,
                            .diffs = diffs,
                            .n_fixes = 1,
                            .questions = asked,
                            .n_questions = 1};
}

struct fixture {
    struct evidence evidence;
    struct diagnosis diagnosis;
    struct finding findings[3];
    struct secondary secondary;
    struct standout unexplained;
    struct str exclude;
    struct buf out;
    struct arena arena;
};

static int set_up(void **state) {
    struct fixture *f = calloc(1, sizeof *f);
    struct source source = {
        .path = STR("dir/" NASTY ".log"), .kind = KIND_LOG, .bytes = 900, .lines = 12};
    vec_push(&f->evidence.arena, &f->evidence.sources, source);
    struct fact facts[] = {{.key = STR("torch.version"),
                            .value = STR("2.3.0"),
                            .from = STR("log"),
                            .origin = {.source = 0, .line = 1}},
                           {.key = STR("gpu.count"),
                            .value = STR("8"),
                            .from = STR("log"),
                            .origin = {.source = 0, .line = 2}},
                           {.key = STR("env.X"),
                            .value = STR(NASTY),
                            .from = STR("log"),
                            .origin = {.source = 0, .line = 3}}};
    for (size_t i = 0; i < COUNT_OF(facts); i++) evidence_add_fact(&f->evidence, &facts[i]);
    f->findings[0] = make_finding(1, 0.61);
    f->findings[1] = make_finding(0, 0.25);
    f->findings[2] = make_finding(0, 0.10);
    f->secondary = (struct secondary){.signal = 1,
                                      .ranks = 3,
                                      .consequence_of = 0,
                                      .count = 14,
                                      .first = {.source = 0, .line = 9, .rank = 1}};
    f->unexplained = (struct standout){.origin = {.source = 0, .line = 11, .rank = -1},
                                       .text = STR("odd " NASTY)};
    f->exclude = STR("node17");
    f->diagnosis =
        (struct diagnosis){.verdict = VERDICT_FAILED,
                           .ended = ENDED_FAILED,
                           .stage = STAGE_TRAIN,
                           .summary = STR("Summary " NASTY),
                           .first_fault = {.known = true,
                                           .origin = {.source = 0,
                                                      .line = 7,
                                                      .rank = 2,
                                                      .host = STR("node2"),
                                                      .time = (int64_t)1714565021 * 1000000000,
                                                      .zoned = true,
                                                      .attempt = 1},
                                           .text = STR("fault " NASTY),
                                           .signal = 0},
                           .findings = f->findings,
                           .n_findings = 3,
                           .secondary = &f->secondary,
                           .n_secondary = 1,
                           .unexplained = &f->unexplained,
                           .n_unexplained = 1,
                           .restart = {.advice = RESTART_WITHOUT_NODE,
                                       .exclude = &f->exclude,
                                       .n_exclude = 1,
                                       .checkpoint = STR("ckpt/100")},
                           .next = {.question = 0,
                                    .id = STR("when"),
                                    .text = STR("When?"),
                                    .choices = next_choices,
                                    .n_choices = 2},
                           .ranks_seen = 4,
                           .world_size = 8,
                           .ranks_failed = 1};
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    struct fixture *f = *state;
    evidence_release(&f->evidence);
    arena_release(&f->arena);
    buf_release(&f->out);
    free(f);
    return 0;
}

static struct str report(struct fixture *f, const char *format, int width, bool verbose) {
    struct report_options options = {.width = width, .verbose = verbose, .paths = STR("job/")};
    buf_clear(&f->out);
    const struct report_format *row = report_format_find(str_of(format));
    assert_non_null(row);
    row->write(&f->out, &kb, &f->evidence, &f->diagnosis, &options);
    return buf_view(&f->out);
}

/* Valid UTF-8 (by the decoder of the layout: nothing is replaced) without control characters.  JSON
 * may hold marks of direction: it is no text for a terminal. */
static void assert_tame(struct str text) {
    bool json = str_starts(text, STR("{\n"));
    for (size_t i = 0; i < text.n; i++) {
        unsigned char c = (unsigned char)text.p[i];
        if ((c < 0x20 && c != '\n') || c == 0x7f) fail_msg("control byte %02x at %zu", c, i);
    }
    struct buf clean = {0};
    struct str rest = text, line;
    while (!json && rest.n && str_line(&rest, &line)) {
        buf_clear(&clean);
        layout_clean(&clean, line);
        if (!str_eq(buf_view(&clean), line)) fail_msg("not clean: " STR_FMT, STR_ARG(line));
    }
    buf_release(&clean);
}

static void every_format_is_tame(void **state) {
    struct fixture *f = *state;
    for (int i = 0; i < n_report_formats; i++)
        for (int verbose = 0; verbose < 2; verbose++)
            assert_tame(report(f, report_formats[i]->name, 80, verbose));
}

static void text_fits_its_width(void **state) {
    struct fixture *f = *state;
    for (int width = 40; width <= 120; width += 8)
        for (int verbose = 0; verbose < 2; verbose++) {
            struct str rest = report(f, "text", width, verbose), line;
            str_line(&rest, &line); /* the sentence may be longer: it is copied into tickets */
            while (rest.n && str_line(&rest, &line))
                if (layout_columns(line) > width)
                    fail_msg("%d columns at width %d: " STR_FMT, layout_columns(line), width,
                             STR_ARG(line));
        }
}

/* The words without the layout. */
static struct str words_of(struct fixture *f, struct str text) {
    struct buf out = {0};
    for (size_t i = 0; i < text.n; i++) {
        bool blank = text.p[i] == ' ' || text.p[i] == '\n';
        if (!blank || (out.n && out.p[out.n - 1] != ' ')) buf_char(&out, blank ? ' ' : text.p[i]);
    }
    struct str words = arena_str(&f->arena, buf_view(&out));
    buf_release(&out);
    return words;
}

static void text_tells_what_matters(void **state) {
    struct fixture *f = *state;
    struct str text = words_of(f, report(f, "text", 80, false));
    static const char *const parts[] = {"FAILED",
                                        "rank 2 on node2, 12:03:41",
                                        "4.2",
                                        "in training",
                                        "R4.5",
                                        "likely 61 %",
                                        "25 %",
                                        "14 further lines of 3 ranks only follow from it",
                                        "again without node17",
                                        "last complete checkpoint: ckpt/100",
                                        "faultline walk job/",
                                        "When?",
                                        "Fix "};
    for (size_t i = 0; i < COUNT_OF(parts); i++)
        if (!str_has(text, str_of(parts[i])))
            fail_msg("'%s' is missing:\n" STR_FMT, parts[i], STR_ARG(text));
    assert_false(str_has(text, STR("+20")));
    assert_true(str_has(report(f, "text", 80, true), STR("+4")));
}

static void lines_break_at_tabs_too(void **state) {
    struct fixture *f = *state;
    buf_clear(&f->out);
    struct layout layout = {&f->out, 20, false};
    layout_text(&layout, 0, "", STYLE_PLAIN, STR("12:03:41\tnode2\tpretrain\tCRITICAL"));
    assert_str(buf_view(&f->out), "12:03:41 node2\npretrain CRITICAL\n");
}

static void colour_is_only_added(void **state) {
    struct fixture *f = *state;
    struct str plain = arena_str(&f->arena, report(f, "text", 80, false));
    struct report_options options = {.width = 80, .colour = true, .paths = STR("job/")};
    buf_clear(&f->out);
    report_text.write(&f->out, &kb, &f->evidence, &f->diagnosis, &options);
    struct buf stripped = {0};
    bool any = false;
    for (size_t i = 0; i < f->out.n; i++) {
        if (f->out.p[i] == '\033') {
            while (i < f->out.n && f->out.p[i] != 'm') i++;
            any = true;
        } else
            buf_char(&stripped, f->out.p[i]);
    }
    assert_true(any);
    assert_true(str_eq(buf_view(&stripped), plain));
    buf_release(&stripped);
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static const struct json_value *get(const struct json_value *object, const char *key,
                                    enum json_type type) {
    const struct json_value *value = json_get(object, str_of(key));
    if (!value) fail_msg("'%s' is missing", key);
    if (value->type != type) fail_msg("'%s' has type %d, not %d", key, value->type, type);
    return value;
}

static const struct json_value *parse(struct fixture *f, struct str text) {
    struct err err;
    const struct json_value *value = json_parse(&f->arena, text, &err);
    if (!value) fail_msg("%s: %s", err.what, err.detail);
    return value;
}

static void json_has_its_members(void **state) {
    struct fixture *f = *state;
    const struct json_value *r = parse(f, report(f, "json", 80, false));
    assert_str(get(r, "schema", JSON_STRING)->text, "faultline.report/1");
    assert_str(get(get(r, "tool", JSON_OBJECT), "version", JSON_STRING)->text, FAULTLINE_VERSION);
    assert_str(get(r, "verdict", JSON_STRING)->text, "failed");
    assert_str(get(r, "ended", JSON_STRING)->text, "failed");
    assert_str(get(r, "stage", JSON_STRING)->text, "train");
    const struct json_value *fault = get(r, "first_fault", JSON_OBJECT);
    assert_true(get(fault, "line", JSON_NUMBER)->number == 7);
    assert_true(get(fault, "rank", JSON_NUMBER)->number == 2);
    assert_str(get(fault, "host", JSON_STRING)->text, "node2");
    assert_str(get(fault, "time", JSON_STRING)->text, "2024-05-01T12:03:41Z");
    assert_str(get(fault, "signal", JSON_STRING)->text, "oom");
    const struct json_value *d = get(r, "diagnoses", JSON_ARRAY)->first;
    assert_str(get(d, "entry", JSON_STRING)->text, "oom-entry");
    assert_str(get(d, "symptom", JSON_STRING)->text, "4.2");
    assert_str(get(d, "cause", JSON_STRING)->text, "R4.5");
    assert_true(get(d, "confidence", JSON_NUMBER)->number == 0.61);
    assert_str(get(d, "fix_patterns", JSON_ARRAY)->first->text, "P5");
    assert_str(get(d, "questions", JSON_ARRAY)->first->text, "when");
    const struct json_value *why = get(d, "why", JSON_ARRAY)->first;
    assert_str(get(why, "kind", JSON_STRING)->text, "log");
    assert_true(get(why, "weight", JSON_NUMBER)->number == 20);
    assert_str(get(why->next, "kind", JSON_STRING)->text, "answer");
    get(why->next, "file", JSON_NULL);
    get(why->next, "line", JSON_NULL);
    get(why->next, "signal", JSON_NULL);
    const struct json_value *fix = get(d, "fixes", JSON_ARRAY)->first;
    assert_str(get(fix, "kind", JSON_STRING)->text, "cure");
    get(fix, "steps", JSON_ARRAY);
    get(fix, "patch", JSON_STRING);
    const struct json_value *restart = get(r, "restart", JSON_OBJECT);
    assert_str(get(restart, "advice", JSON_STRING)->text, "without_node");
    assert_str(get(restart, "exclude", JSON_ARRAY)->first->text, "node17");
    const struct json_value *next = get(r, "next", JSON_OBJECT);
    assert_str(get(next, "question", JSON_STRING)->text, "when");
    assert_int_equal(get(next, "choices", JSON_ARRAY)->n, 2);
    get(next, "probe", JSON_NULL);
    const struct json_value *secondary = get(r, "secondary", JSON_ARRAY)->first;
    assert_true(get(secondary, "ranks", JSON_NUMBER)->number == 3);
    assert_str(get(secondary, "consequence_of", JSON_STRING)->text, "oom");
    assert_int_equal(get(r, "unexplained", JSON_ARRAY)->n, 1);
    assert_true(get(get(r, "ranks", JSON_OBJECT), "world_size", JSON_NUMBER)->number == 8);
    assert_int_equal(get(r, "inputs", JSON_ARRAY)->n, 1);
    const struct json_value *facts = get(r, "facts", JSON_OBJECT);
    assert_str(get(facts, "torch.version", JSON_STRING)->text, "2.3.0");
    assert_true(get(facts, "gpu.count", JSON_NUMBER)->number == 8);
}

static void a_pair_of_entry_and_cause_is_told_once(void **state) {
    struct fixture *f = *state;
    const struct json_value *all =
        get(parse(f, report(f, "json", 80, false)), "diagnoses", JSON_ARRAY);
    assert_int_equal(all->n, 2);
    assert_str(get(all->first->next, "cause", JSON_STRING)->text, "R4.1");
    assert_true(get(all->first->next, "confidence", JSON_NUMBER)->number == 0.25);
    f->findings[2].fault = 2;
    assert_int_equal(get(parse(f, report(f, "json", 80, false)), "diagnoses", JSON_ARRAY)->n, 3);
}

static void what_is_not_known_is_null(void **state) {
    struct fixture *f = *state;
    f->diagnosis = (struct diagnosis){
        .verdict = VERDICT_UNKNOWN, .stage = STAGE_NONE, .next = {.question = -1}};
    const struct json_value *r = parse(f, report(f, "json", 80, false));
    get(r, "ended", JSON_NULL);
    get(r, "stage", JSON_NULL);
    get(r, "first_fault", JSON_NULL);
    get(r, "next", JSON_NULL);
    get(get(r, "ranks", JSON_OBJECT), "world_size", JSON_NULL);
    assert_int_equal(get(r, "diagnoses", JSON_ARRAY)->n, 0);
    for (int i = 0; i < n_report_formats; i++)
        assert_tame(report(f, report_formats[i]->name, 80, true));
}

static void a_time_without_a_year_is_null_and_one_without_a_zone_has_none(void **state) {
    struct fixture *f = *state;
    f->diagnosis.first_fault.origin.zoned = false;
    const struct json_value *r = parse(f, report(f, "json", 80, false));
    assert_str(get(get(r, "first_fault", JSON_OBJECT), "time", JSON_STRING)->text,
               "2024-05-01T12:03:41");
    f->diagnosis.first_fault.origin.yearless = true;
    r = parse(f, report(f, "json", 80, false));
    get(get(r, "first_fault", JSON_OBJECT), "time", JSON_NULL);
    f->diagnosis.first_fault.origin.time = INT64_MAX; /* a clock gone mad does no harm */
    for (int i = 0; i < n_report_formats; i++) report(f, report_formats[i]->name, 80, false);
}

/* ---- HTML and Markdown ---------------------------------------------------------------------- */

static void html_escapes_markup(void **state) {
    struct fixture *f = *state;
    struct str html = report(f, "html", 80, false);
    assert_false(str_has(html, STR("<b>&\"")));
    assert_true(str_has(html, STR("&lt;b&gt;&amp;&quot;")));
    assert_false(str_has(html, STR("<script")));
    assert_false(str_has(html, STR("http")));
    /* as many places as the report shows of the hostile text */
    int n = 0;
    for (ptrdiff_t at = 0; (at = str_find(html, STR("&lt;b&gt;"), (size_t)at)) >= 0; at++) n++;
    assert_true(n >= 12);
    assert_true(str_has(html, STR("again without node17")));
    assert_true(str_has(html, STR("rank 2 on node2")));
}

/* Code is between backticks, or in fences; everywhere else markup is escaped. */
static void markdown_escapes_markup(void **state) {
    struct fixture *f = *state;
    struct str rest = report(f, "markdown", 80, false), line;
    bool fence = false;
    int escaped = 0, fences = 0;
    while (rest.n && str_line(&rest, &line)) {
        struct str trimmed = str_trim(line);
        if (str_starts(trimmed, STR("```"))) {
            fence = !fence;
            fences++;
            assert_false(str_has(trimmed, STR("<b>")));
            continue;
        }
        if (fence) {
            assert_false(str_has(line, STR("`")));
            continue;
        }
        bool code = false;
        for (size_t i = 0; i < line.n; i++) {
            char c = line.p[i];
            if (c == '\\' && !code) {
                escaped++;
                i++;
            } else if (c == '`')
                code = !code;
            else if (!code && strchr("<>|[]#~", c) && i > 1)
                fail_msg("'%c' is not escaped: " STR_FMT, c, STR_ARG(line));
        }
        assert_false(code);
    }
    assert_false(fence);
    assert_int_equal(fences, 6);
    assert_in_range(escaped, 50, 1000);
    assert_true(str_has(buf_view(&f->out), STR("again without node17")));
}

/* ---- phrases -------------------------------------------------------------------------------- */

static void phrases_leave_out_what_is_not_known(void **state) {
    struct fixture *f = *state;
    struct origin origin = {.source = -1, .rank = -1, .time = TIME_UNKNOWN};
    assert_str(phrase_who(&f->arena, &origin), "");
    assert_str(phrase_place(&f->arena, &f->evidence, &origin), "");
    origin.host = STR("node9");
    assert_str(phrase_who(&f->arena, &origin), "on node9");
    origin.rank = 0;
    assert_str(phrase_who(&f->arena, &origin), "rank 0 on node9");
    origin.time = -1; /* a nanosecond before 1970 */
    assert_str(phrase_who(&f->arena, &origin), "rank 0 on node9, 23:59:59");
    assert_str(phrase_stage(STAGE_NONE), "");
    assert_str(phrase_stage(STAGE_INFER), "in inference");
    assert_str(phrase_restart(&f->arena, &(struct restart){0}), "");
    f->diagnosis.n_secondary = 0;
    assert_str(phrase_follows(&f->arena, &f->diagnosis), "");
    f->diagnosis.n_secondary = 1;
    f->secondary = (struct secondary){.signal = 1, .count = 1, .ranks = 1};
    assert_str(phrase_follows(&f->arena, &f->diagnosis), "1 further line only follows from it");
}

static void cut_text_keeps_whole_characters(void **state) {
    struct fixture *f = *state;
    struct str text = STR("abc \xe4\xb8\xad\xe6\x96\x87");
    assert_str(phrase_cut(&f->arena, text, 10), "abc \xe4\xb8\xad\xe6\x96\x87");
    assert_str(phrase_cut(&f->arena, text, 9), "abc \xe4\xb8\xad ...");
    assert_str(phrase_cut(&f->arena, text, 6), "abc ...");
    assert_str(phrase_cut(&f->arena, STR("free 60.11 GiB"), 8), "free ...");
    assert_str(phrase_cut(&f->arena, STR("free 60.11 GiB"), 10), "free 60.11 ...");
    assert_str(phrase_cut(&f->arena, STR("12345678"), 4), "1234 ...");
}

static void silent_ranks_are_told(void **state) {
    struct fixture *f = *state;
    const struct roster roster = {.text = STR("rank 3 wrote nothing")};
    assert_str(phrase_ranks(&f->diagnosis), "");
    f->diagnosis.roster = &roster;
    assert_true(str_has(report(f, "text", 80, false), STR("  ranks  rank 3 wrote nothing")));
}

static void a_reason_that_repeats_the_fault_is_left_out(void **state) {
    struct fixture *f = *state;
    struct reason reason = {.origin = {.source = 0, .line = 7}};
    assert_true(phrase_repeats(&f->diagnosis, &reason));
    reason.why = STR("because");
    assert_false(phrase_repeats(&f->diagnosis, &reason));
    reason = (struct reason){.origin = {.source = 0, .line = 8}};
    assert_false(phrase_repeats(&f->diagnosis, &reason));
    reason = (struct reason){.origin = {.source = -1}};
    assert_false(phrase_repeats(&f->diagnosis, &reason));
}

static void an_answer_is_told_as_question_and_answer(void **state) {
    struct fixture *f = *state;
    struct reason reason = {.text = STR("answer.when = no")};
    assert_str(phrase_reason(&f->arena, &kb, &reason), "When? No");
    reason.text = STR("answer.other = no");
    assert_str(phrase_reason(&f->arena, &kb, &reason), "answer.other = no");
    reason.why = STR("because");
    assert_str(phrase_reason(&f->arena, &kb, &reason), "because");
}

static void wrong_formats_are_not_found(void **state) {
    (void)state;
    assert_null(report_format_find(STR("yaml")));
    assert_null(report_format_find(STR("")));
    assert_ptr_equal(report_format_find(STR("json")), &report_json);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_format_is_tame, set_up, tear_down),
        cmocka_unit_test_setup_teardown(text_fits_its_width, set_up, tear_down),
        cmocka_unit_test_setup_teardown(text_tells_what_matters, set_up, tear_down),
        cmocka_unit_test_setup_teardown(lines_break_at_tabs_too, set_up, tear_down),
        cmocka_unit_test_setup_teardown(colour_is_only_added, set_up, tear_down),
        cmocka_unit_test_setup_teardown(json_has_its_members, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_pair_of_entry_and_cause_is_told_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_not_known_is_null, set_up, tear_down),
        cmocka_unit_test_setup_teardown(
            a_time_without_a_year_is_null_and_one_without_a_zone_has_none, set_up, tear_down),
        cmocka_unit_test_setup_teardown(html_escapes_markup, set_up, tear_down),
        cmocka_unit_test_setup_teardown(markdown_escapes_markup, set_up, tear_down),
        cmocka_unit_test_setup_teardown(phrases_leave_out_what_is_not_known, set_up, tear_down),
        cmocka_unit_test_setup_teardown(cut_text_keeps_whole_characters, set_up, tear_down),
        cmocka_unit_test_setup_teardown(silent_ranks_are_told, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_reason_that_repeats_the_fault_is_left_out, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(an_answer_is_told_as_question_and_answer, set_up,
                                        tear_down),
        cmocka_unit_test(wrong_formats_are_not_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
