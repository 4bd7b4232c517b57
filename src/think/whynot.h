/* whynot.h - why a cause ranks where it does, and what would raise it.  Private to think/. */
#ifndef FAULTLINE_WHYNOT_H
#define FAULTLINE_WHYNOT_H

#include "think/lead.h"

/* Fills diagnosis->why_not for the root cause with this code: every lead that has it, the likeliest
 * first; where none has, entries of the first finding's symptom that would name it. */
void why_not_build(const struct view *view, const struct candidates *candidates, struct str code,
                   struct diagnosis *diagnosis);

#endif
