/* list.h - what most views are: rows of text from top to bottom, some of which
 * can be selected.
 *
 * A view adds its rows, the list wraps them, keeps the selected one in sight
 * and draws.  Knows grids and no product; texts are borrowed until the drawing
 * is done. */
#ifndef FAULTLINE_LIST_H
#define FAULTLINE_LIST_H

#include "ui/grid.h"

/* A piece of text at a column of its own, left of the row's text. */
struct span {
    int col;
    enum face face;
    struct str text;
};

struct row {
    struct span lead[3]; /* those with text are drawn on the row's first line */
    int bar;             /* cells of a bar at column 2 that shows `share`; 0: none */
    double share;
    int indent; /* column of the text, on all its lines */
    enum face face;
    struct str text;
    int most;        /* lines at most, the last one cut; 0: all */
    bool item;       /* it can be selected */
    int kind, which; /* what it stands for: the view's business */
    int detail;
};

/* Cells of the n-th item are the target TARGET_ITEM + n. */
enum { TARGET_ITEM = 1024 };

struct list {
    struct arena *arena;
    VEC(struct row) rows;
};

void list_add(struct list *list, struct row row);
/* An empty row, unless the list is empty or ends with one. */
void list_gap(struct list *list);
int list_items(const struct list *list);
/* The n-th row that can be selected, or NULL. */
const struct row *list_item(const struct list *list, int n);
/* Marks the last column of an area where there is more above or below it. */
void list_draw_more(struct grid *grid, struct area area, bool above, bool below);
/* Draws the list and keeps the item *selected in sight; without items *scroll
 * is the line at the top.  Both are brought into range. */
void list_draw(const struct list *list, struct grid *grid, struct area area, int *selected,
               int *scroll);

#endif
