#include "app/explain_tree.h"

#include "report/phrase.h"
#include "think/think.h"

enum { DEPTH = 8, STUDY_DEPTH = 2, NODES = 2000, LEAF_CAUSES = 3 };
static const double least_share = 0.1; /* of a further cause that a leaf names */

/* The tree being grown. */
struct tree {
    const struct kb *kb;
    struct arena *arena;
    int failure, nodes, depth;
    bool study; /* of what the study saw: general questions are asked */
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
        .origin = ORIGIN_NONE};
    evidence_add_fact(&tree->evidence, &fact);
}

/* No line leads to what the study saw: its stage and its causes are told.  General questions have
 * many choices, and two of them tell most. */
static void plant_study(struct tree *tree) {
    const struct failure *failure = &tree->kb->failures[tree->failure];
    for (int s = 0; s < STAGE_COUNT; s++)
        if (failure->symptom[s] >= 0) answer(tree, STR("see-stage"), str_of(stage_names[s]));
    answer(tree, STR("see-entry"), failure->id);
    tree->depth = STUDY_DEPTH;
}

/* Who asks for the study's tree knows where its causes are from. */
static struct str cause_text(const struct tree *tree, const struct finding *finding) {
    if (tree->study && finding->failure == tree->failure)
        return tree->kb->failures[finding->failure].causes[finding->cause].why;
    return arena_str(tree->arena, phrase_cause(tree->kb, finding));
}

static void leaf_build(struct tree *tree, const struct diagnosis *diagnosis,
                       struct tree_node *node) {
    node->causes = ARENA_ARRAY(tree->arena, struct tree_cause, LEAF_CAUSES);
    for (int i = 0; i < diagnosis->n_findings && i < LEAF_CAUSES; i++) {
        const struct finding *finding = &diagnosis->findings[i];
        if (i && finding->share < least_share) break;
        node->causes[node->n_causes++] = (struct tree_cause){
            .entry =
                finding->failure >= 0 ? tree->kb->failures[finding->failure].id : (struct str){0},
            .code = finding->root >= 0 ? tree->kb->roots[finding->root].id : (struct str){0},
            .why = cause_text(tree, finding),
            .share = finding->share};
    }
    if (!diagnosis->n_findings || !diagnosis->findings[0].n_fixes) return;
    const struct fix *fix = &diagnosis->findings[0].fixes[0];
    node->fix = arena_str(tree->arena, fix->title);
    node->pattern = tree->kb->patterns[fix->pattern].id;
}

/* The question that stands after the answers so far, and below each choice what comes then. */
static struct tree_node *grow(struct tree *tree, int depth) {
    struct arena arena = {0};
    struct think_options options = {.study = tree->study};
    struct tree_node *node = ARENA_NEW(tree->arena, struct tree_node);
    const struct diagnosis *diagnosis = diagnose(tree->kb, &tree->evidence, &options, &arena);
    const struct walk_step *step =
        walk_next(tree->kb, &tree->evidence, diagnosis, tree->study, &arena);
    bool asks = step->id.n && !step->decided;
    tree->nodes++;
    node->cut = asks && (depth >= tree->depth || tree->nodes > NODES);
    if (!asks || node->cut) {
        leaf_build(tree, diagnosis, node);
        arena_release(&arena);
        return node;
    }
    node->question = step->id;
    node->ask = step->ask;
    node->how = step->how;
    node->branches = ARENA_ARRAY(tree->arena, struct tree_branch, step->n_choices + 1);
    for (int c = 0; c < step->n_choices; c++) {
        struct tree_branch *branch = &node->branches[node->n_branches++];
        size_t facts = tree->evidence.facts.n;
        branch->id = arena_str(tree->arena, step->choices[c].id);
        branch->text = arena_str(tree->arena, step->choices[c].text);
        answer(tree, step->id, branch->id);
        branch->then = grow(tree, depth + 1);
        tree->evidence.facts.n = facts;
    }
    arena_release(&arena);
    return node;
}

const struct tree_node *explain_tree_of_failure(const struct kb *kb, int failure,
                                                struct arena *arena) {
    struct tree tree = {.kb = kb, .arena = arena, .failure = failure, .depth = DEPTH};
    tree.study = kb->failures[failure].study;
    if (tree.study) plant_study(&tree);
    const struct tree_node *root = tree.study || plant_best(&tree) ? grow(&tree, 0) : NULL;
    evidence_release(&tree.evidence);
    return root;
}

const struct tree_node *explain_tree_of_symptom(const struct kb *kb, int symptom,
                                                struct arena *arena) {
    struct tree tree = {.kb = kb, .arena = arena, .failure = -1, .depth = DEPTH};
    answer(&tree, STR("see-symptom"), kb->symptoms[symptom].id);
    const struct tree_node *root = grow(&tree, 0);
    evidence_release(&tree.evidence);
    return root->n_branches ? root : NULL;
}
