/* links.h - collectives that were measured, against the links that the same inputs tell of.
 *
 * Of a table of nccl-tests within a node against NVLink of that GPU, between nodes against the
 * ports of InfiniBand.  Where neither is told, or messages were too small to fill a link, it is
 * silent. */
#ifndef FAULTLINE_LINKS_H
#define FAULTLINE_LINKS_H

#include "model/evidence.h"

struct links_told {
    struct origin origin; /* of the figure */
    struct str sentence;  /* "links: all_reduce reaches 6.69 GB/s between 2 nodes, ..." */
};
/* Writes at most `most` sentences, of each table that stays far below its links; how many. */
int links_judge(struct arena *arena, const struct evidence *evidence, struct links_told *told,
                int most);

#endif
