/* cut.h - a run that just stops: neither an end nor an error is told, and something went on after
 * it. Private to think/. */
#ifndef FAULTLINE_CUT_H
#define FAULTLINE_CUT_H

#include "think/candidate.h"

/* True where steps were done and the log stops although another attempt follows in it, or a log of
 * the machine goes on.  Without that it may still run. */
bool cut_is(const struct view *view);
/* Says so in a sentence; only where cut_is. */
struct str cut_text(const struct view *view);
/* Where nothing else starts a diagnosis: the failure that the knowledge has for a run cut short
 * (`ended: cut`), on the last line of the log. */
void cut_collect(const struct view *view, struct candidates *list);

#endif
