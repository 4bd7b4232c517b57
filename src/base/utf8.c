#include "base/utf8.h"

int utf8_step(const char *p, size_t n, uint32_t *code) {
    const unsigned char *u = (const unsigned char *)p;
    if (u[0] < 0x80) return *code = u[0], 1;
    int length = u[0] >= 0xF0 ? 4 : u[0] >= 0xE0 ? 3 : 2;
    if (u[0] < 0xC2 || u[0] > 0xF4 || n < (size_t)length) return 0;
    uint32_t value = u[0] & (0x7Fu >> length);
    for (int i = 1; i < length; i++) {
        if ((u[i] & 0xC0) != 0x80) return 0;
        value = value << 6 | (u[i] & 0x3Fu);
    }
    bool overlong = (length == 3 && value < 0x800) || (length == 4 && value < 0x10000);
    if (overlong || value > 0x10FFFF || (value >= 0xD800 && value < 0xE000)) return 0;
    *code = value;
    return length;
}

void utf8_add(struct buf *out, uint32_t code) {
    char bytes[4];
    size_t n = 0;
    if (code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) code = '?';
    if (code < 0x80) {
        bytes[n++] = (char)code;
    } else if (code < 0x800) {
        bytes[n++] = (char)(0xC0 | code >> 6);
        bytes[n++] = (char)(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        bytes[n++] = (char)(0xE0 | code >> 12);
        bytes[n++] = (char)(0x80 | (code >> 6 & 0x3F));
        bytes[n++] = (char)(0x80 | (code & 0x3F));
    } else {
        bytes[n++] = (char)(0xF0 | code >> 18);
        bytes[n++] = (char)(0x80 | (code >> 12 & 0x3F));
        bytes[n++] = (char)(0x80 | (code >> 6 & 0x3F));
        bytes[n++] = (char)(0x80 | (code & 0x3F));
    }
    buf_add(out, bytes, n);
}

void utf8_drop(struct buf *text) {
    while (text->n && ((unsigned char)text->p[text->n - 1] & 0xC0) == 0x80) text->n--;
    if (text->n) text->n--;
}

bool utf8_steers(uint32_t code) {
    return code < 0x20 || (code >= 0x7F && code < 0xA0) || (code >= 0x202A && code <= 0x202E) ||
           (code >= 0x2066 && code <= 0x2069);
}
