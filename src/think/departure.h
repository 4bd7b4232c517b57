/* departure.h - the lines in which launchers tell how a process ended.  Private to think/.
 *
 * Knows the words of torchrun, deepspeed, srun, mpirun and torch.multiprocessing, one line at a
 * time; which rank of the job it was, and who is to blame, roster.h tells. */
#ifndef FAULTLINE_DEPARTURE_H
#define FAULTLINE_DEPARTURE_H

#include "base/base.h"

/* What a launcher's line tells of a process's end. */
struct departure {
    int rank, local_rank; /* -1: not told */
    int code;             /* of exit, not 0; -N: signal N */
    int pid;              /* 0: not told */
    struct str host;      /* empty: not told */
    bool task;            /* the rank is the number of a task, which may have been a launcher */
};
/* Reads a line such as "failed (exitcode: -9) local_rank: 3", "srun: error: n1: task 3: Killed",
 * "process rank 3 ... exited on signal 11".  False if it is none. */
bool departure_read(struct str line, struct departure *departure);

#endif
