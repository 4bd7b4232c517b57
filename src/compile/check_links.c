/* What is never used, and what texts leave open. */
#include "compile/book.h"
#include "world/probe.h"

/* ---- unused questions and fixes ------------------------------------------------------------- */

static void check_questions(struct book *book) {
    const struct kb *kb = &book->kb;
    bool *used = ARENA_ARRAY(book->arena, bool, kb->n_questions);
    for (size_t i = 0; i < book->references.n; i++) {
        struct str key = book->references.v[i].cond->key;
        if (book->references.v[i].cond->op == COND_SEEN || !str_starts(key, STR("answer.")))
            continue;
        int question = kb_question(kb, str_sub(key, 7, key.n));
        if (question >= 0 && book->references.v[i].clue) used[question] = true;
    }
    for (int i = 0; i < kb->n_questions; i++)
        if (!used[i] && !kb_question_is_general(&kb->questions[i]))
            book_warn(book, book->questions.v[i].at, kb->questions[i].id,
                      "no clue uses the answer, so it is never asked: add a clue {if: {is: "
                      "{answer." STR_FMT ": ...}}, db: ...}",
                      STR_ARG(kb->questions[i].id));
    for (int i = 0; i < kb->n_questions; i++)
        if (kb->questions[i].probe.n && !probe_find(kb->questions[i].probe))
            book_error(book, book->questions.v[i].at, kb->questions[i].id,
                       "there is no probe '" STR_FMT "'; faultline probe names all",
                       STR_ARG(kb->questions[i].probe));
}

/* Who chooses between fixes has to know what each takes, and how to see that it worked. */
static void check_worth(struct book *book, struct place at, const struct failure *failure,
                        const struct fix *fix) {
    if (!fix->cost.n)
        book_warn(book, at, failure->id, "the fix '" STR_FMT "' does not say what it costs (cost)",
                  STR_ARG(fix->id));
    if (!fix->verify.n)
        book_warn(book, at, failure->id,
                  "the fix '" STR_FMT "' does not say how to see that it worked (verify)",
                  STR_ARG(fix->id));
}

static void check_fixes(struct book *book, const struct read_failure *row) {
    const struct failure *failure = &row->row;
    const struct node *list = node_get(row->node, "fixes");
    for (int f = 0; f < failure->n_fixes; f++) {
        bool used = false;
        for (int c = 0; c < failure->n_causes; c++)
            for (int k = 0; k < failure->causes[c].n_fixes; k++)
                used = used || failure->causes[c].fixes[k] == f;
        struct place at = row->at;
        if (list && f < list->n) at.line = list->items[f]->line;
        if (!used)
            book_warn(book, at, failure->id, "no cause names the fix '" STR_FMT "'",
                      STR_ARG(failure->fixes[f].id));
        check_worth(book, at, failure, &failure->fixes[f]);
    }
}

/* A failure that nothing brings up. */
static void check_starts(struct book *book, int i) {
    const struct failure *failure = &book->kb.failures[i];
    for (int k = 0; k < failure->n_signals; k++) {
        enum role role = book->kb.signals[failure->signals[k]].role;
        if (role == ROLE_INITIATING || role == ROLE_CASCADE || role == ROLE_WRAPPER) return;
    }
    if (failure->study) return;
    book_warn(book, book->failures.v[i].at, failure->id,
              "none of its signals is initiating, cascade or wrapper, so it is never considered");
}

/* ---- {{placeholders}} ----------------------------------------------------------------------- */

static bool is_group(const struct book *book, const struct failure *failure, struct str name) {
    for (int s = 0; s < failure->n_signals; s++) {
        const struct signal *signal = &book->kb.signals[failure->signals[s]];
        for (int g = 0; g < signal->n_groups; g++)
            if (str_eq(signal->groups[g], name)) return true;
    }
    return false;
}

static bool is_name(struct str text) {
    for (size_t i = 0; i < text.n; i++) {
        char c = text.p[i];
        bool good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                    c == '_' || c == '-' || c == '.';
        if (!good) return false;
    }
    return text.n > 0 && text.p[0] != '.';
}

static void check_text(struct book *book, const struct read_failure *row,
                       const struct failure *failure, struct place at, struct str text) {
    size_t from = 0;
    for (;;) {
        ptrdiff_t open = str_find(text, STR("{{"), from);
        if (open < 0) return;
        ptrdiff_t close = str_find(text, STR("}}"), (size_t)open);
        if (close < 0) {
            book_error(book, at, row->row.id, "'{{' is never closed with '}}'");
            return;
        }
        struct str rest = str_sub(text, (size_t)open + 2, (size_t)(close - open - 2)), name = {0};
        str_split(&rest, '|', &name);
        /* Anything else, as {{.State}} of a docker template, belongs to the command. */
        if (is_name(name) && !str_has(name, STR(".")) && !is_group(book, failure, name))
            book_error(book, at, row->row.id,
                       "{{" STR_FMT "}}: no signal of this failure has a group of that name, and "
                       "it is no fact (facts hold a '.', as gpu.name)",
                       STR_ARG(name));
        from = (size_t)close + 2;
    }
}

static void check_texts(struct book *book, const struct read_failure *row,
                        const struct failure *failure) {
    const struct node *list = node_get(row->node, "fixes");
    for (int f = 0; f < failure->n_fixes; f++) {
        const struct fix *fix = &failure->fixes[f];
        const struct node *map = list && f < list->n ? list->items[f] : NULL;
        struct place at = row->at;
        if (map) at.line = map->line;
        const struct str texts[] = {fix->title, fix->cost, fix->verify, fix->undo};
        for (size_t i = 0; i < COUNT_OF(texts); i++) check_text(book, row, failure, at, texts[i]);
        for (int i = 0; i < fix->n_steps; i++)
            check_text(book, row, failure, place_field(at, map, "steps", i), fix->steps[i]);
        for (int i = 0; i < fix->n_commands; i++)
            check_text(book, row, failure, place_field(at, map, "commands", i), fix->commands[i]);
        for (int i = 0; i < fix->patch.n_sets; i++)
            check_text(book, row, failure, place_field(at, map, "patch", -1),
                       fix->patch.sets[2 * i + 1]);
    }
}

void check_links(struct book *book) {
    check_questions(book);
    for (size_t i = 0; i < book->failures.n; i++) {
        check_fixes(book, &book->failures.v[i]);
        check_starts(book, (int)i);
        check_texts(book, &book->failures.v[i], &book->kb.failures[i]);
    }
}
