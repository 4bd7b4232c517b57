/* early.h - what is known while the inputs are still being read.
 *
 * The threads that read show what they have; now and then a copy of it is taken and a thread of
 * its own thinks about it.  Copies are so seldom that they and the thinking take a few per cent of
 * the time.  Nothing is thought in the thread that answers keys. */
#ifndef FAULTLINE_EARLY_H
#define FAULTLINE_EARLY_H

#include "app/session.h"

struct early;
/* Its sessions stand beside `of`, which outlives it. */
struct early *early_new(const struct session *of);
/* For input_options.on_look: takes a copy where it is time for one, and says whether it did. */
bool early_look(struct early *early, const struct evidence *merged, const struct evidence *partial);
/* The session of a newer diagnosis, NULL: there is none.  The one that was given before stays as
 * it is until the next call. */
struct session *early_take(struct early *early);
/* After reading; the sessions that it gave are gone. */
void early_release(struct early *early);

#endif
