#include "text/masked.h"

typedef uint8_t bytes16 __attribute__((vector_size(16)));

#define ALL16(c) ((bytes16){c, c, c, c, c, c, c, c, c, c, c, c, c, c, c, c})

static inline uint64_t fold(uint64_t a, uint64_t b) {
    unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline bytes16 load16(const char *p) {
    bytes16 v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* Masks 16 bytes and stirs them into *h, which waits for a rotation only. */
static inline void mask_16(uint64_t *h, bytes16 v, char *to) {
    uint64_t half[2];
    bytes16 digit = (bytes16)((bytes16)(v - ALL16('0')) < ALL16(10));
    v ^= (v ^ ALL16('0')) & digit;
    memcpy(to, &v, sizeof v);
    memcpy(half, &v, sizeof half);
    *h = (*h << 23 | *h >> 41) + fold(half[0] ^ 0xA0761D6478BD642Fu, half[1] ^ 0xE7037ED1A0B428DBu);
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
    uint64_t a = line.n * 0x9E3779B97F4A7C15u, b = a;
    bytes16 last[2];
    size_t i = 0;
    for (; i + MASKED_BEYOND <= line.n; i += MASKED_BEYOND) {
        mask_16(&a, load16(line.p + i), to + i);
        mask_16(&b, load16(line.p + i + 16), to + i + 16);
    }
    load_rest((struct str){line.p + i, line.n - i}, beyond, last);
    mask_16(&a, last[0], to + i);
    mask_16(&b, last[1], to + i + 16);
    return fold(a ^ 0x8EBC6AF09C88C6E3u, b);
}

bool masked_same(const char *a, const char *b, size_t n) {
    bytes16 differ = {0};
    uint64_t half[2];
    for (size_t i = 0; i < n; i += MASKED_BEYOND)
        differ |= (load16(a + i) ^ load16(b + i)) | (load16(a + i + 16) ^ load16(b + i + 16));
    memcpy(half, &differ, sizeof half);
    return !(half[0] | half[1]);
}
