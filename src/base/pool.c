#include "base/pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

struct pool {
    void (*task)(void *ctx, int worker, size_t i);
    void *ctx;
    size_t n;
    atomic_size_t next;
};

struct worker {
    struct pool *pool;
    int index;
};

int pool_threads(void) {
    cpu_set_t set;
    long n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set)
                                                         : sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n > POOL_THREADS_MAX ? POOL_THREADS_MAX : (int)n;
}

static void *work(void *arg) {
    struct worker *worker = arg;
    struct pool *pool = worker->pool;
    for (;;) {
        size_t i = atomic_fetch_add(&pool->next, 1);
        if (i >= pool->n) return NULL;
        pool->task(pool->ctx, worker->index, i);
    }
}

void pool_run(int threads, size_t n, void (*task)(void *ctx, int worker, size_t i), void *ctx) {
    struct pool pool = {.task = task, .ctx = ctx, .n = n};
    struct worker workers[POOL_THREADS_MAX];
    pthread_t ids[POOL_THREADS_MAX];
    int started = 0;
    if (threads > POOL_THREADS_MAX) threads = POOL_THREADS_MAX;
    if ((size_t)threads > n) threads = (int)n;
    for (int i = 0; i < threads; i++) workers[i] = (struct worker){&pool, i};
    for (int i = 1; i < threads; i++) {
        if (pthread_create(&ids[started], NULL, work, &workers[i]) != 0) break;
        started++;
    }
    if (threads > 0) work(&workers[0]);
    for (int i = 0; i < started; i++) pthread_join(ids[i], NULL);
}
