/* explain_tree.h - the decision tree of an entry, as the walk would ask it.
 *
 * The tree is drawn nowhere: it is what the walk asks when a signal of the entry was seen and
 * nothing else is known, answer by answer. */
#ifndef FAULTLINE_EXPLAIN_TREE_H
#define FAULTLINE_EXPLAIN_TREE_H

#include "model/kb.h"
#include "report/layout.h"

/* Appends the tree to the layout.  False when a signal of the entry alone leaves nothing to tell. */
bool explain_tree(struct layout *layout, const struct kb *kb, int failure);

#endif
