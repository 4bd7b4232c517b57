/* links.h - collectives that were measured, against the links that the same inputs tell of.
 *
 * Of a table of nccl-tests within a node against NVLink of that GPU, between nodes against the
 * ports of InfiniBand.  Where neither is told, or messages were too small to fill a link, it is
 * silent. */
#ifndef FAULTLINE_LINKS_H
#define FAULTLINE_LINKS_H

#include "think/told.h"

/* Writes at most `most` sentences, of each table that stays far below its links; how many. */
int links_judge(struct arena *arena, const struct evidence *evidence, struct told *told, int most);

#endif
