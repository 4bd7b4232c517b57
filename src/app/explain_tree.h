/* explain_tree.h - the decision tree of an entry or a symptom, as the walk would ask it.
 *
 * The tree is drawn nowhere: it is what the walk asks when a signal of the entry was seen, or the
 * symptom was chosen, and nothing else is known, answer by answer. */
#ifndef FAULTLINE_EXPLAIN_TREE_H
#define FAULTLINE_EXPLAIN_TREE_H

#include "model/kb.h"
#include "report/layout.h"

struct tree_cause {
    struct str entry, code, why; /* code empty: the input does not tell */
    double share;                /* of what remains, 0..1 */
};
struct tree_branch {
    struct str id, text; /* a choice */
    const struct tree_node *then;
};
/* A question with a branch for each choice, or, where nothing is left to ask, the causes that
 * remain and the fix to try first. */
struct tree_node {
    struct str question, ask, how; /* question empty: a leaf */
    struct tree_branch *branches;
    int n_branches;
    struct tree_cause *causes;
    int n_causes;
    struct str fix, pattern;
    bool cut; /* a leaf only because the tree is too deep or too large here */
};

/* NULL: no signal of the entry starts a diagnosis of it by itself. */
const struct tree_node *explain_tree_of_failure(const struct kb *kb, int failure,
                                                struct arena *arena);
/* NULL: no entry shows the symptom. */
const struct tree_node *explain_tree_of_symptom(const struct kb *kb, int symptom,
                                                struct arena *arena);

/* Indented text; Graphviz; one JSON document of the schema faultline.tree/1. */
void explain_tree_text(struct layout *layout, const struct tree_node *root);
void explain_tree_dot(struct buf *out, struct str id, struct str title,
                      const struct tree_node *root);
void explain_tree_json(struct buf *out, struct str id, struct str title,
                       const struct tree_node *root);

#endif
