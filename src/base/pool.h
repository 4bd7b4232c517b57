/* pool.h - a fixed number of threads over a row of tasks. */
#ifndef FAULTLINE_POOL_H
#define FAULTLINE_POOL_H

#include "base/base.h"

enum { POOL_THREADS_MAX = 64 };

/* Threads to use where the user gave none: the processors this process may run on, at most 64. */
int pool_threads(void);

/* Calls task(ctx, worker, i) for each i in 0..n-1 and returns when all are done.  Tasks start in
 * rising order; at most `threads` run at a time, worker is 0..threads-1.  With one thread (or where
 * no thread can be started) everything runs on the caller's. */
void pool_run(int threads, size_t n, void (*task)(void *ctx, int worker, size_t i), void *ctx);

#endif
