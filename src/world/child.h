/* child.h - processes with a deadline.  Private to world/. */
#ifndef FAULTLINE_CHILD_H
#define FAULTLINE_CHILD_H

#include "base/base.h"

enum { CHILD_OUTPUT = 8 << 20 /* a child that prints more is stopped */ };

struct child {
    /* what to run: a program, found in PATH or in the usual places of CUDA and ROCm .. */
    const char *const *argv;
    /* .. or a function whose text is the output; it must not rely on threads */
    void (*write)(struct buf *out, const void *ctx);
    const void *ctx;
    int deadline_ms;

    struct buf out; /* what it printed, standard error too; release it */
    enum { CHILD_NOT_STARTED, CHILD_RUNNING, CHILD_ENDED, CHILD_TIMEOUT, CHILD_ABANDONED } state;
    int exit; /* of an ended one: its code, or 128 + the signal; 127 with no output: no program */
    int took_ms;

    int pid, fd;                /* private */
    double started, kill_until; /* clock_ms */
    bool killed, overflowed;
};

/* Runs all side by side and returns when each has ended, was killed or was abandoned; none is
 * waited for longer than total_ms, and none once `cancelled` says so (NULL: nobody cancels). */
void children_run(struct child *children, int n, int total_ms, bool (*cancelled)(void *ctx),
                  void *ctx);

#endif
