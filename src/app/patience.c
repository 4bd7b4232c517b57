#include "app/patience.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

struct patience {
    const char *name;
    double seconds;
    void (*tell)(void *ctx, const struct err *err);
    void *ctx;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct timespec until; /* when it is told, */
    bool waits;            /* if at all, */
    bool told;             /* and whether it was */
    bool started, ended;
};

static struct timespec after(double seconds) {
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    double nanos = (double)at.tv_nsec + (seconds - (double)(time_t)seconds) * 1e9;
    at.tv_sec += (time_t)seconds + (time_t)(nanos / 1e9);
    at.tv_nsec = (long)nanos % 1000000000;
    return at;
}

static bool is_over(struct timespec until) {
    struct timespec now = after(0);
    return now.tv_sec != until.tv_sec ? now.tv_sec > until.tv_sec : now.tv_nsec >= until.tv_nsec;
}

/* Called with the lock held: who is heard meanwhile waits until it is said. */
static void say(const struct patience *patience) {
    struct err err;
    err_set(
        &err, NULL,
        "it waits: for a file server that does not answer, for who writes to a pipe, or for logs "
        "in a large archive",
        "nothing came from '%s' for %.0f s", patience->name, patience->seconds);
    patience->tell(patience->ctx, &err);
}

static void *listen(void *ctx) {
    struct patience *patience = ctx;
    sigset_t stop;
    sigemptyset(&stop);
    sigaddset(&stop, SIGINT);
    sigaddset(&stop, SIGTERM);
    pthread_mutex_lock(&patience->lock);
    while (!patience->ended) {
        pthread_sigmask(patience->told ? SIG_UNBLOCK : SIG_BLOCK, &stop, NULL);
        if (!patience->waits || patience->told) {
            pthread_cond_wait(&patience->changed, &patience->lock);
        } else if (!is_over(patience->until)) {
            pthread_cond_timedwait(&patience->changed, &patience->lock, &patience->until);
        } else {
            patience->told = true;
            say(patience);
        }
    }
    pthread_mutex_unlock(&patience->lock);
    return NULL;
}

struct patience *patience_begin(const char *name, double seconds,
                                void (*tell)(void *ctx, const struct err *err), void *ctx) {
    struct patience *patience = heap_zeros(1, sizeof *patience);
    pthread_condattr_t attributes;
    *patience = (struct patience){.name = name,
                                  .seconds = seconds,
                                  .tell = tell,
                                  .ctx = ctx,
                                  .until = after(seconds),
                                  .waits = true};
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_mutex_init(&patience->lock, NULL);
    pthread_cond_init(&patience->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    patience->started = pthread_create(&patience->thread, NULL, listen, patience) == 0;
    return patience;
}

static void change(struct patience *patience, bool waits) {
    pthread_mutex_lock(&patience->lock);
    bool wake = patience->told || patience->waits != waits; /* else it looks again by itself */
    patience->until = after(patience->seconds);
    patience->waits = waits;
    patience->told = false;
    if (wake) pthread_cond_signal(&patience->changed);
    pthread_mutex_unlock(&patience->lock);
}

void patience_heard(struct patience *patience) {
    change(patience, true);
}

void patience_rest(struct patience *patience) {
    change(patience, false);
}

void patience_end(struct patience *patience) {
    pthread_mutex_lock(&patience->lock);
    patience->ended = true;
    pthread_cond_signal(&patience->changed);
    pthread_mutex_unlock(&patience->lock);
    if (patience->started) pthread_join(patience->thread, NULL);
    pthread_cond_destroy(&patience->changed);
    pthread_mutex_destroy(&patience->lock);
    free(patience);
}
