/* taxonomy.yaml, the shared files, and codes. */
#include "compile/book.h"

#include <stdio.h>

/* ---- codes by stage ------------------------------------------------------------------------- */

static int code_index(struct book *book, const struct node *node, enum code_table table) {
    struct str code;
    const struct kb *kb = &book->kb;
    const char *what = table == CODES_SYMPTOM ? "symptom" : "root cause";
    if (!text_read(book, node, what, &code)) return -1;
    int i = table == CODES_SYMPTOM ? kb_symptom(kb, code) : kb_root(kb, code);
    if (i < 0)
        book_error(book, place_of(book, node), book->owner,
                   "unknown %s '" STR_FMT "'; the codes are in taxonomy.yaml (for example %s)",
                   what, STR_ARG(code), table == CODES_SYMPTOM ? "\"4.2\"" : "R4.5");
    return i;
}

void read_codes(struct book *book, const struct node *node, enum code_table table,
                int by_stage[STAGE_COUNT]) {
    const struct code *codes = table == CODES_SYMPTOM ? book->kb.symptoms : book->kb.roots;
    for (int s = 0; s < STAGE_COUNT; s++) by_stage[s] = -1;
    if (node_is_null(node)) return;
    if (node->kind == NODE_LIST) {
        book_error(book, place_of(book, node), book->owner,
                   "codes are one code or a map from stage to code: {prepare: \"3.4\", train: "
                   "\"4.2\"}");
        return;
    }
    if (node->kind == NODE_SCALAR) {
        int i = code_index(book, node, table);
        if (i >= 0) by_stage[codes[i].stage] = i;
        return;
    }
    for (int k = 0; k < node->n; k++) {
        struct place at = {book->path, node->key_lines[k]};
        int stage = word_read(book, at, node->keys[k], stage_names, STAGE_COUNT, "stage");
        if (stage < 0 || node_is_null(node->items[k])) continue;
        int i = code_index(book, node->items[k], table);
        if (i < 0) continue;
        by_stage[stage] = i;
        if (codes[i].stage != stage)
            book_error(book, at, book->owner, "the code " STR_FMT " belongs to stage %s, not to %s",
                       STR_ARG(codes[i].id), stage_names[codes[i].stage], stage_names[stage]);
    }
}

/* ---- the taxonomy --------------------------------------------------------------------------- */

struct code_fields {
    struct str id, name, about, examples, stage, share, dist;
};
#define F(field) offsetof(struct code_fields, field)
static const struct field code_table[] = {
    {"id", FIELD_TEXT, F(id), true},        {"name", FIELD_TEXT, F(name), true},
    {"about", FIELD_TEXT, F(about), false}, {"examples", FIELD_TEXT, F(examples), false},
    {"stage", FIELD_TEXT, F(stage), false}, {"share", FIELD_TEXT, F(share), false},
    {"dist", FIELD_TEXT, F(dist), false},
};
#undef F

static double read_percent(struct book *book, const struct node *map, const char *key,
                           struct str text) {
    double value = -1;
    if (text.n == 0) return -1;
    if (str_number(text, &value) && value >= 0 && value <= 100) return value;
    book_error(book, place_field(place_of(book, map), map, key, -1), book->owner,
               "'%s' is a percent from 0 to 100; leave it out where the study does not give it",
               key);
    return -1;
}

/* Reads rows of codes; `staged`: the row must say its stage. */
static struct code *read_code_rows(struct book *book, const struct node *list, const char *what,
                                   bool staged, int *n) {
    *n = 0;
    if (list_missing(book, list, what)) {
        book_error(book, place_of(book, list), book->owner, "the taxonomy needs '%s'", what);
        return NULL;
    }
    struct code *codes = ARENA_ARRAY(book->arena, struct code, list->n);
    for (int i = 0; i < list->n; i++) {
        const struct node *map = list->items[i];
        struct code_fields f = {0};
        struct code code = {.stage = -1};
        if (!fields_read(book, map, "a row of the taxonomy", code_table, (int)COUNT_OF(code_table),
                         &f))
            continue;
        for (int k = 0; k < *n; k++)
            if (str_eq(codes[k].id, f.id))
                book_error(book, place_of(book, map), f.id, "the code is there twice");
        code.id = f.id;
        code.name = f.name;
        code.about = f.about;
        code.examples = f.examples;
        code.share = read_percent(book, map, "share", f.share);
        code.dist = read_percent(book, map, "dist", f.dist);
        if (staged) {
            struct place at = place_field(place_of(book, map), map, "stage", -1);
            code.stage = word_read(book, at, f.stage, stage_names, STAGE_COUNT, "stage");
            if (code.stage < 0) continue;
        }
        codes[(*n)++] = code;
    }
    return codes;
}

struct taxonomy_fields {
    struct str version, study;
    const struct node *stages, *symptoms, *roots, *patterns, *issues;
};
#define F(field) offsetof(struct taxonomy_fields, field)
static const struct field taxonomy_table[] = {
    {"version", FIELD_TEXT, F(version), true}, {"study", FIELD_TEXT, F(study), false},
    {"stages", FIELD_NODE, F(stages), true},   {"symptoms", FIELD_NODE, F(symptoms), true},
    {"roots", FIELD_NODE, F(roots), true},     {"patterns", FIELD_NODE, F(patterns), true},
    {"issues", FIELD_NODE, F(issues), false},
};
#undef F

void read_taxonomy(struct book *book, const struct node *root) {
    struct taxonomy_fields f = {0};
    struct kb *kb = &book->kb;
    int n = 0;
    book->own_taxonomy = true;
    if (!fields_read(book, root, "the taxonomy", taxonomy_table, (int)COUNT_OF(taxonomy_table), &f))
        return;
    kb->version = f.version;
    struct code *stages = read_code_rows(book, f.stages, "stages", true, &n);
    for (int i = 0; i < n; i++) kb->stages[stages[i].stage] = stages[i];
    for (int s = 0; s < STAGE_COUNT; s++)
        if (kb->stages[s].id.n == 0)
            book_error(book, place_of(book, f.stages), book->owner,
                       "the taxonomy lacks the stage %s", stage_names[s]);
    kb->symptoms = read_code_rows(book, f.symptoms, "symptoms", true, &kb->n_symptoms);
    kb->roots = read_code_rows(book, f.roots, "roots", true, &kb->n_roots);
    kb->patterns = read_code_rows(book, f.patterns, "patterns", false, &kb->n_patterns);
    if (!node_is_null(f.issues))
        kb->issues = read_code_rows(book, f.issues, "issues", false, &kb->n_issues);
    if (kb->n_patterns != PATTERN_COUNT)
        book_error(book, place_of(book, f.patterns), book->owner,
                   "there must be %d fix patterns, not %d", (int)PATTERN_COUNT, kb->n_patterns);
}

/* ---- the fallback --------------------------------------------------------------------------- */

struct fallback_fields {
    struct strs exceptions, contains, patterns;
    struct str title;
    const struct node *symptom, *root;
};
#define F(field) offsetof(struct fallback_fields, field)
static const struct field fallback_table[] = {
    {"exceptions", FIELD_TEXTS, F(exceptions), false},
    {"contains", FIELD_TEXTS, F(contains), false},
    {"title", FIELD_TEXT, F(title), true},
    {"symptom", FIELD_NODE, F(symptom), true},
    {"root", FIELD_NODE, F(root), false},
    {"patterns", FIELD_TEXTS, F(patterns), true},
};
#undef F

static void read_fallback(struct book *book, const struct node *map) {
    struct fallback_fields f = {0};
    struct place at = place_of(book, map);
    book->owner = STR("fallback");
    if (!fields_read(book, map, "a row of the fallback", fallback_table,
                     (int)COUNT_OF(fallback_table), &f))
        return;
    struct fallback row = {.exceptions = f.exceptions.v,
                           .n_exceptions = f.exceptions.n,
                           .contains = f.contains.v,
                           .n_contains = f.contains.n,
                           .title = f.title};
    read_codes(book, f.symptom, CODES_SYMPTOM, row.symptom);
    read_codes(book, f.root, CODES_ROOT, row.root);
    if (f.patterns.n > 3)
        book_error(book, place_field(at, map, "patterns", 3), book->owner,
                   "at most three fix patterns, the first to try first");
    for (int i = 0; i < f.patterns.n && i < 3; i++) {
        int pattern = kb_pattern(&book->kb, f.patterns.v[i]);
        if (pattern < 0)
            book_error(book, place_field(at, map, "patterns", i), book->owner,
                       "unknown fix pattern '" STR_FMT "'; use P1 to P6", STR_ARG(f.patterns.v[i]));
        else
            row.patterns[row.n_patterns++] = pattern;
    }
    for (int s = 0; s < STAGE_COUNT; s++)
        if (row.root[s] >= 0 && row.symptom[s] < 0)
            book_warn(book, at, book->owner,
                      "the root for stage %s is never used: no symptom there", stage_names[s]);
    vec_push(book->arena, &book->fallbacks, row);
}

/* ---- measured confidence -------------------------------------------------------------------- */

static const struct field confidence_table[] = {
    {"base", FIELD_NODE, 0, true},
    {"line", FIELD_NODE, sizeof(struct node *), true},
    {"share", FIELD_NODE, 2 * sizeof(struct node *), true},
    {"generic", FIELD_NODE, 3 * sizeof(struct node *), true},
    {"unknown", FIELD_NODE, 4 * sizeof(struct node *), true},
    {"words", FIELD_NODE, 5 * sizeof(struct node *), true},
    {"alike", FIELD_NODE, 6 * sizeof(struct node *), true},
    {"leaning", FIELD_NODE, 7 * sizeof(struct node *), true},
};
enum { N_CONFIDENCE = COUNT_OF(confidence_table) };

static void read_confidence(struct book *book, const struct node *map) {
    const struct node *nodes[N_CONFIDENCE] = {0};
    book->owner = STR("confidence");
    if (!fields_read(book, map, "the confidence", confidence_table, N_CONFIDENCE, nodes)) return;
    struct confidence *row = ARENA_NEW(book->arena, struct confidence);
    int *const numbers[N_CONFIDENCE] = {&row->base,    &row->line,  &row->share, &row->generic,
                                        &row->unknown, &row->words, &row->alike, &row->leaning};
    for (int i = 0; i < N_CONFIDENCE; i++)
        int_read(book, nodes[i], confidence_table[i].key, -100, 100, numbers[i]);
    if (book->kb.confidence)
        book_error(book, place_of(book, map), book->owner, "'confidence' is there twice");
    book->kb.confidence = row;
}

/* ---- shared files --------------------------------------------------------------------------- */

struct shared_fields {
    const struct node *parts, *signals, *questions, *fallback, *lists, *confidence, *checks,
        *leanings;
};
#define F(field) offsetof(struct shared_fields, field)
static const struct field shared_table[] = {
    {"parts", FIELD_NODE, F(parts), false},
    {"signals", FIELD_NODE, F(signals), false},
    {"questions", FIELD_NODE, F(questions), false},
    {"fallback", FIELD_NODE, F(fallback), false},
    {"lists", FIELD_NODE, F(lists), false},
    {"confidence", FIELD_NODE, F(confidence), false},
    {"checks", FIELD_NODE, F(checks), false},
    {"leanings", FIELD_NODE, F(leanings), false},
};
#undef F

/* Lists are for people who read the file; their shape is held all the same. */
static void check_lists(struct book *book, const struct node *map) {
    struct strs items;
    if (node_is_null(map)) return;
    if (map->kind != NODE_MAP) {
        book_error(book, place_of(book, map), book->owner,
                   "'lists' must be a map from a name to a list of texts");
        return;
    }
    for (int i = 0; i < map->n; i++) texts_read(book, map->items[i], "lists", &items);
}

void read_shared(struct book *book, const struct node *root) {
    struct shared_fields f = {0};
    if (!fields_read(book, root, "a shared file", shared_table, (int)COUNT_OF(shared_table), &f))
        return;
    if (f.parts) read_parts(book, f.parts);
    read_signals(book, f.signals);
    read_questions(book, f.questions);
    read_checks(book, f.checks);
    read_leanings(book, f.leanings);
    check_lists(book, f.lists);
    if (!list_missing(book, f.fallback, "fallback"))
        for (int i = 0; i < f.fallback->n; i++) read_fallback(book, f.fallback->items[i]);
    if (!node_is_null(f.confidence)) read_confidence(book, f.confidence);
}
