#include "text/grams.h"

void grams_make(struct grams *grams, struct str s) {
    memset(grams, 0, sizeof *grams);
    unsigned before = s.n ? gram_fold(s.p[0]) : 0;
    for (size_t i = 1; i < s.n; i++) {
        unsigned byte = gram_fold(s.p[i]);
        grams->bits[before] |= (uint64_t)1 << byte; /* as gram_join says */
        before = byte;
    }
}

bool grams_has(const struct grams *grams, struct str s, struct str needle) {
    return grams_may(grams, needle) && str_has(s, needle);
}
