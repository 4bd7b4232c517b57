#include "input/together.h"

#include "input/keep.h"
#include "think/links.h"

enum { TOLD = 8, MATCHES = 8 };

static void take(struct evidence *evidence, const struct kb *kb, const struct matcher *matcher,
                 struct match_scratch *scratch, const struct origin *origin, struct str sentence) {
    struct match matches[MATCHES];
    struct line_seen line = {.text = sentence, .origin = *origin, .trace = -1};
    int n = match_line(matcher, scratch, sentence, 1u << IN_LINE, matches, MATCHES);
    if (!line.origin.attempt) line.origin.attempt = 1;
    for (int i = 0; i < n; i++) {
        vec_push(&evidence->arena, &evidence->hits, hit_make(&evidence->arena, &matches[i], &line));
        hit_facts(evidence, &kb->signals[matches[i].signal], &matches[i], &line.origin);
    }
}

void together_look(struct evidence *evidence, const struct kb *kb, const struct matcher *matcher) {
    struct arena arena = {0};
    struct links_told links[TOLD];
    int n = links_judge(&arena, evidence, links, TOLD);
    if (n) {
        struct match_scratch *scratch = match_scratch_new(matcher);
        for (int i = 0; i < n; i++)
            take(evidence, kb, matcher, scratch, &links[i].origin, links[i].sentence);
        match_scratch_release(scratch);
        evidence_sort(evidence);
    }
    arena_release(&arena);
}
