/* walk.h - the choice of a question alone, for a diagnosis that names it.  Private to think/. */
#ifndef FAULTLINE_WALK_H
#define FAULTLINE_WALK_H

#include "think/lead.h"

/* The question that a walk would begin with; its id is empty where none would tell anything. */
void walk_first(const struct view *view, const struct candidates *candidates,
                const struct diagnosis *diagnosis, struct next_step *next);

#endif
