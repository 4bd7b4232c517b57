#include "ui/screen.h"

#include "report/report.h"
#include "ui/term.h"

#include <stdio.h>

const struct view *const views[VIEW_COUNT] = {&view_start, &view_diagnosis, &view_log,
                                              &view_walk,  &view_fix,       &view_help};

void screen_init(struct screen *screen, struct session *session) {
    *screen = (struct screen){.session = session, .view = VIEW_START};
}

void screen_release(struct screen *screen) {
    log_view_release(screen->log);
    buf_release(&screen->paste);
    buf_release(&screen->search);
    buf_release(&screen->message);
    buf_release(&screen->copied);
    arena_release(&screen->arena);
}

void screen_say(struct screen *screen, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    buf_clear(&screen->message);
    buf_str(&screen->message, arena_vprintf(&screen->arena, format, ap));
    va_end(ap);
}

static void screen_go(struct screen *screen, enum view_id view) {
    if (view == VIEW_HELP) screen->before = screen->view;
    screen->view = view;
}

void screen_show(struct screen *screen) {
    screen->ready = true;
    log_view_release(screen->log);
    screen->log = NULL;
    memset(screen->selected, 0, sizeof screen->selected);
    memset(screen->scroll, 0, sizeof screen->scroll);
    screen_go(screen, VIEW_DIAGNOSIS);
}

/* ---- keys
 * ------------------------------------------------------------------------------------------ */

static enum action action_of(const struct screen *screen, int key) {
    for (int i = 0; i < n_key_rows; i++)
        if ((key_rows[i].key == key || (key_rows[i].other && key_rows[i].other == key)) &&
            key_rows[i].views & 1u << screen->view)
            return key_rows[i].action;
    return ACTION_NONE;
}

static void type_search(struct screen *screen, int key) {
    if (key == '\n' || key == 27) {
        screen->searching = false;
        if (key == '\n') log_view_search(screen, 1);
    } else if (key == TERM_BACKSPACE) {
        if (screen->search.n) screen->search.n--;
    } else if (key >= 32 && key < 127 && screen->search.n < 200)
        buf_char(&screen->search, (char)key);
}

static void type_paste(struct screen *screen, int key) {
    if (key == TERM_BACKSPACE) {
        if (screen->paste.n) screen->paste.n--;
    } else if (key == '\n' || key == '\t' || (key >= 32 && key < 127))
        buf_char(&screen->paste, (char)key);
}

static void paste_done(struct screen *screen) {
    struct str text = str_trim(buf_view(&screen->paste));
    if (!text.n) {
        screen_say(screen, "Nothing was pasted yet.");
        return;
    }
    session_read_text(screen->session, buf_view(&screen->paste), STR("paste"));
    screen_show(screen);
}

static void write_report(struct screen *screen) {
    static const char path[] = "faultline-report.md";
    struct buf out = {0};
    struct report_options options = {.width = 80};
    report_markdown.write(&out, session_kb(screen->session), session_evidence(screen->session),
                          session_diagnosis(screen->session), &options);
    FILE *file = fopen(path, "wx");
    if (!file)
        screen_say(screen, "%s was not written: it exists, or this folder cannot be written to.",
                   path);
    else if ((fwrite(out.p, 1, out.n, file) != out.n) | (fclose(file) != 0))
        screen_say(screen, "%s could not be written whole.", path);
    else
        screen_say(screen, "The report stands in %s.", path);
    buf_release(&out);
}

static void move_selection(struct screen *screen, int by) {
    int *at = &screen->selected[screen->view];
    *at += by;
    if (*at >= screen->n_items) *at = screen->n_items - 1;
    if (*at < 0) *at = 0;
}

static void turn_view(struct screen *screen, int by) {
    int view = screen->view;
    do view = (view + by + VIEW_COUNT) % VIEW_COUNT;
    while (view == VIEW_START || view == VIEW_HELP);
    screen_go(screen, (enum view_id)view);
}

static void act(struct screen *screen, enum action action) {
    int page = screen->rows > 6 ? screen->rows - 6 : 1;
    if (views[screen->view]->act && views[screen->view]->act(screen, action)) return;
    switch (action) {
    case ACTION_QUIT: screen->quit = true; break;
    case ACTION_HELP: screen_go(screen, VIEW_HELP); break;
    case ACTION_BACK:
        screen_go(screen, screen->view == VIEW_HELP ? screen->before : VIEW_DIAGNOSIS);
        break;
    case ACTION_NEXT_VIEW: turn_view(screen, 1); break;
    case ACTION_PREVIOUS_VIEW: turn_view(screen, -1); break;
    case ACTION_DIAGNOSIS: screen_go(screen, VIEW_DIAGNOSIS); break;
    case ACTION_WALK: screen_go(screen, VIEW_WALK); break;
    case ACTION_FIX: screen_go(screen, VIEW_FIX); break;
    case ACTION_LOG: {
        const struct diagnosis *diagnosis = session_diagnosis(screen->session);
        if (diagnosis->first_fault.known)
            log_view_open(screen, &diagnosis->first_fault.origin);
        else
            log_view_open(screen, &(struct origin){.line = 1, .rank = -1});
        break;
    }
    case ACTION_UP: move_selection(screen, -1); break;
    case ACTION_DOWN: move_selection(screen, 1); break;
    case ACTION_PAGE_UP: move_selection(screen, -page); break;
    case ACTION_PAGE_DOWN: move_selection(screen, page); break;
    case ACTION_TOP: move_selection(screen, -screen->n_items); break;
    case ACTION_BOTTOM: move_selection(screen, screen->n_items); break;
    case ACTION_WRITE: write_report(screen); break;
    case ACTION_PASTE_DONE: paste_done(screen); break;
    case ACTION_SUSPEND: screen->suspend_wanted = true; break;
    default: break;
    }
}

void screen_key(struct screen *screen, int key, struct str paste) {
    buf_clear(&screen->message);
    if (key == TERM_PASTE) {
        if (screen->view != VIEW_START) buf_clear(&screen->paste);
        buf_str(&screen->paste, paste);
        paste_done(screen);
        return;
    }
    if (screen->searching) {
        type_search(screen, key);
        return;
    }
    enum action action = action_of(screen, key);
    if (!screen->ready && screen->view != VIEW_START && action != ACTION_QUIT &&
        action != ACTION_SUSPEND)
        return;
    if (action != ACTION_NONE)
        act(screen, action);
    else if (screen->view == VIEW_START)
        type_paste(screen, key);
}

/* ---- drawing
 * ----------------------------------------------------------------------------------------- */

static void draw_tabs(struct screen *screen, struct grid *grid, struct area area) {
    grid_fill(grid, area, 0, 0, FACE_BAR);
    int col = grid_text(grid, area, 0, 1, FACE_BAR, STR("faultline"));
    for (int i = VIEW_DIAGNOSIS; i < VIEW_COUNT && screen->ready; i++) {
        enum face face = (int)screen->view == i ? FACE_PLAIN : FACE_BAR;
        col = grid_printf(grid, area, 0, col + 2, face, " %s ", views[i]->name);
    }
}

static void draw_bar(struct screen *screen, struct grid *grid, struct area area) {
    int row = area.rows - 1, col = 0;
    grid_fill(grid, area, row, 0, FACE_PLAIN);
    for (int i = 0; i < n_key_rows; i++) {
        const struct key_row *key = &key_rows[i];
        if (!key->bar || !(key->views & 1u << screen->view)) continue;
        int need = (int)(strcspn(key->shown, " ") + strlen(key->label)) + 3;
        if (col + need > area.cols) continue;
        col = grid_printf(grid, area, row, col, FACE_KEY, "%.*s", (int)strcspn(key->shown, " "),
                          key->shown);
        col = grid_printf(grid, area, row, col + 1, FACE_DIM, "%s", key->label) + 1;
    }
}

static void draw_message(struct screen *screen, struct grid *grid, struct area area) {
    if (screen->searching) {
        int col = grid_text(grid, area, area.rows - 2, 0, FACE_BOLD, STR("/"));
        grid_text(grid, area, area.rows - 2, col, FACE_BOLD, buf_view(&screen->search));
    } else
        grid_text(grid, area, area.rows - 2, 1, FACE_BOLD, buf_view(&screen->message));
}

void screen_draw(struct screen *screen, struct grid *grid) {
    struct area whole = grid_area(grid);
    arena_release(&screen->arena);
    grid_clear(grid);
    screen->rows = grid->rows;
    screen->cols = grid->cols;
    screen->n_items = 0;
    draw_tabs(screen, grid, whole);
    struct area body = {1, 0, whole.rows - 3, whole.cols};
    if (!screen->ready && screen->view != VIEW_START)
        grid_printf(grid, body, 1, 2, FACE_BOLD, "Reading ... %.1f MB",
                    (double)atomic_load(&screen->bytes_done) / 1e6);
    else if (body.rows > 0)
        views[screen->view]->draw(screen, grid, body);
    draw_message(screen, grid, whole);
    draw_bar(screen, grid, whole);
}
