/* see.h - a diagnosis that begins without a line: what the user sees, in the terms of the taxonomy.
 * Private to think/.
 *
 * Three questions that no entry writes down, as the taxonomy and the list of failures answer them:
 * see-stage, see-symptom and see-entry.  Their answers are facts like any other; they count where
 * nothing in the input starts a diagnosis. */
#ifndef FAULTLINE_SEE_H
#define FAULTLINE_SEE_H

#include "think/candidate.h"

/* Adds the failures that the answers leave: the one named, else all that show the symptom. */
void see_collect(const struct view *view, struct candidates *list);
/* Fills the step with the question for the stage, with these choices alone. */
void see_stage(const struct view *view, const bool open[STAGE_COUNT], struct walk_step *step);
/* True when the stage was told, or is not known to who was asked. */
bool see_stage_answered(const struct view *view);
/* Fills the step with the next of the three; false when they are all answered. */
bool see_next(const struct view *view, struct walk_step *step);

#endif
