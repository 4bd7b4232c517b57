#include "ui/log_file.h"

#include "text/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

enum { BLOCK = 256 * 1024, LONGEST_LINE = 16 << 20 };
enum { BLOCK_STEPS = 2000000, LINE_STEPS = 20000 };

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
    log->end = text_is_mac(head) ? '\r' : '\n';
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
    log->block = heap_bytes(BLOCK);
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

/* ---- search: a whole block at a time ----------------------------------------------------------
 */

/* The first line that matches by itself, or -1: where a whole block takes too many steps. */
static ptrdiff_t find_by_line(struct pattern *pattern, struct str text, char end) {
    for (size_t from = 0; from < text.n;) {
        const char *cut = memchr(text.p + from, end, text.n - from);
        size_t to = cut ? (size_t)(cut - text.p) : text.n;
        if (pattern_try(pattern, str_sub(text, from, to - from), LINE_STEPS, NULL) > 0)
            return (ptrdiff_t)from;
        from = to + 1;
    }
    return -1;
}

/* The first place in the text that matches within one line, or -1. */
static ptrdiff_t find_first(struct pattern *pattern, struct str text, char end) {
    size_t from = 0;
    while (from < text.n) {
        struct match match;
        struct str rest = str_sub(text, from, text.n);
        int found = pattern_try(pattern, rest, BLOCK_STEPS, &match);
        if (found == 0) return -1;
        if (found < 0) {
            ptrdiff_t at = find_by_line(pattern, rest, end);
            return at < 0 ? -1 : (ptrdiff_t)from + at;
        }
        const char *cut = memchr(rest.p + match.start, end, rest.n - match.start);
        size_t line_end = cut ? (size_t)(cut - rest.p) : rest.n;
        if (match.end <= line_end) return (ptrdiff_t)(from + match.start);
        /* it runs over the end of the line: does the line alone match? */
        const char *before = memrchr(rest.p, end, match.start);
        size_t start = before ? (size_t)(before - rest.p) + 1 : 0;
        struct str line = str_sub(rest, start, line_end - start);
        if (pattern_try(pattern, line, LINE_STEPS, NULL) > 0) return (ptrdiff_t)(from + start);
        from += line_end + 1;
    }
    return -1;
}

static ptrdiff_t find_last(struct pattern *pattern, struct str text, char end) {
    ptrdiff_t last = -1, found;
    size_t from = 0;
    while (from < text.n && (found = find_first(pattern, str_sub(text, from, text.n), end)) >= 0) {
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

/* Whole lines from `at` on, about half a block; a line longer than that is cut. */
static struct str lines_at(struct log_file *log, uint64_t at) {
    struct str bytes = bytes_of(log, at, at + BLOCK / 2);
    const char *end = bytes.n ? memrchr(bytes.p, log->end, bytes.n) : NULL;
    if (end && at + bytes.n < log->size) bytes.n = (size_t)(end - bytes.p) + 1;
    return bytes;
}

/* `at` is the first line that was not looked at. */
static int search_down(struct log_file *log, struct pattern *pattern, struct log_search *search,
                       uint64_t limit) {
    uint64_t looked = 0;
    while (search->at < log->size) {
        struct str text = lines_at(log, search->at);
        if (!text.n) return 0;
        ptrdiff_t found = find_first(pattern, text, log->end);
        if (found >= 0) {
            search->lines += count_ends(str_sub(text, 0, (size_t)found), log->end);
            search->at = log_file_line_start(log, search->at + (uint64_t)found);
            return 1;
        }
        search->lines += count_ends(text, log->end);
        search->at += text.n;
        looked += text.n;
        if (looked >= limit) return search->at < log->size ? -1 : 0;
    }
    return 0;
}

/* `at` is where the lines that were not looked at end. */
static int search_up(struct log_file *log, struct pattern *pattern, struct log_search *search,
                     uint64_t limit) {
    uint64_t looked = 0;
    while (search->at > 0) {
        uint64_t end = search->at;
        uint64_t from = end > BLOCK / 4 ? log_file_line_start(log, end - BLOCK / 4) : 0;
        if (end - from > BLOCK) from = end - BLOCK;
        struct str text = bytes_of(log, from, end);
        if (!text.n) return 0;
        ptrdiff_t found = find_last(pattern, text, log->end);
        if (found >= 0) {
            search->lines -= count_ends(str_sub(text, (size_t)found, text.n), log->end);
            search->at = log_file_line_start(log, from + (uint64_t)found);
            return 1;
        }
        search->lines -= count_ends(text, log->end);
        search->at = from;
        looked += text.n;
        if (looked >= limit) return from ? -1 : 0;
    }
    return 0;
}

int log_file_search(struct log_file *log, struct pattern *pattern, struct log_search *search,
                    uint64_t limit) {
    if (search->direction < 0) return search_up(log, pattern, search, limit);
    if (!search->begun) {
        search->at = log_file_next(log, search->at);
        search->lines = 1;
        search->begun = true;
    }
    return search_down(log, pattern, search, limit);
}

/* The first line of a text of whole lines that mending would change, or its end. */
static size_t first_odd(struct str text, char end) {
    size_t from = 0;
    while (from < text.n) {
        const char *cut = memchr(text.p + from, end, text.n - from);
        size_t to = cut ? (size_t)(cut - text.p) : text.n;
        if (mend_needed(str_sub(text, from, to - from))) return from;
        from = to + (to < text.n);
    }
    return text.n;
}

static size_t start_of_line(struct str text, size_t at, char end) {
    const char *before = at ? memrchr(text.p, end, at) : NULL;
    return before ? (size_t)(before - text.p) + 1 : 0;
}

static uint64_t skip_down(struct log_file *log, struct pattern *pattern, uint64_t at,
                          uint64_t *clear, int64_t *lines) {
    struct str text = lines_at(log, at);
    if (*clear <= at) {
        ptrdiff_t found = find_first(pattern, text, log->end);
        *clear = at + (found < 0 ? text.n : start_of_line(text, (size_t)found, log->end));
    }
    text.n = text.n < *clear - at ? text.n : *clear - at;
    text.n = first_odd(text, log->end);
    *lines = count_ends(text, log->end);
    return at + text.n;
}

static uint64_t skip_up(struct log_file *log, struct pattern *pattern, uint64_t at,
                        int64_t *lines) {
    uint64_t from = at > BLOCK / 4 ? log_file_line_start(log, at - BLOCK / 4) : 0;
    struct str text = at - from <= BLOCK ? bytes_of(log, from, at) : (struct str){0};
    size_t kept = 0; /* the lines up to here are to be looked at */
    *lines = 0;
    if (text.n != at - from) return at;
    for (size_t odd; (odd = kept + first_odd(str_sub(text, kept, text.n), log->end)) < text.n;) {
        const char *cut = memchr(text.p + odd, log->end, text.n - odd);
        kept = cut ? (size_t)(cut - text.p) + 1 : text.n;
    }
    struct str rest = str_sub(text, kept, text.n);
    ptrdiff_t found = find_last(pattern, rest, log->end);
    if (found >= 0) {
        const char *cut = memchr(rest.p + found, log->end, rest.n - (size_t)found);
        kept = cut ? (size_t)(cut - text.p) + 1 : text.n;
    }
    *lines = count_ends(str_sub(text, kept, text.n), log->end);
    return from + kept;
}

uint64_t log_file_skip(struct log_file *log, struct pattern *pattern, int direction, uint64_t at,
                       uint64_t *clear, int64_t *lines) {
    return direction > 0 ? skip_down(log, pattern, at, clear, lines)
                         : skip_up(log, pattern, at, lines);
}
