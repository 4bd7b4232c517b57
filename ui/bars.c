#include "ui/bars.h"

#include "base/utf8.h"
#include "ui/screen.h"

#include <stdio.h>

/* What was asked for. */
static struct str asked(struct screen *screen) {
    if (screen->pasted) return screen->paste.n ? STR("paste") : STR("no log");
    if (screen->n_paths > 1) return arena_printf(&screen->arena, "%d paths", screen->n_paths);
    if (screen->n_paths && strcmp(screen->paths[0], "-") == 0) return STR("standard input");
    return screen->n_paths ? str_of(screen->paths[0]) : (struct str){0};
}

/* The last names of a path that fit, none of them cut; else the end of the last one. */
static struct str path_end(struct str path, int room) {
    while (path.n > 1 && path.p[path.n - 1] == '/') path.n--;
    while (grid_columns(path) > room) {
        const char *slash = memchr(path.p + 1, '/', path.n - 1);
        if (!slash) break;
        path = str_sub(path, (size_t)(slash - path.p) + 1, path.n);
    }
    while (path.n && grid_columns(path) > room) {
        uint32_t point;
        int n = utf8_step(path.p, path.n, &point);
        path = str_sub(path, n > 0 ? (size_t)n : 1, path.n);
    }
    return path;
}

enum { TAB_KEYS = 60, TAB_APART = 100 }; /* columns from which keys fit, and room between */

static struct str tab_text(struct screen *screen, int view) {
    const char *name = views[view]->name, *key = views[view]->key;
    if (screen->cols < TAB_KEYS) return arena_printf(&screen->arena, " %s ", name);
    return arena_printf(&screen->arena, " %s %s%s", key, name,
                        screen->cols < TAB_APART ? "" : "  ");
}

/* On a narrow screen the first tabs make room, so that one sees where one is. */
static int first_tab(struct screen *screen) {
    int first = VIEW_DIAGNOSIS, width = 0;
    for (int i = VIEW_DIAGNOSIS; i <= (int)screen->view; i++) width += (int)tab_text(screen, i).n;
    while (first < (int)screen->view && width > screen->cols)
        width -= (int)tab_text(screen, first++).n;
    return first;
}

void bars_draw_tabs(struct screen *screen, struct grid *grid, struct area area) {
    grid_fill(grid, area, 0, 0, FACE_BAR);
    int col = 0;
    if (!screen->ready) col = grid_text(grid, area, 0, 1, FACE_BAR, STR("faultline"));
    for (int i = first_tab(screen); i < VIEW_COUNT && screen->ready; i++) {
        enum face face = (int)screen->view == i ? FACE_TITLE : FACE_BAR;
        struct str text = tab_text(screen, i);
        if (col + (int)text.n > area.cols) break;
        grid->target = TARGET_VIEW + (uint32_t)i;
        int key = col + 1;
        col = grid_text(grid, area, 0, col, face, text);
        if (face == FACE_BAR && screen->cols >= TAB_KEYS)
            grid_text(grid, area, 0, key, FACE_BAR_KEY, str_of(views[i]->key));
    }
    grid->target = 0;
    struct str path = asked(screen);
    int room = area.cols - col - 2;
    if (room < 8 || !path.n) return;
    path = path_end(path, room);
    grid_text(grid, area, 0, area.cols - 1 - grid_columns(path), FACE_BAR, path);
}

static int bar_width(const struct key_row *key) {
    return (int)(strcspn(key->shown, " ") + strlen(key->label)) + 4;
}

static int draw_key(struct grid *grid, struct area area, int col, const struct key_row *key) {
    int row = area.rows - 1;
    struct str name = {key->shown, strcspn(key->shown, " ")};
    grid->target = TARGET_KEY + (uint32_t)(key - key_rows);
    col = grid_text(grid, area, row, col, FACE_KEY, name);
    col = grid_text(grid, area, row, col + 1, FACE_DIM, str_of(key->label)) + 3;
    grid->target = 0;
    return col;
}

/* The help and the way out, which stand on the right of every bar. */
static bool is_common(const struct screen *screen, const struct key_row *key) {
    return key->action == ACTION_HELP || key->action == ACTION_QUIT ||
           (key->action == ACTION_BACK && screen->view == VIEW_HELP);
}

/* Whether the walk has a question, or may have one soon. */
static bool asks(const struct screen *screen) {
    const struct walk_step *step = session_walk_known(screen->session);
    return !step || step->id.n;
}

static bool in_bar(const struct screen *screen, const struct key_row *key, bool common) {
    if (!key->label || !(key->views & 1u << screen->view)) return false;
    if (!screen_can_act(screen, key->action)) return false;
    if (screen->view == VIEW_HELP && key->action == ACTION_HELP) return false;
    bool answers = key->action == ACTION_OPEN || key->action == ACTION_UNKNOWN;
    if (screen->view == VIEW_WALK && answers && !asks(screen)) return false;
    return is_common(screen, key) == common;
}

void bars_draw_keys(struct screen *screen, struct grid *grid, struct area area) {
    int right = area.cols, col = 1;
    if (screen->prompt.kind) {
        prompt_draw_bar(screen, grid, area);
        return;
    }
    for (int i = 0; i < n_key_rows; i++)
        if (in_bar(screen, &key_rows[i], true)) right -= bar_width(&key_rows[i]);
    for (int i = 0; i < n_key_rows; i++)
        if (in_bar(screen, &key_rows[i], false) && col + bar_width(&key_rows[i]) <= right)
            col = draw_key(grid, area, col, &key_rows[i]);
    col = right > 1 ? right + 2 : 1;
    for (int i = 0; i < n_key_rows; i++)
        if (in_bar(screen, &key_rows[i], true)) col = draw_key(grid, area, col, &key_rows[i]);
}

struct str bars_bytes_read(struct screen *screen) {
    double done = (double)atomic_load(&screen->bytes_done);
    double total = (double)atomic_load(&screen->bytes_total);
    double unit = (total > 0 ? total : done) < 1e6 ? 1e3 : 1e6;
    const char *name = unit < 1e6 ? "kB" : "MB";
    if (done > total && total > 0) done = total; /* an archive holds more than its own bytes */
    if (total > 0)
        return arena_printf(&screen->arena, "%.0f of %.0f %s", done / unit, total / unit, name);
    return arena_printf(&screen->arena, "%.*f %s", done < 10 * unit, done / unit, name);
}

static const char asking[] = "Asking this machine, for 5 s at most ...";

void bars_draw_reading(struct screen *screen, struct grid *grid, struct area area) {
    if (screen->probing || screen->work.think)
        grid_text(grid, area, 1, 2, FACE_BOLD, str_of(asking));
    else
        grid_printf(grid, area, 1, 2, FACE_BOLD, "Reading: " STR_FMT,
                    STR_ARG(bars_bytes_read(screen)));
}

/* What goes on. */
static struct str doing(struct screen *screen) {
    struct str text = log_view_doing(screen);
    if (!text.n) text = work_doing(screen);
    if (text.n || !screen->ready) return text;
    if (screen->probing) return str_of(asking);
    if (!screen->reading) return text;
    const char *stops = screen->view == VIEW_DIAGNOSIS ? "; Esc stops" : "";
    return arena_printf(&screen->arena, "So far: " STR_FMT " read%s",
                        STR_ARG(bars_bytes_read(screen)), screen->stopped ? "; stopping" : stops);
}

void bars_draw_message(struct screen *screen, struct grid *grid, struct area area) {
    int row = area.rows - 2;
    if (screen->prompt.kind)
        prompt_draw(screen, grid, area, row);
    else if (screen->pasting)
        grid_printf(grid, area, row, 1, FACE_UNKNOWN, "Pasting: %.1f MB",
                    (double)screen->pasting / 1e6);
    else if (screen->message.n)
        grid_text(grid, area, row, 1, FACE_BOLD, buf_view(&screen->message));
    else
        grid_text(grid, area, row, 1, FACE_UNKNOWN, doing(screen));
}
