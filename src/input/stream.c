#include "input/stream.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "text/text.h"

static ptrdiff_t fd_read(struct stream *stream, char *room, size_t n, struct err *err) {
    struct fd_stream *self = (struct fd_stream *)stream;
    for (;;) {
        ssize_t got = read(self->fd, room, n);
        if (got >= 0) return got;
        if (errno == EINTR) continue;
        err_set(err, strerror(errno), NULL, "cannot read '%s'", self->name);
        return -1;
    }
}

void fd_stream_init(struct fd_stream *stream, int fd, const char *name) {
    *stream = (struct fd_stream){{fd_read}, fd, name};
}

static ptrdiff_t memory_read(struct stream *stream, char *room, size_t n, struct err *err) {
    struct memory_stream *self = (struct memory_stream *)stream;
    (void)err;
    size_t give = n < self->left.n ? n : self->left.n;
    if (give) memcpy(room, self->left.p, give);
    self->left = str_sub(self->left, give, self->left.n);
    return (ptrdiff_t)give;
}

void memory_stream_init(struct memory_stream *stream, struct str text) {
    *stream = (struct memory_stream){{memory_read}, text};
}

static ptrdiff_t ahead_read(struct stream *stream, char *room, size_t n, struct err *err) {
    struct ahead_stream *self = (struct ahead_stream *)stream;
    if (!self->ahead.n) return self->inner->read(self->inner, room, n, err);
    size_t give = n < self->ahead.n ? n : self->ahead.n;
    memcpy(room, self->ahead.p, give);
    self->ahead = str_sub(self->ahead, give, self->ahead.n);
    return (ptrdiff_t)give;
}

void ahead_stream_init(struct ahead_stream *stream, struct str ahead, struct stream *inner) {
    *stream = (struct ahead_stream){{ahead_read}, ahead, inner};
}

size_t stream_fill(struct stream *stream, char *room, size_t n, bool *ok, struct err *err) {
    size_t filled = 0;
    *ok = true;
    while (filled < n) {
        ptrdiff_t got = stream->read(stream, room + filled, n - filled, err);
        if (got < 0) *ok = false;
        if (got <= 0) break;
        filled += (size_t)got;
    }
    return filled;
}

/* ---- UTF-16 ------------------------------------------------------------------------- */

/* Decodes whole units only; half a unit or half a pair waits for the next call. */
static void decode(struct utf16_stream *self, const char *bytes, size_t n, bool last) {
    size_t whole = n & ~(size_t)1;
    if (whole >= 2 && !last) {
        unsigned char high = (unsigned char)bytes[whole - (self->big_endian ? 2 : 1)];
        if (high >= 0xD8 && high < 0xDC) whole -= 2;
    }
    utf16_add(&self->out, (struct str){bytes, whole}, self->big_endian);
    self->n_odd = last ? 0 : n - whole;
    memmove(self->odd, bytes + whole, self->n_odd);
}

static ptrdiff_t utf16_read(struct stream *stream, char *room, size_t n, struct err *err) {
    struct utf16_stream *self = (struct utf16_stream *)stream;
    while (self->at == self->out.n) {
        char raw[16384 + sizeof self->odd];
        buf_clear(&self->out);
        self->at = 0;
        memcpy(raw, self->odd, self->n_odd);
        size_t have = self->n_odd, want = sizeof raw - have;
        ptrdiff_t got;
        if (self->ahead.n) {
            got = (ptrdiff_t)(self->ahead.n < want ? self->ahead.n : want);
            memcpy(raw + have, self->ahead.p, (size_t)got);
            self->ahead = str_sub(self->ahead, (size_t)got, self->ahead.n);
        } else {
            got = self->inner->read(self->inner, raw + have, want, err);
        }
        if (got < 0) return -1;
        if (got == 0 && !have) return 0;
        decode(self, raw, have + (size_t)got, got == 0);
        if (got == 0 && !self->out.n) return 0;
    }
    size_t left = self->out.n - self->at, give = n < left ? n : left;
    memcpy(room, self->out.p + self->at, give);
    self->at += give;
    return (ptrdiff_t)give;
}

void utf16_stream_init(struct utf16_stream *stream, struct stream *inner, struct str ahead,
                       bool big_endian) {
    *stream = (struct utf16_stream){
        .stream = {utf16_read}, .inner = inner, .ahead = ahead, .big_endian = big_endian};
}

void utf16_stream_release(struct utf16_stream *stream) {
    buf_release(&stream->out);
}
