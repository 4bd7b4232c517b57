/* The log at a line.  Reads only what is shown: a window of the file around the place, so that a
 * log of any size opens at once.  Line numbers are exact while one scrolls from a known place. */
#include "ui/screen.h"

#include "match/match.h"
#include "text/text.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

enum { BLOCK = 64 * 1024, LINE_SHOWN = 4096, SEARCH_BLOCKS = 4096 };

struct log_view {
    int source; /* index into evidence.sources */
    int file;   /* -1: closed */
    uint64_t size;
    uint64_t top;       /* offset of the first line shown */
    uint64_t top_line;  /* its number, 1-based */
    uint64_t mark_line; /* the line that was asked for */
};

void log_view_release(struct log_view *log) {
    if (!log) return;
    if (log->file >= 0) close(log->file);
    free(log);
}

/* Offset of the line after the one at `at`; the size at the end. */
static uint64_t next_line(const struct log_view *log, uint64_t at) {
    char block[BLOCK];
    while (at < log->size) {
        ssize_t n = pread(log->file, block, sizeof block, (off_t)at);
        if (n <= 0) return log->size;
        const char *end = memchr(block, '\n', (size_t)n);
        if (end) return at + (uint64_t)(end - block) + 1;
        at += (uint64_t)n;
    }
    return log->size;
}

/* Offset of the line before the one at `at`. */
static uint64_t previous_line(const struct log_view *log, uint64_t at) {
    char block[BLOCK];
    if (at == 0) return 0;
    uint64_t end = at - 1; /* the LF of the line before */
    while (end > 0) {
        uint64_t from = end > BLOCK ? end - BLOCK : 0;
        ssize_t n = pread(log->file, block, (size_t)(end - from), (off_t)from);
        if (n <= 0) return 0;
        const char *lf = memrchr(block, '\n', (size_t)n);
        if (lf) return from + (uint64_t)(lf - block) + 1;
        end = from;
    }
    return 0;
}

static void scroll(struct log_view *log, int by) {
    for (; by < 0 && log->top > 0; by++) {
        log->top = previous_line(log, log->top);
        log->top_line--;
    }
    for (; by > 0; by--) {
        uint64_t next = next_line(log, log->top);
        if (next >= log->size) break;
        log->top = next;
        log->top_line++;
    }
}

/* The offset of a line by number, counting from the start; for places without an offset. */
static uint64_t offset_of(const struct log_view *log, uint64_t line) {
    uint64_t at = 0;
    for (uint64_t i = 1; i < line && at < log->size; i++) at = next_line(log, at);
    return at;
}

void log_view_open(struct screen *screen, const struct origin *origin) {
    const struct evidence *evidence = session_evidence(screen->session);
    int source = origin->source >= 0 ? origin->source : 0;
    if ((size_t)source >= evidence->sources.n || !evidence->sources.v[source].file.n) {
        screen_say(screen, "What was read from a stream or an archive cannot be shown again.");
        return;
    }
    log_view_release(screen->log);
    struct log_view *log = screen->log = calloc(1, sizeof *log);
    if (!log) base_out_of_memory();
    log->source = source;
    log->file =
        open(arena_cstr(&screen->arena, evidence->sources.v[source].file), O_RDONLY | O_CLOEXEC);
    off_t end = log->file >= 0 ? lseek(log->file, 0, SEEK_END) : -1;
    if (end < 0) {
        screen_say(screen, "The file is gone or cannot be read any more.");
        log_view_release(log);
        screen->log = NULL;
        return;
    }
    log->size = (uint64_t)end;
    log->mark_line = log->top_line = origin->line ? origin->line : 1;
    log->top = offset_of(log, log->top_line);
    scroll(log, -(screen->rows / 3));
    screen->view = VIEW_LOG;
}

/* ---- drawing
 * ------------------------------------------------------------------------------------------ */

static bool line_is_hit(const struct screen *screen, int source, uint64_t line) {
    const struct evidence *evidence = session_evidence(screen->session);
    for (size_t i = 0; i < evidence->hits.n; i++) {
        const struct hit *hit = &evidence->hits.v[i];
        enum role role = session_kb(screen->session)->signals[hit->signal].role;
        if (hit->first.source == source && hit->first.line == line && role <= ROLE_WRAPPER)
            return true;
    }
    return false;
}

static struct str read_line(struct screen *screen, const struct log_view *log, uint64_t at,
                            uint64_t next) {
    char *raw = arena_alloc(&screen->arena, LINE_SHOWN);
    size_t want = next - at < LINE_SHOWN ? (size_t)(next - at) : LINE_SHOWN;
    ssize_t n = pread(log->file, raw, want, (off_t)at);
    struct buf mended = {0};
    mend_line(&mended, (struct str){raw, n > 0 ? (size_t)n : 0});
    struct str text = mask_secrets(&screen->arena, str_trim(buf_view(&mended)));
    buf_release(&mended);
    return text;
}

static void draw(struct screen *screen, struct grid *grid, struct area area) {
    struct log_view *log = screen->log;
    if (!log) {
        grid_text(grid, area, 1, 2, FACE_DIM, STR("l opens the log at the first fault."));
        return;
    }
    uint64_t at = log->top, line = log->top_line;
    grid_printf(grid, area, 0, 0, FACE_TITLE, STR_FMT ":%llu",
                STR_ARG(session_evidence(screen->session)->sources.v[log->source].path),
                (unsigned long long)log->mark_line);
    for (int row = 1; row < area.rows && at < log->size; row++, line++) {
        uint64_t next = next_line(log, at);
        bool marked = line == log->mark_line;
        enum face face = marked                                   ? FACE_SELECTED
                         : line_is_hit(screen, log->source, line) ? FACE_MARK
                                                                  : FACE_PLAIN;
        grid_printf(grid, area, row, 0, FACE_DIM, "%7llu", (unsigned long long)line);
        grid_text(grid, area, row, 8, face, read_line(screen, log, at, next));
        at = next;
    }
}

/* ---- moving
 * ---------------------------------------------------------------------------------------------- */

static void move_mark(struct screen *screen, int64_t by) {
    struct log_view *log = screen->log;
    int page = screen->rows > 8 ? screen->rows - 5 : 4;
    int64_t line = (int64_t)log->mark_line + by;
    log->mark_line = line < 1 ? 1 : (uint64_t)line;
    if (log->mark_line < log->top_line)
        scroll(log, -(int)(log->top_line - log->mark_line));
    else if (log->mark_line >= log->top_line + (uint64_t)page)
        scroll(log, (int)(log->mark_line - log->top_line) - page + 1);
    uint64_t at = log->top, last = log->top_line;
    while (last < log->mark_line && (at = next_line(log, at)) < log->size) last++;
    log->mark_line = last;
}

static void jump_hit(struct screen *screen, int direction) {
    const struct evidence *evidence = session_evidence(screen->session);
    const struct log_view *log = screen->log;
    const struct origin *best = NULL;
    for (size_t i = 0; i < evidence->hits.n; i++) {
        const struct hit *hit = &evidence->hits.v[i];
        if (session_kb(screen->session)->signals[hit->signal].role > ROLE_WRAPPER) continue;
        if (hit->first.source != log->source) continue;
        int64_t distance = ((int64_t)hit->first.line - (int64_t)log->mark_line) * direction;
        if (distance > 0 &&
            (!best || distance < ((int64_t)best->line - (int64_t)log->mark_line) * direction))
            best = &hit->first;
    }
    if (best)
        log_view_open(screen, best);
    else
        screen_say(screen, direction > 0 ? "No further hit below." : "No further hit above.");
}

void log_view_search(struct screen *screen, int direction) {
    struct log_view *log = screen->log;
    struct err err;
    struct str pattern = buf_view(&screen->search);
    if (!log || !pattern.n) return;
    if (!regex_check(pattern, true, &err)) {
        screen_say(screen, "%s: %s", err.what, err.detail);
        return;
    }
    uint64_t at = offset_of(log, log->mark_line), line = log->mark_line;
    for (int i = 0; i < SEARCH_BLOCKS * 64; i++) {
        uint64_t from = direction > 0 ? next_line(log, at) : previous_line(log, at);
        if (from == at || from >= log->size) break;
        at = from;
        line += (uint64_t)direction;
        struct match match;
        struct str text = read_line(screen, log, at, next_line(log, at));
        if (regex_try(pattern, true, text, 100000, &match) <= 0) continue;
        log_view_open(screen,
                      &(struct origin){.source = log->source, .line = (uint32_t)line, .rank = -1});
        return;
    }
    screen_say(screen, "No match: " STR_FMT, STR_ARG(pattern));
}

static bool act(struct screen *screen, enum action action) {
    int page = screen->rows > 8 ? screen->rows - 6 : 4;
    if (!screen->log) return false;
    switch (action) {
    case ACTION_UP: move_mark(screen, -1); return true;
    case ACTION_DOWN: move_mark(screen, 1); return true;
    case ACTION_PAGE_UP: move_mark(screen, -page); return true;
    case ACTION_PAGE_DOWN: move_mark(screen, page); return true;
    case ACTION_TOP:
        log_view_open(screen,
                      &(struct origin){.source = screen->log->source, .line = 1, .rank = -1});
        return true;
    case ACTION_BOTTOM: {
        const struct source *source =
            &session_evidence(screen->session)->sources.v[screen->log->source];
        log_view_open(screen, &(struct origin){.source = screen->log->source,
                                               .line = (uint32_t)source->lines,
                                               .rank = -1});
        return true;
    }
    case ACTION_SEARCH:
        screen->searching = true;
        buf_clear(&screen->search);
        return true;
    case ACTION_SEARCH_NEXT: log_view_search(screen, 1); return true;
    case ACTION_SEARCH_BACK: log_view_search(screen, -1); return true;
    case ACTION_HIT_NEXT: jump_hit(screen, 1); return true;
    case ACTION_HIT_BACK: jump_hit(screen, -1); return true;
    case ACTION_COPY: {
        uint64_t at = offset_of(screen->log, screen->log->mark_line);
        buf_clear(&screen->copied);
        buf_str(&screen->copied, read_line(screen, screen->log, at, next_line(screen->log, at)));
        screen->copy_wanted = true;
        screen_say(screen, "Copied.");
        return true;
    }
    default: return false;
    }
}

const struct view view_log = {VIEW_LOG, "log", "the log at a line", draw, act};
