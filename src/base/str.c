#include "base/base.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

static bool is_space(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool str_eq_nocase(struct str a, struct str b) {
    if (a.n != b.n) return false;
    for (size_t i = 0; i < a.n; i++)
        if (lower(a.p[i]) != lower(b.p[i])) return false;
    return true;
}

int str_cmp(struct str a, struct str b) {
    size_t n = a.n < b.n ? a.n : b.n;
    int order = n ? memcmp(a.p, b.p, n) : 0;
    return order ? order : (a.n > b.n) - (a.n < b.n);
}

bool str_ends(struct str s, struct str suffix) {
    return s.n >= suffix.n && str_eq(str_sub(s, s.n - suffix.n, suffix.n), suffix);
}

/* Lines are short and needles are many: memmem's set-up costs more than most searches.  Sixteen
 * places at once are compared with the needle's first and last byte. */
typedef uint8_t bytes16 __attribute__((vector_size(16)));
enum { LONG_NEEDLE = 64, LONG_TEXT = 2048 /* beyond them memmem pays */ };

/* The first of eight places whose byte in `fits` is set and where the needle stands, or 8. */
static int first_of_eight(uint64_t fits, const char *p, struct str needle) {
    while (fits) {
        int at = __builtin_ctzll(fits) / 8;
        if (memcmp(p + at, needle.p, needle.n) == 0) return at;
        fits &= ~((uint64_t)0xff << 8 * at);
    }
    return 8;
}

/* The first of sixteen places at p where the needle stands, or 16; `first` and `last` hold its
 * outer bytes sixteen times. */
static inline int first_of_sixteen(const char *p, struct str needle, bytes16 first, bytes16 last) {
    bytes16 here, there;
    uint64_t fits[2];
    memcpy(&here, p, sizeof here);
    memcpy(&there, p + needle.n - 1, sizeof there);
    here = (bytes16)(here == first) & (bytes16)(there == last);
    memcpy(fits, &here, sizeof fits);
    if (__builtin_expect(!(fits[0] | fits[1]), 1)) return 16;
    int at = first_of_eight(fits[0], p, needle);
    return at < 8 ? at : 8 + first_of_eight(fits[1], p + 8, needle);
}

ptrdiff_t str_find(struct str s, struct str needle, size_t from) {
    if (from > s.n || needle.n > s.n - from) return -1;
    if (needle.n == 0) return (ptrdiff_t)from;
    size_t places = s.n - needle.n + 1, i = from;
    bool many = needle.n > LONG_NEEDLE || s.n - from > LONG_TEXT;
    if (many || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__) {
        const char *at = memmem(s.p + from, s.n - from, needle.p, needle.n);
        return at ? at - s.p : -1;
    }
    bytes16 first = (bytes16){0} + (uint8_t)needle.p[0];
    bytes16 last = (bytes16){0} + (uint8_t)needle.p[needle.n - 1];
    while (i < places) {
        if (places - i < 16) {
            if (places - from < 16) break;
            i = places - 16; /* some are looked at twice */
        }
        int at = first_of_sixteen(s.p + i, needle, first, last);
        if (at < 16) return (ptrdiff_t)i + at;
        i += 16;
    }
    for (; i < places; i++)
        if (s.p[i] == needle.p[0] && memcmp(s.p + i, needle.p, needle.n) == 0) return (ptrdiff_t)i;
    return -1;
}

ptrdiff_t str_find_nocase(struct str s, struct str needle, size_t from) {
    if (needle.n == 0) return from <= s.n ? (ptrdiff_t)from : -1;
    for (size_t i = from; i + needle.n <= s.n; i++)
        if (lower(s.p[i]) == lower(needle.p[0]) && str_eq_nocase(str_sub(s, i, needle.n), needle))
            return (ptrdiff_t)i;
    return -1;
}

bool str_has(struct str s, struct str needle) {
    return str_find(s, needle, 0) >= 0;
}

struct str str_trim(struct str s) {
    while (s.n && is_space(s.p[0])) s.p++, s.n--;
    while (s.n && is_space(s.p[s.n - 1])) s.n--;
    return s;
}

bool str_split(struct str *rest, char sep, struct str *field) {
    if (!rest->p) return false;
    const char *at = rest->n ? memchr(rest->p, sep, rest->n) : NULL;
    if (at) {
        *field = (struct str){rest->p, (size_t)(at - rest->p)};
        *rest = str_sub(*rest, field->n + 1, rest->n);
    } else {
        *field = *rest;
        *rest = (struct str){0};
    }
    return true;
}

bool str_line(struct str *rest, struct str *line) {
    if (!rest->n) return false;
    const char *at = memchr(rest->p, '\n', rest->n);
    *line = (struct str){rest->p, at ? (size_t)(at - rest->p) : rest->n};
    *rest = str_sub(*rest, line->n + (at != NULL), rest->n);
    if (line->n && line->p[line->n - 1] == '\r') line->n--;
    return true;
}

bool str_int(struct str s, int64_t *value) {
    size_t i = 0;
    bool minus = s.n && s.p[0] == '-';
    if (s.n && (s.p[0] == '-' || s.p[0] == '+')) i++;
    if (i == s.n) return false;
    int64_t v = 0;
    for (; i < s.n; i++) {
        if (!is_digit(s.p[i])) return false;
        if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, s.p[i] - '0', &v))
            return false;
    }
    *value = minus ? -v : v;
    return true;
}

bool str_number(struct str s, double *value) {
    char text[64];
    if (!s.n || s.n >= sizeof text) return false;
    for (size_t i = 0; i < s.n; i++)
        if (!is_digit(s.p[i]) && !strchr("+-.eE", s.p[i])) return false;
    memcpy(text, s.p, s.n);
    text[s.n] = 0;
    char *end;
    double v = strtod(text, &end); /* LC_NUMERIC is never set, so the point is a point */
    if (*end || !isfinite(v)) return false;
    *value = v;
    return true;
}

int version_cmp(struct str a, struct str b) {
    size_t i = 0, j = 0;
    for (;;) {
        while (i < a.n && a.p[i] != '+' && !is_digit(a.p[i])) i++;
        while (j < b.n && b.p[j] != '+' && !is_digit(b.p[j])) j++;
        bool more_a = i < a.n && a.p[i] != '+', more_b = j < b.n && b.p[j] != '+';
        if (!more_a && !more_b) return 0;
        uint64_t x = 0, y = 0;
        while (more_a && i < a.n && is_digit(a.p[i])) x = x * 10 + (uint64_t)(a.p[i++] - '0');
        while (more_b && j < b.n && is_digit(b.p[j])) y = y * 10 + (uint64_t)(b.p[j++] - '0');
        if (x != y) return x < y ? -1 : 1;
    }
}

uint64_t str_hash(struct str s) {
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < s.n; i++) h = (h ^ (unsigned char)s.p[i]) * 0x100000001b3u;
    return h ^ h >> 32;
}
