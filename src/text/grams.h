/* grams.h - a quick no: which pairs of bytes a line holds, so that most needles need no search. */
#ifndef FAULTLINE_GRAMS_H
#define FAULTLINE_GRAMS_H

#include "base/base.h"

struct grams {
    uint64_t bits[64]; /* 4096 of them; pairs share bits, so that a yes needs a search */
};

static inline unsigned gram_of(char a, char b) {
    return ((unsigned char)a * 37u + (unsigned char)b * 101u) & 4095;
}

static inline bool gram_in(const struct grams *grams, unsigned gram) {
    return grams->bits[gram / 64] >> gram % 64 & 1;
}

/* The pairs of s. */
void grams_make(struct grams *grams, struct str s);
/* True when s, whose pairs these are (or those of a text around it), holds the needle of two bytes
 * or more. */
bool grams_has(const struct grams *grams, struct str s, struct str needle);

#endif
