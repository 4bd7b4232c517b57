/* command_kb.h - the parts of `faultline kb`.  Private to command_kb*.c. */
#ifndef FAULTLINE_COMMAND_KB_H
#define FAULTLINE_COMMAND_KB_H

#include "app/command.h"

/* What is counted: failures by symptom and by cause, fixes by pattern. */
void kb_stats(struct command_context *ctx, const struct kb *kb);
/* Symptom by root cause, and root cause by fix pattern, for every stage or for one (-1: all). */
void kb_map(struct command_context *ctx, const struct kb *kb, int stage);

bool kb_wants_json(const struct command_context *ctx);

#endif
