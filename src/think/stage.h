/* stage.h - where in its life the job was when something happened.  Private to think/. */
#ifndef FAULTLINE_STAGE_H
#define FAULTLINE_STAGE_H

#include "think/view.h"

/* Decibans for each stage at the moment of `at` (NULL: over the whole input): every signal that
 * speaks for a stage counts once; lines after `at` in its own source do not count; frames count
 * only from its own traceback and those it is chained to. */
void stage_scores(const struct view *view, const struct hit *at, const struct trace *trace,
                  int scores[STAGE_COUNT]);
/* True when the evidence leaves more than one of the stages with codes[stage] >= 0 nearly as likely
 * and nobody was asked yet; open[stage] says which. */
bool stage_is_open(const struct view *view, const struct hit *at, const struct trace *trace,
                   const int codes[STAGE_COUNT], bool open[STAGE_COUNT]);
/* The likeliest stage among those where codes[stage] >= 0; STAGE_NONE when there is none. */
enum stage stage_choose(const int scores[STAGE_COUNT], const int codes[STAGE_COUNT]);
/* The same by what the whole input says, where no line of it stands for the failure. */
enum stage stage_at_large(const struct view *view, const int codes[STAGE_COUNT]);

#endif
