/* The log view over gathered lines: those that pass a filter, or all logs joined by time.  They
 * stand in one text that grows at its ends as they are needed. */
#include "ui/log_gather.h"

#include <stdlib.h>

enum {
    LINES_MOST = 50000, /* then the text is put together anew around the mark */
    BATCH = 200,
    PATIENCE_MS = 400 /* then what there is is shown, and more comes when it is found */
};

/* ---- the text ---------------------------------------------------------------------------------
 */

static void show_text(struct log_view *log) {
    log->file.memory = buf_view(&log->kept);
    log->file.size = log->kept.n;
}

static struct line_place *places_new(size_t n) {
    struct line_place *places = heap_bytes(n * sizeof *places);
    return places;
}

/* Gathered lines, the nearest first, go in front of the text or behind it. */
static void add_lines(struct log_view *log, const struct gathered *rows, uint32_t n, bool forward) {
    struct buf text = {0};
    struct line_place *places = places_new(log->n_lines + n + 1);
    uint32_t at = 0;
    if (forward) {
        text = log->kept;
        memcpy(places, log->lines, log->n_lines * sizeof *places);
        at = log->n_lines;
    }
    for (uint32_t i = 0; i < n; i++) {
        const struct gathered *row = &rows[forward ? i : n - 1 - i];
        places[at++] = row->place;
        buf_str(&text, row->text);
        buf_char(&text, '\n');
    }
    if (!forward) {
        uint64_t before = text.n;
        memcpy(places + at, log->lines, log->n_lines * sizeof *places);
        buf_str(&text, buf_view(&log->kept));
        buf_release(&log->kept);
        log->mark += before, log->top += before;
        log->mark_line += n, log->top_line += n;
    }
    free(log->lines);
    log->lines = places;
    log->n_lines += n;
    log->kept = text;
    show_text(log);
}

static bool extend(struct screen *screen, struct log_view *log, int direction, double deadline) {
    struct gathered rows[BATCH];
    uint32_t n = 0;
    int more = -1;
    while (n < BATCH &&
           (more = gather_next(screen, log->gather, direction, deadline, &rows[n])) > 0)
        n++;
    log->ends[direction > 0] = more == 0;
    if (n) add_lines(log, rows, n, direction > 0);
    return n > 0;
}

/* ---- beginning one ----------------------------------------------------------------------------
 */

struct gather_start log_here(struct screen *screen) {
    struct log_view *log = screen->log;
    struct gather_start start = {
        .kind = AT_LINE, .line = log_line_place(log, log->mark_line), .guessed = log->guessed};
    if (!log->gather) start.line.offset = log->mark, start.line.time = TIME_UNKNOWN;
    return start;
}

void log_show(struct screen *screen, int source, struct str text,
              const struct gather_start *start) {
    struct filter filter;
    struct err err;
    if (screen->log) log_view_stop(screen);
    if (source >= 0 && !text.n) {
        log_view_open(screen, &(struct origin){.source = source,
                                               .line = start->line.line,
                                               .offset = start->line.offset,
                                               .rank = -1});
        screen->log->guessed = start->guessed;
        return;
    }
    if (!filter_read(screen, &filter, text, &err)) {
        screen_say(screen, "%s: %s", err.what, err.detail);
        return;
    }
    struct log_view *log = heap_zeros(1, sizeof *log), *before = screen->log;
    log->source = source;
    log->near = before->near;
    log->wrap = before->wrap;
    log->follow = before->follow && source >= 0;
    log->filter = filter;
    log->lines = places_new(1);
    log->mark_line = log->top_line = 1;
    log_file_memory(&log->file, (struct str){0});
    log->gather = gather_new(screen, source, &log->filter, start);
    log->begun = clock_ms();
    before->coming = log;
    log_window_work(screen, clock_ms() + WORK_MS);
}

/* The mark among gathered lines, from where it is. */
static bool mark_line(struct log_view *log, uint64_t line) {
    int direction = line < log->mark_line ? -1 : 1;
    while (log->mark_line != line && log_step(log, &log->mark, &log->mark_line, direction)) {
    }
    return log->mark_line == line;
}

void log_jump(struct screen *screen, const struct line_place *place) {
    struct log_view *log = screen->log;
    for (uint32_t i = 0; log->gather && i < log->n_lines; i++) {
        if (log->lines[i].source != place->source || log->lines[i].line != place->line) continue;
        if (mark_line(log, i + 1)) log_bring_in(screen);
        return;
    }
    struct gather_start start = {.kind = AT_LINE, .line = *place};
    struct str filter = arena_str(&screen->arena, buf_view(&log->filter.name));
    log_show(screen, log->gather ? log->source : place->source, filter, &start);
}

void log_turn_joined(struct screen *screen) {
    struct log_view *log = screen->log;
    struct gather_start here = log_here(screen);
    struct str filter = arena_str(&screen->arena, buf_view(&log->filter.name));
    log_show(screen, log->source >= 0 ? -1 : here.line.source, filter, &here);
}

void log_view_filter(struct screen *screen, struct str text) {
    if (!screen->log) return;
    struct gather_start here = log_here(screen);
    log_show(screen, screen->log->source, text, &here);
}

/* ---- coming -----------------------------------------------------------------------------------
 */

/* The line one began with, else the next one that passes, else the last one. */
static void place_mark(struct log_view *log, uint32_t n_back, const struct line_place *at,
                       bool exact) {
    uint32_t wanted = n_back;
    for (uint32_t i = 0; exact && i < log->n_lines; i++)
        if (log->lines[i].source == at->source && log->lines[i].line == at->line) wanted = i;
    if (wanted >= log->n_lines) wanted = log->n_lines - 1;
    log->mark = 0;
    log->mark_line = wanted + 1;
    for (uint32_t i = 0; i < wanted; i++) log->mark = log_file_next(&log->file, log->mark);
}

static void take_coming(struct screen *screen, uint32_t n_back) {
    struct log_view *log = screen->log, *coming = log->coming;
    const struct gather_start *start = gather_start(coming->gather);
    log->coming = NULL;
    coming->guessed = gather_guessed(coming->gather) || (start->kind == AT_LINE && start->guessed);
    place_mark(coming, n_back, &start->line, start->kind == AT_LINE);
    coming->pattern = log->pattern;
    log->pattern = NULL;
    log_view_release(log);
    screen->log = coming;
    log_scroll(screen, log_page(screen) / 3);
}

static void say_nothing(struct screen *screen) {
    struct log_view *log = screen->log;
    struct str name = buf_view(&log->coming->filter.name);
    size_t sources = session_evidence(screen->session)->sources.n;
    if (name.n)
        screen_say(screen, "No line passes: " STR_FMT "%s", STR_ARG(name),
                   log->coming->source < 0 || sources < 2 ? "" : "  (in this log; M joins all)");
    else
        screen_say(screen, "The lines here have no times to join the logs by.");
    log_view_release(log->coming);
    log->coming = NULL;
}

/* False when it is put together, or nothing came. */
static bool work_coming(struct screen *screen, double deadline) {
    struct log_view *coming = screen->log->coming;
    uint32_t page = (uint32_t)log_page(screen), *back = &coming->n_back;
    while (!coming->ends[1] && coming->n_lines - *back < page && clock_ms() < deadline)
        extend(screen, coming, 1, deadline);
    while (!coming->ends[0] && *back < page && clock_ms() < deadline) {
        uint32_t before = coming->n_lines;
        extend(screen, coming, -1, deadline);
        *back += coming->n_lines - before;
    }
    bool forward = coming->ends[1] || coming->n_lines - *back >= page;
    bool behind = coming->ends[0] || *back >= page;
    bool late = clock_ms() > coming->begun + PATIENCE_MS && coming->n_lines;
    if (!late && (!forward || !behind)) return true;
    if (coming->n_lines)
        take_coming(screen, *back);
    else
        say_nothing(screen);
    return false;
}

/* ---- at the edge ------------------------------------------------------------------------------
 */

static void pay(struct log_view *log) {
    int direction = log->owed < 0 ? -1 : 1;
    while (log->owed && log_step(log, &log->mark, &log->mark_line, direction))
        log->owed -= direction;
    if (log->ends[direction > 0]) log->owed = 0;
}

static bool work_edge(struct screen *screen, double deadline) {
    struct log_view *log = screen->log;
    for (int side = 0; side < 2; side++) {
        if (!log->wants[side]) continue;
        log->wants[side] = false;
        if (log->ends[side]) continue;
        if (log->n_lines >= LINES_MOST) {
            struct gather_start here = log_here(screen);
            struct str filter = arena_str(&screen->arena, buf_view(&log->filter.name));
            log_show(screen, log->source, filter, &here);
            return screen->log->coming;
        }
        log->wants[side] = !extend(screen, log, side ? 1 : -1, deadline) && !log->ends[side];
    }
    if (log->owed) {
        pay(log);
        log_follow_mark(screen);
    }
    return log->wants[0] || log->wants[1];
}

bool log_window_work(struct screen *screen, double deadline) {
    struct log_view *log = screen->log;
    if (log->coming) return work_coming(screen, deadline);
    return log->gather && work_edge(screen, deadline);
}
