/* study.h - what the study saw, beside what the evidence shows.  Private to think/.
 *
 * The right cause may be one that no line of the input leads to.  In a walk the study's causes of
 * every stage stand beside the evidence's, with the part of the probability that the diagnosis
 * leaves, and general questions weigh all causes by their codes, whoever brought them up.  They
 * never start a diagnosis, and a diagnosis without answers does not know them. */
#ifndef FAULTLINE_STUDY_H
#define FAULTLINE_STUDY_H

#include "think/lead.h"

enum { OTHER_STAGE_DECIBANS = -18 }; /* of a cause of another stage than the one that was told */

/* True in a walk, and where somebody answered a general question. */
bool study_counts(const struct view *view);
/* True where somebody answered a question that an entry asks of its own. */
bool study_asked_own(const struct view *view);
/* Decibans that a choice of a general question gives a lead; 0 where a clue of its own looks at the
 * answer. */
int lead_weigh(const struct view *view, const struct lead *lead, const struct question *question,
               const struct choice *choice);
/* All leads and the study's, the likeliest first, after what was answered; shares are calibrated as
 * a diagnosis' confidences are and add up to 1.  Until a general question is answered the first one
 * has the confidence that a diagnosis gives it.  What the study says of a code lies with the
 * likeliest cause of the evidence that has it, where one is likelier and not ruled out. */
struct leads hypotheses_of(const struct view *view, const struct candidates *candidates);
/* The choice that somebody gave to a question, NULL: none, or "unknown". */
const struct choice *answer_given(const struct view *view, const struct question *question);

#endif
