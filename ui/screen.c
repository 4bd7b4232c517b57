#include "ui/screen.h"

#include "base/utf8.h"
#include "report/report.h"
#include "ui/complete.h"
#include "ui/term.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

const struct view *const views[VIEW_COUNT] = {&view_start,   &view_diagnosis, &view_log,
                                              &view_walk,    &view_fix,       &view_ranks,
                                              &view_machine, &view_knowledge, &view_help};

void screen_init(struct screen *screen, struct session *session) {
    *screen = (struct screen){.session = session, .view = VIEW_START, .rows = 24, .cols = 80};
}

void screen_release(struct screen *screen) {
    log_view_release(screen->log);
    knowledge_release(screen->knowledge);
    buf_release(&screen->paste);
    buf_release(&screen->prompt.text);
    buf_release(&screen->search);
    buf_release(&screen->message);
    buf_release(&screen->ticked);
    buf_release(&screen->copied);
    buf_release(&screen->trouble);
    buf_release(&screen->wanted);
    arena_release(&screen->arena);
    free(screen->typed_path);
}

void screen_say(struct screen *screen, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    buf_clear(&screen->message);
    buf_str(&screen->message, arena_vprintf(&screen->arena, format, ap));
    va_end(ap);
}

void screen_copy(struct screen *screen, struct str text, const char *what) {
    if (!text.n) {
        screen_say(screen, "There is nothing to copy here.");
        return;
    }
    buf_clear(&screen->copied);
    buf_str(&screen->copied, text);
    screen->copy_wanted = true;
    screen_say(screen, "Copied %s.", what);
}

static void screen_go(struct screen *screen, enum view_id view) {
    if (view == VIEW_HELP && screen->view != VIEW_HELP) screen->before = screen->view;
    screen->view = view;
}

static void screen_forget(struct screen *screen) {
    log_view_release(screen->log);
    screen->log = NULL;
    screen->finding = 0;
    buf_clear(&screen->ticked);
    memset(screen->selected, 0, sizeof screen->selected);
    memset(screen->scroll, 0, sizeof screen->scroll);
}

/* Those that show a diagnosis have to wait for one; an answer moves the last one. */
static bool can_go(const struct screen *screen, enum view_id view) {
    if (view == VIEW_KNOWLEDGE || view == VIEW_HELP) return true;
    if (view == VIEW_WALK) return screen->ready && !screen->reading;
    return view == VIEW_START ? !screen->ready && !screen->reading : screen->ready;
}

static void screen_take(struct screen *screen, struct session *session) {
    struct session *before = screen->session;
    screen->session = session;
    if (screen->ready && screen->reading) {
        log_view_renumber(screen, before);
        diagnosis_renumber(screen, before);
        return;
    }
    screen->ready = true;
    screen_forget(screen);
    bool stays = screen->reading && can_go(screen, screen->view);
    if (!stays) screen_go(screen, VIEW_DIAGNOSIS);
}

void screen_show_early(struct screen *screen, struct session *session) {
    screen_take(screen, session);
}

void screen_show(struct screen *screen, struct session *session) {
    screen_take(screen, session);
    screen->reading = false;
}

void screen_take_probe(struct screen *screen, const struct probe_report *report) {
    bool counts = session_take_probe(screen->session, report, screen->probe_here);
    screen->probing = screen->reading = false;
    screen->ready = true;
    if (counts && screen->probe_only)
        screen_say(screen, "Asked %s.", screen->probe_only->id);
    else if (counts)
        screen_say(screen, "Asked this machine: %d probes.", report->n_results);
    else
        screen_say(screen, "The job ran elsewhere: this machine does not count. p again takes it.");
    screen->probe_here = !counts;
}

int screen_left(const struct screen *screen) {
    return screen->cols < 60 ? 9 : 11;
}

struct row screen_row(const struct screen *screen, const char *label, enum face face,
                      struct str text) {
    return (struct row){.lead = {{2, FACE_DIM, str_of(label)}},
                        .indent = screen_left(screen),
                        .face = face,
                        .text = text};
}

/* ---- pasting and typing --------------------------------------------------------------------- */

/* A line that names a file or a folder is opened instead; a single word is no log. */
static bool open_typed(struct screen *screen, struct str text) {
    if (memchr(text.p, '\n', text.n)) return false;
    text = path_expand(&screen->arena, text);
    char *path = strndup(text.p, text.n);
    if (!path) base_out_of_memory();
    if (access(path, F_OK) != 0) {
        free(path);
        bool word = !memchr(text.p, ' ', text.n);
        if (word) screen_say(screen, "There is no file or folder '" STR_FMT "'.", STR_ARG(text));
        return word;
    }
    free(screen->typed_path);
    screen->typed_path = path;
    screen->paths = (const char *const *)&screen->typed_path;
    screen->n_paths = 1;
    screen->read_wanted = true;
    screen->pasted = false;
    return true;
}

/* Names that are left are told, as many as fit on the line. */
static void complete_typed(struct screen *screen) {
    enum { TOLD = 12 };
    struct str names[TOLD], told = {0};
    if (memchr(screen->paste.p ? screen->paste.p : "", '\n', screen->paste.n)) return;
    int n = path_complete(&screen->arena, &screen->paste, names, TOLD);
    if (n == 1) return;
    for (int i = 0; i < n && i < TOLD; i++)
        told = arena_printf(&screen->arena, STR_FMT "%s" STR_FMT, STR_ARG(told), i ? "  " : "",
                            STR_ARG(names[i]));
    screen_say(screen, n ? STR_FMT "%s" : "No file or folder begins so.", STR_ARG(told),
               n > TOLD ? " ..." : "");
}

static void paste_done(struct screen *screen) {
    struct str text = str_trim(buf_view(&screen->paste));
    if (!text.n) {
        screen_say(screen, "Nothing was pasted yet.");
        return;
    }
    if (open_typed(screen, text)) return;
    session_read_text(screen->session, buf_view(&screen->paste), STR("paste"));
    screen->pasted = true;
    screen_show(screen, screen->session);
}

static void type_paste(struct screen *screen, int key) {
    struct str typed = str_trim(buf_view(&screen->paste));
    bool word = typed.n && !memchr(typed.p, ' ', typed.n) && !memchr(typed.p, '\n', typed.n);
    if (key == '\n' && word)
        paste_done(screen); /* the name of a file or a folder */
    else if (key == TERM_BACKSPACE)
        utf8_drop(&screen->paste);
    else if (key == '\n' || key == '\t' || term_is_text(key))
        utf8_add(&screen->paste, (uint32_t)key);
}

static const struct report_format *format_of(struct str path) {
    static const struct {
        const char *end;
        const struct report_format *format;
    } ends[] = {{".md", &report_markdown},
                {".txt", &report_text},
                {".json", &report_json},
                {".html", &report_html}};
    for (size_t i = 0; i < COUNT_OF(ends); i++)
        if (str_ends(path, str_of(ends[i].end))) return ends[i].format;
    return NULL;
}

void screen_write(struct screen *screen, struct str path) {
    const struct report_format *format = format_of(path);
    struct buf out = {0};
    struct report_options options = {.width = 80};
    if (!format) {
        screen_say(screen, "The name ends in .md, .txt, .json or .html: nothing was written.");
        return;
    }
    format->write(&out, session_kb(screen->session), session_evidence(screen->session),
                  session_diagnosis(screen->session), &options);
    FILE *file = fopen(arena_cstr(&screen->arena, path), "wx");
    if (!file)
        screen_say(screen, STR_FMT " was not written: it exists, or cannot be written to.",
                   STR_ARG(path));
    else if ((fwrite(out.p, 1, out.n, file) != out.n) | (fclose(file) != 0))
        screen_say(screen, STR_FMT " could not be written whole.", STR_ARG(path));
    else
        screen_say(screen, "The report stands in " STR_FMT ".", STR_ARG(path));
    buf_release(&out);
}

/* ---- keys ----------------------------------------------------------------------------------- */

static enum action action_of(const struct screen *screen, int key) {
    for (int i = 0; i < n_key_rows; i++)
        for (int k = 0; k < KEYS_OF_ROW && key_rows[i].keys[k]; k++)
            if (key_rows[i].keys[k] == key && key_rows[i].views & 1u << screen->view)
                return key_rows[i].action;
    return ACTION_NONE;
}

/* Lists bring both into range when they are drawn. */
static void move_selection(struct screen *screen, int by) {
    screen->selected[screen->view] += by;
    screen->scroll[screen->view] += by;
}

static void turn_to(struct screen *screen, enum view_id view) {
    if (!can_go(screen, view)) return;
    screen_go(screen, view);
    if (view == VIEW_LOG && !screen->log) log_view_open_fault(screen);
}

static void turn_view(struct screen *screen, int by) {
    int view = screen->view;
    do view = (view + by + VIEW_COUNT) % VIEW_COUNT;
    while (!can_go(screen, (enum view_id)view));
    turn_to(screen, (enum view_id)view);
}

static void go_back(struct screen *screen) {
    bool results = screen->ready || screen->reading;
    if (screen->view == VIEW_HELP)
        screen_go(screen, screen->before);
    else
        screen_go(screen, results ? VIEW_DIAGNOSIS : VIEW_START);
}

static void move(struct screen *screen, enum action action) {
    int page = screen->rows > 8 ? screen->rows - 6 : 2;
    switch (action) {
    case ACTION_UP: move_selection(screen, -1); break;
    case ACTION_DOWN: move_selection(screen, 1); break;
    case ACTION_PAGE_UP: move_selection(screen, -page); break;
    case ACTION_PAGE_DOWN: move_selection(screen, page); break;
    case ACTION_TOP: move_selection(screen, -100000); break;
    case ACTION_BOTTOM: move_selection(screen, 100000); break;
    default: break;
    }
}

/* From the start, where nothing was read, this machine is all there is to look at. */
static void open_machine(struct screen *screen) {
    screen->probe_wanted |= !screen->ready && !screen->reading;
    screen_go(screen, VIEW_MACHINE);
}

/* The entry of the selected cause; the stages where there is none. */
static void open_knowledge(struct screen *screen) {
    const struct diagnosis *diagnosis = session_diagnosis(screen->session);
    bool chosen = screen->ready && screen->view == VIEW_DIAGNOSIS && diagnosis->n_findings;
    int failure = chosen ? diagnosis->findings[diagnosis_selected(screen)].failure : -1;
    screen_go(screen, VIEW_KNOWLEDGE);
    if (failure >= 0) knowledge_open(screen, session_kb(screen->session)->failures[failure].id);
}

/* While inputs are read: without a diagnosis what needs none; with an early one what changes
 * nothing. */
static bool can_act(const struct screen *screen, enum action action) {
    bool early = screen->ready && screen->reading;
    switch (action) {
    case ACTION_WALK:
    case ACTION_WRITE: return screen->ready && !early;
    case ACTION_TICK:
    case ACTION_PROBE:
    case ACTION_PROBE_ALL: return !early;
    case ACTION_DIAGNOSIS:
    case ACTION_LOG:
    case ACTION_FIX:
    case ACTION_RANKS: return screen->ready;
    case ACTION_QUIT:
    case ACTION_SUSPEND:
    case ACTION_HELP:
    case ACTION_KNOWLEDGE: return true;
    case ACTION_MACHINE: return screen->ready || !screen->reading;
    default: return screen->ready || !screen->reading || can_go(screen, screen->view);
    }
}

void screen_act(struct screen *screen, enum action action) {
    if (!can_act(screen, action)) {
        if (screen->ready) screen_say(screen, "That has to wait until all is read.");
        return;
    }
    if (views[screen->view]->act && views[screen->view]->act(screen, action)) return;
    switch (action) {
    case ACTION_QUIT: screen->quit = true; break;
    case ACTION_HELP: screen_go(screen, VIEW_HELP); break;
    case ACTION_BACK: go_back(screen); break;
    case ACTION_NEXT_VIEW: turn_view(screen, 1); break;
    case ACTION_PREVIOUS_VIEW: turn_view(screen, -1); break;
    case ACTION_DIAGNOSIS: screen_go(screen, VIEW_DIAGNOSIS); break;
    case ACTION_WALK: screen_go(screen, VIEW_WALK); break;
    case ACTION_LOG: log_view_open_fault(screen); break; /* also from the log: back to the fault */
    case ACTION_FIX:
        if (screen->view == VIEW_DIAGNOSIS) screen->finding = diagnosis_selected(screen);
        screen_go(screen, VIEW_FIX);
        break;
    case ACTION_RANKS: screen_go(screen, VIEW_RANKS); break;
    case ACTION_MACHINE: open_machine(screen); break;
    case ACTION_KNOWLEDGE: open_knowledge(screen); break;
    case ACTION_WRITE: prompt_open(screen, PROMPT_WRITE, STR("faultline-report.md")); break;
    case ACTION_PALETTE: prompt_open(screen, PROMPT_COMMAND, (struct str){0}); break;
    case ACTION_PASTE_DONE: paste_done(screen); break;
    case ACTION_COMPLETE: complete_typed(screen); break;
    case ACTION_SUSPEND: screen->suspend_wanted = true; break;
    default: move(screen, action); break;
    }
}

void screen_key(struct screen *screen, int key, struct str paste) {
    buf_clear(&screen->message);
    screen->key = key;
    if (key == TERM_PASTE) {
        if (screen->reading) return;
        if (screen->view != VIEW_START) buf_clear(&screen->paste);
        screen->prompt.kind = PROMPT_NONE;
        buf_str(&screen->paste, paste);
        paste_done(screen);
        return;
    }
    if (screen->prompt.kind) {
        prompt_key(screen, key);
        return;
    }
    bool stopped = log_view_stop(screen);
    if (stopped && key == 27) {
        screen_say(screen, "Stopped.");
        return;
    }
    enum action action = action_of(screen, key);
    if (action != ACTION_NONE)
        screen_act(screen, action);
    else if (screen->view == VIEW_START)
        type_paste(screen, key);
}

/* The first click selects an item, one on the selected item opens it. */
static void click_item(struct screen *screen, int item) {
    if (screen->prompt.kind == PROMPT_COMMAND) {
        screen->prompt.selected = item;
        prompt_key(screen, '\n');
        return;
    }
    screen->clicked = item;
    if (views[screen->view]->act && views[screen->view]->act(screen, ACTION_CLICK)) return;
    if (screen->selected[screen->view] == item)
        screen_act(screen, ACTION_OPEN);
    else
        screen->selected[screen->view] = item;
}

void screen_click(struct screen *screen, uint32_t target) {
    buf_clear(&screen->message);
    if (target >= TARGET_ITEM)
        click_item(screen, (int)(target - TARGET_ITEM));
    else if (target >= TARGET_KEY && target < TARGET_KEY + (uint32_t)n_key_rows)
        screen_key(screen, key_rows[target - TARGET_KEY].keys[0], (struct str){0});
    else if (target >= TARGET_VIEW && target < TARGET_VIEW + VIEW_COUNT)
        turn_to(screen, (enum view_id)(target - TARGET_VIEW));
}

/* ---- drawing -------------------------------------------------------------------------------- */

/* What was asked for. */
static struct str asked(struct screen *screen) {
    if (screen->pasted) return STR("paste");
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

static void draw_tabs(struct screen *screen, struct grid *grid, struct area area) {
    grid_fill(grid, area, 0, 0, FACE_BAR);
    int col = 0;
    if (!screen->ready) col = grid_text(grid, area, 0, 1, FACE_BAR, STR("faultline"));
    for (int i = first_tab(screen); i < VIEW_COUNT && screen->ready; i++) {
        enum face face = (int)screen->view == i ? FACE_TITLE : FACE_BAR;
        struct str text = tab_text(screen, i);
        if (col + (int)text.n > area.cols) break;
        grid->target = TARGET_VIEW + (uint32_t)i;
        col = grid_text(grid, area, 0, col, face, text);
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

static bool in_bar(const struct screen *screen, const struct key_row *key, bool common) {
    if (!key->label || !(key->views & 1u << screen->view)) return false;
    if (!can_act(screen, key->action)) return false;
    if (screen->view == VIEW_HELP && key->action == ACTION_HELP) return false;
    bool answers = key->action == ACTION_OPEN || key->action == ACTION_UNKNOWN;
    if (screen->view == VIEW_WALK && answers && !session_walk(screen->session)->id.n) return false;
    return is_common(screen, key) == common;
}

/* On the right what is the same everywhere, on the left what this view adds
 * while there is room. */
static void draw_bar(struct screen *screen, struct grid *grid, struct area area) {
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

/* "340 of 1024 MB" */
static struct str bytes_read(struct screen *screen) {
    double done = (double)atomic_load(&screen->bytes_done) / 1e6;
    double total = (double)atomic_load(&screen->bytes_total) / 1e6;
    if (done > total && total > 0) done = total; /* an archive holds more than its own bytes */
    if (total > 0) return arena_printf(&screen->arena, "%.0f of %.0f MB", done, total);
    return arena_printf(&screen->arena, "%.0f MB", done);
}

static void draw_reading(struct screen *screen, struct grid *grid, struct area area) {
    if (screen->probing)
        grid_text(grid, area, 1, 2, FACE_BOLD, STR("Asking this machine, for 5 s at most ..."));
    else
        grid_printf(grid, area, 1, 2, FACE_BOLD, "Reading: " STR_FMT, STR_ARG(bytes_read(screen)));
}

/* What is typed, what was said, else how far the reading came. */
static void draw_message(struct screen *screen, struct grid *grid, struct area area) {
    int row = area.rows - 2;
    struct str doing = log_view_doing(screen);
    if (screen->prompt.kind)
        prompt_draw(screen, grid, area, row);
    else if (screen->message.n)
        grid_text(grid, area, row, 1, FACE_BOLD, buf_view(&screen->message));
    else if (doing.n)
        grid_text(grid, area, row, 1, FACE_UNKNOWN, doing);
    else if (screen->ready && screen->probing)
        grid_text(grid, area, row, 1, FACE_UNKNOWN,
                  STR("Asking this machine, for 5 s at most ..."));
    else if (screen->ready && screen->reading)
        grid_printf(grid, area, row, 1, FACE_UNKNOWN, "So far: " STR_FMT " read",
                    STR_ARG(bytes_read(screen)));
}

void screen_draw(struct screen *screen, struct grid *grid) {
    struct area whole = grid_area(grid);
    arena_release(&screen->arena);
    grid_clear(grid);
    screen->rows = grid->rows;
    screen->cols = grid->cols;
    draw_tabs(screen, grid, whole);
    struct area body = {1, 0, whole.rows - 3, whole.cols};
    if (body.rows > 0) {
        if (!can_go(screen, screen->view))
            draw_reading(screen, grid, body);
        else if (screen->prompt.kind == PROMPT_COMMAND)
            palette_draw(screen, grid, body);
        else
            views[screen->view]->draw(screen, grid, body);
    }
    if (whole.rows < 2) return;
    draw_message(screen, grid, whole);
    draw_bar(screen, grid, whole);
}
