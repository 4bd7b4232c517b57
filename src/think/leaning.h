/* leaning.h - which symptoms and root causes the words of an input speak for, whatever entry they
 * belong to.  Private to think/.
 *
 * A second opinion beside the signals, learned from labelled cases (compile/learn.h): it knows no
 * entry and no order of words, and cannot start a diagnosis. */
#ifndef FAULTLINE_THINK_LEANING_H
#define FAULTLINE_THINK_LEANING_H

#include "think/view.h"

/* What the words of the view say, in its room; NULL where they say nothing. */
const struct leaning *leaning_take(const struct view *view);
/* How likely the words make a symptom together with a root cause: 1 where they say
 * nothing, else below. */
double leaning_likely(const struct view *view, int symptom, int root);

/* The words that speak most for both, such as "offload, cpu_adam"; empty: none does. */
struct str leaning_tell(const struct view *view, int symptom, int root);

#endif
