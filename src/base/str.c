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

bool str_starts_nocase(struct str s, struct str prefix) {
    return str_eq_nocase(str_sub(s, 0, prefix.n), prefix);
}

bool str_ends_nocase(struct str s, struct str suffix) {
    return s.n >= suffix.n && str_eq_nocase(str_sub(s, s.n - suffix.n, suffix.n), suffix);
}

/* Needles are many and most stand nowhere: memmem's set-up costs more than most searches.  Places
 * are compared with the needle's first and last byte, many at once. */
typedef uint8_t bytes16 __attribute__((vector_size(16)));
enum { LONG_NEEDLE = 64, STRIDE = 32, LEAP = 128 };

/* The first of eight places whose byte in `fits` is set and where the needle stands, or 8. */
static int first_of_eight(uint64_t fits, const char *p, struct str needle) {
    while (fits) {
        int at = __builtin_ctzll(fits) / 8;
        if (memcmp(p + at, needle.p, needle.n) == 0) return at;
        fits &= ~((uint64_t)0xff << 8 * at);
    }
    return 8;
}

/* All ones for each of sixteen places at p that begins with `first` and ends with `last`. */
static inline bytes16 fits_at(const char *p, size_t n, bytes16 first, bytes16 last) {
    bytes16 here, there;
    memcpy(&here, p, sizeof here);
    memcpy(&there, p + n - 1, sizeof there);
    return (bytes16)(here == first) & (bytes16)(there == last);
}

/* The first of STRIDE places at p where the needle stands, or STRIDE; `first` and `last` hold its
 * outer bytes sixteen times. */
static inline int first_of_stride(const char *p, struct str needle, bytes16 first, bytes16 last) {
    bytes16 fits[2] = {fits_at(p, needle.n, first, last), fits_at(p + 16, needle.n, first, last)};
    bytes16 any = fits[0] | fits[1];
    uint64_t eights[4];
    memcpy(eights, &any, sizeof any);
    if (__builtin_expect(!(eights[0] | eights[1]), 1)) return STRIDE;
    memcpy(eights, fits, sizeof fits);
    for (int i = 0; i < 4; i++) {
        int at = first_of_eight(eights[i], p + 8 * i, needle);
        if (at < 8) return 8 * i + at;
    }
    return STRIDE;
}

/* False where the needle cannot begin at any of LEAP places at p. */
static inline bool may_in_leap(const char *p, size_t n, bytes16 first, bytes16 last) {
    bytes16 any = fits_at(p, n, first, last);
    for (int i = 16; i < LEAP; i += 16) any |= fits_at(p + i, n, first, last);
    uint64_t eights[2];
    memcpy(eights, &any, sizeof any);
    return eights[0] | eights[1];
}

/* How often `c` stands among n bytes at p, n <= 16 * 255: each byte of a vector counts for itself.
 */
static size_t count_in(const char *p, size_t n, char c) {
    bytes16 sums = {0}, wanted = (bytes16){0} + (uint8_t)c;
    size_t count = 0, i = 0;
    for (; i + 16 <= n; i += 16) {
        bytes16 v;
        memcpy(&v, p + i, sizeof v);
        sums -= (bytes16)(v == wanted);
    }
    for (int k = 0; k < 16; k++) count += sums[k];
    for (; i < n; i++) count += p[i] == c;
    return count;
}

size_t str_count(struct str s, char c) {
    size_t count = 0;
    for (size_t i = 0; i < s.n; i += 16 * 255) {
        struct str piece = str_sub(s, i, 16 * 255);
        count += count_in(piece.p, piece.n, c);
    }
    return count;
}

ptrdiff_t str_find(struct str s, struct str needle, size_t from) {
    if (from > s.n || needle.n > s.n - from) return -1;
    if (needle.n == 0) return (ptrdiff_t)from;
    if (needle.n == 1 || needle.n > LONG_NEEDLE || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__) {
        const char *at = needle.n == 1 ? memchr(s.p + from, needle.p[0], s.n - from)
                                       : memmem(s.p + from, s.n - from, needle.p, needle.n);
        return at ? at - s.p : -1;
    }
    size_t places = s.n - needle.n + 1, i = from;
    bytes16 first = (bytes16){0} + (uint8_t)needle.p[0];
    bytes16 last = (bytes16){0} + (uint8_t)needle.p[needle.n - 1];
    while (i < places) {
        if (places - i >= LEAP && !may_in_leap(s.p + i, needle.n, first, last)) {
            i += LEAP;
            continue;
        }
        if (places - i < STRIDE) {
            if (places - from < STRIDE) break;
            i = places - STRIDE; /* some are looked at twice */
        }
        int at = first_of_stride(s.p + i, needle, first, last);
        if (at < STRIDE) return (ptrdiff_t)i + at;
        i += STRIDE;
    }
    for (; i < places; i++)
        if (s.p[i] == needle.p[0] && memcmp(s.p + i, needle.p, needle.n) == 0) return (ptrdiff_t)i;
    return -1;
}

ptrdiff_t str_find_nocase(struct str s, struct str needle, size_t from) {
    if (needle.n == 0) return from <= s.n ? (ptrdiff_t)from : -1;
    char first = (char)(needle.p[0] | 0x20); /* letters of either case, and a few others */
    for (size_t i = from; i + needle.n <= s.n; i++)
        if ((s.p[i] | 0x20) == first && str_eq_nocase(str_sub(s, i, needle.n), needle))
            return (ptrdiff_t)i;
    return -1;
}

bool str_has(struct str s, struct str needle) {
    return str_find(s, needle, 0) >= 0;
}

static bool letter_at(struct str s, size_t i) {
    return i < s.n && (s.p[i] | 32) >= 'a' && (s.p[i] | 32) <= 'z';
}

bool str_has_word(struct str s, struct str word) {
    for (ptrdiff_t at = str_find_nocase(s, word, 0); at >= 0;
         at = str_find_nocase(s, word, (size_t)at + 1))
        if (!(at && letter_at(s, (size_t)at - 1)) && !letter_at(s, (size_t)at + word.n))
            return true;
    return false;
}

bool str_among(struct str s, const char *const *texts, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (str_eq(s, str_of(texts[i]))) return true;
    return false;
}

bool str_starts_any(struct str s, const char *const *texts, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (str_starts(s, str_of(texts[i]))) return true;
    return false;
}

bool str_ends_any(struct str s, const char *const *texts, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (str_ends(s, str_of(texts[i]))) return true;
    return false;
}

bool str_has_any(struct str s, const char *const *texts, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (str_find_nocase(s, str_of(texts[i]), 0) >= 0) return true;
    return false;
}

struct str str_trim(struct str s) {
    while (s.n && is_space(s.p[0])) s.p++, s.n--;
    while (s.n && is_space(s.p[s.n - 1])) s.n--;
    return s;
}

struct str str_folder(struct str path) {
    while (path.n && path.p[path.n - 1] != '/') path.n--;
    return path;
}

struct str str_file_name(struct str path) {
    return str_sub(path, str_folder(path).n, path.n);
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

/* Few digits and a small power of ten: both are exact as doubles, and so is the rounding of their
 * product or quotient.  False where strtod must do it. */
static bool short_number(struct str s, double *value) {
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    size_t i = s.p[0] == '-';
    uint64_t digits = 0;
    int n = 0, point = 0, power = 0;
    bool fraction = false;
    for (; i < s.n && (is_digit(s.p[i]) || (s.p[i] == '.' && !fraction)); i++) {
        if (s.p[i] == '.') {
            fraction = true;
            continue;
        }
        digits = digits * 10 + (uint64_t)(s.p[i] - '0');
        point += fraction;
        if (++n > 15) return false;
    }
    if (!n) return false;
    if (i < s.n && (s.p[i] == 'e' || s.p[i] == 'E')) {
        int64_t told;
        if (!str_int(str_sub(s, i + 1, 5), &told) || s.n - i > 6) return false;
        power = (int)told;
        i = s.n;
    }
    power -= point;
    if (i < s.n || power < -22 || power > 22) return false;
    double v = power < 0 ? (double)digits / powers[-power] : (double)digits * powers[power];
    *value = s.p[0] == '-' ? -v : v;
    return true;
}

bool str_number(struct str s, double *value) {
    char text[64];
    if (!s.n || s.n >= sizeof text) return false;
    if (short_number(s, value)) return true;
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

bool str_gib(struct str s, char unit, double *gib) {
    static const char units[] = "bkmgtp";
    size_t n = 0;
    double value;
    s = str_trim(s);
    while (n < s.n &&
           (is_digit(s.p[n]) || (n && s.p[n] == '.' && n + 1 < s.n && is_digit(s.p[n + 1]))))
        n++;
    if (!str_number(str_sub(s, 0, n), &value)) return false;
    struct str rest = str_trim(str_sub(s, n, s.n));
    char letter = rest.n ? lower(rest.p[0]) : lower(unit);
    const char *at = letter ? strchr(units, letter) : NULL;
    if (!at) return false;
    for (ptrdiff_t power = at - units; power < 3; power++) value /= 1024;
    for (ptrdiff_t power = at - units; power > 3; power--) value *= 1024;
    *gib = value;
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

int str_distance(struct str a, struct str b) {
    enum { MOST = 64 };
    int row[MOST + 1];
    if (a.n > MOST || b.n > MOST) return (int)(a.n > b.n ? a.n : b.n);
    for (size_t i = 0; i <= b.n; i++) row[i] = (int)i;
    for (size_t i = 1; i <= a.n; i++) {
        int corner = row[0];
        row[0] = (int)i;
        for (size_t k = 1; k <= b.n; k++) {
            int best = corner + (a.p[i - 1] != b.p[k - 1]);
            if (row[k] + 1 < best) best = row[k] + 1;
            if (row[k - 1] + 1 < best) best = row[k - 1] + 1;
            corner = row[k];
            row[k] = best;
        }
    }
    return row[b.n];
}

struct str str_shell(struct arena *arena, struct str word) {
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                "_./,=+:@%-";
    size_t n = 0;
    while (n < word.n && word.p[n] && strchr(plain, word.p[n])) n++;
    if (n == word.n) return word;
    struct str rest = word, part, text = {0};
    for (bool first = true; str_split(&rest, '\'', &part); first = false)
        text = arena_printf(arena, STR_FMT "%s" STR_FMT, STR_ARG(text), first ? "" : "'\\''",
                            STR_ARG(part));
    return arena_printf(arena, "'" STR_FMT "'", STR_ARG(text));
}
