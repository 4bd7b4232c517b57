/* A failure with its causes, clues and fixes. */
#include "compile/book.h"
#include "model/diagnosis.h"

/* ---- fixes ---------------------------------------------------------------------------------- */

struct fix_fields {
    struct str id, pattern, kind, title, cost, verify, undo;
    struct strs steps, commands, references;
    const struct node *patch;
};
#define F(name) offsetof(struct fix_fields, name)
static const struct field fix_table[] = {
    {"id", FIELD_TEXT, F(id), true},
    {"pattern", FIELD_TEXT, F(pattern), true},
    {"kind", FIELD_TEXT, F(kind), false},
    {"title", FIELD_TEXT, F(title), true},
    {"steps", FIELD_TEXTS, F(steps), false},
    {"commands", FIELD_TEXTS, F(commands), false},
    {"patch", FIELD_NODE, F(patch), false},
    {"cost", FIELD_TEXT, F(cost), false},
    {"verify", FIELD_TEXT, F(verify), false},
    {"undo", FIELD_TEXT, F(undo), false},
    {"references", FIELD_TEXTS, F(references), false},
};
#undef F

struct patch_fields {
    struct str file;
    const struct node *set;
};
static const struct field patch_table[] = {
    {"file", FIELD_TEXT, offsetof(struct patch_fields, file), false},
    {"set", FIELD_NODE, offsetof(struct patch_fields, set), true},
};

static void read_patch(struct book *book, const struct node *node, struct patch *patch) {
    struct patch_fields f = {0};
    if (node_is_null(node)) return;
    if (!fields_read(book, node, "a patch", patch_table, (int)COUNT_OF(patch_table), &f)) return;
    struct strs sets = pairs_read(book, f.set, "set");
    *patch = (struct patch){.file = f.file, .sets = sets.v, .n_sets = sets.n / 2};
}

static int pattern_index(struct book *book, struct place at, struct str code) {
    int i = kb_pattern(&book->kb, code);
    if (i < 0)
        book_error(book, at, book->owner,
                   "unknown fix pattern '" STR_FMT "'; use P1 to P6 as in taxonomy.yaml",
                   STR_ARG(code));
    return i;
}

static void read_fix(struct book *book, const struct node *map, struct failure *failure) {
    struct fix_fields f = {0};
    struct place at = place_of(book, map);
    if (!fields_read(book, map, "a fix", fix_table, (int)COUNT_OF(fix_table), &f) ||
        !id_check(book, at, f.id, "the fix"))
        return;
    for (int i = 0; i < failure->n_fixes; i++)
        if (str_eq(failure->fixes[i].id, f.id))
            book_error(book, at, book->owner, "the fix '" STR_FMT "' is there twice",
                       STR_ARG(f.id));
    struct fix fix = {.id = f.id,
                      .title = f.title,
                      .cost = f.cost,
                      .verify = f.verify,
                      .undo = f.undo,
                      .steps = f.steps.v,
                      .n_steps = f.steps.n,
                      .commands = f.commands.v,
                      .n_commands = f.commands.n,
                      .references = f.references.v,
                      .n_references = f.references.n};
    fix.pattern = pattern_index(book, place_field(at, map, "pattern", -1), f.pattern);
    int kind = f.kind.n == 0 ? FIX_CURE
                             : word_read(book, place_field(at, map, "kind", -1), f.kind,
                                         fix_kind_names, 3, "kind of fix");
    fix.kind = kind < 0 ? FIX_CURE : (enum fix_kind)kind;
    read_patch(book, f.patch, &fix.patch);
    failure->fixes[failure->n_fixes++] = fix;
}

static void read_fixes(struct book *book, const struct node *list, struct failure *failure) {
    if (list_missing(book, list, "fixes")) return;
    failure->fixes = ARENA_ARRAY(book->arena, struct fix, list->n);
    for (int i = 0; i < list->n; i++) read_fix(book, list->items[i], failure);
}

/* ---- causes --------------------------------------------------------------------------------- */

struct clue_fields {
    const struct node *when;
    int db;
    struct str group, why;
};
#define F(name) offsetof(struct clue_fields, name)
static const struct field clue_table[] = {
    {"if", FIELD_NODE, F(when), true},
    {"db", FIELD_INT, F(db), true},
    {"group", FIELD_TEXT, F(group), false},
    {"why", FIELD_TEXT, F(why), false},
};
#undef F

static void read_clues(struct book *book, const struct node *list, struct cause *cause) {
    if (list_missing(book, list, "clues")) return;
    cause->clues = ARENA_ARRAY(book->arena, struct clue, list->n);
    for (int i = 0; i < list->n; i++) {
        const struct node *map = list->items[i];
        struct clue_fields f = {0};
        if (!fields_read(book, map, "a clue", clue_table, (int)COUNT_OF(clue_table), &f)) continue;
        struct place db = place_field(place_of(book, map), map, "db", -1);
        if (f.db < -60 || f.db > 60)
            book_error(book, db, book->owner,
                       "'db' must lie between -60 and 60: 3 doubles the odds, 10 multiplies them "
                       "by ten, 20 nearly proves");
        else if (f.db == 0)
            book_warn(book, db, book->owner, "a clue of 0 decibans changes nothing");
        const struct cond *cond = read_condition(book, f.when, true);
        if (cond) cause->clues[cause->n_clues++] = (struct clue){cond, f.db, f.group, f.why};
    }
}

static void read_cause_fixes(struct book *book, struct place at, const struct node *map,
                             struct strs names, const struct failure *failure,
                             struct cause *cause) {
    cause->fixes = ARENA_ARRAY(book->arena, int, names.n);
    for (int i = 0; i < names.n; i++) {
        int k = 0;
        while (k < failure->n_fixes && !str_eq(failure->fixes[k].id, names.v[i])) k++;
        if (k < failure->n_fixes)
            cause->fixes[cause->n_fixes++] = k;
        else
            book_error(book, place_field(at, map, "fixes", i), book->owner,
                       "the cause names the fix '" STR_FMT
                       "', but 'fixes' of this file has no such id",
                       STR_ARG(names.v[i]));
    }
    if (cause->n_fixes == 0 && failure->n_fixes > 0)
        book_warn(book, at, book->owner,
                  "a cause without fixes: name the ids to try, the first to try first");
}

/* Tells which stages lack a root, and which roots no symptom asks for. */
static void warn_stages(struct book *book, struct place at, const struct node *root,
                        const struct failure *failure, const struct cause *cause) {
    struct buf lacking = {0}, unused = {0};
    const char *one = NULL;
    for (int s = 0; s < STAGE_COUNT; s++) {
        bool symptom = failure->symptom[s] >= 0 || cause->symptom[s] >= 0;
        bool said = root->kind == NODE_MAP && node_get(root, stage_names[s]);
        if (symptom && cause->root[s] < 0 && !said) {
            buf_printf(&lacking, "%s%s", lacking.n ? ", " : "", stage_names[s]);
            one = stage_names[s];
        }
        if (!symptom && cause->root[s] >= 0)
            buf_printf(&unused, "%s%s", unused.n ? ", " : "", stage_names[s]);
    }
    if (lacking.n)
        book_warn(book, at, book->owner,
                  "this cause has no root in %s, where the failure has a symptom (write '%s: "
                  "null' if the input does not tell)",
                  arena_cstr(book->arena, buf_view(&lacking)), one);
    if (unused.n)
        book_warn(book, at, book->owner,
                  "the root in %s is never used: the failure has no symptom there",
                  arena_cstr(book->arena, buf_view(&unused)));
    buf_release(&lacking);
    buf_release(&unused);
}

/* A cause belongs to the stages that the failure (or the cause itself) gives a symptom for. */
static void check_stages(struct book *book, struct place at, const struct node *root,
                         const struct failure *failure, const struct cause *cause) {
    bool any_root = false, met = false;
    for (int s = 0; s < STAGE_COUNT; s++) {
        bool symptom = failure->symptom[s] >= 0 || cause->symptom[s] >= 0;
        any_root = any_root || cause->root[s] >= 0;
        met = met || (symptom && cause->root[s] >= 0);
    }
    if (!any_root) return;
    if (!met) {
        book_error(book, at, book->owner,
                   "symptom and root cause must be of one stage: none of this cause's roots "
                   "belongs to a stage that the failure has a symptom for");
        return;
    }
    warn_stages(book, at, root, failure, cause);
}

struct cause_fields {
    struct str id, why;
    int prior;
    struct strs fixes;
    const struct node *root, *symptom, *clues;
};
#define F(name) offsetof(struct cause_fields, name)
static const struct field cause_table[] = {
    {"id", FIELD_TEXT, F(id), true},        {"why", FIELD_TEXT, F(why), false},
    {"prior", FIELD_INT, F(prior), true},   {"fixes", FIELD_TEXTS, F(fixes), false},
    {"root", FIELD_NODE, F(root), false},   {"symptom", FIELD_NODE, F(symptom), false},
    {"clues", FIELD_NODE, F(clues), false},
};
#undef F

static void read_cause(struct book *book, const struct node *map, struct failure *failure) {
    struct cause_fields f = {.prior = -1};
    struct place at = place_of(book, map);
    if (!fields_read(book, map, "a cause", cause_table, (int)COUNT_OF(cause_table), &f) ||
        !id_check(book, at, f.id, "the cause"))
        return;
    for (int i = 0; i < failure->n_causes; i++)
        if (str_eq(failure->causes[i].id, f.id))
            book_error(book, at, book->owner, "the cause '" STR_FMT "' is there twice",
                       STR_ARG(f.id));
    if (f.prior < 1 || f.prior > 100)
        book_error(book, place_field(at, map, "prior", -1), book->owner,
                   "'prior' is a percent from 1 to 100");
    if (!node_get(map, "root"))
        book_error(book, at, book->owner,
                   "a cause needs 'root': a code such as R4.5, codes by stage, or null");
    struct cause cause = {.id = f.id, .why = f.why, .prior = f.prior};
    read_codes(book, f.root, CODES_ROOT, cause.root);
    read_codes(book, f.symptom, CODES_SYMPTOM, cause.symptom);
    read_clues(book, f.clues, &cause);
    read_cause_fixes(book, at, map, f.fixes, failure, &cause);
    if (f.root) check_stages(book, place_of(book, f.root), f.root, failure, &cause);
    failure->causes[failure->n_causes++] = cause;
}

static void read_causes(struct book *book, const struct node *list, struct failure *failure) {
    if (list_missing(book, list, "causes")) return;
    failure->causes = ARENA_ARRAY(book->arena, struct cause, list->n);
    for (int i = 0; i < list->n; i++) read_cause(book, list->items[i], failure);
}

/* ---- the failure ---------------------------------------------------------------------------- */

struct failure_fields {
    struct str id, title, about, ended;
    bool harmless, study;
    struct strs follows, dead_ends, references;
    const struct node *symptom, *context, *parts, *signals, *causes, *questions, *fixes;
};
#define F(name) offsetof(struct failure_fields, name)
static const struct field failure_table[] = {
    {"id", FIELD_TEXT, F(id), true},
    {"title", FIELD_TEXT, F(title), true},
    {"about", FIELD_TEXT, F(about), false},
    {"symptom", FIELD_NODE, F(symptom), true},
    {"context", FIELD_NODE, F(context), false},
    {"consequence_of", FIELD_TEXTS, F(follows), false},
    {"ended", FIELD_TEXT, F(ended), false},
    {"harmless", FIELD_BOOL, F(harmless), false},
    {"study", FIELD_BOOL, F(study), false},
    {"parts", FIELD_NODE, F(parts), false},
    {"signals", FIELD_NODE, F(signals), false},
    {"causes", FIELD_NODE, F(causes), true},
    {"questions", FIELD_NODE, F(questions), false},
    {"fixes", FIELD_NODE, F(fixes), true},
    {"dead_ends", FIELD_TEXTS, F(dead_ends), false},
    {"references", FIELD_TEXTS, F(references), false},
};
#undef F

/* A failure proves only the ways in which somebody else ended the job, or that nobody tells of. */
static int read_ended(struct book *book, struct place at, struct str word) {
    const char *words[ENDED_COUNT] = {0};
    static const int allowed[] = {ENDED_CANCELLED, ENDED_TIME_LIMIT, ENDED_PREEMPTED,
                                  ENDED_NODE_FAILURE, ENDED_CUT};
    for (size_t i = 0; i < COUNT_OF(allowed); i++) words[allowed[i]] = ended_names[allowed[i]];
    int ended = word.n ? word_read(book, at, word, words, ENDED_COUNT, "way to end") : 0;
    return ended < 0 ? 0 : ended;
}

/* failures/<stage>/<id>.yaml: the place tells what the file says, so that people find it. */
static void check_path(struct book *book, struct place at, const struct failure *failure) {
    struct str rest = book->path, part, file = {0}, folder = {0};
    while (str_split(&rest, '/', &part)) {
        folder = file;
        file = part;
    }
    if (file.n < 5 || !str_eq(str_sub(file, 0, file.n - 5), failure->id))
        book_warn(book, at, failure->id, "the file should be called '" STR_FMT ".yaml'",
                  STR_ARG(failure->id));
    int stage = stage_of_name(folder);
    if (stage >= 0 && failure->symptom[stage] < 0)
        book_warn(book, at, failure->id,
                  "the file lies in the folder of stage %s, but has no symptom of that stage",
                  stage_names[stage]);
}

void read_failure(struct book *book, const struct node *root) {
    struct failure_fields f = {0};
    struct read_failure row = {.at = place_of(book, root), .node = root};
    const struct node *id = node_get(root, "id");
    if (id) book->owner = str_trim(id->text);
    if (!fields_read(book, root, "a failure", failure_table, (int)COUNT_OF(failure_table), &f) ||
        !id_check(book, place_of(book, id), f.id, "the failure"))
        return;
    book->failure = f.id;
    row.row = (struct failure){.id = f.id,
                               .title = f.title,
                               .about = f.about,
                               .dead_ends = f.dead_ends.v,
                               .n_dead_ends = f.dead_ends.n,
                               .references = f.references.v,
                               .n_references = f.references.n,
                               .harmless = f.harmless,
                               .study = f.study};
    read_codes(book, f.symptom, CODES_SYMPTOM, row.row.symptom);
    row.row.ended = read_ended(book, place_field(row.at, root, "ended", -1), f.ended);
    row.row.context = read_condition(book, f.context, false);
    row.follows = f.follows;
    check_path(book, row.at, &row.row);
    if (str_ends(f.title, STR(".")))
        book_warn(book, place_field(row.at, root, "title", -1), f.id,
                  "the title should have no full stop");
    if (f.study && f.signals)
        book_error(book, place_of(book, f.signals), f.id,
                   "what the study counted has no signals: nothing in an input starts it");
    if (f.parts) read_parts(book, f.parts);
    if (!f.study) read_signals(book, f.signals);
    if (f.questions) read_questions(book, f.questions);
    read_fixes(book, f.fixes, &row.row);
    read_causes(book, f.causes, &row.row);
    vec_push(book->arena, &book->failures, row);
}
