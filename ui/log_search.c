/* Looking for an expression in the log, in pieces between which keys are answered: in the text of
 * one log as it stands, or among gathered lines, of which only those that match are read. */
#include "ui/log_gather.h"

enum { SLICE = 1 << 20 };

void log_search_end(struct log_view *log) {
    gather_release(log->finder);
    log->finder = NULL;
    filter_release(&log->wanted);
    log->searching = false;
}

static bool begin_finder(struct screen *screen, struct str text, struct err *err) {
    struct log_view *log = screen->log;
    struct gather_start here = log_here(screen);
    log->wanted.pattern = pattern_new(text, err);
    if (!log->wanted.pattern) return false;
    log->wanted.kind = FILTER_REGEX;
    log->finder = gather_new(screen, log->source, &log->wanted, &here);
    return true;
}

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
    log_search_end(log);
    if (!pattern || (log->gather && !begin_finder(screen, text, &err))) {
        screen_say(screen, "%s: %s", err.what, err.detail);
        pattern_release(pattern);
        return;
    }
    pattern_release(log->pattern);
    log->pattern = pattern;
    log->searching = true;
    log->search = (struct log_search){.direction = direction, .at = log->mark};
    log_search_work(screen, clock_ms() + WORK_MS);
}

static void say_none(struct screen *screen) {
    bool below = screen->log->search.direction > 0;
    screen_say(screen, "No match %s: " STR_FMT "  (%s)", below ? "below" : "above",
               STR_ARG(buf_view(&screen->search)), below ? "N looks above" : "n looks below");
}

/* In the text: -1 while there is more to look through. */
static int work_text(struct screen *screen, double deadline) {
    struct log_view *log = screen->log;
    int found = -1;
    while (found < 0 && clock_ms() <= deadline)
        found = log_file_search(&log->file, log->pattern, &log->search, SLICE);
    if (found > 0) {
        log->mark = log->search.at;
        log->mark_line += (uint64_t)log->search.lines;
        log_bring_in(screen);
    }
    return found;
}

/* The same among gathered lines: the one that one stands on is no match, nor one that the view does
 * not show. */
static int work_finder(struct screen *screen, double deadline) {
    struct log_view *log = screen->log;
    struct line_place here = log_line_place(log, log->mark_line);
    struct gathered row;
    int more;
    while ((more = gather_next(screen, log->finder, log->search.direction, deadline, &row)) > 0) {
        bool same = row.place.source == here.source && row.place.line == here.line;
        if (same || !log_filter_text(screen, &log->filter, &row.place, row.text)) continue;
        log_search_end(log);
        log_jump(screen, &row.place);
        return 1;
    }
    return more;
}

bool log_search_work(struct screen *screen, double deadline) {
    struct log_view *log = screen->log;
    if (!log->searching) return false;
    int found = log->finder ? work_finder(screen, deadline) : work_text(screen, deadline);
    if (found == 0) say_none(screen);
    if (found == 0) log_search_end(log);
    if (found > 0) screen->log->searching = false;
    return found < 0;
}

double log_search_share(const struct log_view *log) {
    if (log->finder) return gather_share(log->finder);
    double here = log->file.size ? (double)log->search.at / (double)log->file.size : 1;
    return log->search.direction > 0 ? here : 1 - here;
}
