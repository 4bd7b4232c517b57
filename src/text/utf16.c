#include "base/utf8.h"
#include "text/chars.h"
#include "text/text.h"

int utf16_tell(struct str head) {
    if (head.n >= 2 && (unsigned char)head.p[0] == 0xFF && (unsigned char)head.p[1] == 0xFE)
        return 1;
    if (head.n >= 2 && (unsigned char)head.p[0] == 0xFE && (unsigned char)head.p[1] == 0xFF)
        return 2;
    if (head.n < 16) return 0;
    size_t n = head.n < 4096 ? head.n & ~(size_t)1 : 4096, even = 0, odd = 0, plain[2] = {0};
    if (!memchr(head.p, 0, n)) return 0;
    for (size_t i = 0; i < n; i += 2) {
        even += head.p[i] == 0;
        odd += head.p[i + 1] == 0;
        plain[0] +=
            (head.p[i] >= 0x20 && head.p[i] < 0x7F) || head.p[i] == '\n' || head.p[i] == '\r';
        plain[1] += (head.p[i + 1] >= 0x20 && head.p[i + 1] < 0x7F) || head.p[i + 1] == '\n' ||
                    head.p[i + 1] == '\r';
    }
    /* NULs beside text, not among zeros: a binary file is not text for having many of them */
    if (odd * 10 >= n / 2 * 8 && plain[0] * 10 >= n / 2 * 8) return 1;
    if (even * 10 >= n / 2 * 8 && plain[1] * 10 >= n / 2 * 8) return 2;
    return 0;
}

static uint32_t unit_at(struct str s, size_t i, bool big_endian) {
    unsigned char a = (unsigned char)s.p[i], b = (unsigned char)s.p[i + 1];
    return big_endian ? (uint32_t)a << 8 | b : (uint32_t)b << 8 | a;
}

void utf16_add(struct buf *out, struct str bytes, bool big_endian) {
    for (size_t i = 0; i + 1 < bytes.n; i += 2) {
        uint32_t unit = unit_at(bytes, i, big_endian);
        if (i == 0 && unit == 0xFEFF) continue;
        if (unit >= 0xD800 && unit < 0xDC00 && i + 3 < bytes.n) {
            uint32_t low = unit_at(bytes, i + 2, big_endian);
            if (low >= 0xDC00 && low < 0xE000) {
                utf8_add(out, 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00));
                i += 2;
                continue;
            }
        }
        utf8_add(out, unit);
    }
}
