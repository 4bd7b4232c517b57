/* job_name.h - the number that a scheduler put into the names of a job's outputs.
 *
 * slurm-123.out, train.o123, logs/123/rank0.log.  Knows names alone: what the files are, and
 * whether their numbers tell jobs apart, others decide.
 */
#ifndef FAULTLINE_JOB_NAME_H
#define FAULTLINE_JOB_NAME_H

#include "base/base.h"

enum {
    JOB_DIGITS = 5, /* of a number that stands for a job by itself */
    JOBS_MAX = 64   /* in one folder; of more, the last ones are looked at */
};

/* The number in a path, or the empty slice.  *scheduled: in the form in which a scheduler names
 * outputs, so that it can be nothing else. */
struct str job_number(struct str path, bool *scheduled);
/* Outputs of single processes carry process numbers. */
bool job_name_is_of_process(struct str name);
/* As numbers: the shorter is the smaller. */
int job_number_cmp(struct str a, struct str b);

#endif
