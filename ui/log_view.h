/* log_view.h - the log view's own state, shared by its files: log_place.c opens a source and finds
 * places in it, log_filter.c says which lines are shown, log_merge.c joins all sources by time,
 * view_log.c draws and acts. */
#ifndef FAULTLINE_LOG_VIEW_H
#define FAULTLINE_LOG_VIEW_H

#include "text/text.h"
#include "ui/log_file.h"
#include "ui/screen.h"

enum {
    LINE_SHOWN = 64 * 1024,
    COUNTED = 8 << 20,      /* bytes that are counted or looked through for one key at once */
    SEARCH_BYTES = 64 << 20 /* the same for a search */
};

/* Where a line of a joined or kept text really stands. */
struct line_place {
    int source;
    uint32_t line; /* 0: not known */
    int rank;
};

/* Which lines are shown. */
struct filter {
    enum {
        FILTER_NONE,
        FILTER_RANK,
        FILTER_HOST,
        FILTER_LEVEL,
        FILTER_HITS,
        FILTER_SIGNAL,
        FILTER_REGEX
    } kind;
    int number;      /* the rank, the least severity, or the signal */
    struct buf text; /* of a host or an expression: it */
    struct buf name; /* as it was typed */
};

struct log_view {
    int source; /* index into evidence.sources; -1: all of them, joined by time */
    struct log_file file;
    struct buf kept; /* a text that was put together: joined, or the lines that were kept */
    struct line_place *lines; /* of its lines, NULL: it is the source's own text; owned */
    uint32_t n_lines;
    struct custom custom;     /* how this source's lines begin */
    int64_t near;             /* a full time that completes those without a year or a date */
    uint64_t top, top_line;   /* offset and number of the first line shown */
    uint64_t mark, mark_line; /* of the one that the user is on */
    bool guessed;             /* the numbers are an estimate: a place far inside a large text */
    int shift;                /* columns left out on the left */
    bool wrap;                /* long lines take several rows */
    bool searched;            /* matches of the screen's pattern are shown */
    bool follow;              /* stays at the end of a text that grows */
    struct filter filter;
    char raw[LINE_SHOWN]; /* the line being drawn */
};

/* ---- log_place.c */
/* Opens a source at its start; NULL with err filled where it cannot be shown. */
struct log_view *log_view_new(struct screen *screen, int source, struct err *err);
/* The source of the marked line. */
const struct source *log_source(const struct screen *screen);
bool log_can_show(const struct screen *screen, int source);
/* Where a line of the view really stands, as a person knows it. */
struct line_place log_line_place(const struct log_view *log, uint64_t line);
/* The marked line with `above` shown lines before it. */
void log_scroll(struct screen *screen, int above);
/* Moves to a byte of the text: its line becomes the marked one. */
void log_place_offset(struct screen *screen, uint64_t offset);
void log_go_bottom(struct screen *screen);
/* A line as a terminal would leave it: mended, of overwritten pieces the last, secrets masked. */
struct str log_line_text(struct screen *screen, uint64_t at);
/* How many lines a page shows. */
int log_page(const struct screen *screen);
/* The time of a line, completed from log->near; TIME_UNKNOWN where it has none. */
int64_t log_line_time(const struct log_view *log, struct str text);
/* The time of the line at `at`, or of the first one after it that has one; TIME_UNKNOWN where none
 * of the next lines has. */
int64_t log_time_after(struct screen *screen, uint64_t at);
/* The same, or else of the nearest line before it. */
int64_t log_time_near(struct screen *screen, uint64_t at);

/* The first line at or after a moment becomes the marked one. */
void log_place_time(struct screen *screen, int64_t time);

/* ---- log_filter.c */
/* Moves to the next line that is shown, forward (1) or back (-1); false at the end, or where none
 * came within COUNTED bytes. */
bool log_step(struct screen *screen, uint64_t *at, uint64_t *line, int direction);
/* True when the marked line is shown, or one near it, looked for in `direction` first, which
 * becomes the marked one. */
bool log_settle(struct screen *screen, int direction);
/* What is filtered, for the title; empty: nothing. */
struct str log_filter_name(const struct screen *screen);

/* ---- log_merge.c */
/* The lines of all sources around a moment, in order of time. */
void log_view_merge(struct screen *screen);

#endif
