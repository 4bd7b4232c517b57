/* foresee.h - what each answer to a question would change: the diagnosis under it beside the one
 * without.  Private to think/. */
#ifndef FAULTLINE_FORESEE_H
#define FAULTLINE_FORESEE_H

#include "think/view.h"

/* Fills the effects of the step's choices; `diagnosis` is what they begin from.  They live in the
 * view's arena. */
void foresee(const struct view *view, const struct diagnosis *diagnosis, struct walk_step *step);

#endif
