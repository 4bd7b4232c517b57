#include "text/masked.h"

typedef uint8_t bytes16 __attribute__((vector_size(16)));

#define ALL16(c) ((bytes16){c, c, c, c, c, c, c, c, c, c, c, c, c, c, c, c})

const uint64_t masked_keys[4] = {0xA0761D6478BD642Fu, 0xE7037ED1A0B428DBu, 0x8EBC6AF09C88C6E3u,
                                 0x589965CC75374CC3u};

static inline bytes16 load16(const char *p) {
    bytes16 v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline uint64_t stir(uint64_t lane, uint64_t word, uint64_t beside, uint64_t key) {
    uint64_t x = word ^ key;
    return lane + (x & 0xffffffffu) * (x >> 32) + beside;
}

/* Masks 16 bytes and stirs them into two lanes. */
static inline void mask_16(uint64_t lanes[2], bytes16 v, const uint64_t keys[2], uint64_t step,
                           char *to) {
    uint64_t half[2];
    bytes16 digit = (bytes16)((bytes16)(v - ALL16('0')) < ALL16(10));
    v ^= (v ^ ALL16('0')) & digit;
    memcpy(to, &v, sizeof v);
    memcpy(half, &v, sizeof half);
    lanes[0] = stir(lanes[0], half[0], half[1], keys[0] + step);
    lanes[1] = stir(lanes[1], half[1], half[0], keys[1] + step);
}

/* The last bytes of a line, fewer than MASKED_BEYOND, and zeros. */
static inline void load_rest(struct str rest, bool beyond, bytes16 v[2]) {
    static const uint8_t keep[2 * MASKED_BEYOND] = {
        255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
        255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255};
    if (beyond) {
        const char *kept = (const char *)keep + MASKED_BEYOND - rest.n;
        v[0] = load16(rest.p) & load16(kept);
        v[1] = load16(rest.p + 16) & load16(kept + 16);
    } else {
        char last[MASKED_BEYOND] = {0};
        memcpy(last, rest.p, rest.n);
        v[0] = load16(last);
        v[1] = load16(last + 16);
    }
}

uint64_t masked_copy(struct str line, bool beyond, char *to) {
    uint64_t lanes[4] = {0}, step = 0;
    bytes16 last[2];
    size_t i = 0;
    for (; i + MASKED_BEYOND <= line.n; i += MASKED_BEYOND, step += MASKED_STEP) {
        mask_16(lanes, load16(line.p + i), masked_keys, step, to + i);
        mask_16(lanes + 2, load16(line.p + i + 16), masked_keys + 2, step, to + i + 16);
    }
    load_rest((struct str){line.p + i, line.n - i}, beyond, last);
    mask_16(lanes, last[0], masked_keys, step, to + i);
    mask_16(lanes + 2, last[1], masked_keys + 2, step, to + i + 16);
    return masked_finish(lanes, line.n);
}

static uint32_t hex_bits(const struct hex_digits *digits, size_t at) {
    size_t from = digits->from > at ? digits->from - at : 0;
    size_t to = digits->to > at ? digits->to - at : 0;
    if (to > MASKED_BEYOND) to = MASKED_BEYOND;
    return from < to ? (uint32_t)(((uint64_t)1 << to) - ((uint64_t)1 << from)) : 0;
}

uint32_t hex_next(struct hex_digits *digits, const char *p, size_t at, size_t n, uint32_t starts,
                  uint32_t hex) {
    uint32_t bits = hex_bits(digits, at);
    for (; starts; starts &= starts - 1) {
        size_t from = (size_t)__builtin_ctz(starts) + 2, known = from;
        if (from < MASKED_BEYOND) known += (size_t)__builtin_ctzll(~(uint64_t)hex >> from);
        digits->from = at + from;
        digits->to = hex_end(p, at + from, at + known, n);
        bits |= hex_bits(digits, at);
    }
    digits->more = digits->to > at + MASKED_BEYOND;
    return bits;
}

bool masked_addresses(char *masked, size_t n) {
    bool any = false;
    char *x = n ? memchr(masked + 1, 'x', n - 1) : NULL;
    for (; x; x = memchr(x + 1, 'x', n - (size_t)(x + 1 - masked))) {
        size_t at = (size_t)(x + 1 - masked), end = x[-1] == '0' ? hex_end(masked, at, at, n) : at;
        memset(x + 1, '0', end - at);
        any |= end > at;
    }
    return any;
}

bool masked_same(const char *a, const char *b, size_t n) {
    bytes16 differ = {0};
    uint64_t half[2];
    for (size_t i = 0; i < n; i += MASKED_BEYOND)
        differ |= (load16(a + i) ^ load16(b + i)) | (load16(a + i + 16) ^ load16(b + i + 16));
    memcpy(half, &differ, sizeof half);
    return !(half[0] | half[1]);
}

/* ---- loosely ------------------------------------------------------------------------------ */

static uint64_t mix(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
    return hash ^ hash >> 29;
}

/* The first bytes of s, the lowest first, and zeros behind its end. */
static uint64_t eight_bytes(struct str s) {
    uint64_t bytes = 0;
    if (s.n < 8) {
        for (size_t i = s.n; i-- > 0;) bytes = bytes << 8 | (unsigned char)s.p[i];
        return bytes;
    }
    memcpy(&bytes, s.p, 8);
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? bytes : __builtin_bswap64(bytes);
}

/* The index of the lowest byte whose high bit is set. */
static unsigned first_byte(uint64_t bits) {
    return (unsigned)__builtin_ctzll(bits) / 8;
}

/* Behind the hexadecimal digits of a number whose 'x' stands at `at`; `at` where there are none. */
static size_t hex_after(struct str s, size_t at) {
    size_t end = hex_end(s.p, at + 1, at + 1, s.n);
    return end > at + 1 ? end : at;
}

uint64_t masked_loosely(struct str s) {
    uint64_t hash = LOOSELY_NOTHING;
    size_t i = 0;
    while (i < s.n) {
        uint64_t bytes = eight_bytes((struct str){s.p + i, s.n - i}), digits = digits_of(bytes);
        if (!digits) {
            hash = mix(hash, bytes);
            i += 8;
            continue;
        }
        unsigned before = first_byte(digits); /* bytes before the number */
        hash = mix(hash, before ? bytes << (64 - 8 * before) | before : 0);
        i += before;
        while (i < s.n && is_digit(s.p[i])) i++;
        if (i + 1 < s.n && s.p[i] == 'x') i = hex_after(s, i);
    }
    return hash;
}
