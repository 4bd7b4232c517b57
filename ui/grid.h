/* grid.h - a grid of styled cells.  Views draw into it; term.c puts it on a
 * terminal; tests read it as text. Knows no terminal and no product. */
#ifndef FAULTLINE_GRID_H
#define FAULTLINE_GRID_H

#include "base/base.h"

enum face { /* what a text is, not how it looks: term.c has the colours */
            FACE_PLAIN,
            FACE_BOLD,
            FACE_DIM,
            FACE_TITLE,
            FACE_BAR,
            FACE_BAR_KEY,
            FACE_KEY,
            FACE_FAILED,
            FACE_HEALTHY,
            FACE_UNKNOWN,
            FACE_CODE,
            FACE_MARK,
            FACE_SELECTED,
            FACE_FOUND,
            FACE_RANK /* of RANK_FACES, so that neighbours differ */
};
enum { RANK_FACES = 6, FACE_COUNT = FACE_RANK + RANK_FACES };

struct cell {
    uint32_t point;     /* Unicode scalar; 0: the right half of a wide character */
    uint32_t combining; /* one combining mark, or 0 */
    uint8_t face;
    uint32_t target; /* what a click on it means to the screen, 0: nothing */
};

struct grid {
    int rows, cols;
    struct cell *cells; /* rows * cols, row by row; owned */
    uint32_t target;    /* what is drawn from now on is for; views set it and put it back to 0 */
};

/* A part of a grid; drawing is clipped to it. */
struct area {
    int row, col, rows, cols;
};

void grid_resize(struct grid *grid, int rows, int cols); /* cleared */
void grid_clear(struct grid *grid);
void grid_release(struct grid *grid);
struct area grid_area(const struct grid *grid);
/* Draws UTF-8 at a place within the area; what does not fit into its row is cut
 * and the last cell says so with an ellipsis.  Control bytes become '?', tabs a
 * blank.  Returns the column behind the last cell, within the area. */
int grid_text(struct grid *grid, struct area area, int row, int col, enum face face,
              struct str text);
int grid_printf(struct grid *grid, struct area area, int row, int col, enum face face,
                const char *format, ...) PRINTF_LIKE(6, 7);
/* Fills the rest of a row with blanks of a face. */
void grid_fill(struct grid *grid, struct area area, int row, int col, enum face face);
/* Makes the whole row of the area a target. */
void grid_aim(struct grid *grid, struct area area, int row, uint32_t target);
/* The target at a place of the grid, 0: none. */
uint32_t grid_target(const struct grid *grid, int row, int col);
/* Draws a paragraph wrapped at words from a row on, on at most `most` lines (0:
 * all), the last one cut.  Returns how many lines it takes, within the area or
 * not; at least 1. */
int grid_wrap(struct grid *grid, struct area area, int row, int col, enum face face,
              struct str text, int most);
/* A bar of `cells` cells for a share of 0..1; of '#' where the locale has no
 * blocks. */
void grid_bar(struct grid *grid, struct area area, int row, int col, int cells, enum face face,
              double share);
/* How many columns a text takes. */
int grid_columns(struct str text);
/* The text of one row, without blanks at its end. */
struct str grid_row(const struct grid *grid, int row, struct arena *arena);

#endif
