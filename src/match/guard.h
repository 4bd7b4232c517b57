/* guard.h - digits that tell that a line is none of a signal's.
 *
 * A step line holds a loss in each step, and a signal waits for one that is zero: what is
 * remembered about the line is that the signal may hit it, by the digits, so each is tried.  One
 * digit often tells as much: where it is a 3, the loss is not zero.  Which digit, and what it must
 * not be, is found by trying the expression on the masked line with one digit known at a time.
 */
#ifndef FAULTLINE_MATCH_GUARD_H
#define FAULTLINE_MATCH_GUARD_H

#include "match/matcher.h"

/* The line of the decision, which the memo keeps, was tried in vain. */
void guard_tried(const struct matcher *matcher, struct match_scratch *scratch, struct str line,
                 const struct decision *decision);

#endif
