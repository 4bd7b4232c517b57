/* grams.h - a quick no: which pairs of bytes a line holds, so that most needles need no search. */
#ifndef FAULTLINE_GRAMS_H
#define FAULTLINE_GRAMS_H

#include "base/base.h"

struct grams {
    uint64_t bits[64]; /* one for each pair; some bytes are one, so that a yes needs a search */
};

/* A byte in six bits: upper and lower case are one, as are all digits, control bytes with signs,
 * and bytes beyond ASCII with those 128 below.  So the pairs of a line are those of every line that
 * differs in digits only. */
static inline unsigned gram_fold(char c) {
    unsigned byte = (unsigned char)c - (unsigned)'0' < 10 ? '0' : (unsigned char)c;
    return (byte & 31) | (byte >> 1 & 32);
}
static inline unsigned gram_join(unsigned a, unsigned b) {
    return a << 6 | b;
}
static inline unsigned gram_of(char a, char b) {
    return gram_join(gram_fold(a), gram_fold(b));
}

static inline bool gram_in(const struct grams *grams, unsigned gram) {
    return grams->bits[gram / 64] >> gram % 64 & 1;
}

/* The pairs of s. */
void grams_make(struct grams *grams, struct str s);
/* Where s is a masked line with hexadecimal numbers: the pairs of all lines that masking makes it
 * of, and more. */
void grams_blur(struct grams *grams);
/* False where s, whose pairs these are (or those of a text around it), cannot hold the needle,
 * whatever its case. */
static inline bool grams_may(const struct grams *grams, struct str needle) {
    for (size_t i = 0; i + 1 < needle.n && i < 5; i++)
        if (!gram_in(grams, gram_of(needle.p[i], needle.p[i + 1]))) return false;
    return true;
}
/* True when s, whose pairs these are (or those of a text around it), holds the needle of two bytes
 * or more. */
bool grams_has(const struct grams *grams, struct str s, struct str needle);

#endif
