#include "ui/task.h"

#include "ui/term.h"

#include <time.h>

static void *run(void *ctx) {
    struct task *task = ctx;
    task->work(task);
    atomic_store(&task->finished, true);
    term_wake();
    return NULL;
}

void task_start(struct task *task, void (*work)(struct task *task)) {
    task->work = work;
    task->running = true;
    atomic_store(&task->cancelled, false);
    atomic_store(&task->finished, false);
    task->threaded = pthread_create(&task->thread, NULL, run, task) == 0;
    if (!task->threaded) run(task);
}

bool task_done(struct task *task, int ms) {
    for (; ms > 0 && !atomic_load(&task->finished); ms--)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    return atomic_load(&task->finished);
}

void task_end(struct task *task) {
    if (!task->running) return;
    if (task->threaded) pthread_join(task->thread, NULL);
    task->running = false;
}
