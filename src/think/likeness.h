/* likeness.h - how alike the words of an input are to what the knowledge says of each failure.
 * Private to think/.
 *
 * A bag of words against every entry's own texts (title, about, causes, fixes, and the expressions
 * for prose), ranked by BM25.  It knows no order of words and no log: it tells apart what signals
 * leave close together, and finds an entry for a complaint that no signal knows. */
#ifndef FAULTLINE_LIKENESS_H
#define FAULTLINE_LIKENESS_H

#include "think/candidate.h"

/* Adds to each candidate that a complaint names what its likeness is worth; where nothing names
 * any, the entries most alike become candidates.  Costs a few milliseconds, so it is asked only
 * where no line of a log speaks. */
void likeness_judge(const struct view *view, struct candidates *list);

#endif
