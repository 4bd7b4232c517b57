/* Signals and questions: rows that a failure or a shared file may hold. */
#include "compile/book.h"

struct signal_fields {
    struct str id, says, role, in, level, source;
    struct strs regex, needle, groups, match, reject;
    const struct node *sets, *stage;
    bool purpose;
};

#define F(name) offsetof(struct signal_fields, name)
static const struct field signal_table[] = {
    {"id", FIELD_TEXT, F(id), true},          {"says", FIELD_TEXT, F(says), false},
    {"role", FIELD_TEXT, F(role), false},     {"in", FIELD_TEXT, F(in), false},
    {"level", FIELD_TEXT, F(level), false},   {"needle", FIELD_TEXTS, F(needle), false},
    {"regex", FIELD_TEXTS, F(regex), true},   {"groups", FIELD_TEXTS, F(groups), false},
    {"sets", FIELD_NODE, F(sets), false},     {"stage", FIELD_NODE, F(stage), false},
    {"match", FIELD_TEXTS, F(match), false},  {"reject", FIELD_TEXTS, F(reject), false},
    {"source", FIELD_TEXT, F(source), false}, {"purpose", FIELD_BOOL, F(purpose), false},
};
#undef F

/* {train: 2, infer: -3}: decibans by stage. */
static void read_stage_weights(struct book *book, const struct node *node,
                               int weights[STAGE_COUNT]) {
    if (node_is_null(node)) return;
    if (node->kind != NODE_MAP) {
        book_error(book, place_of(book, node), book->owner,
                   "'stage' must be a map from stage to decibans: stage: {train: 2}");
        return;
    }
    for (int i = 0; i < node->n; i++) {
        struct place at = {book->path, node->key_lines[i]};
        int stage = word_read(book, at, node->keys[i], stage_names, STAGE_COUNT, "stage");
        if (stage >= 0) int_read(book, node->items[i], "stage", -60, 60, &weights[stage]);
    }
}

static bool group_name_good(struct str name) {
    for (size_t i = 0; i < name.n; i++) {
        char c = name.p[i];
        bool good = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
        if (!good) return false;
    }
    return name.n > 0;
}

static void check_names(struct book *book, const struct node *map, struct strs groups,
                        struct strs sets) {
    struct place at = place_of(book, map);
    for (int i = 0; i < groups.n; i++)
        if (!group_name_good(groups.v[i]))
            book_error(book, place_field(at, map, "groups", i), book->owner,
                       "the group name '" STR_FMT
                       "' must consist of small letters, digits, '_' and '-'",
                       STR_ARG(groups.v[i]));
    for (int i = 1; i < sets.n; i += 2) {
        if (!str_starts(sets.v[i], STR("$"))) continue;
        struct str name = str_sub(sets.v[i], 1, sets.v[i].n);
        int k = 0;
        while (k < groups.n && !str_eq(groups.v[k], name)) k++;
        if (k == groups.n)
            book_error(book, place_field(at, map, "sets", i / 2), book->owner,
                       "'sets' uses $" STR_FMT ", but 'groups' has no such name", STR_ARG(name));
    }
}

static int word_or(struct book *book, const struct node *map, const char *key, struct str word,
                   const char *const *words, int n, int otherwise) {
    if (word.n == 0) return otherwise;
    int i = word_read(book, place_field(place_of(book, map), map, key, -1), word, words, n, key);
    return i < 0 ? otherwise : i;
}

static void read_signal(struct book *book, const struct node *map) {
    struct signal_fields f = {0};
    struct read_signal row = {.at = place_of(book, map), .node = map, .failure = book->failure};
    struct str outer = book->owner;
    if (map->kind == NODE_MAP && node_get(map, "id") && node_get(map, "id")->text.n)
        book->owner = node_get(map, "id")->text;
    if (fields_read(book, map, "a signal", signal_table, (int)COUNT_OF(signal_table), &f) &&
        id_check(book, row.at, f.id, "the signal")) {
        struct strs sets = pairs_read(book, f.sets, "sets");
        check_names(book, map, f.groups, sets);
        row.row = (struct signal){
            .id = f.id,
            .says = f.says,
            .role = (enum role)word_or(book, map, "role", f.role, role_names, ROLE_COUNT,
                                       ROLE_INITIATING),
            .in = (enum where)word_or(book, map, "in", f.in, where_names, WHERE_COUNT, IN_LINE),
            .level = (enum level)word_or(book, map, "level", f.level, level_names, 3, LEVEL_FAMILY),
            .needles = f.needle.v,
            .n_needles = f.needle.n,
            .regex = expression_of(book, row.at, map, f.regex),
            .groups = f.groups.v,
            .n_groups = f.groups.n,
            .sets = sets.v,
            .n_sets = sets.n / 2,
            .purpose = f.purpose,
            .failure = -1};
        read_stage_weights(book, f.stage, row.row.stage);
        row.source = f.source;
        row.match = f.match;
        row.reject = f.reject;
        vec_push(book->arena, &book->signals, row);
    }
    book->owner = outer;
}

void read_signals(struct book *book, const struct node *list) {
    if (list_missing(book, list, "signals")) return;
    for (int i = 0; i < list->n; i++) read_signal(book, list->items[i]);
}

struct choice_fields {
    struct str id, text;
    const struct node *when, *weighs;
};
static const struct field choice_table[] = {
    {"id", FIELD_TEXT, offsetof(struct choice_fields, id), true},
    {"text", FIELD_TEXT, offsetof(struct choice_fields, text), true},
    {"when", FIELD_NODE, offsetof(struct choice_fields, when), false},
    {"weighs", FIELD_NODE, offsetof(struct choice_fields, weighs), false},
};

/* weighs: {R4.2: 9, R5.3: 9, others: -5} */
static void read_weighs(struct book *book, const struct node *node, struct choice *choice) {
    enum { DECIBANS_MOST = 30 };
    if (!node || node_is_null(node)) return;
    if (node->kind != NODE_MAP) {
        book_error(book, place_of(book, node), book->owner,
                   "'weighs' must be a map from root cause to decibans: weighs: {R4.2: 9, "
                   "others: -5}");
        return;
    }
    choice->weighs = ARENA_ARRAY(book->arena, struct weigh, node->n);
    for (int i = 0; i < node->n; i++) {
        struct weigh weigh = {.root = kb_root(&book->kb, node->keys[i])};
        if (weigh.root < 0 && !str_eq(node->keys[i], STR("others"))) {
            book_error(book, (struct place){book->path, node->key_lines[i]}, book->owner,
                       "'" STR_FMT "' is no root cause of the taxonomy (R1.1 to R5.6), nor "
                       "'others'",
                       STR_ARG(node->keys[i]));
            continue;
        }
        if (int_read(book, node->items[i], "weighs", -DECIBANS_MOST, DECIBANS_MOST,
                     &weigh.decibans))
            choice->weighs[choice->n_weighs++] = weigh;
    }
}

static void read_choices(struct book *book, const struct node *list, struct question *question) {
    if (list_missing(book, list, "choices")) return;
    question->choices = ARENA_ARRAY(book->arena, struct choice, list->n);
    for (int i = 0; i < list->n; i++) {
        struct choice_fields f = {0};
        struct place at = place_of(book, list->items[i]);
        if (!fields_read(book, list->items[i], "a choice", choice_table,
                         (int)COUNT_OF(choice_table), &f) ||
            !id_check(book, at, f.id, "the choice"))
            continue;
        if (str_eq(f.id, STR("unknown")))
            book_error(book, at, book->owner, "the choice 'unknown' always exists; leave it out");
        for (int k = 0; k < question->n_choices; k++)
            if (str_eq(question->choices[k].id, f.id))
                book_error(book, at, book->owner, "the choice '" STR_FMT "' is there twice",
                           STR_ARG(f.id));
        struct choice *choice = &question->choices[question->n_choices++];
        *choice = (struct choice){
            .id = f.id, .text = f.text, .when = read_condition(book, f.when, false)};
        read_weighs(book, f.weighs, choice);
    }
    if (question->n_choices < 2)
        book_error(book, place_of(book, list), book->owner,
                   "a question needs at least two choices");
}

struct question_fields {
    struct str id, ask, why, how, probe;
    int cost;
    const struct node *choices;
};
#define F(name) offsetof(struct question_fields, name)
static const struct field question_table[] = {
    {"id", FIELD_TEXT, F(id), true},           {"ask", FIELD_TEXT, F(ask), true},
    {"why", FIELD_TEXT, F(why), false},        {"how", FIELD_TEXT, F(how), false},
    {"probe", FIELD_TEXT, F(probe), false},    {"cost", FIELD_INT, F(cost), false},
    {"choices", FIELD_NODE, F(choices), true},
};
#undef F

static void read_question(struct book *book, const struct node *map) {
    struct question_fields f = {.cost = 2};
    struct read_question row = {.at = place_of(book, map), .failure = book->failure};
    struct str outer = book->owner;
    if (map->kind == NODE_MAP && node_get(map, "id") && node_get(map, "id")->text.n)
        book->owner = node_get(map, "id")->text;
    if (fields_read(book, map, "a question", question_table, (int)COUNT_OF(question_table), &f) &&
        id_check(book, row.at, f.id, "the question")) {
        if (f.cost < 1 || f.cost > 5)
            book_error(book, place_field(row.at, map, "cost", -1), book->owner,
                       "'cost' is 1 (a glance), 2 (a command), 3 (reading), 4 (asking somebody) "
                       "or 5 (an experiment)");
        row.row = (struct question){
            .id = f.id, .ask = f.ask, .why = f.why, .how = f.how, .cost = f.cost, .probe = f.probe};
        read_choices(book, f.choices, &row.row);
        vec_push(book->arena, &book->questions, row);
    }
    book->owner = outer;
}

void read_questions(struct book *book, const struct node *list) {
    if (list_missing(book, list, "questions")) return;
    for (int i = 0; i < list->n; i++) read_question(book, list->items[i]);
}
