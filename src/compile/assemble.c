/* Sorts what was read into a struct kb and resolves what refers by id. */
#include "compile/book.h"

#include "think/think.h"

#include <stdlib.h>

/* The id is the first member of every row. */
static int by_id(const void *a, const void *b) {
    return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

static void sort_rows(void *rows, size_t n, size_t size) {
    if (n > 1) qsort(rows, n, size, by_id);
}

static void duplicate(struct book *book, struct place a, struct place b, struct str id,
                      const char *what) {
    bool later = str_cmp(a.path, b.path) < 0 || (str_eq(a.path, b.path) && a.line <= b.line);
    struct place first = later ? a : b, second = later ? b : a;
    book_error(book, second, id,
               "the %s id is already used at " STR_FMT ":%d; ids are unique in "
               "the whole tree",
               what, STR_ARG(first.path), first.line);
}

static void sort_signals(struct book *book) {
    struct kb *kb = &book->kb;
    sort_rows(book->signals.v, book->signals.n, sizeof *book->signals.v);
    kb->signals = ARENA_ARRAY(book->arena, struct signal, book->signals.n);
    kb->n_signals = (int)book->signals.n;
    for (size_t i = 0; i < book->signals.n; i++) {
        struct read_signal *row = &book->signals.v[i];
        if (i > 0 && str_eq(row[-1].row.id, row->row.id))
            duplicate(book, row[-1].at, row->at, row->row.id, "signal");
        if (row->failure.n) row->row.failure = kb_failure(kb, row->failure);
        kb->signals[i] = row->row;
    }
}

static void sort_questions(struct book *book) {
    struct kb *kb = &book->kb;
    sort_rows(book->questions.v, book->questions.n, sizeof *book->questions.v);
    kb->questions = ARENA_ARRAY(book->arena, struct question, book->questions.n);
    kb->n_questions = (int)book->questions.n;
    for (size_t i = 0; i < book->questions.n; i++) {
        struct read_question *row = &book->questions.v[i];
        if (i > 0 && str_eq(row[-1].row.id, row->row.id))
            duplicate(book, row[-1].at, row->at, row->row.id, "question");
        kb->questions[i] = row->row;
    }
}

static void sort_failures(struct book *book) {
    struct kb *kb = &book->kb;
    sort_rows(book->failures.v, book->failures.n, sizeof *book->failures.v);
    kb->failures = ARENA_ARRAY(book->arena, struct failure, book->failures.n);
    kb->n_failures = (int)book->failures.n;
    for (size_t i = 0; i < book->failures.n; i++) {
        struct read_failure *row = &book->failures.v[i];
        if (i > 0 && str_eq(row[-1].row.id, row->row.id))
            duplicate(book, row[-1].at, row->at, row->row.id, "failure");
        kb->failures[i] = row->row;
    }
}

/* Which signals a failure has, and which failures it follows from. */
static void link_failures(struct book *book) {
    struct kb *kb = &book->kb;
    for (int i = 0; i < kb->n_failures; i++) {
        struct failure *failure = &kb->failures[i];
        const struct read_failure *row = &book->failures.v[i];
        failure->consequence_of = ARENA_ARRAY(book->arena, int, row->follows.n);
        for (int k = 0; k < row->follows.n; k++) {
            struct str id = row->follows.v[k];
            struct place at = place_field(row->at, row->node, "consequence_of", k);
            int other = kb_failure(kb, id);
            if (other >= 0) failure->consequence_of[failure->n_consequence_of++] = other;
            if (other == i)
                book_error(book, at, failure->id, "a failure cannot be a consequence of itself");
            else if (other < 0 && !(book->base && kb_failure(book->base, id) >= 0))
                book_error(book, at, failure->id,
                           "'consequence_of' names '" STR_FMT "', but there is no such failure",
                           STR_ARG(id));
        }
        for (int s = 0; s < kb->n_signals; s++) failure->n_signals += kb->signals[s].failure == i;
        failure->signals = ARENA_ARRAY(book->arena, int, failure->n_signals);
        failure->n_signals = 0;
        for (int s = 0; s < kb->n_signals; s++)
            if (kb->signals[s].failure == i) failure->signals[failure->n_signals++] = s;
    }
}

/* ---- references of conditions --------------------------------------------------------------- */

static void resolve_signal(struct book *book, const struct reference *reference) {
    struct cond *cond = reference->cond;
    cond->signal = kb_signal(&book->kb, cond->key);
    if (cond->signal >= 0 || (book->base && kb_signal(book->base, cond->key) >= 0)) return;
    const char **ids = ARENA_ARRAY(book->arena, const char *, book->kb.n_signals);
    for (int i = 0; i < book->kb.n_signals; i++)
        ids[i] = arena_cstr(book->arena, book->kb.signals[i].id);
    const char *meant = nearest_word(cond->key, ids, book->kb.n_signals);
    book_error(book, reference->at, reference->owner,
               "'seen' names the signal '" STR_FMT "', but there is no such signal%s%s%s",
               STR_ARG(cond->key), meant ? ": did you mean '" : "", meant ? meant : "",
               meant ? "'?" : "");
}

/* One of the taxonomy's questions, which no entry writes down. */
static bool is_taxonomys(struct book *book, const struct reference *reference, struct str id) {
    const struct cond *cond = reference->cond;
    if (!walk_takes(&book->kb, id, STR("unknown"))) return false;
    for (int v = 0; cond->op == COND_IS && v < cond->n_values; v++)
        if (!walk_takes(&book->kb, id, cond->values[v]))
            book_error(book, reference->at, reference->owner,
                       "the question '" STR_FMT "' has no choice '" STR_FMT "'", STR_ARG(id),
                       STR_ARG(cond->values[v]));
    return true;
}

static void resolve_answer(struct book *book, const struct reference *reference) {
    const struct cond *cond = reference->cond;
    struct str id = str_sub(cond->key, 7, cond->key.n);
    const struct kb *kb = &book->kb;
    int i = kb_question(kb, id);
    if (i < 0 && book->base) {
        kb = book->base;
        i = kb_question(kb, id);
    }
    if (i < 0 && is_taxonomys(book, reference, id)) return;
    if (i < 0) {
        book_error(book, reference->at, reference->owner,
                   "the condition asks for the answer to '" STR_FMT
                   "', but there is no such question",
                   STR_ARG(id));
        return;
    }
    const struct question *question = &kb->questions[i];
    for (int v = 0; cond->op == COND_IS && v < cond->n_values; v++) {
        int k = 0;
        while (k < question->n_choices && !str_eq(question->choices[k].id, cond->values[v])) k++;
        if (k == question->n_choices && !str_eq(cond->values[v], STR("unknown")))
            book_error(book, reference->at, reference->owner,
                       "the question '" STR_FMT "' has no choice '" STR_FMT "'", STR_ARG(id),
                       STR_ARG(cond->values[v]));
    }
}

/* cap.NAME is a group of one of the failure's own signals; -gib reads a size in GiB. */
static void resolve_capture(struct book *book, const struct reference *reference) {
    struct str name = str_sub(reference->cond->key, 4, reference->cond->key.n);
    struct str plain = str_ends(name, STR("-gib")) ? str_sub(name, 0, name.n - 4) : name;
    int f = kb_failure(&book->kb, reference->failure);
    if (f < 0) {
        book_error(book, reference->at, reference->owner,
                   "cap." STR_FMT " is a capture of a failure; here is no failure", STR_ARG(name));
        return;
    }
    const struct failure *failure = &book->kb.failures[f];
    for (int s = 0; s < failure->n_signals; s++) {
        const struct signal *signal = &book->kb.signals[failure->signals[s]];
        for (int g = 0; g < signal->n_groups; g++)
            if (str_eq(signal->groups[g], name) || str_eq(signal->groups[g], plain)) return;
    }
    book_error(book, reference->at, reference->owner,
               "cap." STR_FMT ": no signal of this failure has a group of that name",
               STR_ARG(name));
}

static void resolve_references(struct book *book) {
    for (size_t i = 0; i < book->references.n; i++) {
        const struct reference *reference = &book->references.v[i];
        if (reference->cond->op == COND_SEEN)
            resolve_signal(book, reference);
        else if (str_starts(reference->cond->key, STR("answer.")))
            resolve_answer(book, reference);
        else if (str_starts(reference->cond->key, STR("cap.")))
            resolve_capture(book, reference);
    }
}

/* An overlay may check for a failure of the knowledge it is laid over. */
static void resolve_checks(struct book *book) {
    for (size_t i = 0; i < book->checks.n; i++) {
        const struct check *check = &book->checks.v[i];
        struct place at = book->check_places.v[i];
        const struct kb *kb = &book->kb;
        int failure = kb_failure(kb, check->failure);
        if (failure < 0 && book->base) kb = book->base, failure = kb_failure(kb, check->failure);
        if (failure < 0) {
            book_error(book, at, check->id, "there is no entry '" STR_FMT "'",
                       STR_ARG(check->failure));
            continue;
        }
        const struct failure *entry = &kb->failures[failure];
        int fix = 0;
        while (fix < entry->n_fixes && !str_eq(entry->fixes[fix].id, check->fix)) fix++;
        if (fix == entry->n_fixes)
            book_error(book, at, check->id, "the entry '" STR_FMT "' has no fix '" STR_FMT "'",
                       STR_ARG(check->failure), STR_ARG(check->fix));
    }
    book->kb.checks = book->checks.v;
    book->kb.n_checks = (int)book->checks.n;
}

void assemble(struct book *book) {
    sort_failures(book);
    sort_signals(book);
    sort_questions(book);
    link_failures(book);
    resolve_references(book);
    resolve_checks(book);
    book->kb.fallbacks = book->fallbacks.v;
    book->kb.n_fallbacks = (int)book->fallbacks.n;
}
