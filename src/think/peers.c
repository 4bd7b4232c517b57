#include "think/peers.h"

#include <math.h>
#include <stdlib.h>

enum { LEAST_PEERS = 3, SLOW_PART = 4 /* at most a quarter are slow: more are no exception */ };

#define APART         1.5  /* the fastest of the slow against the slowest of the others */
#define RANGE_APART   2.0  /* of two extremes alone */
#define WORTH_PART    0.15 /* of a step: less is not worth a word */
#define LEAST_SECONDS 1e-3 /* below, noise */

static const char phase_names[PEER_PHASES][16] = {"data", "forward", "backward", "a step"};

static int by_phase(const void *a, const void *b, enum peer_phase phase) {
    const struct peer *x = a, *y = b;
    double one = x->seconds[phase], other = y->seconds[phase];
    if (isnan(one) || isnan(other)) return isnan(one) - isnan(other);
    if (one != other) return one < other ? 1 : -1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

static int by_data(const void *a, const void *b) {
    return by_phase(a, b, PEER_DATA);
}
static int by_forward(const void *a, const void *b) {
    return by_phase(a, b, PEER_FORWARD);
}
static int by_backward(const void *a, const void *b) {
    return by_phase(a, b, PEER_BACKWARD);
}
static int by_step(const void *a, const void *b) {
    return by_phase(a, b, PEER_STEP);
}

/* The slowest first, those that do not tell last. */
static void sort_peers(struct peer *peers, int n, enum peer_phase phase) {
    size_t count = (size_t)n;
    switch (phase) {
    case PEER_DATA: qsort(peers, count, sizeof *peers, by_data); break;
    case PEER_FORWARD: qsort(peers, count, sizeof *peers, by_forward); break;
    case PEER_BACKWARD: qsort(peers, count, sizeof *peers, by_backward); break;
    default: qsort(peers, count, sizeof *peers, by_step);
    }
}

/* The usual step, 0 where nobody tells it. */
static double usual_step(struct peer *peers, int n) {
    int told = 0;
    sort_peers(peers, n, PEER_STEP);
    while (told < n && !isnan(peers[told].seconds[PEER_STEP])) told++;
    return told ? peers[told / 2].seconds[PEER_STEP] : 0;
}

/* How many of the sorted peers stand apart by more than `worth`, 0: none. */
static int slow_ones(const struct peer *peers, int n, enum peer_phase phase, double worth) {
    int told = 0;
    while (told < n && !isnan(peers[told].seconds[phase])) told++;
    if (told < LEAST_PEERS) return 0;
    int most = told / SLOW_PART > 1 ? told / SLOW_PART : 1;
    for (int slow = most; slow > 0; slow--) {
        double least = peers[slow - 1].seconds[phase], rest = peers[slow].seconds[phase];
        if (least > APART * rest && least - rest > worth) return slow;
    }
    return 0;
}

static struct str names_of(struct arena *arena, const struct peer *peers, int slow) {
    struct str text = arena_printf(arena, "rank%s %d", slow > 1 ? "s" : "", peers[0].rank);
    for (int i = 1; i < slow && i < PEERS_NAMED; i++)
        text = arena_printf(arena, STR_FMT ", %d", STR_ARG(text), peers[i].rank);
    if (slow > PEERS_NAMED)
        text = arena_printf(arena, STR_FMT " and %d more", STR_ARG(text), slow - PEERS_NAMED);
    return text;
}

struct str peers_judge(struct arena *arena, struct peer *peers, int n, int *row) {
    double worth = WORTH_PART * usual_step(peers, n);
    if (worth < LEAST_SECONDS) worth = LEAST_SECONDS;
    for (int phase = 0; phase < PEER_PHASES; phase++) {
        sort_peers(peers, n, (enum peer_phase)phase);
        int slow = slow_ones(peers, n, (enum peer_phase)phase, worth), told = slow;
        if (!slow) continue;
        while (told < n && !isnan(peers[told].seconds[phase])) told++;
        double usual = peers[slow + (told - slow) / 2].seconds[phase];
        *row = peers[0].row;
        return arena_printf(arena, "ranks: " STR_FMT " take%s %.3g s for %s, the other %d %.3g s",
                            STR_ARG(names_of(arena, peers, slow)), slow > 1 ? "" : "s",
                            peers[0].seconds[phase], phase_names[phase], told - slow, usual);
    }
    return (struct str){0};
}

struct str peers_range(struct arena *arena, struct str phase, double least, double most,
                       double step) {
    double worth = WORTH_PART * step > LEAST_SECONDS ? WORTH_PART * step : LEAST_SECONDS;
    if (!(least > 0) || most < RANGE_APART * least || most - least < worth) return (struct str){0};
    return arena_printf(arena,
                        "ranks: the slowest takes %.3g s for " STR_FMT ", the fastest %.3g s", most,
                        STR_ARG(phase), least);
}
