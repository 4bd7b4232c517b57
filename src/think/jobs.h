/* jobs.h - several jobs in one folder.  Private to think/.
 *
 * Schedulers put the number of the job into the names of its outputs (slurm-123.out, train.o123,
 * logs/123/rank0.log).  Where logs carry several such numbers they are told apart; else folders
 * side by side whose logs were written days apart are.  Files without a number, or beside the
 * folders - configurations, launch scripts, kernel logs - belong to all.
 */
#ifndef FAULTLINE_JOBS_H
#define FAULTLINE_JOBS_H

#include "model/evidence.h"

struct jobs {
    struct str *ids; /* by job: numbers in their order, or names of folders in that of time */
    int n;           /* 0: one job, or none that can be told apart */
    int *of;         /* by source: its job, counted from 1; 0: all of them */
};
struct jobs jobs_find(const struct evidence *evidence, struct arena *arena);
/* What the evidence says of one job: sources, hits and tracebacks keep their places, the rest is
 * what its files and those of all jobs told. */
const struct evidence *jobs_evidence(const struct evidence *evidence, const struct jobs *jobs,
                                     int job, struct arena *arena);
/* When the last line of a job was written, TIME_UNKNOWN where none tells. */
int64_t job_end(const struct evidence *evidence, const struct jobs *jobs, int job);

#endif
