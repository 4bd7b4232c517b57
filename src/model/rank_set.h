/* rank_set.h - distinct ranks, however far apart their numbers lie. */
#ifndef FAULTLINE_RANK_SET_H
#define FAULTLINE_RANK_SET_H

#include "base/base.h"

enum {
    RANK_SET_MAX = 65536, /* ranks from here on are left out */
    RANK_CHUNK = 256      /* ranks that lie side by side */
};

struct rank_chunk {
    uint64_t bits[RANK_CHUNK / 64];
    int at; /* its first rank divided by RANK_CHUNK */
};

/* Only chunks that hold a rank take room; in ascending order.  Begins as zeros. */
struct rank_set {
    struct rank_chunk *chunks; /* of the arena of rank_set_add */
    int n, cap;
};

/* A rank beyond RANK_SET_MAX, or none (-1), leaves the set as it is; so does one that needs a chunk
 * more where *room, the chunks that may be added still, is 0.  `room` NULL: any number. */
void rank_set_add(struct arena *arena, struct rank_set *set, int rank, int *room);
void rank_set_join(struct arena *arena, struct rank_set *set, const struct rank_set *other,
                   int *room);
int rank_set_count(const struct rank_set *set);

#endif
