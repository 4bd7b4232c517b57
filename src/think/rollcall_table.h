/* rollcall_table.h - what every rank tells of its process groups, group by group.  Private to
 * rollcall. */
#ifndef FAULTLINE_ROLLCALL_TABLE_H
#define FAULTLINE_ROLLCALL_TABLE_H

#include "think/view.h"

enum {
    ROLL_RANKS = 1 << 20,   /* a rank from here on is none */
    ROLL_MEMBERS = 1 << 22, /* members of all groups together */
    ROLL_OPS = 64           /* ops of one rank in one group */
};

struct roll_op {
    int64_t seq, created;
    struct str name, type, state, sizes;
    double in, out; /* elements */
};

/* One rank in one group. */
struct roll_row {
    int rank;
    int64_t enqueued, completed;
    VEC(struct roll_op) ops;
};

struct roll_group {
    struct str name, about, runs;
    uint64_t hash;
    int *members; /* ascending; NULL: not told */
    int n_members;
    VEC(struct roll_row) rows;
};

struct roll_rank {
    int rank, source;
    struct str last; /* what it did last */
};

struct roll_table {
    struct arena *arena;
    VEC(struct roll_group) groups;
    VEC(struct roll_rank) ranks;
    int *index; /* open hash of group numbers, -1: free */
    size_t index_cap;
    size_t n_members;
    int most;  /* the highest rank or member */
    int world; /* how many ranks there are, where that is told beside lines */
    bool dumps;
};

/* Reads the flight recorder's documents; where there is none, the watchdog's lines. */
void roll_table_read(struct roll_table *table, const struct view *view);
/* The next field of a line of a document, parted by tabs. */
struct str roll_field(struct str *rest);
/* A number in such a line; `none` where it is none, or too large to reckon with. */
int64_t roll_number(struct str text, int64_t none);
/* The row of a rank in a group, or NULL. */
const struct roll_row *roll_row(const struct roll_group *group, int rank);
/* The op of a row with this sequence number, or NULL. */
const struct roll_op *roll_op(const struct roll_row *row, int64_t seq);

#endif
