#include "ui/log_file.h"

#include "match/match.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

enum { BLOCK = 256 * 1024, LONGEST_LINE = 16 << 20, STEP_LIMIT = 20000000 };

static bool has_old_ends(struct str head) {
    size_t returns = 0;
    for (size_t i = 0; i < head.n; i++) returns += head.p[i] == '\r';
    return returns >= 2 && !memchr(head.p, '\n', head.n) && !str_has(head, STR("%|")) &&
           !str_has(head, STR("it/s"));
}

static void load(struct log_file *log, uint64_t from) {
    ssize_t n = pread(log->fd, log->block, BLOCK, (off_t)from);
    log->block_at = from;
    log->block_n = n > 0 ? (size_t)n : 0;
}

/* The bytes of the text from `from` to `to`, at most BLOCK of them; fewer where
 * it became shorter. */
static struct str bytes_of(struct log_file *log, uint64_t from, uint64_t to) {
    if (to > log->size) to = log->size;
    if (from >= to) return (struct str){0};
    if (to - from > BLOCK) to = from + BLOCK;
    if (log->fd < 0) return str_sub(log->memory, (size_t)from, (size_t)(to - from));
    if (from < log->block_at || to > log->block_at + log->block_n) load(log, from);
    size_t skip = (size_t)(from - log->block_at);
    if (skip >= log->block_n) return (struct str){0};
    return str_sub((struct str){log->block, log->block_n}, skip, (size_t)(to - from));
}

/* From `at` on, as many as are at hand. */
static struct str bytes_at(struct log_file *log, uint64_t at) {
    bool cached = log->fd >= 0 && at >= log->block_at && at < log->block_at + log->block_n;
    return bytes_of(log, at, cached ? log->block_at + log->block_n : at + BLOCK);
}

/* Up to `at`, as many as are at hand. */
static struct str bytes_before(struct log_file *log, uint64_t at, uint64_t *from) {
    bool cached = log->fd >= 0 && at > log->block_at && at <= log->block_at + log->block_n;
    *from = cached ? log->block_at : at > BLOCK ? at - BLOCK : 0;
    return bytes_of(log, *from, at);
}

struct str log_file_head(struct log_file *log) {
    return str_sub(bytes_at(log, 0), 0, 64 * 1024);
}

static void look_at_head(struct log_file *log) {
    struct str head = log_file_head(log);
    log->end = head.n && has_old_ends(head) ? '\r' : '\n';
}

bool log_file_open(struct log_file *log, const char *path, struct err *err) {
    *log = (struct log_file){.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)};
    off_t end = log->fd >= 0 ? lseek(log->fd, 0, SEEK_END) : -1;
    if (end < 0) {
        err_set(err, strerror(errno), NULL, "cannot open '%s' again", path);
        if (log->fd >= 0) close(log->fd);
        log->fd = -1;
        return false;
    }
    log->size = (uint64_t)end;
    log->block = malloc(BLOCK);
    if (!log->block) base_out_of_memory();
    look_at_head(log);
    return true;
}

void log_file_memory(struct log_file *log, struct str text) {
    *log = (struct log_file){.fd = -1, .memory = text, .size = text.n};
    look_at_head(log);
}

void log_file_close(struct log_file *log) {
    if (log->fd >= 0) close(log->fd);
    free(log->block);
    *log = (struct log_file){.fd = -1};
}

bool log_file_grow(struct log_file *log) {
    off_t end = log->fd >= 0 ? lseek(log->fd, 0, SEEK_END) : -1;
    if (end < 0 || (uint64_t)end <= log->size) return false;
    log->size = (uint64_t)end;
    log->block_n = 0; /* its last line may have been half written */
    return true;
}

uint64_t log_file_next(struct log_file *log, uint64_t at) {
    uint64_t from = at;
    while (at < log->size && at - from < LONGEST_LINE) {
        struct str bytes = bytes_at(log, at);
        if (!bytes.n) return log->size;
        const char *end = memchr(bytes.p, log->end, bytes.n);
        if (end) return at + (uint64_t)(end - bytes.p) + 1;
        at += bytes.n;
    }
    return at < log->size ? at : log->size;
}

/* The last line end before `at`, as the offset behind it; not further back than
 * a longest line. */
static uint64_t end_before(struct log_file *log, uint64_t at) {
    uint64_t least = at > LONGEST_LINE ? at - LONGEST_LINE : 0;
    while (at > least) {
        uint64_t from;
        struct str bytes = bytes_before(log, at, &from);
        if (bytes.n != at - from) return from;
        const char *end = memrchr(bytes.p, log->end, bytes.n);
        if (end) return from + (uint64_t)(end - bytes.p) + 1;
        at = from;
    }
    return at;
}

uint64_t log_file_before(struct log_file *log, uint64_t at) {
    return at ? end_before(log, at - 1) : 0;
}

uint64_t log_file_line_start(struct log_file *log, uint64_t at) {
    return end_before(log, at < log->size ? at : log->size);
}

int64_t log_file_move(struct log_file *log, uint64_t *at, int64_t lines) {
    int64_t moved = 0;
    for (; moved > lines && *at > 0; moved--) *at = log_file_before(log, *at);
    for (; moved < lines; moved++) {
        uint64_t next = log_file_next(log, *at);
        if (next >= log->size) break;
        *at = next;
    }
    return moved;
}

struct str log_file_line(struct log_file *log, uint64_t at, char *text, size_t room) {
    size_t n = 0;
    while (n < room) {
        struct str bytes = str_sub(bytes_at(log, at + n), 0, room - n);
        if (!bytes.n) break;
        const char *end = memchr(bytes.p, log->end, bytes.n);
        if (end) bytes.n = (size_t)(end - bytes.p);
        memcpy(text + n, bytes.p, bytes.n);
        n += bytes.n;
        if (end) break;
    }
    if (n && text[n - 1] == '\r') n--;
    return (struct str){text, n};
}

/* ---- search: a whole block at a time, so that the expression is compiled once
 * a block --------- */

/* The first place in the text that matches within one line, or -1. */
static ptrdiff_t find_first(struct str regex, struct str text, char end) {
    size_t from = 0;
    while (from < text.n) {
        struct match match;
        struct str rest = str_sub(text, from, text.n);
        if (regex_try(regex, true, rest, STEP_LIMIT, &match) <= 0) return -1;
        const char *cut = memchr(rest.p + match.start, end, rest.n - match.start);
        size_t line_end = cut ? (size_t)(cut - rest.p) : rest.n;
        if (match.end <= line_end) return (ptrdiff_t)(from + match.start);
        /* it runs over the end of the line: does the line alone match? */
        const char *before = memrchr(rest.p, end, match.start);
        size_t start = before ? (size_t)(before - rest.p) + 1 : 0;
        struct str line = str_sub(rest, start, line_end - start);
        if (regex_try(regex, true, line, STEP_LIMIT, NULL) > 0) return (ptrdiff_t)(from + start);
        from += line_end + 1;
    }
    return -1;
}

static ptrdiff_t find_last(struct str regex, struct str text, char end) {
    ptrdiff_t last = -1, found;
    size_t from = 0;
    while (from < text.n && (found = find_first(regex, str_sub(text, from, text.n), end)) >= 0) {
        last = (ptrdiff_t)from + found;
        const char *cut = memchr(text.p + last, end, text.n - (size_t)last);
        from = cut ? (size_t)(cut - text.p) + 1 : text.n;
    }
    return last;
}

static int64_t count_ends(struct str text, char end) {
    int64_t n = 0;
    for (const char *p = text.p; text.n && (p = memchr(p, end, (size_t)(text.p + text.n - p)));)
        n++, p++;
    return n;
}

/* Whole lines from `at` on, about half a block; a line longer than that is cut.
 */
static struct str lines_at(struct log_file *log, uint64_t at) {
    struct str bytes = bytes_of(log, at, at + BLOCK / 2);
    const char *end = bytes.n ? memrchr(bytes.p, log->end, bytes.n) : NULL;
    if (end && at + bytes.n < log->size) bytes.n = (size_t)(end - bytes.p) + 1;
    return bytes;
}

static int search_down(struct log_file *log, struct str regex, uint64_t limit, uint64_t *at,
                       int64_t *lines) {
    uint64_t from = log_file_next(log, *at), here = from;
    int64_t moved = 1;
    while (here < log->size) {
        struct str text = lines_at(log, here);
        if (!text.n) return 0;
        ptrdiff_t found = find_first(regex, text, log->end);
        if (found >= 0) {
            *lines += moved + count_ends(str_sub(text, 0, (size_t)found), log->end);
            *at = log_file_line_start(log, here + (uint64_t)found);
            return 1;
        }
        moved += count_ends(text, log->end);
        here += text.n;
        if (here - from >= limit) return *at = log_file_line_start(log, here), *lines += moved, -1;
    }
    return 0;
}

static int search_up(struct log_file *log, struct str regex, uint64_t limit, uint64_t *at,
                     int64_t *lines) {
    uint64_t end = *at, least = end > limit ? end - limit : 0;
    int64_t moved = 0;
    while (end > 0) {
        uint64_t from = end > BLOCK / 4 ? log_file_line_start(log, end - BLOCK / 4) : 0;
        if (end - from > BLOCK) from = end - BLOCK;
        struct str text = bytes_of(log, from, end);
        if (!text.n) return 0;
        ptrdiff_t found = find_last(regex, text, log->end);
        if (found >= 0) {
            moved += count_ends(str_sub(text, (size_t)found, text.n), log->end);
            *lines -= moved;
            *at = log_file_line_start(log, from + (uint64_t)found);
            return 1;
        }
        moved += count_ends(text, log->end);
        end = from;
        if (end && end <= least) return *at = end, *lines -= moved, -1;
    }
    return 0;
}

int log_file_search(struct log_file *log, struct str regex, int direction, uint64_t limit,
                    uint64_t *at, int64_t *lines) {
    *lines = 0;
    return direction > 0 ? search_down(log, regex, limit, at, lines)
                         : search_up(log, regex, limit, at, lines);
}
