/* patience.h - a word when nothing comes.
 *
 * A file server that is gone stops whoever asks it for a file in the midst of a call, and a pipe
 * may have no writer.  A thread beside says so, once each time, and meanwhile lets SIGINT and
 * SIGTERM end the program though they are blocked elsewhere.
 */
#ifndef FAULTLINE_PATIENCE_H
#define FAULTLINE_PATIENCE_H

#include "base/base.h"

enum { PATIENCE_S = 10 }; /* that people have */

struct patience;
/* From now on `tell` is called, on the thread, when nothing was heard of `name` (borrowed) for so
 * many seconds. */
struct patience *patience_begin(const char *name, double seconds,
                                void (*tell)(void *ctx, const struct err *err), void *ctx);
/* Something came, or is asked for from now on. */
void patience_heard(struct patience *patience);
/* Nothing is asked for. */
void patience_rest(struct patience *patience);
/* Afterwards `tell` is not called any more. */
void patience_end(struct patience *patience);

#endif
