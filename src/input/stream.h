/* stream.h - bytes in order, wherever they come from.  Private to input/. */
#ifndef FAULTLINE_STREAM_H
#define FAULTLINE_STREAM_H

#include "base/base.h"

struct stream {
    /* Up to n bytes; 0 at the end, -1 with err filled when reading failed. */
    ptrdiff_t (*read)(struct stream *stream, char *room, size_t n, struct err *err);
};

struct fd_stream {
    struct stream stream;
    int fd;
    const char *name; /* for messages */
};
void fd_stream_init(struct fd_stream *stream, int fd, const char *name);

struct memory_stream {
    struct stream stream;
    struct str left;
};
void memory_stream_init(struct memory_stream *stream, struct str text);

/* Bytes that were read to see what they are, then the stream they came from. */
struct ahead_stream {
    struct stream stream;
    struct str ahead; /* borrowed */
    struct stream *inner;
};
void ahead_stream_init(struct ahead_stream *stream, struct str ahead, struct stream *inner);

/* UTF-16 read as UTF-8.  `ahead` are bytes that were taken from `inner` before; they must outlive
 * it. */
struct utf16_stream {
    struct stream stream;
    struct stream *inner;
    struct str ahead;
    bool big_endian;
    char odd[4]; /* units that wait for their rest */
    size_t n_odd;
    struct buf out;
    size_t at;
};
void utf16_stream_init(struct utf16_stream *stream, struct stream *inner, struct str ahead,
                       bool big_endian);
void utf16_stream_release(struct utf16_stream *stream);

/* Reads until room is full or the stream ends; how many bytes.  False in *ok with err when it
 * failed midway. */
size_t stream_fill(struct stream *stream, char *room, size_t n, bool *ok, struct err *err);

#endif
