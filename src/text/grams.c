#include "text/grams.h"

typedef uint8_t bytes16 __attribute__((vector_size(16)));

enum { PIECE = 256 };

/* gram_fold of n bytes, n <= PIECE, sixteen at a time. */
static void fold(struct str s, uint8_t folded[PIECE]) {
    char last[16] = {0};
    for (size_t i = 0; i < s.n; i += sizeof(bytes16)) {
        bytes16 v, digit;
        const char *p = s.p + i;
        if (s.n - i < sizeof v) p = memcpy(last, p, s.n - i);
        memcpy(&v, p, sizeof v);
        digit = (bytes16)((bytes16)(v - '0') < 10);
        v = (v & ~digit) | ('0' & digit);
        v = (v & 31) | (v >> 1 & 32);
        memcpy(folded + i, &v, sizeof v);
    }
}

void grams_make(struct grams *grams, struct str s) {
    uint8_t folded[PIECE];
    memset(grams, 0, sizeof *grams);
    for (size_t at = 0; at + 1 < s.n; at += PIECE - 1) { /* pieces share a byte */
        struct str piece = str_sub(s, at, PIECE);
        fold(piece, folded);
        for (size_t i = 0; i + 1 < piece.n; i++) /* as gram_join says */
            grams->bits[folded[i]] |= (uint64_t)1 << folded[i + 1];
    }
}

static void add(struct grams *grams, char a, char b) {
    unsigned gram = gram_of(a, b);
    grams->bits[gram / 64] |= (uint64_t)1 << gram % 64;
}

void grams_blur(struct grams *grams) {
    static const char digits[] = "0abcdef";
    uint64_t behind = grams->bits[gram_fold('0')]; /* what stands behind a digit */
    for (const char *a = digits; *a; a++) {
        grams->bits[gram_fold(*a)] |= behind;
        add(grams, 'x', *a);
        for (const char *b = digits; *b; b++) add(grams, *a, *b);
    }
}

bool grams_has(const struct grams *grams, struct str s, struct str needle) {
    return grams_may(grams, needle) && str_has(s, needle);
}
