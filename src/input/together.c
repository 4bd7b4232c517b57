#include "input/together.h"

#include <math.h>

#include "input/keep.h"
#include "think/links.h"
#include "think/peers.h"
#include "think/steps.h"

enum { TOLD = 8, MATCHES = 8 };

static void take(struct evidence *evidence, const struct kb *kb, const struct matcher *matcher,
                 struct match_scratch *scratch, const struct told *told) {
    struct match matches[MATCHES];
    struct line_seen line = {.text = told->sentence, .origin = told->origin, .trace = -1};
    int n = match_line(matcher, scratch, told->sentence, 1u << IN_LINE, matches, MATCHES);
    if (!line.origin.attempt) line.origin.attempt = 1;
    for (int i = 0; i < n; i++) {
        vec_push(&evidence->arena, &evidence->hits,
                 hit_make(&evidence->arena, &matches[i], &line, LIMIT_TEXT));
        hit_facts(evidence, &kb->signals[matches[i].signal], &matches[i], &line.origin);
    }
}

/* What ends a job or makes its ranks wait is told elsewhere: then it is no riddle. */
static bool tells_why(const struct evidence *evidence, const struct kb *kb) {
    for (size_t i = 0; i < evidence->hits.n; i++) {
        const struct hit *hit = &evidence->hits.v[i];
        const struct signal *signal = &kb->signals[hit->signal];
        enum role role = signal->role;
        bool ends = role == ROLE_CASCADE || role == ROLE_WRAPPER || role == ROLE_DONE ||
                    role == ROLE_TEARDOWN;
        bool starts = role == ROLE_INITIATING && signal->in != IN_WORDS &&
                      !(hit->flags & (HIT_WARNING | HIT_WORDS | HIT_ADVICE));
        if (ends || starts) return true;
    }
    return false;
}

/* Of the sources that go on without steps the one that waits longest. */
static bool stalled(struct arena *arena, const struct evidence *evidence, struct told *told) {
    const struct fact *longest = NULL, *usual = NULL;
    double most = 0, value, before;
    for (size_t i = 0; i + 1 < evidence->facts.n; i++) {
        const struct fact *fact = &evidence->facts.v[i];
        if (!str_eq(fact->key, STR("steps.none_for")) || !str_number(fact->value, &value)) continue;
        if (value <= most) continue;
        most = value;
        longest = fact;
    }
    for (size_t i = 0; longest && i < evidence->facts.n; i++)
        if (str_eq(evidence->facts.v[i].key, STR("steps.usual")) &&
            evidence->facts.v[i].origin.source == longest->origin.source)
            usual = &evidence->facts.v[i];
    if (!usual || !str_number(usual->value, &before)) return false;
    told->origin = longest->origin;
    told->sentence = arena_printf(
        arena, "steps: none for %.3g min though the log goes on, one took %.3g s before", most / 60,
        before);
    return true;
}

/* Ranks in files of their own, by what their step lines tell. */
static bool straggles(struct arena *arena, const struct evidence *evidence, struct told *told) {
    const struct track *tracks = evidence->tracks.v;
    int n = (int)evidence->tracks.n, n_peers = 0, row, end;
    struct peer *peers = ARENA_ARRAY(arena, struct peer, evidence->sources.n + 1);
    double *pace = ARENA_ARRAY(arena, double, n + 1), *data = ARENA_ARRAY(arena, double, n + 1);
    for (int from = 0; from < n; from = end) {
        const struct origin *first = &tracks[from].origin;
        const struct source *source = &evidence->sources.v[first->source];
        bool told_seconds;
        for (end = from; end < n && tracks[end].origin.source == first->source &&
                         tracks[end].origin.attempt == first->attempt;
             end++)
            data[end - from] = (double)tracks[end].data;
        if (end - from < STEPS_MIN || source->rank < 0 || first->attempt != source->attempts)
            continue;
        steps_pace(tracks + from, end - from, pace, &told_seconds);
        struct peer *peer = &peers[n_peers++];
        *peer = (struct peer){.rank = source->rank, .row = end - 1};
        peer->seconds[PEER_DATA] = steps_median(data, end - from);
        peer->seconds[PEER_STEP] = told_seconds ? steps_median(pace, end - from) : NAN;
        peer->seconds[PEER_FORWARD] = peer->seconds[PEER_BACKWARD] = NAN;
    }
    told->sentence = peers_judge(arena, peers, n_peers, &row);
    if (told->sentence.n) told->origin = tracks[row].origin;
    return told->sentence.n > 0;
}

void together_look(struct evidence *evidence, const struct kb *kb, const struct matcher *matcher) {
    struct arena arena = {0};
    struct told told[TOLD + 2];
    int n = links_judge(&arena, evidence, told, TOLD);
    n += !tells_why(evidence, kb) && stalled(&arena, evidence, &told[n]);
    n += straggles(&arena, evidence, &told[n]);
    if (n) {
        struct match_scratch *scratch = match_scratch_new(matcher);
        for (int i = 0; i < n; i++) take(evidence, kb, matcher, scratch, &told[i]);
        match_scratch_release(scratch);
        evidence_sort(evidence);
    }
    arena_release(&arena);
}
