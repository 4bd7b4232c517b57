#include "text/masked.h"

typedef uint8_t bytes16 __attribute__((vector_size(16)));

#define ALL16(c) ((bytes16){c, c, c, c, c, c, c, c, c, c, c, c, c, c, c, c})

static inline uint64_t fold(uint64_t a, uint64_t b) {
    unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Masks 16 bytes and stirs them into *h. */
static inline void mask_16(uint64_t *h, const char *from, char *to) {
    bytes16 v;
    uint64_t half[2];
    memcpy(&v, from, sizeof v);
    bytes16 digit = (bytes16)((bytes16)(v - ALL16('0')) < ALL16(10));
    v ^= (v ^ ALL16('0')) & digit;
    memcpy(to, &v, sizeof v);
    memcpy(half, &v, sizeof half);
    *h = fold(half[0] ^ 0xA0761D6478BD642Fu, half[1] ^ *h);
}

uint64_t masked_copy(struct str line, char *to) {
    uint64_t a = line.n * 0x9E3779B97F4A7C15u, b = 0xE7037ED1A0B428DBu; /* two, to wait less */
    char last[MASKED_BEYOND] = {0};
    size_t i = 0;
    for (; i + MASKED_BEYOND <= line.n; i += MASKED_BEYOND) {
        mask_16(&a, line.p + i, to + i);
        mask_16(&b, line.p + i + 16, to + i + 16);
    }
    memcpy(last, line.p + i, line.n - i);
    mask_16(&a, last, to + i);
    mask_16(&b, last + 16, to + i + 16);
    return fold(a ^ 0x8EBC6AF09C88C6E3u, b);
}
