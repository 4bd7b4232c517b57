/* task.h - long work beside the keys: one function in a thread of its own.
 *
 * Knows neither the work nor the screen.  Who works polls `cancelled`; when the work is done the
 * terminal is woken, so that its result is drawn at once. */
#ifndef FAULTLINE_TASK_H
#define FAULTLINE_TASK_H

#include "base/base.h"

#include <pthread.h>
#include <stdatomic.h>

struct task {
    void (*work)(struct task *task);
    bool running; /* from task_start to task_end */
    atomic_bool cancelled;
    atomic_bool finished;
    bool threaded;
    pthread_t thread;
};

/* Begins the work; without a thread to be had it is done before this returns. */
void task_start(struct task *task, void (*work)(struct task *task));
/* True when it is done, after at most `ms` of waiting. */
bool task_done(struct task *task, int ms);
/* Waits for it, however long it takes. */
void task_end(struct task *task);

#endif
