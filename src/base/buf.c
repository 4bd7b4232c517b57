#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>

enum { DRAIN_BYTES = 64 * 1024 };

static void buf_room(struct buf *buf, size_t more) {
    if (buf->n + more <= buf->cap) return;
    if (!buf->cap) buf->cap = 256;
    while (buf->cap < buf->n + more) buf->cap *= 2;
    buf->p = heap_resize(buf->p, buf->cap);
}

void buf_add(struct buf *buf, const void *bytes, size_t n) {
    if (buf->limit && n > buf->limit - buf->n) {
        n = buf->limit - buf->n;
        buf->full = true;
    }
    if (!n) return;
    buf_room(buf, n);
    memcpy(buf->p + buf->n, bytes, n);
    buf->n += n;
    if (buf->drain && buf->n >= DRAIN_BYTES) {
        buf->drain(buf->ctx, buf_view(buf));
        buf->n = 0;
    }
}

void buf_str(struct buf *buf, struct str s) {
    buf_add(buf, s.p, s.n);
}

void buf_char(struct buf *buf, char c) {
    buf_add(buf, &c, 1);
}

void buf_printf(struct buf *buf, const char *format, ...) {
    va_list ap, again;
    va_start(ap, format);
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, format, ap);
    va_end(ap);
    if (n > 0) {
        char *text = heap_bytes((size_t)n + 1);
        vsnprintf(text, (size_t)n + 1, format, again);
        buf_add(buf, text, (size_t)n);
        free(text);
    }
    va_end(again);
}

void buf_clear(struct buf *buf) {
    buf->n = 0;
    buf->full = false;
}

void buf_release(struct buf *buf) {
    free(buf->p);
    buf->p = NULL;
    buf->n = buf->cap = 0;
    buf->full = false;
}

struct str buf_view(const struct buf *buf) {
    return (struct str){buf->p, buf->n};
}
