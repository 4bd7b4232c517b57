/* nearest.h - the entries nearest to a fault that no entry knows.
 *
 * Looks only where the diagnosis is unknown or generic: for the fault's own line, else for the
 * first line that stands out, else for a paste of a few words.  What shares too little with these
 * words is left out, for a far entry misleads (so does most of a small overlay: the index weighs a
 * word by how few entries have it).  Ranks nothing and changes no finding.
 */
#ifndef FAULTLINE_NEAREST_H
#define FAULTLINE_NEAREST_H

#include "model/diagnosis.h"
#include "world/image.h"

/* Fills nearest and n_nearest of the diagnosis, in the arena. */
void nearest_find(struct image *image, const struct evidence *evidence, struct diagnosis *diagnosis,
                  struct arena *arena);

#endif
