/* log_view.h - the log view's own state, shared by its files: log_place.c opens a source and finds
 * places in it, log_filter.c says which lines are shown, log_gather.c reads those of one log or of
 * all, log_window.c shows them, log_hits.c
 * knows what they say, log_search.c looks for an expression, view_log.c draws and acts. */
#ifndef FAULTLINE_LOG_VIEW_H
#define FAULTLINE_LOG_VIEW_H

#include "base/clock.h"
#include "text/text.h"
#include "ui/log_file.h"
#include "ui/screen.h"

enum {
    LINE_SHOWN = 64 * 1024,
    COUNTED = 8 << 20, /* bytes whose lines are counted for one key */
    WORK_MS = 8        /* of long work, between two looks for a key */
};

/* Where a line of a gathered or kept text really stands. */
struct line_place {
    int source;
    uint32_t line; /* 0: not known */
    int rank;
    uint64_t offset; /* of gathered lines: in their log; and their time */
    int64_t time;
};

struct line_key {
    int source;
    uint32_t line;
};

/* Which lines are shown. */
struct filter {
    enum {
        FILTER_NONE,
        FILTER_RANK,
        FILTER_HOST,
        FILTER_LEVEL,
        FILTER_HITS, /* of any signal that says something, or of one */
        FILTER_REGEX
    } kind;
    int number;              /* the rank, or the least severity */
    struct buf text;         /* of a host: it */
    struct buf name;         /* as it was typed */
    struct pattern *pattern; /* of an expression */
    struct line_key *hits;   /* sorted; owned */
    size_t n_hits;
};

struct gather;

struct log_view {
    int source; /* index into evidence.sources; -1: all of them, joined by time */
    struct log_file file;
    struct buf kept; /* a text that was put together: gathered, or the lines that were kept */
    struct line_place *lines; /* of its lines, NULL: it is the source's own text; owned */
    uint32_t n_lines;
    struct custom custom;     /* how this source's lines begin */
    int64_t near;             /* a full time that completes those without a year or a date */
    uint64_t top, top_line;   /* offset and number of the first line shown */
    uint64_t mark, mark_line; /* of the one that the user is on */
    bool guessed;             /* the numbers are an estimate: a place far inside a large text */
    int shift;                /* columns left out on the left */
    bool wrap;                /* long lines take several rows */
    bool follow;              /* stays at the end of a text that grows */
    char raw[LINE_SHOWN];     /* the line being drawn, and mended */
    struct buf mended;

    struct filter filter;
    struct gather *gather;   /* where the lines come from, NULL: from the source's own text */
    bool ends[2], wants[2];  /* back, forward: nothing is left there; lines from there are needed */
    int64_t owed;            /* lines that the mark has still to move */
    struct log_view *coming; /* is being put together; takes the place of this one */
    double begun;            /* when that began, clock_ms */
    uint32_t n_back;         /* of the lines that were put together those before the place */

    struct pattern *pattern; /* what was searched; its matches are lit up */
    bool searching;
    struct log_search search; /* in the source's own text .. */
    struct gather *finder;    /* .. or among lines that are gathered: those that match `wanted` */
    struct filter wanted;
};

/* ---- log_place.c */
/* Opens a source at its start; NULL with err filled where it cannot be shown. */
struct log_view *log_view_new(struct screen *screen, int source, struct err *err);
/* The source of the marked line. */
const struct source *log_source(const struct screen *screen);
/* What to open to read a source again; empty: it cannot be. */
struct str log_file_of(const struct screen *screen, int source);
bool log_can_show(const struct screen *screen, int source);
/* Where a line of the view really stands, as a person knows it; and back. */
struct line_place log_line_place(const struct log_view *log, uint64_t line);
uint64_t log_own_line(const struct log_view *log, uint32_t line);
/* Moves to the next line, forward (1) or back (-1); false at the end of what is there. */
bool log_step(struct log_view *log, uint64_t *at, uint64_t *line, int direction);
/* The marked line with `above` lines before it. */
void log_scroll(struct screen *screen, int above);
/* Moves to a byte of the text: its line becomes the marked one. */
void log_place_offset(struct screen *screen, uint64_t offset);
void log_place_line(struct screen *screen, uint64_t line);
/* The first line at or after a moment becomes the marked one. */
void log_place_time(struct screen *screen, int64_t time);
void log_go_bottom(struct screen *screen);
/* A line as a terminal would leave it: mended, of overwritten pieces the last; the view holds it
 * until the next one. */
struct str log_line_plain(struct log_view *log, uint64_t at);
/* The same with its secrets masked, in the screen's arena. */
struct str log_line_text(struct screen *screen, uint64_t at);
/* How many lines a page shows. */
int log_page(const struct screen *screen);
/* The time of a line, completed from log->near; TIME_UNKNOWN where it has none. */
int64_t log_line_time(const struct log_view *log, struct str text);
int64_t log_complete_time(const struct log_view *log, const struct place *place);
/* The time of the line at `at`, or of the first one after it that has one; TIME_UNKNOWN where none
 * of the next lines has. */
int64_t log_time_after(struct screen *screen, uint64_t at);
/* Of the nearest line before it that has one. */
int64_t log_time_before(struct screen *screen, uint64_t at);
/* After it, or else before it. */
int64_t log_time_near(struct screen *screen, uint64_t at);

/* ---- log_filter.c */
/* Reads "rank 3", "host node02", "level error", "signal cuda-oom", "hits", else an expression;
 * nothing: all lines pass. */
bool filter_read(struct screen *screen, struct filter *filter, struct str text, struct err *err);
void filter_release(struct filter *filter);
/* False where no line of this source can pass. */
bool log_filter_may(const struct screen *screen, const struct filter *filter, int source);
/* Whether few lines are likely to pass, so that it is asked before anything else is. */
bool log_filter_sparse(const struct filter *filter);
/* Of a sparse filter: whether this line passes. */
bool log_filter_line(struct log_view *log, const struct filter *filter, int source, uint32_t line,
                     uint64_t at);
/* Of another one; `said`: what locate_line says of the line. */
bool log_filter_passes(const struct screen *screen, const struct filter *filter,
                       const struct line_place *where, const struct place *said);

/* The same of a text that stands at a place, whatever the filter. */
bool log_filter_text(const struct screen *screen, const struct filter *filter,
                     const struct line_place *where, struct str text);

/* ---- log_hits.c */
bool log_says_something(const struct screen *screen, const struct hit *hit);
/* The hit of a line that matters most, or NULL. */
const struct hit *log_hit_at(const struct screen *screen, int source, uint64_t number);
/* To the next line that says something, among those that are shown. */
void log_jump_hit(struct screen *screen, int direction);

/* ---- log_window.c */
struct gather_start;
/* Shows the lines that pass, of one source or of all (-1), around a place, as soon as there are
 * some; without a filter one source is shown as it stands. */
void log_show(struct screen *screen, int source, struct str filter,
              const struct gather_start *start);
/* Goes to a line that the view shows, or can show. */
void log_jump(struct screen *screen, const struct line_place *place);
/* Where the mark is, to show it otherwise. */
struct gather_start log_here(struct screen *screen);
/* All logs by time, and back to the one that the marked line is of. */
void log_turn_joined(struct screen *screen);
/* Goes on with what the view still needs, until the deadline.  False when there is nothing to do.
 */
bool log_window_work(struct screen *screen, double deadline);

/* ---- view_log.c */
/* Keeps the mark on the page; the same after a jump, with some lines around it. */
void log_follow_mark(struct screen *screen);
void log_bring_in(struct screen *screen);

/* ---- log_search.c */
bool log_search_work(struct screen *screen, double deadline);
void log_search_end(struct log_view *log);
/* Of the text that is looked through. */
double log_search_share(const struct log_view *log);

#endif
