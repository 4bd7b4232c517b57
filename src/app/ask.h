/* ask.h - the block of shell commands that `faultline ask` prints for someone else's machine.
 *
 * One table of sections: a read-only command, the reader that knows its output (facts/reply.h) and
 * the facts that it gives.  Which sections are in the block follows from what the diagnosis wants
 * to know.  Runs nothing. */
#ifndef FAULTLINE_ASK_H
#define FAULTLINE_ASK_H

#include "app/session.h"

/* Appends the block for the session's diagnosis. */
void ask_block(struct buf *out, struct session *session);

#endif
