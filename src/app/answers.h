/* answers.h - answers given beforehand: --answer ID=CHOICE and --answers FILE.
 *
 * A file holds one ID=CHOICE a line; empty lines and lines that begin with # are skipped.  The
 * file's answers go first, so that --answer overrides them. */
#ifndef FAULTLINE_ANSWERS_H
#define FAULTLINE_ANSWERS_H

#include "app/command.h"

/* Gives them to the session.  False with err filled ("answers.txt:3: ...") at the first that does
 * not fit. */
bool answers_take(const struct options *options, struct session *session, struct err *err);

#endif
