/* face.h - a screen without a terminal: keys in, the grid as text out; every drawing is checked. */
#ifndef FAULTLINE_TEST_FACE_H
#define FAULTLINE_TEST_FACE_H

#include "tests/unit/test.h"

#include "ui/screen.h"
#include "ui/term.h"

#include <locale.h>
#include <stdio.h>
#include <unistd.h>
#include <wchar.h>

struct fixture {
    struct session *session;
    struct screen screen;
    struct grid grid;
    struct arena arena;
};

/* Wide characters are whole, nothing steers a terminal, faces are known. */
static inline void face_check_grid(const struct grid *grid) {
    for (int row = 0; row < grid->rows; row++)
        for (int col = 0; col < grid->cols; col++) {
            const struct cell *cell = &grid->cells[row * grid->cols + col];
            const struct cell *next = col + 1 < grid->cols ? cell + 1 : NULL;
            assert_true(cell->face < FACE_COUNT);
            if (!cell->point) {
                assert_true(col > 0);
                assert_int_equal(wcwidth((wchar_t)cell[-1].point), 2);
                continue;
            }
            assert_true(cell->point >= 0x20 && !(cell->point >= 0x7f && cell->point < 0xa0));
            assert_true(cell->point < 0x110000);
            int width = wcwidth((wchar_t)cell->point);
            assert_true(width == 1 || width == 2);
            if (width == 2) assert_true(next && !next->point);
            if (cell->combining) assert_int_equal(wcwidth((wchar_t)cell->combining), 0);
        }
}

static inline void face_draw(struct fixture *face) {
    screen_draw(&face->screen, &face->grid);
    face_check_grid(&face->grid);
}

static inline void face_size(struct fixture *face, int cols, int rows) {
    grid_resize(&face->grid, rows, cols);
    face_draw(face);
}

static inline void face_open(struct fixture *face, int cols, int rows) {
    struct err err;
    struct session_options options = {.threads = 1};
    *face = (struct fixture){0};
    assert_non_null(setlocale(LC_CTYPE, "C.UTF-8"));
    if (!session_open(&face->session, &options, &err)) fail_msg("%s: %s", err.what, err.detail);
    screen_init(&face->screen, face->session);
    face_size(face, cols, rows);
}

static inline void face_close(struct fixture *face) {
    screen_release(&face->screen);
    session_close(face->session);
    grid_release(&face->grid);
    arena_release(&face->arena);
}

static inline void face_read(struct fixture *face, const char *path) {
    struct input_options input = {.threads = 1};
    session_read(face->session, &path, 1, &input);
    face->screen.pasted = false;
    screen_show(&face->screen, face->session);
    face_draw(face);
}

/* Text whose source is gone: as if it had come through a pipe. */
static inline void face_read_text(struct fixture *face, struct str text) {
    session_read_text(face->session, text, STR("pipe"), NULL);
    face->screen.pasted = false;
    screen_show(&face->screen, face->session);
    face_draw(face);
}

/* What the loop of the program has done beside the keys. */
static inline void face_mind(struct fixture *face) {
    struct screen *screen = &face->screen;
    if (screen->read_wanted) {
        screen_begin(screen);
        if (screen->pasted)
            session_read_text(face->session, buf_view(&screen->paste), STR("paste"), NULL);
        else
            session_read(face->session, screen->paths, screen->n_paths, NULL);
        screen_show(screen, face->session);
    }
    for (enum work_kind kind; (kind = work_wanted(screen));) {
        work_begin(screen, kind);
        work_do(screen);
        work_end(screen);
    }
}

static inline void face_paste(struct fixture *face, struct str text) {
    struct buf paste = {0};
    buf_str(&paste, text);
    screen_paste(&face->screen, &paste);
    buf_release(&paste);
    face_mind(face);
    face_draw(face);
}

static inline void face_key(struct fixture *face, int key) {
    screen_key(&face->screen, key);
    face_mind(face);
    face_draw(face);
    while (log_view_busy(&face->screen)) { /* as the loop of the program does */
        log_view_work(&face->screen);
        face_draw(face);
    }
}

static inline void face_keys(struct fixture *face, const char *keys) {
    for (; *keys; keys++) face_key(face, *keys);
}

/* The whole grid as lines. */
static inline struct str face_text(struct fixture *face) {
    struct buf out = {0};
    for (int row = 0; row < face->grid.rows; row++) {
        buf_str(&out, grid_row(&face->grid, row, &face->arena));
        buf_char(&out, '\n');
    }
    struct str text = arena_str(&face->arena, buf_view(&out));
    buf_release(&out);
    return text;
}

static inline bool face_has(struct fixture *face, const char *text) {
    return str_has(face_text(face), str_of(text));
}

/* What one reads when pages are turned: every page until the screen stays the same. */
static inline struct str face_scroll_text(struct fixture *face) {
    struct buf out = {0};
    struct str last = {0};
    face_key(face, 'g');
    for (int page = 0; page < 200; page++) {
        struct str now = face_text(face);
        if (str_eq(now, last)) break;
        buf_str(&out, now);
        last = now;
        face_key(face, 'j');
    }
    struct str text = arena_str(&face->arena, buf_view(&out));
    buf_release(&out);
    return text;
}

/* ---- what tests begin and end with, and the mouse
 * ------------------------------------------------
 */

/* A job that leaves two causes open, R1.2 and R1.1. */
#define FACE_TWO_CAUSES "tests/cases/ext-wheel-other-torch-op/job"

static inline int face_open_demo(void **state) {
    struct fixture *face = calloc(1, sizeof *face);
    face_open(face, 80, 24);
    face_read(face, "assets/demo");
    *state = face;
    return 0;
}

static inline int face_open_empty(void **state) {
    struct fixture *face = calloc(1, sizeof *face);
    face_open(face, 80, 24);
    *state = face;
    return 0;
}

static inline int face_shut(void **state) {
    face_close(*state);
    free(*state);
    return 0;
}

/* Folds the wrapped rows of the help: blanks at the beginnings of lines go. */
static inline struct str face_folded(struct fixture *face, struct str text) {
    struct buf out = {0};
    struct str line;
    while (text.n && str_line(&text, &line)) {
        buf_str(&out, str_trim(line));
        buf_char(&out, ' ');
    }
    struct str all = arena_str(&face->arena, buf_view(&out));
    buf_release(&out);
    return all;
}

static inline void face_click(struct fixture *face, const char *text) {
    for (int row = 0; row < face->grid.rows; row++) {
        struct str line = grid_row(&face->grid, row, &face->arena);
        ptrdiff_t at = str_find(line, str_of(text), 0);
        if (at < 0) continue;
        screen_click(&face->screen,
                     grid_target(&face->grid, row, grid_columns(str_sub(line, 0, (size_t)at))));
        face_draw(face);
        return;
    }
    fail_msg("nothing says '%s'", text);
}

#define FACE_FAULT                                                                                 \
    "[rank3]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB. GPU 0 has "  \
    "a "                                                                                           \
    "total capacity of 79.15 GiB of which 1.12 GiB is free."

#define assert_shows(face, expected)                                                               \
    do {                                                                                           \
        if (!face_has((face), (expected)))                                                         \
            fail_msg("'%s' is not on the screen:\n" STR_FMT, (expected),                           \
                     STR_ARG(face_text(face)));                                                    \
    } while (0)
#define assert_hides(face, expected)                                                               \
    do {                                                                                           \
        if (face_has((face), (expected)))                                                          \
            fail_msg("'%s' is on the screen:\n" STR_FMT, (expected), STR_ARG(face_text(face)));    \
    } while (0)

#endif
