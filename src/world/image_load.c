#include "world/image_load.h"
#include "model/diagnosis.h"
#include "model/leaning.h"
#include "world/image_schema.h"

enum { COLUMNS = 13 };

struct loader {
    struct layers *layers;
    struct arena *arena;
    const struct kb *kb;
    struct err *err;
    struct str rest; /* of the pack: what is not read yet */
    uint32_t n_rows; /* left in the open table */
    int n_columns;
    struct str cells[COLUMNS]; /* of the row being read; they lie in the pack */
    bool failed;
};

/* ---- rows and columns ----------------------------------------------------------------------- */

static bool damaged(struct loader *l, const char *why) {
    if (!l->failed)
        err_set(l->err, why, "build the image again: faultline kb build DIR -o FILE",
                "the knowledge image is damaged");
    l->failed = true;
    return false;
}

static uint32_t pack_number(struct loader *l) {
    const unsigned char *p = (const unsigned char *)l->rest.p;
    if (l->rest.n < 4) {
        damaged(l, "its rows end too early");
        return 0;
    }
    l->rest = (struct str){l->rest.p + 4, l->rest.n - 4};
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static struct str pack_cell(struct loader *l) {
    size_t n = l->rest.n ? (unsigned char)l->rest.p[0] : 0;
    if (l->rest.n == 0) damaged(l, "its rows end too early");
    if (l->rest.n > 0) l->rest = (struct str){l->rest.p + 1, l->rest.n - 1};
    if (n == 255) n = pack_number(l);
    if (n > l->rest.n) damaged(l, "its rows end too early");
    if (l->failed) return (struct str){0};
    struct str cell = {l->rest.p, n};
    l->rest = (struct str){l->rest.p + n, l->rest.n - n};
    return cell;
}

static bool open_table(struct loader *l, const char *name) {
    static const struct {
        const char *name;
        int n_columns;
    } tables[] = IMAGE_PACK_TABLES;
    if (l->failed) return false;
    if (!str_eq(pack_cell(l), str_of(name))) return damaged(l, "a table is not where it belongs");
    for (size_t i = 0; i < COUNT_OF(tables); i++)
        if (strcmp(tables[i].name, name) == 0) l->n_columns = tables[i].n_columns;
    l->n_rows = pack_number(l);
    return !l->failed;
}

/* Makes room for all rows of the open table: an array that grows leaves its old self in the arena.
 * A table cannot have more rows than the pack has bytes, whatever it says. */
#define reserve(l, vec)                                                                            \
    do {                                                                                           \
        size_t room = (l)->rest.n / (size_t)(l)->n_columns;                                        \
        size_t rows = (l)->n_rows < room ? (l)->n_rows : room;                                     \
        if ((vec)->cap == 0 && rows > 0) {                                                         \
            (vec)->v = arena_alloc((l)->arena, sizeof *(vec)->v * rows);                           \
            (vec)->cap = rows;                                                                     \
        }                                                                                          \
    } while (0)

static bool next_row(struct loader *l) {
    if (l->failed || l->n_rows == 0) return false;
    l->n_rows--;
    for (int i = 0; i < l->n_columns; i++) l->cells[i] = pack_cell(l);
    return !l->failed;
}

static struct str text(struct loader *l, int column) {
    return l->cells[column];
}

static int number(struct loader *l, int column) {
    int64_t value = 0;
    if (!str_int(l->cells[column], &value) || value < INT32_MIN || value > INT32_MAX)
        damaged(l, "a column that should hold a number");
    return (int)value;
}

static int word(struct loader *l, int column, const char *const *words, int n) {
    struct str s = text(l, column);
    for (int i = 0; i < n; i++)
        if (words[i] && s.n && *words[i] == *s.p && str_eq(s, str_of(words[i]))) return i;
    damaged(l, "a column holds a word that is not known");
    return 0;
}

static struct str unfolded(struct loader *l, struct str item) {
    struct str copy = arena_str(l->arena, item);
    char *p = (char *)(uintptr_t)copy.p;
    for (size_t i = 0; i < copy.n; i++)
        if (p[i] == '\v') p[i] = '\n';
    return copy;
}

/* One item a line; VT stands for a line end inside an item. */
static struct layer_list list(struct loader *l, int column) {
    struct str all = text(l, column), item;
    struct layer_list items = {0};
    if (all.n == 0) return items;
    items.v = ARENA_ARRAY(l->arena, struct str, str_count(all, '\n') + 1);
    bool folded = memchr(all.p, '\v', all.n) != NULL;
    while (str_split(&all, '\n', &item)) items.v[items.n++] = folded ? unfolded(l, item) : item;
    return items;
}

/* "key=value" a line, as pairs. */
static struct layer_list pairs(struct loader *l, int column) {
    struct layer_list items = list(l, column), both = {0};
    both.v = ARENA_ARRAY(l->arena, struct str, items.n * 2);
    for (int i = 0; i < items.n; i++) {
        struct str value = items.v[i], key;
        if (!str_split(&value, '=', &key)) continue;
        both.v[both.n++] = key;
        both.v[both.n++] = value;
    }
    return both;
}

static int code_of(const struct code *codes, int n, struct str id) {
    for (int i = 0; i < n; i++)
        if (str_eq(codes[i].id, id)) return i;
    return -1;
}

static void by_stage(struct loader *l, int column, const struct code *codes, int n_codes,
                     int out[STAGE_COUNT]) {
    struct str all = text(l, column), value, key;
    for (int s = 0; s < STAGE_COUNT; s++) out[s] = codes ? -1 : 0;
    while (all.n > 0 && str_split(&all, '\n', &value) && str_split(&value, '=', &key)) {
        int64_t weight = 0;
        int stage = stage_of_name(key);
        if (stage < 0) {
            damaged(l, "an unknown stage");
            return;
        }
        if (!codes) {
            str_int(value, &weight);
            out[stage] = (int)weight;
            continue;
        }
        out[stage] = code_of(codes, n_codes, value);
        if (out[stage] < 0) damaged(l, "a code that the taxonomy does not have");
    }
}

static void symptoms(struct loader *l, int column, int out[STAGE_COUNT]) {
    by_stage(l, column, l->kb->symptoms, l->kb->n_symptoms, out);
}

static void roots(struct loader *l, int column, int out[STAGE_COUNT]) {
    by_stage(l, column, l->kb->roots, l->kb->n_roots, out);
}

/* "R4.2=9", one a line; "others" stands for the codes that are not named. */
static void weighs(struct loader *l, int column, struct choice *choice) {
    struct str all = text(l, column), value, code;
    if (!all.n) return;
    choice->weighs = ARENA_ARRAY(l->arena, struct weigh, str_count(all, '\n') + 1);
    while (all.n > 0 && str_split(&all, '\n', &value) && str_split(&value, '=', &code)) {
        struct weigh weigh = {.root = code_of(l->kb->roots, l->kb->n_roots, code)};
        int64_t decibans = 0;
        if (weigh.root < 0 && !str_eq(code, STR("others"))) {
            damaged(l, "a code that the taxonomy does not have");
            return;
        }
        str_int(value, &decibans);
        weigh.decibans = (int)decibans;
        choice->weighs[choice->n_weighs++] = weigh;
    }
}

/* ---- conditions ----------------------------------------------------------------------------- */

/* Reads one node a line into nodes[at...]; returns the position after the node and its arguments,
 * or 0. */
static int cond_node(struct loader *l, struct str *rest, struct cond *nodes, int at, int n,
                     int depth) {
    struct str line, field;
    if (at >= n || depth > 16 || !str_split(rest, '\n', &line)) return 0;
    struct cond *node = &nodes[at];
    str_split(&line, '\t', &field);
    int op = 0;
    while (op < (int)COND_COUNT && !str_eq(field, str_of(cond_names[op]))) op++;
    if (op == (int)COND_COUNT) return 0;
    *node = (struct cond){.op = (enum cond_op)op, .signal = -1, .size = 1};
    if (node->op >= COND_ALL) {
        int64_t n_args = 0;
        if (!str_int(line, &n_args) || n_args < 1 || n_args > n) return 0;
        int next = at + 1;
        for (int i = 0; i < n_args && next > 0; i++)
            next = cond_node(l, rest, nodes, next, n, depth + 1);
        node->n_args = (int)n_args;
        node->size = next - at;
        return next;
    }
    if (!str_split(&line, '\t', &node->key) || node->key.n == 0) return 0;
    if (node->op == COND_SEEN) vec_push(l->arena, &l->layers->seen, node);
    if (line.n == 0) return node->op == COND_SEEN || node->op == COND_KNOWN ? at + 1 : 0;
    int n_values = (int)str_count(line, '\t') + 1;
    node->values = ARENA_ARRAY(l->arena, struct str, n_values);
    while (node->n_values < n_values && str_split(&line, '\t', &field))
        node->values[node->n_values++] = field;
    return at + 1;
}

static const struct cond *condition(struct loader *l, int column) {
    struct str all = text(l, column);
    if (all.n == 0) return NULL;
    int n = (int)str_count(all, '\n') + 1;
    struct cond *nodes = ARENA_ARRAY(l->arena, struct cond, n);
    size_t seen = l->layers->seen.n;
    if (cond_node(l, &all, nodes, 0, n, 0) == n) return nodes;
    l->layers->seen.n = seen;
    damaged(l, "a condition that makes no sense");
    return NULL;
}

/* ---- tables --------------------------------------------------------------------------------- */

static double percent(struct loader *l, int column) {
    double value = -1;
    return str_number(l->cells[column], &value) ? value : -1;
}

/* The taxonomy of the first image that has one. */
static void load_codes(struct loader *l) {
    struct kb *kb = l->layers->kb;
    VEC(struct code) tables[5] = {{0}};
    static const char *const kinds[] = {"symptom", "cause", "pattern", "issue", "stage"};
    bool first = kb->n_symptoms == 0;
    if (!open_table(l, "code")) return;
    while (next_row(l)) {
        if (!first) continue;
        int kind = word(l, 0, kinds, (int)COUNT_OF(kinds));
        struct code code = {.id = text(l, 1),
                            .stage = stage_of_name(text(l, 2)),
                            .name = text(l, 3),
                            .about = text(l, 4),
                            .examples = text(l, 5),
                            .share = percent(l, 6),
                            .dist = percent(l, 7)};
        bool staged = kind != 2 && kind != 3;
        if (staged && code.stage < 0)
            damaged(l, "a code without a stage");
        else if (kind == 4)
            kb->stages[code.stage] = code;
        else
            vec_push(l->arena, &tables[kind], code);
    }
    if (!first) return;
    kb->symptoms = tables[0].v;
    kb->n_symptoms = (int)tables[0].n;
    kb->roots = tables[1].v;
    kb->n_roots = (int)tables[1].n;
    kb->patterns = tables[2].v;
    kb->n_patterns = (int)tables[2].n;
    kb->issues = tables[3].v;
    kb->n_issues = (int)tables[3].n;
}

static void load_failures(struct loader *l) {
    if (!open_table(l, "failure")) return;
    reserve(l, &l->layers->failures);
    while (next_row(l)) {
        struct layer_failure row = {.layer = l->layers->n_layers};
        struct failure *f = &row.row;
        f->id = text(l, 0);
        f->title = text(l, 1);
        f->about = text(l, 2);
        symptoms(l, 3, f->symptom);
        f->context = condition(l, 4);
        row.follows = list(l, 5);
        f->ended = text(l, 6).n ? word(l, 6, ended_names, ENDED_COUNT) : 0;
        f->harmless = number(l, 7) != 0;
        f->study = number(l, 8) != 0;
        struct layer_list dead_ends = list(l, 9), references = list(l, 10);
        f->dead_ends = dead_ends.v;
        f->n_dead_ends = dead_ends.n;
        f->references = references.v;
        f->n_references = references.n;
        vec_push(l->arena, &l->layers->failures, row);
    }
}

static void load_signals(struct loader *l) {
    if (!open_table(l, "signal")) return;
    reserve(l, &l->layers->signals);
    while (next_row(l)) {
        struct layer_signal row = {.layer = l->layers->n_layers};
        struct signal *s = &row.row;
        s->id = text(l, 0);
        row.failure = text(l, 1);
        s->role = (enum role)word(l, 2, role_names, ROLE_COUNT);
        s->in = (enum where)word(l, 3, where_names, WHERE_COUNT);
        s->level = (enum level)word(l, 4, level_names, 3);
        s->says = text(l, 5);
        struct layer_list needles = list(l, 6), groups = list(l, 8), sets = pairs(l, 9);
        s->needles = needles.v;
        s->n_needles = needles.n;
        s->regex = text(l, 7);
        s->groups = groups.v;
        s->n_groups = groups.n;
        s->sets = sets.v;
        s->n_sets = sets.n / 2;
        by_stage(l, 10, NULL, 0, s->stage);
        s->purpose = number(l, 11) != 0;
        s->failure = -1;
        vec_push(l->arena, &l->layers->signals, row);
    }
}

/* Moves *at on to the failure that column 0 names; rows come in the order of failures. */
static struct failure *owner(struct loader *l, size_t *at) {
    struct str id = text(l, 0);
    while (*at < l->layers->failures.n && !str_eq(l->layers->failures.v[*at].row.id, id)) ++*at;
    if (*at < l->layers->failures.n) return &l->layers->failures.v[*at].row;
    damaged(l, "a row that belongs to no failure");
    return NULL;
}

static struct fix fix_row(struct loader *l) {
    struct fix fix = {.id = text(l, 1)};
    fix.pattern = kb_pattern(l->kb, text(l, 2));
    if (fix.pattern < 0) damaged(l, "a fix pattern that the taxonomy does not have");
    fix.kind = (enum fix_kind)word(l, 3, fix_kind_names, 3);
    fix.title = text(l, 4);
    struct layer_list steps = list(l, 5), commands = list(l, 6), sets = pairs(l, 8);
    struct layer_list references = list(l, 12);
    fix.steps = steps.v;
    fix.n_steps = steps.n;
    fix.commands = commands.v;
    fix.n_commands = commands.n;
    fix.patch = (struct patch){.file = text(l, 7), .sets = sets.v, .n_sets = sets.n / 2};
    fix.cost = text(l, 9);
    fix.verify = text(l, 10);
    fix.undo = text(l, 11);
    fix.references = references.v;
    fix.n_references = references.n;
    return fix;
}

/* Children are gathered in one array and cut up afterwards, as it may move while it grows. */
static void load_fixes(struct loader *l, size_t first) {
    VEC(struct fix) all = {0};
    size_t at = first;
    struct failure *f;
    if (!open_table(l, "fix")) return;
    reserve(l, &all);
    while (next_row(l)) {
        if (!(f = owner(l, &at))) continue;
        f->n_fixes++;
        vec_push(l->arena, &all, fix_row(l));
    }
    for (size_t i = first, n = 0; i < l->layers->failures.n; i++) {
        l->layers->failures.v[i].row.fixes = all.v + n;
        n += (size_t)l->layers->failures.v[i].row.n_fixes;
    }
}

static void cause_fixes(struct loader *l, const struct failure *f, struct cause *cause) {
    struct str names = text(l, 6), name;
    cause->fixes = names.n ? ARENA_ARRAY(l->arena, int, f->n_fixes) : NULL;
    while (names.n > 0 && str_split(&names, '\n', &name))
        for (int i = 0; i < f->n_fixes && cause->n_fixes < f->n_fixes; i++)
            if (str_eq(f->fixes[i].id, name)) {
                cause->fixes[cause->n_fixes++] = i;
                break;
            }
}

static void load_causes(struct loader *l, size_t first) {
    VEC(struct cause) all = {0};
    size_t at = first;
    struct failure *f;
    if (!open_table(l, "cause")) return;
    reserve(l, &all);
    while (next_row(l)) {
        if (!(f = owner(l, &at))) continue;
        struct cause cause = {.id = text(l, 1), .prior = number(l, 2), .why = text(l, 3)};
        roots(l, 4, cause.root);
        symptoms(l, 5, cause.symptom);
        cause_fixes(l, f, &cause);
        f->n_causes++;
        vec_push(l->arena, &all, cause);
    }
    for (size_t i = first, n = 0; i < l->layers->failures.n; i++) {
        l->layers->failures.v[i].row.causes = all.v + n;
        n += (size_t)l->layers->failures.v[i].row.n_causes;
    }
}

/* Moves on to the cause that columns 0 and 1 name. */
static struct cause *clue_owner(struct loader *l, size_t *at, int *cause) {
    size_t before = *at;
    struct failure *f = owner(l, at);
    if (!f) return NULL;
    if (*at != before) *cause = 0;
    struct str id = text(l, 1);
    while (*cause < f->n_causes && !str_eq(f->causes[*cause].id, id)) ++*cause;
    if (*cause < f->n_causes) return &f->causes[*cause];
    damaged(l, "a clue that belongs to no cause");
    return NULL;
}

static void load_clues(struct loader *l, size_t first) {
    VEC(struct clue) all = {0};
    size_t at = first;
    int k = 0;
    struct cause *cause;
    if (!open_table(l, "clue")) return;
    reserve(l, &all);
    while (next_row(l)) {
        if (!(cause = clue_owner(l, &at, &k))) continue;
        struct clue clue = {.decibans = number(l, 2), .group = text(l, 3), .why = text(l, 4)};
        clue.cond = condition(l, 5);
        if (!clue.cond) damaged(l, "a clue without a condition");
        cause->n_clues++;
        vec_push(l->arena, &all, clue);
    }
    size_t n = 0;
    for (size_t i = first; i < l->layers->failures.n; i++) {
        struct failure *f = &l->layers->failures.v[i].row;
        for (int c = 0; c < f->n_causes; c++) {
            f->causes[c].clues = all.v + n;
            n += (size_t)f->causes[c].n_clues;
        }
    }
}

static void load_questions(struct loader *l) {
    if (!open_table(l, "question")) return;
    reserve(l, &l->layers->questions);
    while (next_row(l)) {
        struct layer_question row = {.layer = l->layers->n_layers};
        row.row = (struct question){.id = text(l, 0),
                                    .ask = text(l, 1),
                                    .why = text(l, 2),
                                    .how = text(l, 3),
                                    .cost = number(l, 4),
                                    .probe = text(l, 5)};
        vec_push(l->arena, &l->layers->questions, row);
    }
}

static void load_choices(struct loader *l, size_t first) {
    VEC(struct choice) all = {0};
    size_t at = first, n = l->layers->questions.n;
    if (!open_table(l, "choice")) return;
    reserve(l, &all);
    while (next_row(l)) {
        struct str id = text(l, 0);
        while (at < n && !str_eq(l->layers->questions.v[at].row.id, id)) at++;
        if (at == n) {
            damaged(l, "a choice that belongs to no question");
            continue;
        }
        l->layers->questions.v[at].row.n_choices++;
        struct choice choice = {.id = text(l, 1), .text = text(l, 2)};
        choice.when = condition(l, 3);
        weighs(l, 4, &choice);
        vec_push(l->arena, &all, choice);
    }
    for (size_t i = first, k = 0; i < n; i++) {
        l->layers->questions.v[i].row.choices = all.v + k;
        k += (size_t)l->layers->questions.v[i].row.n_choices;
    }
}

/* The rows of an overlay are tried before those it is laid over. */
static void load_fallbacks(struct loader *l) {
    struct kb *kb = l->layers->kb;
    VEC(struct fallback) all = {0};
    if (!open_table(l, "fallback")) return;
    while (next_row(l)) {
        struct layer_list exceptions = list(l, 0), contains = list(l, 1), patterns = list(l, 5);
        struct fallback row = {.exceptions = exceptions.v,
                               .n_exceptions = exceptions.n,
                               .contains = contains.v,
                               .n_contains = contains.n,
                               .title = text(l, 2)};
        symptoms(l, 3, row.symptom);
        roots(l, 4, row.root);
        for (int i = 0; i < patterns.n && i < 3; i++) {
            int pattern = kb_pattern(l->kb, patterns.v[i]);
            if (pattern >= 0) row.patterns[row.n_patterns++] = pattern;
        }
        vec_push(l->arena, &all, row);
    }
    for (int i = 0; i < kb->n_fallbacks; i++) vec_push(l->arena, &all, kb->fallbacks[i]);
    kb->fallbacks = all.v;
    kb->n_fallbacks = (int)all.n;
}

static void load_confidence(struct loader *l) {
    if (!open_table(l, "confidence") || !next_row(l)) return;
    struct confidence *row = ARENA_NEW(l->arena, struct confidence);
    *row = (struct confidence){number(l, 0), number(l, 1), number(l, 2), number(l, 3),
                               number(l, 4), number(l, 5), number(l, 6), number(l, 7)};
    l->layers->kb->confidence = row;
    while (next_row(l)) {
    }
}

/* An image of a site may be older than checks are. */
static void load_checks(struct loader *l) {
    struct kb *kb = l->layers->kb;
    VEC(struct check) all = {0};
    if (l->rest.n == 0 || !open_table(l, "precheck")) return;
    for (int i = 0; i < kb->n_checks; i++) vec_push(l->arena, &all, kb->checks[i]);
    while (next_row(l)) {
        struct check row = {.id = text(l, 0),
                            .failure = text(l, 1),
                            .fix = text(l, 2),
                            .error = str_eq(text(l, 3), STR("error")),
                            .key = text(l, 4),
                            .says = text(l, 5),
                            .advice = text(l, 6)};
        row.when = condition(l, 7);
        if (row.when) vec_push(l->arena, &all, row);
    }
    kb->checks = all.v;
    kb->n_checks = (int)all.n;
}

/* The last image's alone counts: layers_join drops it where there are several. */
static void load_plan(struct loader *l) {
    if (l->rest.n == 0 || !open_table(l, "plan")) return;
    while (next_row(l)) l->layers->kb->plan = text(l, 0);
}

/* An overlay's words take the place of those below it. */
static void load_leanings(struct loader *l) {
    struct kb *kb = l->layers->kb;
    if (l->rest.n == 0 || !open_table(l, "leaning")) return;
    while (next_row(l))
        if (leanings_hold(text(l, 0), kb->n_symptoms + kb->n_roots)) kb->leanings = text(l, 0);
}

static void load_meta(struct loader *l, struct layer_meta *meta) {
    if (!open_table(l, "meta")) return;
    while (next_row(l)) {
        struct str key = text(l, 0), value = text(l, 1);
        if (str_eq(key, STR("version"))) meta->version = value;
        if (str_eq(key, STR("digest"))) meta->digest = value;
        if (str_eq(key, STR("taxonomy"))) meta->own_taxonomy = str_eq(value, STR("own"));
    }
}

bool layer_meta(struct layer_meta *meta, struct str pack, struct err *err) {
    struct loader l = {.err = err, .rest = pack};
    load_meta(&l, meta);
    return !l.failed;
}

bool layer_load(struct layers *layers, struct str pack, struct err *err) {
    struct loader l = {
        .layers = layers, .arena = layers->arena, .kb = layers->kb, .err = err, .rest = pack};
    size_t failures = layers->failures.n, questions = layers->questions.n;
    arena_reserve(l.arena, pack.n * 3 / 4); /* about what is made of it */
    load_meta(&l, &(struct layer_meta){0});
    load_codes(&l);
    load_failures(&l);
    load_signals(&l);
    load_fixes(&l, failures);
    load_causes(&l, failures);
    load_clues(&l, failures);
    load_questions(&l);
    load_choices(&l, questions);
    load_fallbacks(&l);
    load_confidence(&l);
    load_checks(&l);
    load_plan(&l);
    load_leanings(&l);
    layers->n_layers++;
    return !l.failed;
}
