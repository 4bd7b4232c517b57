/* fits.h - the question that no entry writes down: is it this cause?  Private to think/.
 *
 * A walk asks it of the cause of the evidence that leads.  Who looked, or tried what it advises,
 * rules it out or in; all others move up or down by that.  Its id is fits.ENTRY.CAUSE. */
#ifndef FAULTLINE_FITS_H
#define FAULTLINE_FITS_H

#include "think/lead.h"

enum { FITS_COST = 2, FITS_CHOICES = 2 };

/* The first lead that is worth the question, -1: none, or it was asked often enough. */
int fits_lead(const struct view *view, const struct lead *leads, int n);
/* Decibans by which a choice (0: it fits, 1: it does not) about the cause of `asked` moves a lead.
 */
int fits_move(const struct view *view, const struct lead *asked, int choice,
              const struct lead *lead);
/* What all such answers that stand move a lead by. */
int fits_weigh(const struct view *view, const struct lead *lead);
/* True when somebody answered one with yes or no. */
bool fits_answered(const struct view *view);
/* The answer about the very cause of a lead, empty where none stands; *question receives its id. */
struct str fits_answer(const struct view *view, const struct lead *lead, struct str *question);
/* Fills the step with the question about a lead. */
void fits_ask(const struct view *view, const struct lead *lead, struct walk_step *step);

/* The cause that a question is about, by its id; NULL: it is none of these questions. */
const struct cause *fits_cause(const struct kb *kb, struct str question);
bool fits_takes(const struct kb *kb, struct str question, struct str choice);
struct str fits_ask_text(const struct cause *cause, struct arena *arena);
struct str fits_choice_text(struct str choice);

#endif
