/* tree.h - YAML text to a tree of nodes that remember their lines.  libyaml lives here.
 *
 * Only the plain part of YAML: maps, lists, scalars.  Anchors, aliases and tags are refused, so
 * that what an author sees is what is meant.  Knows nothing of what the keys mean.
 */
#ifndef FAULTLINE_COMPILE_TREE_H
#define FAULTLINE_COMPILE_TREE_H

#include "base/base.h"

enum node_kind { NODE_SCALAR, NODE_LIST, NODE_MAP };

/* One node.  A list has n items; a map has n items and as many keys, in the order of the file. */
struct node {
    enum node_kind kind;
    int line;        /* 1-based */
    bool plain;      /* a scalar without quotes: null, true and numbers mean themselves */
    struct str text; /* of a scalar */
    struct str *keys;
    int *key_lines;
    struct node **items;
    int n;
};

/* Parses one document.  False with err filled and *line set when it is not the plain part of YAML.
 * An empty document gives *root NULL. */
bool tree_read(struct str yaml, struct arena *arena, const struct node **root, int *line,
               struct err *err);

/* The value of the first such key of a map, or NULL. */
const struct node *node_get(const struct node *map, const char *key);
bool node_is_null(const struct node *node); /* NULL, ~, null or nothing */

#endif
