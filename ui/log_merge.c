/* All sources in one text, in order of time: a window around a moment, put together anew where its
 * edge is reached.  A line without a time belongs to the one before it. */
#include "ui/log_view.h"

#include <stdlib.h>

enum { LINES_OF_SOURCE = 60, SOURCES_MOST = 256 }; /* lines before and after the moment */

struct joined {
    int64_t time;
    struct line_place place;
    struct str text;
};

struct window {
    VEC(struct joined) lines;
    int64_t from, to; /* outside of it a source has lines that were not read */
};

static int compare_joined(const void *a, const void *b) {
    const struct joined *x = a, *y = b;
    if (x->time != y->time) return x->time < y->time ? -1 : 1;
    if (x->place.source != y->place.source) return x->place.source - y->place.source;
    return x->place.line < y->place.line ? -1 : x->place.line > y->place.line;
}

/* The lines of the opened source around the moment at which it stands. */
static void take_lines(struct screen *screen, struct window *window) {
    struct log_view *log = screen->log;
    uint64_t at = log->mark;
    int64_t first = log_file_move(&log->file, &at, -LINES_OF_SOURCE), last = TIME_UNKNOWN;
    uint32_t line = (uint32_t)((int64_t)log->mark_line + first);
    bool cut_before = at > 0;
    int rank = session_evidence(screen->session)->sources.v[log->source].rank;
    for (int i = 0; i < 2 * LINES_OF_SOURCE && at < log->file.size; i++, line++) {
        struct str text = log_line_text(screen, at);
        int64_t time = log_line_time(log, text);
        at = log_file_next(&log->file, at);
        if (time != TIME_UNKNOWN) last = time;
        if (last == TIME_UNKNOWN) continue;
        if (cut_before && last > window->from) window->from = last;
        cut_before = false;
        int own = locate_line(text, &log->custom).rank;
        struct line_place where = {log->source, line, own >= 0 ? own : rank};
        vec_push(&screen->arena, &window->lines, ((struct joined){last, where, text}));
    }
    if (at < log->file.size && last != TIME_UNKNOWN && last < window->to) window->to = last;
}

static void join_source(struct screen *screen, int source, int64_t moment, struct window *window) {
    const struct source *row = &session_evidence(screen->session)->sources.v[source];
    struct err err;
    if (!log_can_show(screen, source) || !row->file.n) return;
    struct log_view *shown = screen->log;
    screen->log = log_view_new(screen, source, &err);
    if (screen->log) {
        screen->log->near = moment;
        if (log_time_after(screen, 0) != TIME_UNKNOWN) {
            log_place_time(screen, moment);
            take_lines(screen, window);
        }
        log_view_release(screen->log);
    }
    screen->log = shown;
}

static void join_all(struct screen *screen, int64_t moment, struct window *window) {
    const struct evidence *evidence = session_evidence(screen->session);
    int n = 0;
    for (int i = 0; (size_t)i < evidence->sources.n && n < SOURCES_MOST; i++) {
        size_t before = window->lines.n;
        join_source(screen, i, moment, window);
        n += window->lines.n > before;
    }
    if (window->lines.n)
        qsort(window->lines.v, window->lines.n, sizeof *window->lines.v, compare_joined);
}

/* The joined text as a log of its own, on the line that was marked before. */
static void show_window(struct screen *screen, const struct window *window,
                        struct line_place marked, int64_t moment) {
    struct log_view *log = calloc(1, sizeof *log);
    if (log) log->lines = calloc(window->lines.n + 1, sizeof *log->lines);
    if (!log || !log->lines) base_out_of_memory();
    log->source = -1;
    log->near = moment;
    uint64_t mark = 0, mark_line = 1;
    for (size_t i = 0; i < window->lines.n; i++) {
        const struct joined *row = &window->lines.v[i];
        if (row->time < window->from || row->time > window->to) continue;
        if (row->place.source == marked.source && row->place.line <= marked.line)
            mark = log->kept.n, mark_line = log->n_lines + 1;
        log->lines[log->n_lines++] = row->place;
        buf_str(&log->kept, row->text);
        buf_char(&log->kept, '\n');
    }
    log_file_memory(&log->file, buf_view(&log->kept));
    log->mark = mark;
    log->mark_line = mark_line;
    log_view_release(screen->log);
    screen->log = log;
    log_scroll(screen, log_page(screen) / 3);
}

void log_view_merge(struct screen *screen) {
    struct log_view *log = screen->log;
    if (!log) return;
    int64_t moment = log_time_near(screen, log->mark);
    if (moment == TIME_UNKNOWN) {
        screen_say(screen, "The lines here have no times to join other logs by.");
        return;
    }
    struct line_place marked = log_line_place(log, log->mark_line);
    struct window window = {.from = INT64_MIN, .to = INT64_MAX};
    join_all(screen, moment, &window);
    if (!window.lines.n) {
        screen_say(screen, "No log can be read again and has times.");
        return;
    }
    show_window(screen, &window, marked, moment);
}
