/* command_kb.h - the parts of `faultline kb`.  Private to command_kb*.c. */
#ifndef FAULTLINE_COMMAND_KB_H
#define FAULTLINE_COMMAND_KB_H

#include "app/command.h"

/* What is counted: failures by symptom and by cause, fixes by pattern; with folders of cases also
 * the questions that their "asks" name.  Returns the exit status. */
int kb_stats(struct command_context *ctx, const struct kb *kb, int n_folders, char **folders);
/* Symptom by root cause, and root cause by fix pattern, for every stage or for one (-1: all). */
void kb_map(struct command_context *ctx, const struct kb *kb, int stage);

/* Which questions a folder of cases asks for. */
struct asked {
    struct command_context *ctx;
    const struct kb *kb;
    bool *questions; /* by question */
    int cases, distinct, unreadable;
};
void asked_count(struct asked *asked, struct arena *arena, int n_folders, char **folders);

bool kb_wants_json(const struct command_context *ctx);

#endif
