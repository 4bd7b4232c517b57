#include "model/kb.h"

const char *const stage_names[STAGE_COUNT] = {"build", "setup", "prepare", "train", "infer"};
const char *const role_names[ROLE_COUNT] = {"initiating", "cascade", "teardown",
                                            "wrapper",    "advice",  "progress",
                                            "start",      "done",    "context"};
const char *const where_names[WHERE_COUNT] = {"line",   "exception", "frame",
                                              "kernel", "config",    "words"};
const char *const cond_names[COND_COUNT] = {"seen",   "known", "is",       "contains",
                                            "below",  "above", "at_least", "differs",
                                            "covers", "all",   "any",      "not"};
const char *const level_names[3] = {"generic", "family", "specific"};
const char *const fix_kind_names[3] = {"cure", "workaround", "test"};

/* Rows are in id order; the id is the first member of each. */
static int row_by_id(const void *rows, int n, size_t size, struct str id) {
    int low = 0, high = n - 1;
    while (low <= high) {
        int middle = low + (high - low) / 2;
        const struct str *at = (const struct str *)((const char *)rows + (size_t)middle * size);
        int order = str_cmp(*at, id);
        if (order == 0) return middle;
        if (order < 0)
            low = middle + 1;
        else
            high = middle - 1;
    }
    return -1;
}

/* Codes keep the study's order ("4.2" before "4.10"), so they are searched in turn. */
static int code_by_id(const struct code *codes, int n, struct str id) {
    for (int i = 0; i < n; i++)
        if (str_eq(codes[i].id, id)) return i;
    return -1;
}

int kb_signal(const struct kb *kb, struct str id) {
    return row_by_id(kb->signals, kb->n_signals, sizeof *kb->signals, id);
}

int kb_failure(const struct kb *kb, struct str id) {
    return row_by_id(kb->failures, kb->n_failures, sizeof *kb->failures, id);
}

int kb_question(const struct kb *kb, struct str id) {
    return row_by_id(kb->questions, kb->n_questions, sizeof *kb->questions, id);
}

int kb_symptom(const struct kb *kb, struct str code) {
    return code_by_id(kb->symptoms, kb->n_symptoms, code);
}

int kb_root(const struct kb *kb, struct str code) {
    return code_by_id(kb->roots, kb->n_roots, code);
}

int kb_pattern(const struct kb *kb, struct str code) {
    return code_by_id(kb->patterns, kb->n_patterns, code);
}

int stage_of_name(struct str name) {
    for (int i = 0; i < STAGE_COUNT; i++)
        if (str_eq(str_of(stage_names[i]), name)) return i;
    return -1;
}

bool failure_has_symptom(const struct failure *failure, int symptom) {
    for (int s = 0; s < STAGE_COUNT; s++) {
        if (failure->symptom[s] == symptom) return true;
        for (int c = 0; c < failure->n_causes; c++)
            if (failure->causes[c].symptom[s] == symptom) return true;
    }
    return false;
}

bool cause_has_root(const struct cause *cause, int root) {
    for (int s = 0; s < STAGE_COUNT; s++)
        if (cause->root[s] == root) return true;
    return false;
}

bool failure_has_root(const struct failure *failure, int root) {
    for (int c = 0; c < failure->n_causes; c++)
        if (cause_has_root(&failure->causes[c], root)) return true;
    return false;
}

bool kb_question_is_general(const struct question *question) {
    for (int c = 0; c < question->n_choices; c++)
        if (question->choices[c].n_weighs) return true;
    return false;
}

bool failure_has_pattern(const struct failure *failure, int pattern) {
    for (int f = 0; f < failure->n_fixes; f++)
        if (failure->fixes[f].pattern == pattern) return true;
    return false;
}
