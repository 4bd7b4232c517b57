#include "input/blocks.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/pool.h"
#include "facts/facts.h"
#include "input/traits.h"

enum {
    HEAD_NEAR = 256 * 1024, /* how far back a line's beginning is looked for, */
    HEAD_BYTES = 300,       /* and how much of it counts */
    LINE_END = 4096,        /* behind its nominal end, where most blocks' last line ends */
    RING_MAX = 16
};

size_t block_end(struct str text, size_t nominal) {
    if (nominal >= text.n) return text.n;
    size_t room = text.n - nominal < BLOCK_OVERLAP ? text.n - nominal : BLOCK_OVERLAP;
    const char *end = memchr(text.p + nominal, '\n', room);
    return end ? (size_t)(end - text.p) + 1 : nominal + room;
}

struct str block_line_head(struct str text, size_t at) {
    size_t start = at;
    while (start && at - start < HEAD_NEAR && text.p[start - 1] != '\n' &&
           text.p[start - 1] != '\r')
        start--;
    bool found = !start || text.p[start - 1] == '\n';
    return str_sub(text, start, found && start < at ? HEAD_BYTES : 0);
}

bool block_is_within(struct str text, size_t at) {
    return at && text.p[at - 1] != '\n' && text.p[at - 1] != '\r';
}

void block_release(struct block *block) {
    arena_release(&block->arena);
    block->candidates = (candidate_vec){0};
}

static struct alike *alike_for(const struct worker *worker, struct alike *alike) {
    if (worker->one_of_many) alike_halve(alike);
    return alike;
}

const struct worker *blocks_worker(struct blocks *blocks, int worker) {
    struct worker *own = &blocks->workers[worker];
    if (!own->match) own->match = match_scratch_new(blocks->matcher);
    if (!own->traits) own->traits = alike_for(own, alike_new(sizeof(struct traits)));
    return own;
}

struct alike *worker_heads(struct worker *worker) {
    if (!worker->heads) worker->heads = alike_for(worker, facts_heads_new());
    return worker->heads;
}

char *room_take(struct worker *worker) {
    char *room = worker->n_rooms ? worker->rooms[--worker->n_rooms] : heap_bytes(ROOM_BYTES);
    return room;
}

void room_give(struct worker *worker, char **room) {
    if (*room && worker->n_rooms < (int)COUNT_OF(worker->rooms))
        worker->rooms[worker->n_rooms++] = *room;
    else
        free(*room);
    *room = NULL;
}

void worker_release(struct worker *worker) {
    while (worker->n_rooms) free(worker->rooms[--worker->n_rooms]);
    if (worker->match) match_scratch_release(worker->match);
    alike_release(worker->traits);
    alike_release(worker->heads);
}

static void scan(struct blocks *blocks, int worker, struct block *block) {
    if (!blocks->reader->kinds) return;
    struct match_scratch *scratch = blocks_worker(blocks, worker)->match;
    block->lines = match_scan(blocks->matcher, scratch, block->text, blocks->reader->mild,
                              &block->arena, &block->candidates);
    /* a line that the cut splits is counted by the block that ends it */
    bool ends = !block->text.n || block->text.p[block->text.n - 1] == '\n';
    if (block->cut && !ends && block->lines) block->lines--;
}

void blocks_text(struct blocks *blocks, int worker, struct str text, uint64_t offset) {
    struct block block = {.text = text, .offset = offset};
    scan(blocks, worker, &block);
    reader_block(blocks->reader, &block, blocks_worker(blocks, worker));
    block_release(&block);
}

static void end_lines(char *p, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (p[i] == '\r') p[i] = '\n';
}

static bool stopped(const struct blocks *blocks) {
    return blocks->cancelled && blocks->cancelled(blocks->ctx);
}

static bool say_stopped(struct err *err) {
    return err_set(err, "it was cancelled", NULL, "reading stopped");
}

/* ---- a ring of blocks --------------------------------------------------------------- */

enum slot_state { SLOT_FREE, SLOT_BUSY, SLOT_READY };

struct slot {
    enum slot_state state;
    char *room;
    struct block block;
    bool short_read;
};

/* Workers take blocks in order of the file, scan them in any order, and hand them to the reader in
 * order: whoever finishes the block that is next reads all that are ready. */
struct ring {
    struct blocks *blocks;
    int fd, n_slots, error;
    uint64_t size, n_blocks; /* of a stream unknown until its end: UINT64_MAX */
    struct stream_end *from; /* NULL: a file, of which blocks are read in any order */
    pthread_mutex_t lock;
    pthread_cond_t moved;
    uint64_t next, consumed; /* block numbers */
    uint64_t scanned;        /* of a stream: the first whose scan was not begun */
    int taker;               /* of a stream: the worker that took the last one */
    bool consuming, taking, stop, shrunk;
    struct slot slots[RING_MAX];
};

/* Where a stream is cut next; one worker at a time takes a block from it. */
struct stream_end {
    struct stream *stream;
    uint64_t start, nominal; /* where the next block begins, and should end */
    char *carry;             /* BLOCK_OVERLAP bytes: read already, of the next block */
    size_t have;             /* in carry */
    bool ok, end;
    struct err *err;
};

static size_t read_at(struct ring *ring, char *room, size_t n, uint64_t offset) {
    size_t filled = 0;
    while (filled < n) {
        ssize_t got = pread(ring->fd, room + filled, n - filled, (off_t)(offset + filled));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) {
            pthread_mutex_lock(&ring->lock);
            ring->error = errno;
            pthread_mutex_unlock(&ring->lock);
        }
        if (got <= 0) break;
        filled += (size_t)got;
    }
    return filled;
}

/* The same cuts as of a file. */
static void take_stream(struct ring *ring, struct slot *slot) {
    struct stream_end *from = ring->from;
    /* enough to find the end of the line that crosses the nominal end */
    size_t nominal = (size_t)(from->nominal - from->start), want = nominal + BLOCK_OVERLAP;
    size_t have = from->have;
    if (have) memcpy(slot->room, from->carry, have);
    if (from->ok && have < want) {
        size_t got =
            stream_fill(from->stream, slot->room + have, want - have, &from->ok, from->err);
        if (ring->blocks->mac) end_lines(slot->room + have, got);
        have += got;
    }
    from->end = have < want;
    size_t cut =
        from->end && have <= nominal ? have : block_end((struct str){slot->room, have}, nominal);
    if (cut < have) from->end = false; /* a last short block is left */
    from->have = have - cut;
    if (from->have) memcpy(from->carry, slot->room + cut, from->have);
    slot->block = (struct block){
        .text = {slot->room, cut}, .offset = from->start, .cut = cut < have || !from->end};
    from->start += cut;
    from->nominal += BLOCK_BYTES;
}

static void take_file(struct ring *ring, struct slot *slot, uint64_t number) {
    uint64_t offset = number * BLOCK_BYTES, left = ring->size - offset;
    size_t most = left < ROOM_BYTES ? (size_t)left : ROOM_BYTES, want = most;
    if (!ring->blocks->mac && want > BLOCK_BYTES + LINE_END) want = BLOCK_BYTES + LINE_END;
    size_t n = read_at(ring, slot->room, want, offset);
    if (n == want && want < most && !memchr(slot->room + BLOCK_BYTES, '\n', n - BLOCK_BYTES)) {
        want = most;
        n += read_at(ring, slot->room + n, want - n, offset + n);
    }
    if (ring->blocks->mac) end_lines(slot->room, n);
    struct str text = {slot->room, n};
    size_t from = number ? block_end(text, 0) : 0;
    size_t to = block_end(text, BLOCK_BYTES);
    if (from > to) from = to;
    slot->short_read = n < want;
    slot->block = (struct block){.text = {slot->room + from, to - from},
                                 .offset = offset + from,
                                 .cut = offset + to < ring->size};
}

/* Fills the slot with block `number`; called and left with the lock held. */
static void take(struct ring *ring, struct slot *slot, uint64_t number) {
    ring->taking = ring->from != NULL;
    pthread_mutex_unlock(&ring->lock);
    if (ring->from)
        take_stream(ring, slot);
    else
        take_file(ring, slot, number);
    pthread_mutex_lock(&ring->lock);
    if (ring->from && ring->from->end) ring->n_blocks = number + 1;
    if (ring->from) pthread_cond_broadcast(&ring->moved);
    ring->taking = false;
}

static struct slot *slot_of(struct ring *ring, uint64_t number) {
    return &ring->slots[number % (uint64_t)ring->n_slots];
}

/* Hands ready blocks to the reader; called and left with the lock held. */
static void consume(struct ring *ring, int worker) {
    if (ring->consuming) return;
    ring->consuming = true;
    for (;;) {
        struct slot *slot = slot_of(ring, ring->consumed);
        if (ring->consumed >= ring->n_blocks || slot->state != SLOT_READY || ring->stop) break;
        pthread_mutex_unlock(&ring->lock);
        struct blocks *blocks = ring->blocks;
        reader_block(blocks->reader, &slot->block, blocks_worker(blocks, worker));
        blocks->bytes += slot->block.text.n;
        if (blocks->done) blocks->done(blocks->ctx, slot->block.text.n);
        if (blocks->look) blocks->look(blocks->ctx, blocks->reader->evidence);
        bool cancelled = stopped(blocks), cut_off = slot->short_read;
        block_release(&slot->block);
        pthread_mutex_lock(&ring->lock);
        slot->state = SLOT_FREE;
        ring->consumed++;
        ring->shrunk |= cut_off;
        ring->stop |= cancelled || cut_off;
        pthread_cond_broadcast(&ring->moved);
    }
    ring->consuming = false;
}

/* Scans a block and hands it on; called and left with the lock held. */
static void scan_slot(struct ring *ring, int worker, struct slot *slot) {
    pthread_mutex_unlock(&ring->lock);
    scan(ring->blocks, worker, &slot->block);
    pthread_mutex_lock(&ring->lock);
    slot->state = SLOT_READY;
    consume(ring, worker);
}

/* A stream is taken by one worker as long as it may, so that what unpacks it stays in its caches;
 * the others scan what was taken. */
static void work_stream(struct ring *ring, int worker) {
    while (!ring->stop) {
        bool more = ring->next < ring->n_blocks;
        bool room = ring->next < ring->consumed + (uint64_t)ring->n_slots;
        bool waits = ring->scanned < ring->next - ring->taking;
        if (more && room && !ring->taking && (!waits || ring->taker == worker)) {
            uint64_t number = ring->next++;
            ring->taker = worker;
            slot_of(ring, number)->state = SLOT_BUSY;
            take(ring, slot_of(ring, number), number);
        } else if (waits) {
            scan_slot(ring, worker, slot_of(ring, ring->scanned++));
        } else if (more) {
            pthread_cond_wait(&ring->moved, &ring->lock);
        } else {
            break;
        }
    }
}

static void work_file(struct ring *ring, int worker) {
    while (ring->next < ring->n_blocks && !ring->stop) {
        if (ring->next >= ring->consumed + (uint64_t)ring->n_slots) {
            pthread_cond_wait(&ring->moved, &ring->lock);
            continue;
        }
        uint64_t number = ring->next++;
        struct slot *slot = slot_of(ring, number);
        slot->state = SLOT_BUSY;
        take(ring, slot, number);
        scan_slot(ring, worker, slot);
    }
}

static void ring_work(void *ctx, int worker, size_t i) {
    struct ring *ring = ctx;
    (void)i;
    pthread_mutex_lock(&ring->lock);
    if (ring->from)
        work_stream(ring, worker);
    else
        work_file(ring, worker);
    pthread_mutex_unlock(&ring->lock);
}

static void ring_free(struct ring *ring, struct worker *worker) {
    for (int i = 0; i < ring->n_slots; i++) {
        block_release(&ring->slots[i].block);
        room_give(worker, &ring->slots[i].room);
    }
    pthread_cond_destroy(&ring->moved);
    pthread_mutex_destroy(&ring->lock);
}

struct alone { /* one thread of the outer pool reads its file by itself */
    struct ring *ring;
    int worker;
};

static void ring_alone(void *ctx, int worker, size_t i) {
    struct alone *alone = ctx;
    (void)worker;
    ring_work(alone->ring, alone->worker, i);
}

/* Runs the ring until it is read or stopped; true when all of it was consumed. */
static bool ring_run(struct ring *ring, int worker, int threads) {
    ring->n_slots = threads < 2 ? 1 : 2 * threads > RING_MAX ? RING_MAX : 2 * threads;
    pthread_mutex_init(&ring->lock, NULL);
    pthread_cond_init(&ring->moved, NULL);
    struct worker *own = &ring->blocks->workers[worker];
    for (int i = 0; i < ring->n_slots; i++) ring->slots[i].room = room_take(own);
    struct alone alone = {ring, worker};
    if (threads < 2)
        ring_alone(&alone, worker, 0);
    else
        pool_run(threads, (size_t)threads, ring_work, ring);
    bool whole = ring->consumed == ring->n_blocks && !ring->shrunk;
    ring_free(ring, own);
    return whole;
}

bool blocks_file(struct blocks *blocks, int worker, int threads, int fd, uint64_t size,
                 const char *name, struct err *err) {
    struct ring ring = {.blocks = blocks,
                        .fd = fd,
                        .size = size,
                        .n_blocks = (size + BLOCK_BYTES - 1) / BLOCK_BYTES};
    if (ring_run(&ring, worker, threads)) return true;
    if (ring.error) return err_set(err, strerror(ring.error), NULL, "cannot read '%s'", name);
    if (stopped(blocks)) return say_stopped(err);
    return err_set(err, "it became shorter while it was read", NULL, "cannot read the end of '%s'",
                   name);
}

bool blocks_stream(struct blocks *blocks, int worker, int threads, struct stream *stream,
                   struct str ahead, struct err *err) {
    struct ahead_stream whole;
    ahead_stream_init(&whole, ahead, stream);
    struct stream_end from = {.stream = &whole.stream,
                              .nominal = BLOCK_BYTES,
                              .carry = heap_bytes(BLOCK_OVERLAP),
                              .ok = true,
                              .err = err};
    struct ring ring = {.blocks = blocks, .n_blocks = UINT64_MAX, .from = &from};
    bool read = ring_run(&ring, worker, threads);
    free(from.carry);
    if (!read) return say_stopped(err);
    return from.ok;
}
