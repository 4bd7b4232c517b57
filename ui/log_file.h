/* log_file.h - a text of any size, read by lines around a place.
 *
 * Reads only what is asked for, in blocks: a log of 10 GB opens at once.  A
 * line's offset is that of its first byte.  Knows neither hits nor the screen.
 */
#ifndef FAULTLINE_LOG_FILE_H
#define FAULTLINE_LOG_FILE_H

#include "base/base.h"
#include "match/match.h"

struct log_file {
    int fd;            /* -1: the text is in memory */
    struct str memory; /* borrowed */
    uint64_t size;
    char end;    /* what ends a line: LF, or CR in a text of an old Mac */
    char *block; /* the bytes from block_at on */
    uint64_t block_at;
    size_t block_n;
};

/* False with err where the file cannot be opened or has no size. */
bool log_file_open(struct log_file *log, const char *path, struct err *err);
void log_file_memory(struct log_file *log, struct str text);
void log_file_close(struct log_file *log);

/* The first 64 KiB. */
struct str log_file_head(struct log_file *log);
/* What was appended since: its size now.  True when it grew. */
bool log_file_grow(struct log_file *log);

/* The offset of the next line; the size at the end of the text. */
uint64_t log_file_next(struct log_file *log, uint64_t at);
/* The offset of the line before; 0 at the start. */
uint64_t log_file_before(struct log_file *log, uint64_t at);
/* The offset of the line that holds this byte. */
uint64_t log_file_line_start(struct log_file *log, uint64_t at);
/* Moves *at by whole lines, not beyond the first and the last one; returns by
 * how many it moved. */
int64_t log_file_move(struct log_file *log, uint64_t *at, int64_t lines);
/* The first `room` bytes of a line, without its end. */
struct str log_file_line(struct log_file *log, uint64_t at, char *text, size_t room);
/* A search on its way: it is done in pieces, so that a key never waits for it. */
struct log_search {
    int direction; /* 1: the nearest line after `at` that matches, -1: before it */
    uint64_t at;   /* begins as the offset of a line; ends as that of the line found */
    int64_t lines; /* how many lines it moved */
    bool begun;
};
/* Looks through `limit` bytes more.  1: found; 0: there is none up to the end; -1: the limit came
 * first, the next call goes on. */
int log_file_search(struct log_file *log, struct pattern *pattern, struct log_search *search,
                    uint64_t limit);
/* Lines that cannot match, not even when they are mended: from `at` on (1) or those that end there
 * (-1), of one block at most.  The new `at`; *lines receives how many it left behind.  *clear, 0 at
 * first, remembers up to where the text forward is known to hold no match. */
uint64_t log_file_skip(struct log_file *log, struct pattern *pattern, int direction, uint64_t at,
                       uint64_t *clear, int64_t *lines);

#endif
