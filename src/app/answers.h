/* answers.h - what is told and asked beforehand: --answer ID=CHOICE, --answers FILE and --why-not.
 *
 * A file holds one ID=CHOICE a line; empty lines and lines that begin with # are skipped.  The
 * file's answers go first, so that --answer overrides them. */
#ifndef FAULTLINE_ANSWERS_H
#define FAULTLINE_ANSWERS_H

#include "app/command.h"

/* Gives the answers to the session and looks whether the cause asked about exists.  False with err
 * filled ("answers.txt:3: ...") at the first that does not fit. */
bool answers_take(const struct options *options, struct session *session, struct err *err);

#endif
