#include "text/grams.h"

void grams_make(struct grams *grams, struct str s) {
    memset(grams, 0, sizeof *grams);
    for (size_t i = 0; i + 1 < s.n; i++) {
        unsigned gram = gram_of(s.p[i], s.p[i + 1]);
        grams->bits[gram / 64] |= (uint64_t)1 << gram % 64;
    }
}

bool grams_has(const struct grams *grams, struct str s, struct str needle) {
    return grams_may(grams, needle) && str_has(s, needle);
}
