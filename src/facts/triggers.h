/* triggers.h - which lines of a log can hold a fact at all.
 *
 * A log's head is thousands of lines of which a few tell something; looking for every phrase in
 * every line would cost more than searching the whole log for signals.
 */
#ifndef FAULTLINE_TRIGGERS_H
#define FAULTLINE_TRIGGERS_H

#include "base/base.h"

enum { TRIGGERS_MOST = 127 };

/* The phrases by their first byte: head[c] is the first with that byte, next[i] the one after i. */
struct triggers {
    unsigned char head[256], next[TRIGGERS_MOST + 1];
};

void triggers_open(struct triggers *triggers);
bool triggers_in(const struct triggers *triggers, struct str line);

#endif
