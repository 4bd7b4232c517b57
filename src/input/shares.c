#include "input/shares.h"

enum {
    LOOKED_ALONE = 1024 * 1024, /* where there is less to read than */
    LOOKED_FEW = 4 * 1024 * 1024,
    LOOKED_ALL = 16 * 1024 * 1024, /* else of all together */
    LOOKED_LEAST = 8 * 1024,
    LOOKED_MOST = 128 * 1024,
    END_LEAST = 16 * 1024, /* of the end of a larger one no more than this, or a part of it */
    END_PART = 16,
    OPENINGS_ALL = 1024 * 1024,
    OPENING_LEAST = 2 * 1024,
    OPENING_MOST = 16 * 1024,
    HEADS_ALL = 16 * 1024 * 1024,
    HEAD_LEAST = 32 * 1024,
    HEAD_RANK = 8 * 1024, /* ... of ranks but the first, which repeat what that one says */
    TRACKS_LEAST = 16
};

static uint64_t share(const struct source_run *run, uint64_t all, uint64_t least, uint64_t most) {
    uint64_t one = all / (run->n_files ? run->n_files : 1);
    return one > most ? most : one < least ? least : one;
}

uint64_t share_looked(const struct source_run *run) {
    if (run->total <= LOOKED_FEW) return LOOKED_ALONE;
    return share(run, LOOKED_ALL, LOOKED_LEAST, LOOKED_MOST);
}

uint64_t share_end(const struct source_run *run, uint64_t size, bool kin) {
    uint64_t most = share_looked(run), end = size / END_PART;
    if (kin) most /= 2;
    if (end < END_LEAST) end = END_LEAST;
    if (end > most) end = most;
    return end < size ? size - end : 0;
}

uint64_t share_opening(const struct source_run *run) {
    return share(run, OPENINGS_ALL, OPENING_LEAST, OPENING_MOST);
}

size_t share_head(const struct source_run *run, int rank) {
    return share(run, HEADS_ALL, rank > 0 ? HEAD_RANK : HEAD_LEAST, LIMIT_DOCUMENT);
}

int share_tracks(const struct source_run *run) {
    return (int)share(run, LIMIT_ALL_TRACKS, TRACKS_LEAST, LIMIT_TRACKS);
}
