#include "compile/show.h"
#include "compile/book.h"
#include "model/diagnosis.h"

enum { SAMPLES = 64, FOLD = 96 };

/* ---- scalars -------------------------------------------------------------------------------- */

/* Text that YAML reads as itself in any place. */
static bool is_plain(struct str s) {
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        bool inner = (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '/';
        if (!letter && !(inner && i > 0)) return false;
    }
    return s.n > 0 && !str_eq(s, STR("null"));
}

static void scalar(struct buf *out, struct str s) {
    bool line_end = str_has(s, STR("\n")) || str_has(s, STR("\t"));
    if (is_plain(s)) {
        buf_str(out, s);
        return;
    }
    buf_char(out, line_end ? '"' : '\'');
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        if (line_end && (c == '\n' || c == '\t'))
            buf_printf(out, "\\%c", c == '\n' ? 'n' : 't');
        else if (line_end && (c == '"' || c == '\\'))
            buf_printf(out, "\\%c", c);
        else if (!line_end && c == '\'')
            buf_printf(out, "''");
        else
            buf_char(out, c);
    }
    buf_char(out, line_end ? '"' : '\'');
}

static void word_item(struct buf *out, const char *z) {
    scalar(out, str_of(z));
}

static void start(struct buf *out, int indent, const char *key) {
    buf_printf(out, "%*s%s: ", indent, "", key);
}

static void field(struct buf *out, int indent, const char *key, struct str value) {
    if (value.n == 0) return;
    start(out, indent, key);
    scalar(out, value);
    buf_char(out, '\n');
}

/* A paragraph, folded; what folding would change is quoted. */
static void paragraph(struct buf *out, int indent, const char *key, struct str value) {
    bool odd = str_has(value, STR("\n")) || str_has(value, STR("  ")) || str_has(value, STR("\t"));
    if (value.n <= FOLD || odd || value.p[0] == ' ' || value.p[value.n - 1] == ' ') {
        field(out, indent, key, value);
        return;
    }
    buf_printf(out, "%*s%s: >-\n", indent, "", key);
    struct str rest = value, word;
    int column = 0;
    while (str_split(&rest, ' ', &word)) {
        if (column > 0 && column + (int)word.n > FOLD) {
            buf_char(out, '\n');
            column = 0;
        }
        if (column == 0)
            buf_printf(out, "%*s", indent + 2, "");
        else
            buf_char(out, ' ');
        buf_str(out, word);
        column += (int)word.n + 1;
    }
    buf_char(out, '\n');
}

static void items(struct buf *out, const struct str *v, int n) {
    buf_char(out, '[');
    for (int i = 0; i < n; i++) {
        if (i) buf_printf(out, ", ");
        scalar(out, v[i]);
    }
    buf_char(out, ']');
}

static void list(struct buf *out, int indent, const char *key, const struct str *v, int n) {
    if (n == 0) return;
    start(out, indent, key);
    items(out, v, n);
    buf_char(out, '\n');
}

/* One item a line, for long texts. */
static void lines(struct buf *out, int indent, const char *key, const struct str *v, int n) {
    if (n == 0) return;
    buf_printf(out, "%*s%s:\n", indent, "", key);
    for (int i = 0; i < n; i++) {
        buf_printf(out, "%*s- ", indent + 2, "");
        scalar(out, v[i]);
        buf_char(out, '\n');
    }
}

static void map(struct buf *out, const struct str *pairs, int n) {
    buf_char(out, '{');
    for (int i = 0; i < n; i++) {
        if (i) buf_printf(out, ", ");
        scalar(out, pairs[2 * i]);
        buf_printf(out, ": ");
        scalar(out, pairs[2 * i + 1]);
    }
    buf_char(out, '}');
}

/* `also`: stages to be named in any case, with null where there is no code; may be NULL. */
static void codes(struct buf *out, int indent, const char *key, const int by_stage[STAGE_COUNT],
                  const struct code *table, const int also[STAGE_COUNT]) {
    int n = 0;
    start(out, indent, key);
    for (int s = 0; s < STAGE_COUNT; s++) {
        if (by_stage[s] < 0 && !(also && also[s] >= 0)) continue;
        buf_printf(out, "%s%s: ", n++ ? ", " : "{", stage_names[s]);
        if (by_stage[s] < 0)
            buf_printf(out, "null");
        else
            scalar(out, table[by_stage[s]].id);
    }
    buf_printf(out, "%s\n", n ? "}" : "null");
}

/* ---- conditions ----------------------------------------------------------------------------- */

static void condition(struct buf *out, const struct cond *cond) {
    buf_printf(out, "{%s: ", cond_names[cond->op]);
    if (cond->op == COND_SEEN || cond->op == COND_KNOWN) {
        scalar(out, cond->key);
    } else if (cond->op == COND_DIFFERS || cond->op == COND_COVERS) {
        buf_char(out, '[');
        scalar(out, cond->key);
        for (int i = 0; i < cond->n_values; i++) {
            buf_printf(out, ", ");
            scalar(out, cond->values[i]);
        }
        buf_char(out, ']');
    } else if (cond->op < COND_ALL) {
        buf_char(out, '{');
        scalar(out, cond->key);
        buf_printf(out, ": ");
        if (cond->n_values == 1)
            scalar(out, cond->values[0]);
        else
            items(out, cond->values, cond->n_values);
        buf_char(out, '}');
    } else {
        const struct cond *arg = cond + 1;
        if (cond->op != COND_NOT) buf_char(out, '[');
        for (int i = 0; i < cond->n_args; i++, arg += arg->size) {
            if (i) buf_printf(out, ", ");
            condition(out, arg);
        }
        if (cond->op != COND_NOT) buf_char(out, ']');
    }
    buf_char(out, '}');
}

/* ---- rows ----------------------------------------------------------------------------------- */

/* The row's first line begins an item of a list at `indent`. */
static void item_id(struct buf *out, int indent, struct str id) {
    buf_printf(out, "%*s- id: ", indent, "");
    scalar(out, id);
    buf_char(out, '\n');
}

static void stage_weights(struct buf *out, const struct signal *signal) {
    int n = 0;
    for (int s = 0; s < STAGE_COUNT; s++)
        if (signal->stage[s])
            buf_printf(out, "%s%s: %d", n++ ? ", " : "    stage: {", stage_names[s],
                       signal->stage[s]);
    if (n) buf_printf(out, "}\n");
}

static void samples(struct buf *out, struct image *image, struct str signal) {
    struct arena arena = {0};
    struct image_sample all[SAMPLES];
    struct str texts[SAMPLES] = {{0}};
    int n = image_samples(image, &arena, signal, all, SAMPLES);
    for (int match = 1; match >= 0; match--) {
        int k = 0;
        for (int i = 0; i < n; i++)
            if (all[i].match == match) texts[k++] = all[i].line;
        lines(out, 4, match ? "match" : "reject", texts, k);
    }
    field(out, 4, "source", image_source(image, &arena, signal));
    arena_release(&arena);
}

void show_signal(struct image *image, int index, struct buf *out) {
    const struct signal *signal = &image_kb(image)->signals[index];
    item_id(out, 2, signal->id);
    field(out, 4, "says", signal->says);
    start(out, 4, "role");
    word_item(out, role_names[signal->role]);
    buf_printf(out, "\n    in: %s\n    level: %s\n", where_names[signal->in],
               level_names[signal->level]);
    if (signal->in == IN_WORDS || !needles_are_found(signal))
        list(out, 4, "needle", signal->needles, signal->n_needles);
    field(out, 4, "regex", signal->regex);
    list(out, 4, "groups", signal->groups, signal->n_groups);
    if (signal->n_sets) {
        start(out, 4, "sets");
        map(out, signal->sets, signal->n_sets);
        buf_char(out, '\n');
    }
    stage_weights(out, signal);
    if (signal->purpose) buf_printf(out, "    purpose: true\n");
    samples(out, image, signal->id);
}

static void show_cause(const struct kb *kb, const struct failure *failure,
                       const struct cause *cause, struct buf *out) {
    item_id(out, 2, cause->id);
    codes(out, 4, "root", cause->root, kb->roots, failure->symptom);
    for (int s = 0; s < STAGE_COUNT; s++)
        if (cause->symptom[s] >= 0) {
            codes(out, 4, "symptom", cause->symptom, kb->symptoms, NULL);
            break;
        }
    buf_printf(out, "    prior: %d\n", cause->prior);
    field(out, 4, "why", cause->why);
    if (cause->n_clues) buf_printf(out, "    clues:\n");
    for (int i = 0; i < cause->n_clues; i++) {
        const struct clue *clue = &cause->clues[i];
        buf_printf(out, "      - if: ");
        condition(out, clue->cond);
        buf_printf(out, "\n        db: %d\n", clue->decibans);
        field(out, 8, "group", clue->group);
        field(out, 8, "why", clue->why);
    }
    for (int i = 0; i < cause->n_fixes; i++) {
        buf_printf(out, "%s", i ? ", " : "    fixes: [");
        scalar(out, failure->fixes[cause->fixes[i]].id);
    }
    if (cause->n_fixes) buf_printf(out, "]\n");
}

static void show_fix(const struct kb *kb, const struct fix *fix, struct buf *out) {
    item_id(out, 2, fix->id);
    field(out, 4, "pattern", kb->patterns[fix->pattern].id);
    buf_printf(out, "    kind: %s\n", fix_kind_names[fix->kind]);
    field(out, 4, "title", fix->title);
    lines(out, 4, "steps", fix->steps, fix->n_steps);
    lines(out, 4, "commands", fix->commands, fix->n_commands);
    if (fix->patch.n_sets) {
        buf_printf(out, "    patch:\n");
        field(out, 6, "file", fix->patch.file);
        start(out, 6, "set");
        map(out, fix->patch.sets, fix->patch.n_sets);
        buf_char(out, '\n');
    }
    field(out, 4, "cost", fix->cost);
    field(out, 4, "verify", fix->verify);
    field(out, 4, "undo", fix->undo);
    lines(out, 4, "references", fix->references, fix->n_references);
}

static void show_weighs(const struct kb *kb, const struct choice *choice, struct buf *out) {
    for (int i = 0; i < choice->n_weighs; i++) {
        int root = choice->weighs[i].root;
        struct str code = root >= 0 ? kb->roots[root].id : STR("others");
        buf_printf(out, "%s" STR_FMT ": %d", i ? ", " : "        weighs: {", STR_ARG(code),
                   choice->weighs[i].decibans);
    }
    if (choice->n_weighs) buf_printf(out, "}\n");
}

void show_question(const struct kb *kb, int index, struct buf *out) {
    const struct question *question = &kb->questions[index];
    item_id(out, 2, question->id);
    field(out, 4, "ask", question->ask);
    field(out, 4, "why", question->why);
    field(out, 4, "how", question->how);
    buf_printf(out, "    cost: %d\n", question->cost);
    field(out, 4, "probe", question->probe);
    buf_printf(out, "    choices:\n");
    for (int i = 0; i < question->n_choices; i++) {
        const struct choice *choice = &question->choices[i];
        item_id(out, 6, choice->id);
        field(out, 8, "text", choice->text);
        show_weighs(kb, choice, out);
        if (!choice->when) continue;
        start(out, 8, "when");
        condition(out, choice->when);
        buf_char(out, '\n');
    }
}

/* The questions whose answers a clue of the failure uses. */
static void show_questions(const struct kb *kb, const struct failure *failure, struct buf *out) {
    int n = 0;
    for (int q = 0; q < kb->n_questions; q++) {
        bool used = false;
        for (int c = 0; c < failure->n_causes; c++)
            for (int k = 0; k < failure->causes[c].n_clues; k++) {
                const struct cond *cond = failure->causes[c].clues[k].cond;
                for (int i = 0; i < cond->size; i++)
                    used = used ||
                           (str_starts(cond[i].key, STR("answer.")) &&
                            str_eq(str_sub(cond[i].key, 7, cond[i].key.n), kb->questions[q].id));
            }
        if (!used) continue;
        if (n++ == 0) buf_printf(out, "questions:\n");
        show_question(kb, q, out);
    }
}

static void show_head(const struct kb *kb, const struct failure *failure, struct buf *out) {
    field(out, 0, "id", failure->id);
    field(out, 0, "title", failure->title);
    paragraph(out, 0, "about", failure->about);
    codes(out, 0, "symptom", failure->symptom, kb->symptoms, NULL);
    if (failure->context) {
        start(out, 0, "context");
        condition(out, failure->context);
        buf_char(out, '\n');
    }
    for (int i = 0; i < failure->n_consequence_of; i++) {
        buf_printf(out, "%s", i ? ", " : "consequence_of: [");
        scalar(out, kb->failures[failure->consequence_of[i]].id);
    }
    if (failure->n_consequence_of) buf_printf(out, "]\n");
    if (failure->ended) buf_printf(out, "ended: %s\n", ended_names[failure->ended]);
    if (failure->harmless) buf_printf(out, "harmless: true\n");
    if (failure->study) buf_printf(out, "study: true\n");
}

void show_failure(struct image *image, int index, struct buf *out) {
    const struct kb *kb = image_kb(image);
    const struct failure *failure = &kb->failures[index];
    show_head(kb, failure, out);
    if (failure->n_signals) buf_printf(out, "signals:\n");
    for (int i = 0; i < failure->n_signals; i++) show_signal(image, failure->signals[i], out);
    buf_printf(out, "causes:\n");
    for (int i = 0; i < failure->n_causes; i++) show_cause(kb, failure, &failure->causes[i], out);
    show_questions(kb, failure, out);
    buf_printf(out, "fixes:\n");
    for (int i = 0; i < failure->n_fixes; i++) show_fix(kb, &failure->fixes[i], out);
    lines(out, 0, "dead_ends", failure->dead_ends, failure->n_dead_ends);
    lines(out, 0, "references", failure->references, failure->n_references);
}

void show_code(const struct code *code, struct buf *out) {
    item_id(out, 2, code->id);
    if (code->stage >= 0) buf_printf(out, "    stage: %s\n", stage_names[code->stage]);
    field(out, 4, "name", code->name);
    if (code->share >= 0) buf_printf(out, "    share: %.10g\n", code->share);
    if (code->dist >= 0) buf_printf(out, "    dist: %.10g\n", code->dist);
    paragraph(out, 4, "about", code->about);
    paragraph(out, 4, "examples", code->examples);
}
