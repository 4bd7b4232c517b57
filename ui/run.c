/* Joins the screen to a terminal: reads the inputs in a thread, keys and frames
 * in this one. */
#include "report/report.h"
#include "ui/early.h"
#include "ui/screen.h"
#include "ui/term.h"

#include <pthread.h>
#include <stdlib.h>

enum { POLL_MS = 50, IDLE_MS = 1000 };

struct reading {
    struct screen *screen;
    struct session *session; /* whose inputs these are; the screen may show an early one */
    struct early *early;     /* NULL: nothing is being read */
    struct input_options input;
    pthread_t thread;
    bool threaded, all;
    struct buf errors; /* shown when all is read, and again when the screen is left */
    atomic_bool finished, cancelled;
};

/* This machine, while it is asked. */
struct asking {
    const struct probe *only; /* NULL: all */
    struct probe_report report;
    pthread_t thread;
    bool threaded;
    atomic_bool finished, cancelled;
};

static void on_error(void *ctx, const struct err *err) {
    struct reading *reading = ctx;
    if (atomic_load(&reading->cancelled)) return; /* what the user did not wait for */
    buf_printf(&reading->errors, "%s%s%s\n", err->what, err->detail[0] ? ": " : "", err->detail);
    if (err->hint[0]) buf_printf(&reading->errors, "\t%s\n", err->hint);
}

static void on_progress(void *ctx, uint64_t done, uint64_t total) {
    struct reading *reading = ctx;
    atomic_store(&reading->screen->bytes_done, done);
    atomic_store(&reading->screen->bytes_total, total);
}

static void on_look(void *ctx, const struct evidence *merged, const struct evidence *partial) {
    early_look(((struct reading *)ctx)->early, merged, partial);
}

static bool is_cancelled(void *ctx) {
    return atomic_load(&((struct reading *)ctx)->cancelled);
}

static void *read_inputs(void *ctx) {
    struct reading *reading = ctx;
    struct screen *screen = reading->screen;
    reading->all = session_read(reading->session, screen->paths, screen->n_paths, &reading->input);
    atomic_store(&reading->finished, true);
    return NULL;
}

static bool is_left(void *ctx) {
    return atomic_load(&((struct asking *)ctx)->cancelled);
}

static void *ask_machine(void *ctx) {
    struct asking *asking = ctx;
    struct probe_options options = {.cancelled = is_left, .ctx = asking};
    probe_run(&asking->report, asking->only, &options);
    atomic_store(&asking->finished, true);
    return NULL;
}

static void asking_start(struct asking *asking, struct screen *screen) {
    screen->probing = true;
    screen->reading = !screen->ready; /* from the start view there is nothing else to look at */
    screen->probe_wanted = false;
    screen->probe_here |= !screen->ready;
    asking->only = screen->probe_only;
    atomic_store(&asking->finished, false);
    asking->threaded = pthread_create(&asking->thread, NULL, ask_machine, asking) == 0;
    if (!asking->threaded) ask_machine(asking);
}

static void asking_end(struct asking *asking, struct screen *screen) {
    if (asking->threaded) pthread_join(asking->thread, NULL);
    screen_take_probe(screen, &asking->report);
    probe_release(&asking->report);
}

static void reading_start(struct reading *reading) {
    struct screen *screen = reading->screen;
    screen->reading = true;
    screen->ready = screen->read_wanted = false;
    screen->view = VIEW_DIAGNOSIS;
    buf_clear(&reading->errors);
    atomic_store(&reading->finished, false);
    reading->early = early_new(reading->session);
    reading->threaded = pthread_create(&reading->thread, NULL, read_inputs, reading) == 0;
    if (!reading->threaded) read_inputs(reading);
}

/* Waits for the thread.  The screen goes on reading until it is shown the result. */
static void reading_end(struct reading *reading) {
    if (reading->early && reading->threaded) pthread_join(reading->thread, NULL);
    reading->threaded = false;
}

static void take_result(struct reading *reading) {
    struct screen *screen = reading->screen;
    if (!reading->early) return;
    if (!atomic_load(&reading->finished)) {
        struct session *early = reading->early ? early_take(reading->early) : NULL;
        if (early) screen_show_early(screen, early);
        return;
    }
    reading_end(reading);
    buf_clear(&screen->trouble);
    buf_str(&screen->trouble, buf_view(&reading->errors));
    screen_show(screen, reading->session);
    early_release(reading->early);
    reading->early = NULL;
}

static void press(struct screen *screen, const struct grid *grid, int key, struct str paste) {
    int row, col;
    if (key != TERM_CLICK) {
        screen_key(screen, key, paste);
        return;
    }
    term_pointer(&row, &col);
    screen_click(screen, grid_target(grid, row, col));
}

static void loop(struct screen *screen, struct reading *reading, struct asking *asking) {
    struct grid grid = {0};
    struct buf paste = {0};
    while (!screen->quit) {
        int rows, cols;
        if (screen->read_wanted) reading_start(reading);
        if (screen->probe_wanted && !screen->probing && !screen->reading)
            asking_start(asking, screen);
        take_result(reading);
        if (screen->probing && !reading->early && atomic_load(&asking->finished))
            asking_end(asking, screen);
        term_size(&rows, &cols);
        if (rows != grid.rows || cols != grid.cols) grid_resize(&grid, rows, cols);
        screen_draw(screen, &grid);
        term_draw(&grid);
        bool busy = log_view_busy(screen);
        int key = term_key(busy                                 ? 0
                           : screen->reading || screen->probing ? POLL_MS
                                                                : IDLE_MS,
                           &paste);
        if (key == KEY_NONE_YET && busy) log_view_work(screen);
        if (key == TERM_CLOSED) break;
        if (key == KEY_NONE_YET || key == TERM_RESIZE) continue;
        press(screen, &grid, key, buf_view(&paste));
        if (key == TERM_PASTE) buf_clear(&paste);
        if (screen->copy_wanted) term_copy(buf_view(&screen->copied));
        if (screen->suspend_wanted) term_suspend();
        screen->copy_wanted = screen->suspend_wanted = false;
    }
    grid_release(&grid);
    buf_release(&paste);
}

/* What was learned stays in the scrollback; `whole`: of all inputs. */
static int leave(struct command_context *ctx, struct screen *screen, struct reading *reading,
                 bool whole) {
    struct str rest = buf_view(&reading->errors), line;
    while (str_line(&rest, &line)) {
        bool hint = str_starts(line, STR("\t"));
        fputs(hint ? "           " : "faultline: ", ctx->err);
        command_print(ctx->err, str_sub(line, hint, line.n));
        fputc('\n', ctx->err);
    }
    if (!screen->ready) return reading->errors.n ? STATUS_UNREADABLE : STATUS_OK;
    struct report_options options = {.colour = ctx->options.color > 0, .width = ctx->width};
    struct buf out = {0};
    const struct diagnosis *diagnosis = session_diagnosis(screen->session);
    if (!whole)
        fprintf(ctx->err, "faultline: left before all was read: this is what was known so far\n");
    report_text.write(&out, session_kb(screen->session), session_evidence(screen->session),
                      diagnosis, &options);
    fwrite(out.p, 1, out.n, ctx->out);
    buf_release(&out);
    if (reading->errors.n) return STATUS_UNREADABLE;
    if (diagnosis->verdict != VERDICT_FAILED) return STATUS_OK;
    return diagnosis->findings[0].failure >= 0 ? STATUS_FAILED : STATUS_FALLBACK;
}

int screen_run(struct command_context *ctx, int n_paths, char **paths) {
    struct err err;
    struct session *session;
    struct screen screen;
    if (!session_open(&session, &ctx->options.session, &err))
        return command_error(ctx, &err, STATUS_UNREADABLE);
    screen_init(&screen, session);
    screen.paths = (const char *const *)paths;
    screen.n_paths = n_paths;
    screen.read_wanted = n_paths > 0;
    struct reading reading = {.screen = &screen, .session = session};
    reading.input = (struct input_options){.threads = ctx->options.session.threads,
                                           .on_error = on_error,
                                           .on_progress = on_progress,
                                           .on_look = on_look,
                                           .cancelled = is_cancelled,
                                           .ctx = &reading};
    bool opened = term_open(ctx->options.color > 0, &err);
    struct asking asking = {0};
    if (opened) loop(&screen, &reading, &asking);
    term_close();
    bool whole = !reading.early;
    atomic_store(&reading.cancelled, true);
    reading_end(&reading);
    screen.session = session;
    early_release(reading.early);
    atomic_store(&asking.cancelled, true); /* who leaves waits for no probe */
    if (screen.probing) asking_end(&asking, &screen);
    int status =
        opened ? leave(ctx, &screen, &reading, whole) : command_error(ctx, &err, STATUS_USAGE);
    buf_release(&reading.errors);
    screen_release(&screen);
    session_close(session);
    return status;
}
