/* `faultline kb learn DIR...`: what the words of labelled cases lean to, as kb/shared/leanings.yaml
 * holds it. */
#include "app/command_kb.h"

#include "app/cases.h"
#include "compile/learn.h"
#include "model/leaning.h"

#include <math.h>
#include <stdlib.h>

enum {
    CASES_LEAST = 4,  /* a word of fewer is chance */
    TENTHS_LEAST = 10 /* what leans less says too little for its place */
};

struct word {
    struct str text;
    int cases;  /* that hold it */
    int number; /* among those that count, -1: too few cases hold it */
};
struct lesson { /* one case */
    VEC(int) words;
    int classes[2]; /* symptom, root cause; -1: no label */
};

struct learning {
    struct case_reader cases;
    VEC(struct word) words;
    int *table; /* word + 1 by hash, 0: free */
    size_t slots;
    VEC(struct lesson) lessons;
    struct lesson *lesson; /* being read */
};

/* ---- words ---------------------------------------------------------------------------------- */

static size_t slot_of(const struct learning *learning, struct str text) {
    size_t slot = str_hash(text) & (learning->slots - 1);
    while (learning->table[slot] &&
           !str_eq(learning->words.v[learning->table[slot] - 1].text, text))
        slot = (slot + 1) & (learning->slots - 1);
    return slot;
}

static void table_grow(struct learning *learning) {
    if (2 * learning->words.n < learning->slots) return;
    learning->slots = learning->slots ? 2 * learning->slots : 4096;
    learning->table = ARENA_ARRAY(&learning->cases.arena, int, learning->slots);
    for (size_t i = 0; i < learning->words.n; i++)
        learning->table[slot_of(learning, learning->words.v[i].text)] = (int)i + 1;
}

static void take_word(void *ctx, struct str text) {
    struct learning *learning = ctx;
    table_grow(learning);
    size_t slot = slot_of(learning, text);
    if (!learning->table[slot]) {
        struct word word = {.text = arena_str(&learning->cases.arena, text), .number = -1};
        vec_push(&learning->cases.arena, &learning->words, word);
        learning->table[slot] = (int)learning->words.n;
    }
    int index = learning->table[slot] - 1;
    learning->words.v[index].cases++;
    vec_push(&learning->cases.arena, &learning->lesson->words, index);
}

/* Words of enough cases are numbered; the others leave the lessons. */
static int number_words(struct learning *learning) {
    int n = 0;
    for (size_t i = 0; i < learning->words.n; i++)
        if (learning->words.v[i].cases >= CASES_LEAST) learning->words.v[i].number = n++;
    for (size_t i = 0; i < learning->lessons.n; i++) {
        struct lesson *lesson = &learning->lessons.v[i];
        size_t kept = 0;
        for (size_t w = 0; w < lesson->words.n; w++) {
            int number = learning->words.v[lesson->words.v[w]].number;
            if (number >= 0) lesson->words.v[kept++] = number;
        }
        lesson->words.n = kept;
    }
    return n;
}

/* ---- cases ---------------------------------------------------------------------------------- */

static void take_case(void *ctx, const char *folder, const struct json_value *label) {
    struct learning *learning = ctx;
    const struct kb *kb = session_kb(learning->cases.session);
    struct lesson lesson = {.classes = {kb_symptom(kb, case_first(label, "symptom")),
                                        kb_root(kb, case_first(label, "cause"))}};
    if (lesson.classes[0] < 0) return; /* a healthy job */
    case_read(&learning->cases, folder);
    vec_push(&learning->cases.arena, &learning->lessons, lesson);
    learning->lesson = &learning->lessons.v[learning->lessons.n - 1];
    words_visit(kb, session_evidence(learning->cases.session), take_word, learning);
}

/* ---- what is learned ------------------------------------------------------------------------ */

static int8_t tenths_of(double nats, int least) {
    long tenths = lround(nats * LEANING_TENTH);
    if (labs(tenths) < least) return 0;
    return (int8_t)(tenths > 127 ? 127 : tenths < -127 ? -127 : tenths);
}

/* The leans of all words to the codes of one kind, beside those of the other kind. */
static void learn_kind(const struct learning *learning, int kind, int n_words, int begin,
                       int n_classes, struct leaning_row *rows) {
    size_t n = learning->lessons.n;
    struct example *examples = heap_zeros(n + 1, sizeof *examples);
    double *leans = heap_zeros((size_t)(1 + n_words) * (size_t)n_classes, sizeof *leans);
    for (size_t i = 0; i < n; i++) {
        const struct lesson *lesson = &learning->lessons.v[i];
        examples[i] =
            (struct example){lesson->words.v, (int)lesson->words.n, lesson->classes[kind]};
    }
    learn_leans(examples, (int)n, n_words, n_classes, leans);
    for (int row = 0; row <= n_words; row++)
        for (int c = 0; c < n_classes; c++)
            rows[row].leans[begin + c] = tenths_of(
                leans[(size_t)row * (size_t)n_classes + (size_t)c], row ? TENTHS_LEAST : 0);
    free(examples);
    free(leans);
}

static int compare_rows(const void *a, const void *b) {
    const struct leaning_row *x = a, *y = b;
    return str_cmp(x->word, y->word);
}

static void print_row(const struct kb *kb, const struct leaning_row *row, FILE *out) {
    bool any = false;
    for (int c = 0; c < kb->n_symptoms + kb->n_roots; c++) {
        if (!row->leans[c]) continue;
        struct str code =
            c < kb->n_symptoms ? kb->symptoms[c].id : kb->roots[c - kb->n_symptoms].id;
        if (!any) fprintf(out, "  - '" STR_FMT, STR_ARG(row->word));
        fprintf(out, " " STR_FMT " %d", STR_ARG(code), row->leans[c]);
        any = true;
    }
    if (any) fputs("'\n", out);
}

static void print_leanings(struct learning *learning) {
    const struct kb *kb = session_kb(learning->cases.session);
    int n = number_words(learning);
    struct leaning_row *rows = heap_zeros((size_t)n + 1, sizeof *rows);
    rows[0].word = STR("*");
    for (size_t i = 0; i < learning->words.n; i++)
        if (learning->words.v[i].number >= 0)
            rows[1 + learning->words.v[i].number].word = learning->words.v[i].text;
    learn_kind(learning, 0, n, 0, kb->n_symptoms, rows);
    learn_kind(learning, 1, n, kb->n_symptoms, kb->n_roots, rows);
    qsort(rows, (size_t)n + 1, sizeof *rows, compare_rows);
    fprintf(learning->cases.ctx->out,
            "# What the words of a failure lean to, in tenths of a nat: learned by `faultline kb "
            "learn` from %d labelled\n# cases.  Not for editing: learn it anew.\nleanings:\n",
            (int)learning->lessons.n);
    for (int i = 0; i <= n; i++) print_row(kb, &rows[i], learning->cases.ctx->out);
    free(rows);
}

int kb_learn(struct command_context *ctx, int n_folders, char **folders) {
    struct learning learning = {.cases = {.ctx = ctx}};
    struct err err;
    if (n_folders < 1)
        return command_refuse(ctx, STATUS_USAGE, "name a folder of labelled cases",
                              "faultline kb learn tests/cases", "nothing to learn from");
    if (!session_open(&learning.cases.session, &ctx->options.session, &err))
        return command_error(ctx, &err, STATUS_UNREADABLE);
    const struct case_visit visit = {take_case, case_error, &learning, &learning.cases.arena};
    for (int i = 0; i < n_folders; i++) cases_visit(&visit, folders[i]);
    if (learning.lessons.n)
        print_leanings(&learning);
    else if (!learning.cases.unreadable) {
        err_set(&err, "none has a symptom of the taxonomy",
                "case.json: {\"symptom\": [\"4.2\"], ...}", "nothing to learn from these cases");
        case_error(&learning, &err);
    }
    case_reader_close(&learning.cases);
    return learning.cases.unreadable ? STATUS_UNREADABLE : STATUS_OK;
}
