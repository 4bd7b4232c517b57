#include "ui/list.h"

enum { MEASURE = 110 }; /* longer lines are hard to read */

void list_add(struct list *list, struct row row) {
    vec_push(list->arena, &list->rows, row);
}

void list_gap(struct list *list) {
    if (!list->rows.n) return;
    const struct row *last = &list->rows.v[list->rows.n - 1];
    if (last->text.n || last->lead[0].text.n) list_add(list, (struct row){0});
}

int list_items(const struct list *list) {
    int n = 0;
    for (size_t i = 0; i < list->rows.n; i++) n += list->rows.v[i].item;
    return n;
}

const struct row *list_item(const struct list *list, int n) {
    for (size_t i = 0; i < list->rows.n; i++)
        if (list->rows.v[i].item && n-- == 0) return &list->rows.v[i];
    return NULL;
}

static int row_draw(const struct row *row, struct grid *grid, struct area area, int at,
                    bool selected) {
    for (size_t i = 0; i < COUNT_OF(row->lead); i++) {
        const struct span *span = &row->lead[i];
        struct area left = area;
        if (row->indent > span->col && row->text.n && row->indent < area.cols)
            left.cols = row->indent;
        if (span->text.n) grid_text(grid, left, at, span->col, span->face, span->text);
    }
    if (row->bar) grid_bar(grid, area, at, 2, row->bar, FACE_CODE, row->share);
    if (selected) grid_text(grid, area, at, 0, FACE_TITLE, STR(">"));
    return grid_wrap(grid, area, at, row->indent, selected ? FACE_SELECTED : row->face, row->text,
                     row->most);
}

/* Drawn below the area nothing shows: only counted. */
static int row_lines(const struct row *row, struct grid *grid, struct area area) {
    return row_draw(row, grid, area, area.rows + 1, false);
}

/* First line of the selected item, and the line behind its last. */
static int list_measure(const struct list *list, struct grid *grid, struct area area, int selected,
                        int *top, int *bottom) {
    int lines = 0, item = 0;
    *top = *bottom = 0;
    for (size_t i = 0; i < list->rows.n; i++) {
        const struct row *row = &list->rows.v[i];
        int here = row_lines(row, grid, area);
        if (row->item && item++ == selected) *top = lines, *bottom = lines + here;
        lines += here;
    }
    return lines;
}

static int into(int value, int least, int most) {
    return value > most ? (most > least ? most : least) : value < least ? least : value;
}

void list_draw_more(struct grid *grid, struct area area, bool above, bool below) {
    if (area.rows < 2) return;
    if (above) grid_text(grid, area, 0, area.cols - 1, FACE_DIM, STR("^"));
    if (below) grid_text(grid, area, area.rows - 1, area.cols - 1, FACE_DIM, STR("v"));
}

void list_draw(const struct list *list, struct grid *grid, struct area whole, int *selected,
               int *scroll) {
    int items = list_items(list), top, bottom;
    struct area area = whole;
    if (area.cols > 20) area.cols--;
    if (area.cols > MEASURE) area.cols = MEASURE;
    *selected = into(*selected, 0, items - 1);
    int lines = list_measure(list, grid, area, *selected, &top, &bottom);
    if (items && *selected == 0) *scroll = 0;
    if (items && *selected == items - 1) *scroll = lines;
    *scroll = into(*scroll, 0, lines - area.rows);
    if (items) {
        bool head = *selected == 0 && top < area.rows; /* what stands above the first one matters */
        if (bottom > *scroll + area.rows && !head) *scroll = bottom - area.rows;
        if (top < *scroll) *scroll = top;
    }
    int at = -*scroll, item = 0;
    for (size_t i = 0; i < list->rows.n && at < area.rows; i++) {
        const struct row *row = &list->rows.v[i];
        bool here = row->item && item++ == *selected;
        int taken = row_draw(row, grid, area, at, here);
        for (int line = 0; row->item && line < taken; line++)
            if (at + line >= 0) grid_aim(grid, whole, at + line, TARGET_ITEM + (uint32_t)item - 1);
        at += taken;
    }
    list_draw_more(grid, whole, *scroll > 0, lines - *scroll > area.rows);
}
