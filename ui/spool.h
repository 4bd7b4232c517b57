/* spool.h - keeps what comes through a pipe in a file without a name, so that the log can be shown
 * whole, and read again while more of it comes.
 *
 * Standard input becomes that file; a thread goes on filling it. */
#ifndef FAULTLINE_SPOOL_H
#define FAULTLINE_SPOOL_H

#include "ui/task.h"

struct spool {
    struct task task;
    int from, to;          /* the pipe; the file, -1: nothing is kept */
    _Atomic uint64_t size; /* bytes kept so far */
    char trouble[256];     /* why not all was kept; empty: all was, or more comes */
};

/* Takes a FIFO, or ("-") standard input; false where it is no pipe, or there is nowhere to keep it.
 */
bool spool_open(struct spool *spool, const char *path);
/* Begins to fill the file. */
void spool_start(struct spool *spool);
/* True when no more will come. */
bool spool_ended(struct spool *spool);
/* What has come by now is all. */
void spool_stop(struct spool *spool);
void spool_close(struct spool *spool);

#endif
