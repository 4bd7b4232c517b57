/* Draws views of the demo job into SVG files: keys in, the grid out, as the tests drive the screen.
 * usage: pictures FOLDER */
#include "ui/screen.h"
#include "ui/term.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

enum { CELL_WIDTH = 8, CELL_HEIGHT = 17, EDGE = 12 };

static const struct {
    const char *name, *keys;
    int cols, rows;
} pictures[] = {
    {"diagnosis", "", 96, 26}, {"log", "l", 96, 24},  {"fix", "f", 96, 24},
    {"ranks", "r]", 96, 14},   {"walk", "a", 96, 24}, {"learn", "ejjj\n", 96, 24},
};

/* The looks of term.c on a dark ground. */
static const struct {
    const char *colour;
    bool bold, reverse;
} looks[FACE_COUNT] = {
    [FACE_PLAIN] = {"#d0d4dc", false, false},    [FACE_BOLD] = {"#ffffff", true, false},
    [FACE_DIM] = {"#8a909c", false, false},      [FACE_TITLE] = {"#5fd7e0", true, false},
    [FACE_BAR] = {"#d0d4dc", false, true},       [FACE_BAR_KEY] = {"#d0d4dc", true, true},
    [FACE_KEY] = {"#ffffff", true, false},       [FACE_FAILED] = {"#ff6b68", true, false},
    [FACE_HEALTHY] = {"#7fd77f", true, false},   [FACE_UNKNOWN] = {"#e5c07b", true, false},
    [FACE_CODE] = {"#5fd7e0", false, false},     [FACE_MARK] = {"#ff6b68", false, false},
    [FACE_SELECTED] = {"#ffffff", true, false},  [FACE_FOUND] = {"#d0d4dc", false, true},
    [FACE_RANK] = {"#7fd77f", false, false},     [FACE_RANK + 1] = {"#e5c07b", false, false},
    [FACE_RANK + 2] = {"#7aa2f7", false, false}, [FACE_RANK + 3] = {"#c586c0", false, false},
    [FACE_RANK + 4] = {"#5fd7e0", false, false}, [FACE_RANK + 5] = {"#8a909c", false, false},
};

static void put_point(FILE *out, uint32_t point) {
    if (point == '<' || point == '>' || point == '&' || point > 126)
        fprintf(out, "&#%u;", point);
    else
        fputc((int)point, out);
}

/* Cells of one face from `col` on, drawn as one piece of text; returns the column behind them. */
static int draw_run(FILE *out, const struct grid *grid, int row, int col) {
    const struct cell *cells = &grid->cells[row * grid->cols];
    int end = col, face = cells[col].face;
    bool blank = true;
    for (; end < grid->cols && cells[end].face == face; end++) blank &= cells[end].point == ' ';
    int x = EDGE + col * CELL_WIDTH, y = EDGE + row * CELL_HEIGHT;
    if (looks[face].reverse)
        fprintf(out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#3a4150\"/>\n", x,
                y, (end - col) * CELL_WIDTH, CELL_HEIGHT);
    if (blank) return end;
    int first = col, last = end; /* blanks at the ends are not drawn: viewers trim them */
    while (cells[first].point == ' ') first++;
    while (cells[last - 1].point == ' ') last--;
    x = EDGE + first * CELL_WIDTH;
    fprintf(out, "<text x=\"%d\" y=\"%d\" fill=\"%s\"%s textLength=\"%d\">", x, y + 13,
            looks[face].colour, looks[face].bold ? " font-weight=\"bold\"" : "",
            (last - first) * CELL_WIDTH);
    for (int i = first; i < last; i++)
        if (cells[i].point) put_point(out, cells[i].point == ' ' ? 0xa0 : cells[i].point);
    fprintf(out, "</text>\n");
    return end;
}

static void write_svg(FILE *out, const struct grid *grid) {
    int width = 2 * EDGE + grid->cols * CELL_WIDTH, height = 2 * EDGE + grid->rows * CELL_HEIGHT;
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
            "font-family=\"ui-monospace,Menlo,Consolas,monospace\" font-size=\"13\">\n"
            "<rect width=\"%d\" height=\"%d\" rx=\"8\" fill=\"#1b1f27\"/>\n",
            width, height, width, width, height);
    for (int row = 0; row < grid->rows; row++)
        for (int col = 0; col < grid->cols;) col = draw_run(out, grid, row, col);
    fprintf(out, "</svg>\n");
}

static bool draw_picture(struct session *session, int index, const char *folder) {
    struct screen screen;
    struct grid grid = {0};
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.svg", folder, pictures[index].name);
    FILE *out = fopen(path, "w");
    if (!out) {
        perror(path);
        return false;
    }
    screen_init(&screen, session);
    grid_resize(&grid, pictures[index].rows, pictures[index].cols);
    screen_show(&screen, screen.session);
    screen_draw(&screen, &grid);
    for (const char *key = pictures[index].keys; *key; key++) {
        screen_key(&screen, *key);
        for (enum work_kind kind; (kind = work_wanted(&screen));) {
            work_begin(&screen, kind);
            work_do(&screen);
            work_end(&screen);
        }
        screen_draw(&screen, &grid);
    }
    write_svg(out, &grid);
    screen_release(&screen);
    grid_release(&grid);
    return fclose(out) == 0;
}

int main(int argc, char **argv) {
    struct session *session;
    struct session_options options = {.threads = 1};
    struct input_options input = {.threads = 1};
    struct err err;
    const char *demo = "assets/demo";
    bool good = true;
    setlocale(LC_CTYPE, "C.UTF-8");
    if (argc != 2 || !session_open(&session, &options, &err)) return 2;
    session_read(session, &demo, 1, &input);
    for (size_t i = 0; i < COUNT_OF(pictures); i++) good &= draw_picture(session, (int)i, argv[1]);
    session_close(session);
    return good ? 0 : 1;
}
