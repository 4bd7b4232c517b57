/* flight_dump.h - one dump as a table of process groups.  Private to facts/flight. */
#ifndef FAULTLINE_FLIGHT_DUMP_H
#define FAULTLINE_FLIGHT_DUMP_H

#include "base/json.h"

enum {
    DUMP_GROUPS = 512,    /* process groups of one rank */
    DUMP_ENTRIES = 65536, /* entries that are looked at, the last ones */
    DUMP_PENDING = 12,    /* incomplete ones kept per group */
    DUMP_RANKS = 1 << 20, /* more ranks than any job has */
    DUMP_MEMBERS = 64,    /* an entry, group or frame with more is none */
    DUMP_LISTED = 1 << 22 /* ranks listed by all groups together */
};

struct dump_op {
    int64_t seq, created;
    struct str name, type, state, sizes, frame;
    double in, out; /* elements */
};

struct dump_group {
    struct str name, about; /* "35", "TENSOR_MODEL_PARALLEL_GROUP" */
    struct str runs;        /* its ranks, see flight.h */
    int64_t enqueued, completed;
    struct dump_op pending[DUMP_PENDING]; /* the first that did not complete */
    int n_pending;
    int64_t pending_all;
    struct dump_op last; /* the last entry of all */
    bool has_last;
};

struct dump {
    struct arena *arena;
    size_t listed; /* ranks read so far */
    int rank;      /* -1: not known, or outside of its own groups */
    int world;     /* 0: not known */
    struct str nccl;
    VEC(struct dump_group) groups;
    struct dump_op last; /* of all groups, point-to-point ones too */
    struct str last_group;
};

/* Fills the dump from a tree; the rank from the tree, the name of the file, or the groups.  False
 * when it is none of a flight recorder. */
bool dump_read(struct dump *dump, const struct json_value *root, struct str path, int rank);

#endif
