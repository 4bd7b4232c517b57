#include "app/nearest.h"

#include "text/chars.h"

enum {
    NEAREST_MAX = 3,
    CANDIDATES = 12, /* the index holds symptoms, causes and patterns, too */
    PASTE_LINES = 3, /* of more lines the last one is not what the user asks about */
    /* A score tells that an entry is about these words, not that it shares one: each word of a few
     * must be found; of many, so much that a chance is unlikely (40 lines of no entry: 13 at most).
     */
    SCORE_A_WORD = 4,
    SCORE_ENOUGH = 20
};

static struct str words_of(const struct evidence *evidence, const struct diagnosis *diagnosis) {
    if (diagnosis->n_findings) return diagnosis->first_fault.text;
    if (diagnosis->n_unexplained) return diagnosis->unexplained[0].text;
    if (evidence->sources.n != 1 || evidence->sources.v[0].last_line_no > PASTE_LINES)
        return (struct str){0};
    return evidence->sources.v[0].last_line;
}

static double score_enough(struct str words) {
    int n = 0;
    for (size_t i = 0; i < words.n; i++)
        n += is_word(words.p[i]) && (i + 1 == words.n || !is_word(words.p[i + 1]));
    return n * SCORE_A_WORD < SCORE_ENOUGH ? n * SCORE_A_WORD : SCORE_ENOUGH;
}

void nearest_find(struct image *image, const struct evidence *evidence, struct diagnosis *diagnosis,
                  struct arena *arena) {
    bool known = diagnosis->n_findings && diagnosis->findings[0].failure >= 0;
    if (diagnosis->verdict == VERDICT_HEALTHY || known) return;
    struct str words = words_of(evidence, diagnosis);
    struct image_near near[CANDIDATES];
    int *found = ARENA_ARRAY(arena, int, NEAREST_MAX);
    int n = image_search(image, arena, words, near, CANDIDATES);
    for (int i = 0; i < n && diagnosis->n_nearest < NEAREST_MAX; i++) {
        int failure = kb_failure(image_kb(image), near[i].id);
        if (failure >= 0 && near[i].score >= score_enough(words))
            found[diagnosis->n_nearest++] = failure;
    }
    diagnosis->nearest = found;
}
