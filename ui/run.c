/* Joins the screen to a terminal: reads the inputs in a thread, keys and frames
 * in this one. */
#include "base/clock.h"
#include "report/report.h"
#include "ui/early.h"
#include "ui/screen.h"
#include "ui/spool.h"
#include "ui/task.h"
#include "ui/term.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum {
    POLL_MS = 100,
    IDLE_MS = 1000,
    PATIENCE_MS = 25, /* what is thought of sooner is drawn once, not twice */
    LIVE_SHARE = 10,  /* one part of so many of the time what comes through a pipe is read again */
    LEAVE_MS = 1000,  /* so long one waits for reading to end */
    BURST_MS = 30     /* keys that come faster than they can be drawn: so long without a drawing */
};

/* The inputs, while they are read. */
struct reading {
    struct task task;
    struct screen *screen;
    struct session *session; /* whose inputs these are; the screen may show an early one */
    struct early *early;     /* NULL: nothing is being read */
    struct input_options input;
    struct spool spool; /* of standard input, where that is a pipe */
    bool piped;
    bool live;         /* it is the pipe that is read now */
    struct buf errors; /* shown when all is read, and again when the screen is left */
};

/* This machine, while it is asked. */
struct asking {
    struct task task;
    const struct probe *only; /* NULL: all */
    struct probe_report report;
};

/* The session, while it is worked on. */
struct working {
    struct task task;
    struct screen *screen;
};

static void on_error(void *ctx, const struct err *err) {
    struct reading *reading = ctx;
    if (atomic_load(&reading->task.cancelled)) return; /* what the user did not wait for */
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
    return atomic_load(&((struct reading *)ctx)->task.cancelled);
}

/* While a pipe is open: now and then all that came through it so far. */
static void read_while_it_comes(struct reading *reading) {
    const struct session *session = reading->session;
    struct screen *screen = reading->screen;
    struct input_options input = {.threads = reading->input.threads, .growing = true};
    uint64_t seen = 0, size;
    double next = 0;
    while (!spool_ended(&reading->spool) && !is_cancelled(reading)) {
        size = atomic_load(&reading->spool.size);
        on_progress(reading, size, 0);
        if (size > seen && clock_ms() >= next) {
            struct evidence evidence = {0};
            double begun = clock_ms();
            lseek(STDIN_FILENO, 0, SEEK_SET);
            input_read(&evidence, session_kb(session), session_matcher(session), screen->paths,
                       screen->n_paths, &input);
            if (early_look(reading->early, &evidence, NULL)) seen = size;
            evidence_release(&evidence);
            next = clock_ms() + LIVE_SHARE * (clock_ms() - begun);
        }
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    }
    lseek(STDIN_FILENO, 0, SEEK_SET);
}

static void read_inputs(struct task *task) {
    struct reading *reading = (struct reading *)task;
    struct screen *screen = reading->screen;
    if (reading->live) read_while_it_comes(reading);
    if (reading->live && is_cancelled(reading)) return;
    if (screen->pasted)
        session_read_text(reading->session, buf_view(&screen->paste), STR("paste"),
                          &reading->input);
    else
        session_read(reading->session, screen->paths, screen->n_paths, &reading->input);
}

static bool is_left(void *ctx) {
    return atomic_load(&((struct asking *)ctx)->task.cancelled);
}

static void ask_machine(struct task *task) {
    struct asking *asking = (struct asking *)task;
    struct probe_options options = {.cancelled = is_left, .ctx = asking};
    probe_run(&asking->report, asking->only, &options);
}

static void work(struct task *task) {
    work_do(((struct working *)task)->screen);
}

static void asking_start(struct asking *asking, struct screen *screen) {
    screen->probing = true;
    screen->reading = !screen->ready; /* from the start view there is nothing else to look at */
    screen->probe_wanted = false;
    screen->probe_here |= !screen->ready;
    asking->only = screen->probe_only;
    task_start(&asking->task, ask_machine);
}

static void asking_end(struct asking *asking, struct screen *screen) {
    task_end(&asking->task);
    screen_take_probe(screen, &asking->report);
    probe_release(&asking->report);
}

static void reading_start(struct reading *reading) {
    struct screen *screen = reading->screen;
    screen_begin(screen);
    reading->live = reading->piped && !screen->pasted && strcmp(screen->paths[0], "-") == 0;
    buf_clear(&reading->errors);
    on_progress(reading, 0, 0);
    reading->early = early_new(reading->session);
    task_start(&reading->task, read_inputs);
}

static void reading_take(struct reading *reading) {
    struct screen *screen = reading->screen;
    if (screen->stopped && reading->live)
        spool_stop(&reading->spool);
    else if (screen->stopped)
        atomic_store(&reading->task.cancelled, true);
    if (!task_done(&reading->task, 0)) {
        struct session *early = early_take(reading->early);
        if (early) screen_show_early(screen, early);
        return;
    }
    task_end(&reading->task);
    if (reading->spool.trouble[0]) buf_printf(&reading->errors, "%s\n", reading->spool.trouble);
    buf_clear(&screen->trouble);
    buf_str(&screen->trouble, buf_view(&reading->errors));
    screen_show(screen, reading->session);
    early_release(reading->early);
    reading->early = NULL;
}

static void press(struct screen *screen, const struct grid *grid, int key, struct buf *paste) {
    int row, col;
    if (key == TERM_PASTE) {
        screen->pasting = 0;
        screen_paste(screen, paste);
        buf_clear(paste);
    } else if (key == TERM_CLICK) {
        term_pointer(&row, &col);
        screen_click(screen, grid_target(grid, row, col));
    } else {
        screen_key(screen, key);
    }
    if (screen->copy_wanted) term_copy(buf_view(&screen->copied));
    if (screen->suspend_wanted) term_suspend();
    screen->copy_wanted = screen->suspend_wanted = false;
}

/* Begins what is wanted and takes what is done: one thing after the other, only the machine is
 * asked beside all else. */
static void mind(struct screen *screen, struct reading *reading, struct asking *asking,
                 struct working *working) {
    enum work_kind kind;
    if (working->task.running && task_done(&working->task, 0)) {
        task_end(&working->task);
        work_end(screen);
    }
    if (reading->task.running) reading_take(reading);
    if (working->task.running) return;
    if (screen->read_wanted && !reading->task.running) reading_start(reading);
    if (reading->task.running) return;
    if (asking->task.running && task_done(&asking->task, 0)) asking_end(asking, screen);
    if (screen->probe_wanted && !asking->task.running) asking_start(asking, screen);
    while ((kind = work_wanted(screen))) {
        work_begin(screen, kind);
        task_start(&working->task, work);
        if (!task_done(&working->task, PATIENCE_MS)) break;
        task_end(&working->task);
        work_end(screen);
    }
}

static int wait_ms(const struct screen *screen) {
    if (log_view_busy(screen)) return 0;
    return screen->reading || screen->probing || screen->work.kind ? POLL_MS : IDLE_MS;
}

static void draw(struct screen *screen, struct grid *grid) {
    int rows, cols;
    term_size(&rows, &cols);
    if (rows != grid->rows || cols != grid->cols) grid_resize(grid, rows, cols);
    screen_draw(screen, grid);
}

static void loop(struct screen *screen, struct reading *reading, struct asking *asking,
                 struct working *working) {
    struct grid grid = {0};
    struct buf paste = {0};
    double drawn = 0;
    while (!screen->quit) {
        mind(screen, reading, asking, working);
        bool burst = clock_ms() < drawn + BURST_MS, busy = log_view_busy(screen);
        int key = KEY_NONE_YET;
        if (burst) {
            if (screen->view != VIEW_START) draw(screen, &grid); /* what keys mean depends on it */
            key = term_key(0, &paste);
        }
        if (key == KEY_NONE_YET && !(burst && busy)) {
            draw(screen, &grid);
            term_draw(&grid);
            drawn = clock_ms();
            key = term_key(wait_ms(screen), &paste);
        }
        if (key == KEY_NONE_YET && busy) log_view_work(screen);
        if (key == TERM_CLOSED) break;
        screen->pasting = paste.n;
        if (key != KEY_NONE_YET && key != TERM_RESIZE) press(screen, &grid, key, &paste);
    }
    grid_release(&grid);
    buf_release(&paste);
}

/* What was read to its end or nearly so counts, else what the screen showed; false where the
 * reading cannot be ended: it waits for a pipe that says nothing. */
static bool reading_leave(struct reading *reading) {
    bool running = reading->task.running;
    atomic_store(&reading->task.cancelled, true);
    if (running && !task_done(&reading->task, LEAVE_MS)) return false;
    task_end(&reading->task);
    if (session_diagnosis(reading->session) && !(running && reading->live))
        reading->screen->session = reading->session;
    return true;
}

/* The last answer counts, and a report that was asked for is written. */
static void finish(struct command_context *ctx, struct working *working) {
    struct screen *screen = working->screen;
    bool writes = screen->work.format != NULL;
    if (working->task.running) {
        task_end(&working->task);
        work_end(screen);
    }
    screen->reading = false;
    screen->view = VIEW_DIAGNOSIS;
    for (enum work_kind kind; (kind = work_wanted(screen));) {
        work_begin(screen, kind);
        work_do(screen);
        work_end(screen);
    }
    if (!writes) return;
    fputs("faultline: ", ctx->err);
    command_print(ctx->err, buf_view(&screen->message));
    fputc('\n', ctx->err);
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
    struct arena arena = {0};
    struct buf out = {0};
    if (!screen->pasted)
        options.paths = command_paths(&arena, screen->n_paths, (char **)screen->paths);
    const struct diagnosis *diagnosis = session_diagnosis(screen->session);
    if (!whole)
        fprintf(ctx->err, "faultline: left before all was read: this is what was known so far\n");
    report_text.write(&out, session_kb(screen->session), session_evidence(screen->session),
                      diagnosis, &options);
    fwrite(out.p, 1, out.n, ctx->out);
    buf_release(&out);
    arena_release(&arena);
    return reading->errors.n ? STATUS_UNREADABLE : command_status(diagnosis);
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
    static const char *const standard_input[] = {"-"};
    reading.piped = screen.piped = n_paths == 1 && spool_open(&reading.spool, paths[0]);
    if (reading.piped) screen.paths = standard_input;
    bool opened = term_open(ctx->options.color > 0, &err);
    struct asking asking = {0};
    struct working working = {.screen = &screen};
    if (opened && reading.piped) spool_start(&reading.spool);
    if (opened) loop(&screen, &reading, &asking, &working);
    term_close();
    bool whole = !reading.task.running && !screen.stopped, ended = reading_leave(&reading);
    finish(ctx, &working);
    atomic_store(&asking.task.cancelled, true); /* who leaves waits for no probe */
    if (asking.task.running) {
        task_end(&asking.task);
        probe_release(&asking.report);
    }
    int status =
        opened ? leave(ctx, &screen, &reading, whole) : command_error(ctx, &err, STATUS_USAGE);
    if (!ended) return status; /* something is still being read: the end of the program ends it */
    early_release(reading.early);
    buf_release(&reading.errors);
    if (reading.piped) spool_close(&reading.spool);
    screen_release(&screen);
    session_close(session);
    return status;
}
