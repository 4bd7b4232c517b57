/* tasks.h - files that a scheduler named by job and task.  Private to input/. */
#ifndef FAULTLINE_TASKS_H
#define FAULTLINE_TASKS_H

#include "input/walk.h"

/* Fills `task` of files like "fit-71234-0.out", "fit-71234-1.out" (srun --output=%x-%j-%t.out), all
 * from 0 on: one alone may be anything, and behind '_' stands the index of an array, whose jobs are
 * no ranks of one.  The files are sorted by path. */
void tasks_number(struct walked *files, size_t n);

#endif
