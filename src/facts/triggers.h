/* triggers.h - which lines of a log can hold a fact at all.
 *
 * A log's head is thousands of lines of which a few tell something; looking for every phrase in
 * every line would cost more than searching the whole log for signals.
 */
#ifndef FAULTLINE_TRIGGERS_H
#define FAULTLINE_TRIGGERS_H

#include "text/grams.h"

/* `grams`: the pairs of bytes of the line. */
bool triggers_in(struct str line, const struct grams *grams);

#endif
