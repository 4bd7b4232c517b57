/* Looking for an expression in the log, in pieces between which keys are answered. */
#include "ui/log_view.h"

enum { SLICE = 1 << 20 };

void log_view_search(struct screen *screen, int direction) {
    struct log_view *log = screen->log;
    struct str text = buf_view(&screen->search);
    struct err err;
    if (!log) return;
    if (!text.n) {
        screen_say(screen, "/ begins a search.");
        return;
    }
    struct pattern *pattern = pattern_new(text, &err);
    if (!pattern) {
        screen_say(screen, "%s: %s", err.what, err.detail);
        return;
    }
    pattern_release(log->pattern);
    log->pattern = pattern;
    log->searching = true;
    log->search = (struct log_search){.direction = direction, .at = log->mark};
    log_search_work(screen, clock_ms() + WORK_MS);
}

static void take_found(struct screen *screen) {
    struct log_view *log = screen->log;
    log->mark = log->search.at;
    log->mark_line += (uint64_t)log->search.lines;
    log_bring_in(screen);
}

/* False when the search is over. */
bool log_search_work(struct screen *screen, double deadline) {
    struct log_view *log = screen->log;
    int direction = log->search.direction;
    while (log->searching) {
        int found = log_file_search(&log->file, log->pattern, &log->search, SLICE);
        if (found == 0 && log_window_extend(screen, direction, deadline)) found = -1;
        log->searching = found < 0;
        if (found > 0) take_found(screen);
        if (found == 0)
            screen_say(screen, "No match %s: " STR_FMT, direction > 0 ? "below" : "above",
                       STR_ARG(buf_view(&screen->search)));
        if (clock_ms() > deadline) break;
    }
    return log->searching;
}
