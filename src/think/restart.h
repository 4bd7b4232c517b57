/* restart.h - may it run again, and what is lost.  Private to think/.
 *
 * From the first finding, the attempts and the checkpoints that the logs tell of.  Never a promise:
 * `basis` says what the advice rests on.
 */
#ifndef FAULTLINE_RESTART_H
#define FAULTLINE_RESTART_H

#include "think/view.h"

/* Fills diagnosis->restart; findings, first fault and verdict are there. */
void restart_fill(const struct view *view, struct diagnosis *diagnosis);
/* The number of steps in a checkpoint's name (".../global_step1000", "iter_0000500",
 * "checkpoint-500"), or -1. */
int64_t checkpoint_step(struct str name);

#endif
