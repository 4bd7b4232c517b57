/* Layers of rows to one struct kb: later layers win by id, references become indexes. */
#include "world/image_load.h"

#include <stdlib.h>

/* By id, then by layer; both are the first members of every row, at places that differ by row type.
 */
#define ORDER(name, type)                                                                          \
    static int name(const void *a, const void *b) {                                                \
        const type *x = a, *y = b;                                                                 \
        int order = str_cmp(x->row.id, y->row.id);                                                 \
        return order ? order : (x->layer > y->layer) - (x->layer < y->layer);                      \
    }
ORDER(signal_order, struct layer_signal)
ORDER(failure_order, struct layer_failure)
ORDER(question_order, struct layer_question)

static void sort(struct layers *layers) {
    if (layers->n_layers < 2) return; /* one image is in order */
    if (layers->signals.n)
        qsort(layers->signals.v, layers->signals.n, sizeof *layers->signals.v, signal_order);
    if (layers->failures.n)
        qsort(layers->failures.v, layers->failures.n, sizeof *layers->failures.v, failure_order);
    if (layers->questions.n)
        qsort(layers->questions.v, layers->questions.n, sizeof *layers->questions.v,
              question_order);
}

static void join_failures(struct layers *layers) {
    struct kb *kb = layers->kb;
    size_t n = layers->failures.n, kept = 0;
    kb->failures = ARENA_ARRAY(layers->arena, struct failure, n);
    for (size_t i = 0; i < n; i++) {
        struct layer_failure *row = &layers->failures.v[i];
        if (i + 1 < n && str_eq(row->row.id, row[1].row.id)) continue;
        kb->failures[kept] = row->row;
        layers->failures.v[kept++] = *row;
    }
    kb->n_failures = (int)kept;
    layers->failures.n = kept;
    for (size_t i = 0; i < kept; i++) {
        struct failure *failure = &kb->failures[i];
        struct layer_list follows = layers->failures.v[i].follows;
        failure->consequence_of = ARENA_ARRAY(layers->arena, int, follows.n);
        for (int k = 0; k < follows.n; k++) {
            int other = kb_failure(kb, follows.v[k]);
            if (other >= 0) failure->consequence_of[failure->n_consequence_of++] = other;
        }
    }
}

/* The signals of a failure that was replaced go with it. */
static void join_signals(struct layers *layers) {
    struct kb *kb = layers->kb;
    size_t n = layers->signals.n;
    kb->signals = ARENA_ARRAY(layers->arena, struct signal, n);
    for (size_t i = 0; i < n; i++) {
        const struct layer_signal *row = &layers->signals.v[i];
        if (i + 1 < n && str_eq(row->row.id, row[1].row.id)) continue;
        int failure = row->failure.n ? kb_failure(kb, row->failure) : -1;
        if (row->failure.n && (failure < 0 || layers->failures.v[failure].layer > row->layer))
            continue;
        struct signal *signal = &kb->signals[kb->n_signals++];
        *signal = row->row;
        signal->failure = failure;
        if (failure >= 0) kb->failures[failure].n_signals++;
    }
    int *indexes = ARENA_ARRAY(layers->arena, int, kb->n_signals);
    for (int i = 0, at = 0; i < kb->n_failures; i++) {
        kb->failures[i].signals = indexes + at;
        at += kb->failures[i].n_signals;
        kb->failures[i].n_signals = 0;
    }
    for (int i = 0; i < kb->n_signals; i++) {
        if (kb->signals[i].failure < 0) continue;
        struct failure *failure = &kb->failures[kb->signals[i].failure];
        failure->signals[failure->n_signals++] = i;
    }
}

static void join_questions(struct layers *layers) {
    struct kb *kb = layers->kb;
    size_t n = layers->questions.n;
    kb->questions = ARENA_ARRAY(layers->arena, struct question, n);
    for (size_t i = 0; i < n; i++) {
        const struct layer_question *row = &layers->questions.v[i];
        if (i + 1 < n && str_eq(row->row.id, row[1].row.id)) continue;
        kb->questions[kb->n_questions++] = row->row;
    }
}

/* Thousands of conditions name a signal: a table of hashes finds them faster than as many searches.
 */
static void resolve_seen(struct layers *layers) {
    struct kb *kb = layers->kb;
    uint32_t size = 16;
    while (size < (uint32_t)kb->n_signals * 2) size *= 2;
    int *table = ARENA_ARRAY(layers->arena, int, size); /* index + 1, 0: free */
    for (int i = 0; i < kb->n_signals; i++) {
        uint32_t at = (uint32_t)str_hash(kb->signals[i].id) & (size - 1);
        while (table[at]) at = (at + 1) & (size - 1);
        table[at] = i + 1;
    }
    for (size_t k = 0; k < layers->seen.n; k++) {
        struct cond *cond = layers->seen.v[k];
        uint32_t at = (uint32_t)str_hash(cond->key) & (size - 1);
        while (table[at] && !str_eq(kb->signals[table[at] - 1].id, cond->key))
            at = (at + 1) & (size - 1);
        cond->signal = table[at] - 1;
    }
}

void layers_join(struct layers *layers) {
    sort(layers);
    join_failures(layers);
    join_signals(layers);
    join_questions(layers);
    resolve_seen(layers);
    if (layers->n_layers > 1) layers->kb->plan = (struct str){0};
}
