/* Container engines wrap every line: {"log":"text\n","stream":"stderr","time":"2024-..."}.
 * Unwrapped, the time stands before the text, where locate looks for it. */
#include "base/utf8.h"
#include "text/chars.h"
#include "text/text.h"

bool unlog_needed(struct str raw) {
    return str_starts(raw, STR("{\"log\":\""));
}

static uint32_t hex4(struct str s, size_t at) {
    uint32_t value = 0;
    for (size_t i = 0; i < 4; i++) {
        char c = to_lower(byte_at(s, at + i));
        bool letter = c >= 'a' && c <= 'f';
        if (!is_digit(c) && !letter) return 0xFFFD;
        value = value << 4 | (uint32_t)(letter ? c - 'a' + 10 : c - '0');
    }
    return value;
}

/* Appends the escape at s[at] == '\\' and returns its length. */
static size_t add_escape(struct buf *out, struct str s, size_t at) {
    char c = byte_at(s, at + 1);
    if (c != 'u') {
        char plain = c == 'n'   ? '\n'
                     : c == 't' ? '\t'
                     : c == 'r' ? '\r'
                     : c == 'b' ? '\b'
                     : c == 'f' ? '\f'
                                : c;
        buf_char(out, plain);
        return 2;
    }
    uint32_t code = hex4(s, at + 2);
    bool pair =
        code >= 0xD800 && code < 0xDC00 && byte_at(s, at + 6) == '\\' && byte_at(s, at + 7) == 'u';
    if (pair) {
        uint32_t low = hex4(s, at + 8);
        if (low >= 0xDC00 && low < 0xE000) {
            utf8_add(out, 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00));
            return 12;
        }
    }
    utf8_add(out, code);
    return 6;
}

bool unlog_line(struct buf *out, struct str raw) {
    if (!unlog_needed(raw)) return false;
    ptrdiff_t key = str_find(raw, STR("\"time\":\""), 0);
    if (key >= 0) {
        struct str time = str_from(raw, (size_t)key + 8);
        const char *end = !time.n ? NULL : memchr(time.p, '"', time.n);
        if (end && end - time.p < 48) {
            buf_add(out, time.p, (size_t)(end - time.p));
            buf_char(out, ' ');
        }
    }
    for (size_t i = 8; i < raw.n && raw.p[i] != '"';) {
        if (raw.p[i] == '\\') {
            i += add_escape(out, raw, i);
        } else {
            buf_char(out, raw.p[i++]);
        }
    }
    while (out->n && (out->p[out->n - 1] == '\n' || out->p[out->n - 1] == '\r')) out->n--;
    return true;
}
