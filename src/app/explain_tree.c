#include "app/explain_tree.h"

#include "report/phrase.h"
#include "think/think.h"

#include <stdio.h>

enum { DEPTH = 5, NODES = 200, LEAVES_SHOWN = 3, STEP = 4 };

/* The tree being written. */
struct tree {
    struct layout *layout;
    const struct kb *kb;
    int failure, nodes;
    struct evidence evidence;
};

static enum kind kind_of_place(enum where in) {
    return in == IN_WORDS    ? KIND_WORDS
           : in == IN_KERNEL ? KIND_KERNEL
           : in == IN_CONFIG ? KIND_CONFIG
                             : KIND_LOG;
}

/* An input with one line: a signal of the entry. */
static void plant(struct tree *tree, int index) {
    const struct signal *signal = &tree->kb->signals[index];
    evidence_release(&tree->evidence);
    tree->evidence = (struct evidence){0};
    struct arena *arena = &tree->evidence.arena;
    struct source source = {.path = STR("log"),
                            .kind = kind_of_place(signal->in),
                            .lines = 1,
                            .rank = -1,
                            .attempts = 1,
                            .first_time = TIME_UNKNOWN,
                            .last_time = TIME_UNKNOWN};
    vec_push(arena, &tree->evidence.sources, source);
    struct origin origin = {.line = 1, .rank = -1, .time = TIME_UNKNOWN, .attempt = 1};
    struct hit hit = {.signal = index,
                      .first = origin,
                      .last = origin,
                      .text = signal->says,
                      .captures = ARENA_ARRAY(arena, struct str, signal->n_groups + 1),
                      .n_captures = signal->n_groups,
                      .count = 1,
                      .trace = -1};
    if (signal->in == IN_EXCEPTION) hit.flags |= HIT_EXCEPTION;
    if (signal->in == IN_WORDS) hit.flags |= HIT_WORDS;
    vec_push(arena, &tree->evidence.hits, hit);
}

/* True when what was planted leads to the entry. */
static bool leads_here(const struct tree *tree) {
    struct arena arena = {0};
    struct think_options options = {0};
    const struct diagnosis *diagnosis = diagnose(tree->kb, &tree->evidence, &options, &arena);
    bool here = diagnosis->n_findings && diagnosis->findings[0].failure == tree->failure;
    arena_release(&arena);
    return here;
}

/* The first of the entry's signals that leads to it; those that start a diagnosis go first. */
static bool plant_best(struct tree *tree) {
    const struct failure *failure = &tree->kb->failures[tree->failure];
    for (int role = 0; role < ROLE_COUNT; role++)
        for (int i = 0; i < failure->n_signals; i++) {
            if ((int)tree->kb->signals[failure->signals[i]].role != role) continue;
            plant(tree, failure->signals[i]);
            if (leads_here(tree)) return true;
        }
    return false;
}

static void answer(struct tree *tree, struct str question, struct str choice) {
    struct fact fact = {
        .key = arena_printf(&tree->evidence.arena, "answer." STR_FMT, STR_ARG(question)),
        .value = choice,
        .time = TIME_UNKNOWN,
        .from = STR("answer"),
        .origin = {.source = -1, .rank = -1, .time = TIME_UNKNOWN}};
    evidence_add_fact(&tree->evidence, &fact);
}

static void write_leaf(struct tree *tree, const struct diagnosis *diagnosis, int indent) {
    struct arena arena = {0};
    for (int i = 0; i < diagnosis->n_findings && i < LEAVES_SHOWN; i++) {
        const struct finding *finding = &diagnosis->findings[i];
        if (i && finding->share < 0.1) break;
        struct str code = finding->root >= 0 ? tree->kb->roots[finding->root].id : STR("?");
        char label[64];
        snprintf(label, sizeof label, "%*s%3.0f %%  ", indent, "", 100 * finding->share);
        layout_text(tree->layout, indent + 7, label, i ? STYLE_PLAIN : STYLE_BOLD,
                    arena_printf(&arena, STR_FMT "  " STR_FMT, STR_ARG(code),
                                 STR_ARG(phrase_cause(tree->kb, finding))));
    }
    if (diagnosis->n_findings && diagnosis->findings[0].n_fixes) {
        char label[64];
        snprintf(label, sizeof label, "%*sdo     ", indent, "");
        layout_text(tree->layout, indent + 7, label, STYLE_CYAN,
                    diagnosis->findings[0].fixes[0].title);
    }
    arena_release(&arena);
}

/* The question that stands after the answers so far, and below each choice what comes then. */
static bool write_node(struct tree *tree, int depth) {
    struct arena arena = {0};
    struct think_options options = {0};
    int indent = 2 + depth * STEP;
    const struct diagnosis *diagnosis = diagnose(tree->kb, &tree->evidence, &options, &arena);
    const struct walk_step *step = walk_next(tree->kb, &tree->evidence, diagnosis, &arena);
    bool told = diagnosis->n_findings > 0;
    tree->nodes++;
    if (step->question < 0 || depth >= DEPTH || tree->nodes > NODES) {
        if (told) write_leaf(tree, diagnosis, indent);
        arena_release(&arena);
        return told;
    }
    const struct question *question = &tree->kb->questions[step->question];
    char label[64];
    snprintf(label, sizeof label, "%*s? ", indent, "");
    layout_text(tree->layout, indent + 2, label, STYLE_BOLD, question->ask);
    for (int c = 0; c < step->n_choices; c++) {
        snprintf(label, sizeof label, "%*s= ", indent + 2, "");
        layout_text(tree->layout, indent + 4, label, STYLE_PLAIN, step->choices[c].text);
        size_t facts = tree->evidence.facts.n;
        answer(tree, question->id, step->choices[c].id);
        write_node(tree, depth + 1);
        tree->evidence.facts.n = facts;
    }
    arena_release(&arena);
    return told;
}

bool explain_tree(struct layout *layout, const struct kb *kb, int failure) {
    struct tree tree = {.layout = layout, .kb = kb, .failure = failure};
    bool told = plant_best(&tree) && write_node(&tree, 0);
    evidence_release(&tree.evidence);
    return told;
}
