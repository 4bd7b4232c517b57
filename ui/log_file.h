/* log_file.h - a text of any size, read by lines around a place.
 *
 * Reads only what is asked for, in blocks: a log of 10 GB opens at once.  A
 * line's offset is that of its first byte.  Knows neither hits nor the screen.
 */
#ifndef FAULTLINE_LOG_FILE_H
#define FAULTLINE_LOG_FILE_H

#include "base/base.h"

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
/* The nearest line after (direction 1) or before (-1) the one at *at that the
 * expression matches, without case, within `limit` bytes.  Returns 1 with *at
 * and *lines (how many lines it moved), 0 when there is none up to the end, -1
 * when the limit came first (*at and *lines tell where). */
int log_file_search(struct log_file *log, struct str regex, int direction, uint64_t limit,
                    uint64_t *at, int64_t *lines);

#endif
