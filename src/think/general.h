/* general.h - what lines or words answer of a general question before anybody is asked: it weighs
 * causes by their codes, whatever entry names them.  Private to think/. */
#ifndef FAULTLINE_THINK_GENERAL_H
#define FAULTLINE_THINK_GENERAL_H

#include "think/scope.h"

/* What a choice of a general question says of a root cause, in decibans; 0: nothing. */
int choice_weight(const struct choice *choice, int root);
/* The decibans that it adds to each cause of the scope's failure, in `added` (of n_causes). */
void general_weigh(const struct scope *scope, int *added);
/* The clue that it is for one cause, false: it says nothing of it. */
bool general_clue(const struct scope *scope, const struct cause *cause, struct clue *clue);

/* The fix that the study has for what is answered so, where that speaks for the cause; NULL. */
const struct fix *general_fix(const struct scope *scope, const struct cause *cause);

#endif
