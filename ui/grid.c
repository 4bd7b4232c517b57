#include "ui/grid.h"

#include "base/utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>

void grid_resize(struct grid *grid, int rows, int cols) {
    free(grid->cells);
    grid->rows = rows > 0 ? rows : 1;
    grid->cols = cols > 0 ? cols : 1;
    grid->cells = heap_zeros((size_t)grid->rows * (size_t)grid->cols, sizeof *grid->cells);
    grid_clear(grid);
}

void grid_clear(struct grid *grid) {
    for (int i = 0; i < grid->rows * grid->cols; i++)
        grid->cells[i] = (struct cell){' ', 0, FACE_PLAIN, 0};
}

void grid_release(struct grid *grid) {
    free(grid->cells);
    *grid = (struct grid){0};
}

struct area grid_area(const struct grid *grid) {
    return (struct area){0, 0, grid->rows, grid->cols};
}

/* One scalar of UTF-8; what is not valid, and what steers a terminal, becomes '?'. */
static uint32_t next_point(struct str *text) {
    uint32_t point;
    int length = utf8_step(text->p, text->n, &point);
    *text = str_sub(*text, length ? (size_t)length : 1, text->n);
    if (!length) return '?';
    return point == '\t' ? ' ' : utf8_steers(point) ? '?' : point;
}

static struct cell *cell_at(struct grid *grid, struct area area, int row, int col) {
    if (row < 0 || row >= area.rows || col < 0 || col >= area.cols) return NULL;
    row += area.row;
    col += area.col;
    if (row < 0 || row >= grid->rows || col < 0 || col >= grid->cols) return NULL;
    return &grid->cells[row * grid->cols + col];
}

static void put_point(struct grid *grid, struct area area, int row, int col, enum face face,
                      uint32_t point, int width) {
    struct cell *cell = cell_at(grid, area, row, col);
    if (cell) *cell = (struct cell){point, 0, (uint8_t)face, grid->target};
    if (width == 2 && (cell = cell_at(grid, area, row, col + 1)))
        *cell = (struct cell){0, 0, (uint8_t)face, grid->target};
}

/* The mark of a cut text in the last cell of the row; a wide character there
 * goes whole. */
static void put_ellipsis(struct grid *grid, struct area area, int row, enum face face) {
    int col = area.cols - 1;
    struct cell *cell = cell_at(grid, area, row, col);
    if (cell && !cell->point) put_point(grid, area, row, col - 1, face, ' ', 1);
    put_point(grid, area, row, col, face, wcwidth(L'\u2026') == 1 ? 0x2026 : '~', 1);
}

int grid_text(struct grid *grid, struct area area, int row, int col, enum face face,
              struct str text) {
    int start = col;
    while (text.n) {
        uint32_t point = next_point(&text);
        int width = wcwidth((wchar_t)point);
        if (width < 0) width = 1, point = '?';
        if (width == 0) {
            struct cell *before = cell_at(grid, area, row, col > start ? col - 1 : -1);
            if (before && !before->point && col - 2 >= start) before--;
            if (before && before->point && !before->combining) before->combining = point;
            continue;
        }
        if (col + width > area.cols) {
            if (start < area.cols) put_ellipsis(grid, area, row, face);
            return area.cols;
        }
        put_point(grid, area, row, col, face, point, width);
        col += width;
    }
    return col;
}

int grid_printf(struct grid *grid, struct area area, int row, int col, enum face face,
                const char *format, ...) {
    char text[512];
    va_list ap;
    va_start(ap, format);
    int n = vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    if (n < 0) return col;
    size_t length = (size_t)n < sizeof text ? (size_t)n : sizeof text - 1;
    return grid_text(grid, area, row, col, face, (struct str){text, length});
}

void grid_fill(struct grid *grid, struct area area, int row, int col, enum face face) {
    for (; col < area.cols; col++) {
        struct cell *cell = cell_at(grid, area, row, col);
        if (cell) *cell = (struct cell){' ', 0, (uint8_t)face, 0};
    }
}

void grid_aim(struct grid *grid, struct area area, int row, uint32_t target) {
    for (int col = 0; col < area.cols; col++) {
        struct cell *cell = cell_at(grid, area, row, col);
        if (cell) cell->target = target;
    }
}

uint32_t grid_target(const struct grid *grid, int row, int col) {
    if (row < 0 || row >= grid->rows || col < 0 || col >= grid->cols) return 0;
    return grid->cells[row * grid->cols + col].target;
}

int grid_columns(struct str text) {
    int columns = 0;
    while (text.n) {
        int width = wcwidth((wchar_t)next_point(&text));
        columns += width < 0 ? 1 : width;
    }
    return columns;
}

/* Bytes of text that fit into `room` columns, cut at a blank where there is
 * one. */
static size_t wrap_cut(struct str text, int room) {
    struct str rest = text;
    size_t blank = 0;
    int columns = 0;
    while (rest.n) {
        size_t at = text.n - rest.n;
        if (rest.p[0] == '\n') return at;
        if (rest.p[0] == ' ') blank = at;
        struct str one = rest;
        next_point(&rest);
        columns += grid_columns(str_sub(one, 0, one.n - rest.n));
        if (columns > room) return blank ? blank : at ? at : one.n - rest.n;
    }
    return text.n;
}

int grid_wrap(struct grid *grid, struct area area, int row, int col, enum face face,
              struct str text, int most) {
    int lines = 0, room = area.cols - col > 8 ? area.cols - col : 8;
    text = str_trim(text);
    do {
        bool last = most > 0 && lines == most - 1;
        ptrdiff_t end = last ? str_find(text, STR("\n"), 0) : -1;
        size_t cut = !last ? wrap_cut(text, room) : end >= 0 ? (size_t)end : text.n;
        grid_text(grid, area, row + lines, col, face, str_sub(text, 0, cut));
        text = last ? (struct str){0} : str_trim(str_sub(text, cut, text.n));
        lines++;
    } while (text.n);
    return lines;
}

void grid_bar(struct grid *grid, struct area area, int row, int col, int cells, enum face face,
              double share) {
    uint32_t block = wcwidth(L'\u2588') == 1 ? 0x2588 : '#';
    int full = (int)(share * cells + 0.5);
    for (int i = 0; i < full && i < cells && col + i < area.cols; i++)
        put_point(grid, area, row, col + i, face, block, 1);
}

struct str grid_row(const struct grid *grid, int row, struct arena *arena) {
    struct buf out = {0};
    size_t end = 0;
    for (int col = 0; row >= 0 && row < grid->rows && col < grid->cols; col++) {
        const struct cell *cell = &grid->cells[row * grid->cols + col];
        if (cell->point) utf8_add(&out, cell->point);
        if (cell->combining) utf8_add(&out, cell->combining);
        if (cell->point != ' ') end = out.n;
    }
    struct str text = arena_str(arena, str_sub(buf_view(&out), 0, end));
    buf_release(&out);
    return text;
}
