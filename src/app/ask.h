/* ask.h - the block of shell commands that `faultline ask` prints for someone else's machine.
 *
 * One table of sections: a read-only command, the reader that knows its output (facts/reply.h) and
 * the facts that it gives.  Which sections are in the block follows from what the diagnosis wants
 * to know.  Runs nothing. */
#ifndef FAULTLINE_ASK_H
#define FAULTLINE_ASK_H

#include "app/session.h"

struct ask_section {
    const char *name, *reader, *command;
    const char *gives[8]; /* keys, or their beginnings where they end with '.' */
    int always;           /* printed where the diagnosis is not sure what it wants, first to last */
};
extern const struct ask_section ask_sections[];
extern const int n_ask_sections;

/* True for a command that only reads: known programs, no redirection, nothing left to fill in. */
bool ask_is_command(struct str how);
/* Appends the block for the session's diagnosis. */
void ask_block(struct buf *out, struct session *session);

#endif
