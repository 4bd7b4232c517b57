/* slurm_table.h - the short tables of sinfo and squeue, with a heading or without.
 *
 * A row is a node (or a list of nodes) with its state, or a job with its state; rows that are
 * neither add nothing. */
#ifndef FAULTLINE_SLURM_TABLE_H
#define FAULTLINE_SLURM_TABLE_H

#include "facts/reading.h"

enum { SLURM_NODE_STATES = 12 };

struct slurm_table {
    int node_at, count_at, state_at, job_at, reason_at; /* columns of the heading, -1: none */
    bool headed;
    int64_t nodes[SLURM_NODE_STATES]; /* how many are in each state */
    int rows;
    struct str last; /* node of the row before: it stands once for each of its partitions */
};

void slurm_table_open(struct slurm_table *table);
/* True when the line was one of a table. */
bool slurm_table_line(struct slurm_table *table, struct reading *reading, struct str line);
/* Notes how many nodes are in each state. */
void slurm_table_close(struct slurm_table *table, struct reading *reading);

#endif
