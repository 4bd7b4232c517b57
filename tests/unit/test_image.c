/* Images: what is written is what is loaded, twice the same bytes; what is damaged is refused;
 * overlays. */
#include "tests/unit/knowledge.h"

#include "compile/compile.h"
#include "compile/show.h"
#include "world/image.h"

/* ---- making and opening --------------------------------------------------------------------- */

struct made {
    struct tree tree;
    struct arena arena;
    char path[96];
};

static void made_make(struct made *made) {
    *made = (struct made){0};
    tree_make(&made->tree);
    snprintf(made->path, sizeof made->path, "%s/a.sqlite", made->tree.root);
}

static void made_end(struct made *made) {
    tree_remove(&made->tree);
    arena_release(&made->arena);
}

static void build(struct made *made, const struct kb *base, const char *path) {
    struct compile_report report;
    struct err err = {0};
    bool good = compile_tree(made->tree.kb, base, path, &made->arena, &report, &err);
    for (int i = 0; i < report.n_complaints; i++)
        print_message("%d: " STR_FMT "\n", report.complaints[i].line,
                      STR_ARG(report.complaints[i].text));
    if (!good) fail_msg("not built: %s %s", err.what, err.detail);
}

static struct str slurp(struct arena *arena, const char *path) {
    FILE *file = fopen(path, "rb");
    struct buf buf = {0};
    char room[4096];
    assert_non_null(file);
    for (size_t n; (n = fread(room, 1, sizeof room, file)) > 0;) buf_add(&buf, room, n);
    fclose(file);
    struct str copy = arena_str(arena, buf_view(&buf));
    buf_release(&buf);
    return copy;
}

static void spill(const char *path, struct str bytes) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes.p, 1, bytes.n, file), bytes.n);
    fclose(file);
}

static struct image *open_overlay(const char *path) {
    struct image *image = NULL;
    struct err err = {0};
    if (!image_open(&image, &path, 1, &err)) fail_msg("%s: %s", err.what, err.detail);
    return image;
}

static void refused(const char *path, const char *why) {
    struct image *image = NULL;
    struct err err = {0};
    assert_false(image_open(&image, &path, 1, &err));
    assert_null(image);
    if (!strstr(err.what, why) && !strstr(err.detail, why))
        fail_msg("'%s: %s' does not say '%s'", err.what, err.detail, why);
}

static void write_whole(struct made *made) {
    tree_write(&made->tree, "kb/taxonomy.yaml", str_of(tree_taxonomy));
    tree_write_failure(&made->tree, "kb/failures/train/oom.yaml", 0, NULL);
}

/* ---- rows go through ------------------------------------------------------------------------ */

static const char rich[] =
    "id: zz-rich\n"
    "title: 'A title: with ''quotes'''\n"
    "about: >\n"
    "  A long paragraph that tells what happens, in more words than fit on a line, so that it is\n"
    "  folded when it is written again, and that has a second sentence.\n"
    "symptom: {prepare: \"3.4\", train: \"4.2\"}\n"
    "context: {not: {is: {gpu.vendor: [amd, intel]}}}\n"
    "consequence_of: [zz-other]\n"
    "ended: preempted\n"
    "harmless: true\n"
    "signals:\n"
    "  - id: zz-rich-line\n"
    "    says: \"it said\"\n"
    "    role: cascade\n"
    "    in: exception\n"
    "    level: specific\n"
    "    needle: [rich text, ' richer text']\n"
    "    regex: '(?:rich| richer) text=(\\w+) (\\d+)'\n"
    "    groups: [what, size]\n"
    "    sets: {a.what: $what, a.fixed: literal}\n"
    "    stage: {prepare: -3, train: 4}\n"
    "    match: ['rich text=a 1', '[rank3]: a richer text=b 22']\n"
    "    reject: ['rich text', \"tab\\there\"]\n"
    "    source: 'a: b/c.py'\n"
    "causes:\n"
    "  - id: first\n"
    "    root: {prepare: R3.2, train: null}\n"
    "    symptom: {train: \"4.10\"}\n"
    "    prior: 60\n"
    "    why: because\n"
    "    clues:\n"
    "      - {if: {all: [{seen: zz-rich-line}, {any: [{known: a.b}, {differs: [a.b, c.d]}]},\n"
    "                    {not: {at_least: {torch.version: '2.1'}}}]}, db: -7, group: g, why: w}\n"
    "      - {if: {all: [{contains: {cap.what: [x y, 'it''s']}}, {covers: [a.b, c.d, 2 GiB]}]}, "
    "db: 5}\n"
    "    fixes: [two, one]\n"
    "  - id: second\n"
    "    root: {prepare: null, train: R4.5}\n"
    "    prior: 40\n"
    "    clues: [{if: {is: {answer.zz-when: later}}, db: 9}]\n"
    "    fixes: [one]\n"
    "questions:\n"
    "  - id: zz-when\n"
    "    ask: When?\n"
    "    why: so\n"
    "    how: look\n"
    "    cost: 4\n"
    "    probe: gpu\n"
    "    choices:\n"
    "      - {id: first, text: at once, when: {below: {job.steps: 1}}}\n"
    "      - {id: later, text: later}\n"
    "fixes:\n"
    "  - id: one\n"
    "    pattern: P1\n"
    "    kind: test\n"
    "    title: Try {{what}}\n"
    "    steps: [a, \"b\\nc\"]\n"
    "    commands: ['x | y', 'z']\n"
    "    patch: {file: ds_config, set: {a.b: '{{a.b|half}}', c.d: ''}}\n"
    "    cost: time\n"
    "    verify: it works\n"
    "    undo: put it back\n"
    "    references: [r1]\n"
    "  - {id: two, pattern: P6, title: Two}\n"
    "dead_ends: [waiting]\n"
    "references: [r2, r3]\n";

static const char other[] = "id: zz-other\n"
                            "title: Other\n"
                            "symptom: \"4.2\"\n"
                            "signals:\n"
                            "  - {id: zz-other-line, needle: otherwise, regex: otherwise,\n"
                            "     match: [otherwise, 'x otherwise'], reject: [a, b]}\n"
                            "causes: [{id: a, root: R4.1, prior: 1, fixes: [f]}]\n"
                            "fixes: [{id: f, pattern: P1, title: F}]\n";

static void write_rich(struct made *made) {
    tree_write(&made->tree, "kb/taxonomy.yaml", str_of(tree_taxonomy));
    tree_write(&made->tree, "kb/failures/train/zz-rich.yaml", str_of(rich));
    tree_write(&made->tree, "kb/failures/train/zz-other.yaml", str_of(other));
}

static void check_rich_signal(const struct kb *kb, const struct failure *failure) {
    const struct signal *signal = &kb->signals[failure->signals[0]];
    assert_int_equal(failure->n_signals, 1);
    assert_str(signal->id, "zz-rich-line");
    assert_str(signal->says, "it said");
    assert_int_equal(signal->role, ROLE_CASCADE);
    assert_int_equal(signal->in, IN_EXCEPTION);
    assert_int_equal(signal->level, LEVEL_SPECIFIC);
    assert_int_equal(signal->n_needles, 2);
    assert_str(signal->needles[1], " richer text");
    assert_str(signal->regex, "(?:rich| richer) text=(\\w+) (\\d+)");
    assert_str(signal->groups[1], "size");
    assert_int_equal(signal->n_sets, 2);
    assert_str(signal->sets[1], "$what");
    assert_str(signal->sets[3], "literal");
    assert_int_equal(signal->stage[STAGE_PREPARE], -3);
    assert_int_equal(signal->stage[STAGE_TRAIN], 4);
    assert_true(signal->failure >= 0 && &kb->failures[signal->failure] == failure);
}

static void check_rich_causes(const struct kb *kb, const struct failure *failure) {
    const struct cause *first = &failure->causes[0], *second = &failure->causes[1];
    assert_int_equal(failure->n_causes, 2);
    assert_int_equal(first->prior, 60);
    assert_str(first->why, "because");
    assert_int_equal(first->root[STAGE_PREPARE], kb_root(kb, STR("R3.2")));
    assert_int_equal(first->root[STAGE_TRAIN], -1);
    assert_int_equal(first->symptom[STAGE_TRAIN], kb_symptom(kb, STR("4.10")));
    assert_int_equal(second->symptom[STAGE_TRAIN], -1);
    assert_int_equal(first->n_fixes, 2);
    assert_int_equal(first->fixes[0], 1);
    assert_int_equal(first->n_clues, 2);
    assert_int_equal(first->clues[0].decibans, -7);
    assert_str(first->clues[0].group, "g");
    const struct cond *all = first->clues[0].cond;
    assert_int_equal(all->op, COND_ALL);
    assert_int_equal(all->n_args, 3);
    assert_int_equal(all->size, 7);
    assert_int_equal(all[1].op, COND_SEEN);
    assert_str(kb->signals[all[1].signal].id, "zz-rich-line");
    assert_int_equal(all[2].op, COND_ANY);
    assert_int_equal(all[2].size, 3);
    assert_int_equal(all[4].op, COND_DIFFERS);
    assert_str(all[4].values[0], "c.d");
    assert_int_equal(all[5].op, COND_NOT);
    assert_int_equal(all[6].op, COND_AT_LEAST);
    assert_str(all[6].values[0], "2.1");
    const struct cond *contains = first->clues[1].cond + 1, *covers = contains + 1;
    assert_int_equal(covers->op, COND_COVERS);
    assert_str(covers->key, "a.b");
    assert_int_equal(covers->n_values, 2);
    assert_str(covers->values[1], "2 GiB");
    assert_int_equal(contains->n_values, 2);
    assert_str(contains->values[0], "x y");
    assert_str(contains->values[1], "it's");
}

static void check_rich_rest(const struct kb *kb, const struct failure *failure) {
    const struct fix *fix = &failure->fixes[0];
    assert_str(failure->title, "A title: with 'quotes'");
    assert_true(str_starts(failure->about, STR("A long paragraph")));
    assert_int_equal(failure->symptom[STAGE_PREPARE], kb_symptom(kb, STR("3.4")));
    assert_int_equal(failure->symptom[STAGE_INFER], -1);
    assert_true(failure->harmless && failure->ended > 0);
    assert_int_equal(failure->context->op, COND_NOT);
    assert_int_equal(failure->context[1].n_values, 2);
    assert_int_equal(failure->consequence_of[0], kb_failure(kb, STR("zz-other")));
    assert_int_equal(fix->kind, FIX_TEST);
    assert_str(kb->patterns[fix->pattern].id, "P1");
    assert_str(fix->steps[1], "b\nc");
    assert_str(fix->commands[0], "x | y");
    assert_int_equal(fix->patch.n_sets, 2);
    assert_str(fix->patch.sets[1], "{{a.b|half}}");
    assert_str(fix->patch.sets[2], "c.d");
    assert_int_equal(fix->patch.sets[3].n, 0);
    assert_str(failure->dead_ends[0], "waiting");
    assert_str(failure->references[1], "r3");
    const struct question *question = &kb->questions[kb_question(kb, STR("zz-when"))];
    assert_int_equal(question->cost, 4);
    assert_str(question->probe, "gpu");
    assert_int_equal(question->choices[0].when->op, COND_BELOW);
    assert_null(question->choices[1].when);
}

static void every_field_comes_back(void **state) {
    (void)state;
    struct made made;
    made_make(&made);
    write_rich(&made);
    build(&made, NULL, made.path);
    struct image *image = open_overlay(made.path);
    const struct kb *kb = image_kb(image);
    int i = kb_failure(kb, STR("zz-rich"));
    assert_true(i >= 0);
    check_rich_signal(kb, &kb->failures[i]);
    check_rich_causes(kb, &kb->failures[i]);
    check_rich_rest(kb, &kb->failures[i]);
    struct image_sample samples[8];
    int n = image_samples(image, &made.arena, STR("zz-rich-line"), samples, 8);
    assert_int_equal(n, 4);
    assert_true(samples[0].match && !samples[2].match);
    assert_str(samples[3].line, "tab\there");
    assert_str(image_source(image, &made.arena, STR("zz-rich-line")), "a: b/c.py");
    image_close(image);
    made_end(&made);
}

static void what_is_shown_compiles_to_the_same(void **state) {
    (void)state;
    struct made made;
    struct buf shown = {0}, again = {0};
    made_make(&made);
    write_rich(&made);
    build(&made, NULL, made.path);
    struct image *image = open_overlay(made.path);
    show_failure(image, kb_failure(image_kb(image), STR("zz-rich")), &shown);
    image_close(image);
    tree_write(&made.tree, "kb/failures/train/zz-rich.yaml", buf_view(&shown));
    build(&made, NULL, made.path);
    image = open_overlay(made.path);
    const struct kb *kb = image_kb(image);
    int i = kb_failure(kb, STR("zz-rich"));
    check_rich_signal(kb, &kb->failures[i]);
    check_rich_causes(kb, &kb->failures[i]);
    check_rich_rest(kb, &kb->failures[i]);
    show_failure(image, i, &again);
    assert_true(str_eq(buf_view(&shown), buf_view(&again)));
    image_close(image);
    buf_release(&shown);
    buf_release(&again);
    made_end(&made);
}

static void two_builds_are_the_same(void **state) {
    (void)state;
    struct made made;
    char second[96];
    made_make(&made);
    write_rich(&made);
    build(&made, NULL, made.path);
    snprintf(second, sizeof second, "%s/b.sqlite", made.tree.root);
    build(&made, NULL, second);
    struct str a = slurp(&made.arena, made.path), b = slurp(&made.arena, second);
    assert_true(a.n > 4096 && str_eq(a, b));
    made_end(&made);
}

/* ---- the embedded knowledge ----------------------------------------------------------------- */

static void check_references(const struct kb *kb) {
    for (int i = 0; i < kb->n_signals; i++) {
        if (i > 0) assert_true(str_cmp(kb->signals[i - 1].id, kb->signals[i].id) < 0);
        assert_true(kb->signals[i].failure < kb->n_failures);
    }
    for (int i = 0; i < kb->n_failures; i++) {
        const struct failure *failure = &kb->failures[i];
        if (i > 0) assert_true(str_cmp(kb->failures[i - 1].id, failure->id) < 0);
        assert_true((failure->study || failure->n_signals > 0) && failure->n_causes > 0 &&
                    failure->n_fixes > 0);
        for (int k = 0; k < failure->n_signals; k++)
            assert_int_equal(kb->signals[failure->signals[k]].failure, i);
        for (int c = 0; c < failure->n_causes; c++)
            for (int k = 0; k < failure->causes[c].n_clues; k++) {
                const struct cond *cond = failure->causes[c].clues[k].cond;
                for (int n = 0; n < cond->size; n++)
                    if (cond[n].op == COND_SEEN) assert_true(cond[n].signal >= 0);
            }
    }
}

static void the_embedded_image_is_whole(void **state) {
    (void)state;
    struct image *image = NULL;
    struct err err = {0};
    assert_true(image_open(&image, NULL, 0, &err));
    const struct kb *kb = image_kb(image);
    assert_int_equal(kb->n_symptoms, 34);
    assert_int_equal(kb->n_roots, 28);
    assert_int_equal(kb->n_patterns, 6);
    assert_int_equal(kb->digest.n, 16);
    assert_true(kb->n_failures > 0);
    check_references(kb);
    image_close(image);
}

static void the_study_adds_up(void **state) {
    (void)state;
    struct image *image = NULL;
    struct err err = {0};
    assert_true(image_open(&image, NULL, 0, &err));
    const struct kb *kb = image_kb(image);
    double symptoms[STAGE_COUNT] = {0}, stages = 0, patterns = 0;
    for (int i = 0; i < kb->n_symptoms; i++)
        symptoms[kb->symptoms[i].stage] += kb->symptoms[i].share;
    for (int s = 0; s < STAGE_COUNT; s++) {
        assert_true(symptoms[s] > 98.5 &&
                    symptoms[s] < 100.5); /* rounded, as the study prints it */
        stages += kb->stages[s].share;
    }
    for (int i = 0; i < kb->n_patterns; i++) patterns += kb->patterns[i].share;
    assert_true(stages > 99.5 && stages < 100.5);
    assert_true(patterns > 99.5 && patterns < 100.5);
    image_close(image);
}

/* ---- refusals ------------------------------------------------------------------------------- */

static void damaged_images_are_refused(void **state) {
    (void)state;
    struct made made;
    made_make(&made);
    write_whole(&made);
    build(&made, NULL, made.path);
    struct str bytes = slurp(&made.arena, made.path);
    for (size_t n = 0; n < bytes.n; n += n < 200 ? 50 : 4096) {
        spill(made.path, str_sub(bytes, 0, n));
        refused(made.path, n < 100 ? "no knowledge image" : "cannot use");
    }
    struct str longer = arena_printf(&made.arena, STR_FMT, STR_ARG(bytes));
    (void)longer;
    char *copy = (char *)arena_cstr(&made.arena, bytes);
    copy[68] ^= 1;
    spill(made.path, (struct str){copy, bytes.n});
    refused(made.path, "another program's");
    copy[68] ^= 1;
    copy[63] ^= 2;
    spill(made.path, (struct str){copy, bytes.n});
    refused(made.path, "another format version");
    spill(made.path,
          STR("id: this is YAML, not an image, and it is long enough to hold a header of "
              "one hundred bytes"));
    refused(made.path, "not an SQLite file");
    remove(made.path);
    refused(made.path, "cannot read");
    made_end(&made);
}

/* Whatever is flipped: an image is refused or opens, and what opens can be walked. */
static void flipped_bytes_do_not_crash(void **state) {
    (void)state;
    struct made made;
    made_make(&made);
    write_rich(&made);
    build(&made, NULL, made.path);
    struct str bytes = slurp(&made.arena, made.path);
    char *copy = (char *)arena_cstr(&made.arena, bytes);
    uint32_t seed = 12345;
    int opened = 0, closed = 0;
    for (int round = 0; round < 400; round++) {
        struct image *image = NULL;
        struct err err = {0};
        struct image_near near[4];
        const char *path = made.path;
        memcpy(copy, bytes.p, bytes.n);
        for (int k = 0; k < 1 + round % 8; k++) {
            seed = seed * 1664525 + 1013904223;
            copy[(size_t)seed % bytes.n] ^= (char)(1 << (seed >> 29));
        }
        spill(path, (struct str){copy, bytes.n});
        if (image_open(&image, &path, 1, &err)) {
            struct buf out = {0};
            for (int i = 0; i < image_kb(image)->n_failures; i++)
                if (str_starts(image_kb(image)->failures[i].id, STR("zz-")))
                    show_failure(image, i, &out);
            image_search(image, &made.arena, STR("rich text"), near, 4);
            buf_release(&out);
            image_close(image);
            opened++;
        } else {
            assert_true(err.what[0] != 0);
            closed++;
        }
    }
    assert_true(opened > 0 && closed > 0);
    made_end(&made);
}

/* ---- overlays ------------------------------------------------------------------------------- */

/* Replaces the whole entry `id` by one with another title and another signal. */
static void write_replacement(struct made *made, struct str id, struct str seen) {
    struct str text = arena_printf(
        &made->arena,
        "id: " STR_FMT "\ntitle: Replaced\nsymptom: \"4.2\"\nsignals:\n"
        "  - {id: zz-new-line, needle: brand new, regex: brand new, match: [brand new, 'x brand "
        "new'], reject: [a, b]}\n"
        "causes:\n  - {id: a, root: R4.1, prior: 1, fixes: [f], clues: [{if: {seen: " STR_FMT
        "}, db: 3}]}\n"
        "fixes: [{id: f, pattern: P1, title: F}]\n",
        STR_ARG(id), STR_ARG(seen));
    struct str name = arena_printf(&made->arena, "kb/" STR_FMT ".yaml", STR_ARG(id));
    tree_write(&made->tree, name.p, text);
}

static void overlays_replace_and_add(void **state) {
    (void)state;
    struct made made;
    struct image *plain = NULL;
    struct err err = {0};
    made_make(&made);
    assert_true(image_open(&plain, NULL, 0, &err));
    const struct kb *base = image_kb(plain);
    const struct failure *victim = &base->failures[base->n_failures / 2];
    /* a signal of another failure, for the clue to refer to */
    const struct signal *seen = &base->signals[base->failures[0].signals[0]];
    struct str gone = base->signals[victim->signals[0]].id;
    write_replacement(&made, victim->id, seen->id);
    tree_write(&made.tree, "kb/zz-other.yaml", str_of(other));
    build(&made, base, made.path);

    struct image *image = open_overlay(made.path);
    const struct kb *kb = image_kb(image);
    assert_int_equal(kb->n_failures, base->n_failures + 1);
    int i = kb_failure(kb, victim->id);
    assert_str(kb->failures[i].title, "Replaced");
    assert_int_equal(kb->failures[i].n_signals, 1);
    assert_int_equal(kb_signal(kb, gone), -1);
    assert_true(kb_signal(kb, STR("zz-new-line")) >= 0);
    int clue = kb->failures[i].causes[0].clues[0].cond->signal;
    assert_true(clue >= 0 && str_eq(kb->signals[clue].id, seen->id));
    assert_true(kb_failure(kb, STR("zz-other")) >= 0);
    assert_false(str_eq(kb->digest, base->digest));
    struct image_near near[3];
    assert_true(image_search(image, &made.arena, STR("otherwise"), near, 3) > 0);
    assert_str(near[0].id, "zz-other");
    image_close(image);
    image_close(plain);
    made_end(&made);
}

static void folders_of_images_are_overlays(void **state) {
    (void)state;
    struct made made;
    struct image *plain = NULL;
    struct err err = {0};
    made_make(&made);
    assert_true(image_open(&plain, NULL, 0, &err));
    refused(made.tree.root, "no knowledge image in");
    tree_write(&made.tree, "kb/zz-other.yaml", str_of(other));
    build(&made, image_kb(plain), made.path);
    struct image *image = open_overlay(made.tree.root);
    assert_true(kb_failure(image_kb(image), STR("zz-other")) >= 0);
    image_close(image);
    image_close(plain);
    made_end(&made);
}

/* ---- search --------------------------------------------------------------------------------- */

static void search_takes_any_words(void **state) {
    (void)state;
    struct image *image = NULL;
    struct err err = {0};
    struct arena arena = {0};
    struct image_near near[5];
    static const char *const hostile[] = {"",
                                          "\"",
                                          "a\" OR id:*",
                                          "NEAR(x y)",
                                          "- * ^ ( ) : {}",
                                          "\xff\xfe\x01",
                                          "AND OR NOT",
                                          "'; DROP TABLE signal; --"};
    assert_true(image_open(&image, NULL, 0, &err));
    for (size_t i = 0; i < COUNT_OF(hostile); i++) {
        int n = image_search(image, &arena, str_of(hostile[i]), near, 5);
        assert_true(n >= 0 && n <= 5);
    }
    assert_int_equal(image_search(image, &arena, STR("checkpoint"), near, 0), 0);
    int n = image_search(image, &arena, STR("checkpoint & state failure"), near, 5);
    assert_int_equal(n, 5);
    for (int i = 1; i < n; i++) assert_true(near[i - 1].rank >= near[i].rank);
    arena_release(&arena);
    image_close(image);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_comes_back),
        cmocka_unit_test(what_is_shown_compiles_to_the_same),
        cmocka_unit_test(two_builds_are_the_same),
        cmocka_unit_test(the_embedded_image_is_whole),
        cmocka_unit_test(the_study_adds_up),
        cmocka_unit_test(damaged_images_are_refused),
        cmocka_unit_test(flipped_bytes_do_not_crash),
        cmocka_unit_test(overlays_replace_and_add),
        cmocka_unit_test(folders_of_images_are_overlays),
        cmocka_unit_test(search_takes_any_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
