/* walk.h - the choice of a question alone, for a diagnosis that names it.  Private to think/. */
#ifndef FAULTLINE_WALK_H
#define FAULTLINE_WALK_H

#include "think/lead.h"

/* The open question with the most expected information for its cost, in bits into *gain; -1: none
 * would tell anything. */
int walk_choose(const struct view *view, const struct candidates *candidates, double *gain);

#endif
