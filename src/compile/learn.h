/* learn.h - what words lean to, from examples: inputs of which the right class is known.
 *
 * Logistic regression over the distinct words of an input, each input of length one, so that a long
 * log speaks no louder than a line.  Knows neither words nor classes but by number.  The same
 * examples in the same order give the same figures. */
#ifndef FAULTLINE_COMPILE_LEARN_H
#define FAULTLINE_COMPILE_LEARN_H

#include "base/base.h"

struct example {
    const int *words; /* distinct, from 0 */
    int n, class;     /* class from 0; -1: not known, the example is passed over */
};

/* Fills leans[class] (what each class begins with) and leans[(1 + word) * n_classes + class], in
 * nats: an input's class has the log odds bias + sum of its words' / sqrt(number of words). */
void learn_leans(const struct example *examples, int n, int n_words, int n_classes, double *leans);

#endif
