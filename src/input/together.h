/* together.h - what sources say only beside each other, as hits of the signals that ask for it.
 * Private to input/. */
#ifndef FAULTLINE_TOGETHER_H
#define FAULTLINE_TOGETHER_H

#include "match/match.h"
#include "model/evidence.h"

/* The evidence is sorted and whole; it is sorted again where something was added. */
void together_look(struct evidence *evidence, const struct kb *kb, const struct matcher *matcher);

#endif
