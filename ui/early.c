#include "ui/early.h"

#include "base/clock.h"
#include "ui/term.h"

#include <pthread.h>
#include <stdlib.h>

enum {
    FIRST_MS = 80,  /* what is read sooner needs no early word */
    AGAIN_MS = 300, /* between two copies, at least */
    SHARE = 25      /* one part of so many of the time goes into copies and thinking */
};

enum state { WAITS, COPIED, THOUGHT, SHOWN, ENDS };

struct early {
    struct session *sessions[2]; /* one is shown, the other thinks */
    int thinker;                 /* index of the one that thinks next */
    struct evidence copy;
    double next, cost; /* ms: when to copy again; what the last copy and thought took */
    enum state state;
    bool running;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
};

struct early *early_new(const struct session *of) {
    struct early *early = heap_zeros(1, sizeof *early);
    for (int i = 0; i < 2; i++) early->sessions[i] = session_beside(of);
    early->next = clock_ms() + FIRST_MS;
    pthread_mutex_init(&early->lock, NULL);
    pthread_cond_init(&early->changed, NULL);
    return early;
}

static void *think(void *ctx) {
    struct early *early = ctx;
    pthread_mutex_lock(&early->lock);
    while (early->state != ENDS) {
        if (early->state != COPIED) {
            pthread_cond_wait(&early->changed, &early->lock);
            continue;
        }
        pthread_mutex_unlock(&early->lock);
        double begun = clock_ms();
        evidence_sort(&early->copy);
        session_take(early->sessions[early->thinker], &early->copy);
        pthread_mutex_lock(&early->lock);
        early->cost += clock_ms() - begun;
        if (early->state != ENDS) early->state = THOUGHT;
        term_wake();
    }
    pthread_mutex_unlock(&early->lock);
    return NULL;
}

bool early_look(struct early *early, const struct evidence *merged,
                const struct evidence *partial) {
    pthread_mutex_lock(&early->lock);
    double now = clock_ms();
    bool taken = early->state == WAITS && now >= early->next;
    if (taken) {
        if (!early->running)
            early->running = pthread_create(&early->thread, NULL, think, early) == 0;
        evidence_merge(&early->copy, merged);
        if (partial) evidence_merge(&early->copy, partial);
        early->cost = clock_ms() - now;
        if (early->running)
            early->state = COPIED;
        else
            evidence_release(&early->copy);
        pthread_cond_signal(&early->changed);
    }
    pthread_mutex_unlock(&early->lock);
    return taken;
}

struct session *early_take(struct early *early) {
    struct session *session = NULL;
    pthread_mutex_lock(&early->lock);
    if (early->state == THOUGHT) {
        session = early->sessions[early->thinker];
        early->thinker = 1 - early->thinker;
        double pause = early->cost * SHARE;
        early->next = clock_ms() + (pause > AGAIN_MS ? pause : AGAIN_MS);
        early->state = SHOWN;
    } else if (early->state == SHOWN) { /* the one before is not looked at any more */
        early->state = WAITS;
    }
    pthread_mutex_unlock(&early->lock);
    return session;
}

void early_release(struct early *early) {
    if (!early) return;
    pthread_mutex_lock(&early->lock);
    early->state = ENDS;
    pthread_cond_signal(&early->changed);
    pthread_mutex_unlock(&early->lock);
    if (early->running) pthread_join(early->thread, NULL);
    for (int i = 0; i < 2; i++) session_close(early->sessions[i]);
    evidence_release(&early->copy);
    pthread_cond_destroy(&early->changed);
    pthread_mutex_destroy(&early->lock);
    free(early);
}
