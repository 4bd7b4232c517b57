/* tasks.h - files that a scheduler named by job and task.  Private to input/. */
#ifndef FAULTLINE_TASKS_H
#define FAULTLINE_TASKS_H

#include "input/walk.h"

/* Fills `task` of files like "fit-71234-0.out", "fit-71234-1.out" (srun --output=%x-%j-%t.out), all
 * from 0 on: one alone may be anything.  Behind '_' stands the index of an array, whose jobs are no
 * ranks of one, and other numbers ("log_0.txt", "logs/0.log") count runs as often: such a set is of
 * tasks only where the files' heads say that each is of the rank it is named by, as in
 * "[rank3]: ..." or "RANK=3".  The files are sorted by path. */
void tasks_number(struct walked *files, size_t n);

#endif
