#include <pthread.h>
#include <stdlib.h>

#include "base/pool.h"
#include "input/input.h"
#include "input/older.h"
#include "input/source.h"
#include "input/tasks.h"
#include "input/together.h"
#include "text/text.h"

enum {
    READERS_MAX = 12,                /* threads: each holds 3 MB, and all stays below 64 MB; */
    READERS_FEW = 8,                 /* ... 4 MB */
    WINDOW = 64,                     /* sources that may wait for those before them */
    LARGE_BYTES = 8 * 1024 * 1024,   /* files worth several threads */
    PENDING_BYTES = 2 * 1024 * 1024, /* hits of one source that wait for their turn */
    HELD_BYTES = 4 * 1024 * 1024     /* evidence of all sources that are not merged yet: beyond, the
                                        one whose turn it is goes on alone */
};

/* What a source gave, until its turn to be merged comes. */
struct result {
    bool ready, ok;
    size_t held; /* bytes of evidence when it was last looked at */
    struct evidence evidence;
    struct err err;
};

/* Sources are read by several threads and merged in the order of their paths: the evidence, the
 * messages and the hits told to on_hit are the same whatever the threads. */
struct run {
    struct evidence *into;
    const struct input_options *options;
    struct source_run source;
    struct walked *files;
    struct kins kins;
    size_t first, n;      /* of the files that are being read now */
    size_t merged;        /* files merged so far, in all */
    uint64_t done, total; /* bytes */
    size_t held;          /* by all results */
    bool failed, alone;   /* alone: one file after the other */
    pthread_mutex_t lock;
    pthread_cond_t moved;
    struct result results[WINDOW];
};

/* One file at work. */
struct turn {
    struct run *run;
    size_t index;
};

static struct result *result_of(const struct turn *turn) {
    return &turn->run->results[turn->index % WINDOW];
}

/* Notes what a result holds, and waits while all of them hold too much; with the lock held.  The
 * source whose turn it is always runs: waiting for it ends. */
static void hold(const struct turn *turn) {
    struct run *run = turn->run;
    struct result *result = result_of(turn);
    run->held += result->evidence.arena.used - result->held;
    result->held = result->evidence.arena.used;
    while (run->held > HELD_BYTES && run->merged != turn->index)
        pthread_cond_wait(&run->moved, &run->lock);
}

static void bytes_done(void *ctx, uint64_t bytes) {
    const struct turn *turn = ctx;
    struct run *run = turn->run;
    pthread_mutex_lock(&run->lock);
    run->done += bytes;
    if (run->options->on_progress)
        run->options->on_progress(run->options->ctx, run->done, run->total);
    hold(turn);
    pthread_mutex_unlock(&run->lock);
}

/* Shows what is known; with the lock held, so that nothing is merged meanwhile. */
static void show(struct run *run, const struct evidence *partial) {
    if (run->options->on_look) run->options->on_look(run->options->ctx, run->into, partial);
}

static void show_partial(void *ctx, const struct evidence *partial) {
    struct run *run = ((const struct turn *)ctx)->run;
    pthread_mutex_lock(&run->lock);
    show(run, partial);
    pthread_mutex_unlock(&run->lock);
}

static bool is_cancelled(void *ctx) {
    const struct run *run = ((const struct turn *)ctx)->run;
    return run->options->cancelled && run->options->cancelled(run->options->ctx);
}

/* Merges what is ready and next; with the lock held. */
static void merge_ready(struct run *run) {
    for (;;) {
        struct result *result = &run->results[run->merged % WINDOW];
        if (!result->ready) break;
        evidence_merge(run->into, &result->evidence);
        evidence_release(&result->evidence);
        run->held -= result->held;
        if (!result->ok) {
            run->failed = true;
            if (run->options->on_error) run->options->on_error(run->options->ctx, &result->err);
        }
        *result = (struct result){0};
        run->merged++;
        show(run, NULL);
    }
    pthread_cond_broadcast(&run->moved);
}

/* ---- hits as they are found --------------------------------------------------------- */

/* A hit told before its source's turn waits here. */
struct told_hit {
    struct source source;
    struct hit hit;
};

struct teller {
    struct turn turn;
    struct arena arena;
    VEC(struct told_hit) waiting;
};

static struct str keep(struct arena *arena, struct str s) {
    return s.n ? arena_str(arena, s) : (struct str){0};
}

static void wait_for_turn(const struct turn *turn) {
    struct run *run = turn->run;
    pthread_mutex_lock(&run->lock);
    while (run->merged != turn->index) pthread_cond_wait(&run->moved, &run->lock);
    pthread_mutex_unlock(&run->lock);
}

/* The source whose turn it is always runs: waiting for it ends. */
static void tell_waiting(struct teller *teller) {
    const struct input_options *options = teller->turn.run->options;
    for (size_t i = 0; i < teller->waiting.n; i++)
        options->on_hit(options->ctx, &teller->waiting.v[i].source, &teller->waiting.v[i].hit);
    teller->waiting.n = teller->waiting.cap = 0;
    teller->waiting.v = NULL;
    arena_release(&teller->arena);
}

static bool is_turn(const struct turn *turn) {
    struct run *run = turn->run;
    pthread_mutex_lock(&run->lock);
    bool is = run->merged == turn->index;
    pthread_mutex_unlock(&run->lock);
    return is;
}

static void teller_hit(void *ctx, const struct source *source, const struct hit *hit) {
    struct teller *teller = ctx;
    const struct input_options *options = teller->turn.run->options;
    if (teller->arena.used > PENDING_BYTES) wait_for_turn(&teller->turn);
    if (is_turn(&teller->turn)) {
        tell_waiting(teller);
        options->on_hit(options->ctx, source, hit);
        return;
    }
    struct arena *arena = &teller->arena;
    struct told_hit told = {*source, *hit};
    told.source.path = keep(arena, source->path);
    told.source.note = NULL;
    told.source.last_line = (struct str){0};
    told.source.host = keep(arena, source->host);
    told.hit.text = keep(arena, hit->text);
    told.hit.first.host = told.hit.last.host = keep(arena, hit->first.host);
    told.hit.captures = ARENA_ARRAY(arena, struct str, hit->n_captures + 1);
    for (int i = 0; i < hit->n_captures; i++) told.hit.captures[i] = keep(arena, hit->captures[i]);
    vec_push(arena, &teller->waiting, told);
}

/* ---- one file ----------------------------------------------------------------------- */

static void wait_for_room(struct run *run, size_t index) {
    pthread_mutex_lock(&run->lock);
    while (index >= run->merged + WINDOW) pthread_cond_wait(&run->moved, &run->lock);
    pthread_mutex_unlock(&run->lock);
}

/* `alone`: no other file is read at the same time. */
static void read_file(struct run *run, int worker, int threads, bool alone, size_t index) {
    wait_for_room(run, index);
    struct result *result = &run->results[index % WINDOW];
    struct turn turn = {run, index};
    struct teller teller = {.turn = turn};
    struct input_options options = *run->options;
    options.ctx = &teller;
    if (options.on_hit) options.on_hit = teller_hit;
    options.cancelled = NULL;
    struct source_run source = run->source;
    source.options = &options;
    source.threads = threads;
    source.ctx = &turn;
    if (alone && run->options->on_look) source.look = show_partial;
    bool ok = true;
    if (!is_cancelled(&turn))
        ok = source_read(&source, worker, threads, &run->files[index], &result->evidence,
                         &result->err);
    if (teller.waiting.n) {
        wait_for_turn(&turn);
        tell_waiting(&teller);
    }
    pthread_mutex_lock(&run->lock);
    result->ok = ok;
    result->ready = true;
    merge_ready(run);
    pthread_mutex_unlock(&run->lock);
}

static void file_task(void *ctx, int worker, size_t i) {
    struct run *run = ctx;
    read_file(run, worker, 1, run->alone, run->first + i);
}

/* A large file among few is cut into blocks for all threads; else each thread takes a file. */
static bool takes_all(const struct run *run, size_t index, int threads, size_t n_large) {
    uint64_t size = run->files[index].size;
    return threads > 1 && size >= LARGE_BYTES &&
           (n_large < 2 * (size_t)threads || size * 2 > run->total);
}

static void read_files(struct run *run, size_t n, int threads) {
    size_t n_large = 0;
    for (size_t i = 0; i < n; i++) n_large += run->files[i].size >= LARGE_BYTES;
    for (size_t i = 0; i < n;) {
        size_t to = i;
        while (to < n && !takes_all(run, to, threads, n_large)) to++;
        if (to > i) {
            run->first = i;
            run->alone = threads == 1 || to - i == 1;
            pool_run(threads, to - i, file_task, run);
            i = to;
        } else {
            read_file(run, 0, threads, true, i++);
        }
    }
}

/* ---- all of them -------------------------------------------------------------------- */

static void walk_error(void *ctx, const struct err *err) {
    struct run *run = ctx;
    if (run->options->on_error) run->options->on_error(run->options->ctx, err);
}

static struct run *run_open(struct arena *arena, struct evidence *evidence, const struct kb *kb,
                            const struct matcher *matcher, const struct input_options *options,
                            int threads) {
    static const struct input_options none = {0};
    struct run *run = ARENA_NEW(arena, struct run);
    *run = (struct run){.into = evidence, .options = options ? options : &none};
    run->source = (struct source_run){.kb = kb,
                                      .matcher = matcher,
                                      .options = run->options,
                                      .done = bytes_done,
                                      .cancelled = is_cancelled,
                                      .workers = ARENA_ARRAY(arena, struct worker, threads)};
    for (int i = 0; i < threads; i++) run->source.workers[i].one_of_many = threads > READERS_FEW;
    pthread_mutex_init(&run->lock, NULL);
    pthread_cond_init(&run->moved, NULL);
    return run;
}

static void run_close(struct run *run, int threads) {
    for (int i = 0; i < threads; i++) worker_release(&run->source.workers[i]);
    pthread_cond_destroy(&run->moved);
    pthread_mutex_destroy(&run->lock);
    evidence_sort(run->into);
    together_look(run->into, run->source.kb, run->source.matcher);
}

bool input_read(struct evidence *evidence, const struct kb *kb, const struct matcher *matcher,
                const char *const *paths, int n_paths, const struct input_options *options) {
    struct arena arena = {0};
    int threads = options && options->threads > 0 ? options->threads : pool_threads();
    if (threads > READERS_MAX) threads = READERS_MAX;
    struct run *run = run_open(&arena, evidence, kb, matcher, options, threads);
    struct walk walk = {
        .arena = &arena, .texts = &evidence->arena, .on_error = walk_error, .ctx = run};
    walk_paths(&walk, paths, n_paths);
    if (!options || !options->hits_only) evidence->older_jobs = older_leave_out(&walk);
    tasks_number(walk.files.v, walk.files.n);
    run->files = walk.files.v;
    kins_find(&run->kins, &arena, walk.files.v, walk.files.n);
    run->source.kins = &run->kins;
    for (size_t i = 0; i < walk.files.n; i++) run->total += walk.files.v[i].size;
    run->source.total = run->total;
    run->source.n_files = walk.files.n;
    run->source.paths_stay = true; /* the walk put them into the evidence */
    read_files(run, walk.files.n, threads);
    bool ok = !run->failed && !walk.failed;
    run_close(run, threads);
    kins_release(&run->kins);
    arena_release(&arena);
    return ok;
}

void input_read_text(struct evidence *evidence, const struct kb *kb, const struct matcher *matcher,
                     struct str text, struct str name, const struct input_options *options) {
    struct arena arena = {0};
    struct evidence own = {0};
    struct run *run = run_open(&arena, evidence, kb, matcher, options, 1);
    struct turn turn = {run, 0};
    run->total = text.n;
    run->source.ctx = &turn;
    run->source.look = run->options->on_look ? show_partial : NULL;
    source_text(&run->source, text, name, &own);
    evidence_merge(evidence, &own);
    evidence_release(&own);
    run_close(run, 1);
    arena_release(&arena);
}
