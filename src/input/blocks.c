#include "input/blocks.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/pool.h"

enum { ROOM = BLOCK_BYTES + BLOCK_OVERLAP, RING_MAX = 16 };

size_t block_end(struct str text, size_t nominal) {
    if (nominal >= text.n) return text.n;
    size_t room = text.n - nominal < BLOCK_OVERLAP ? text.n - nominal : BLOCK_OVERLAP;
    const char *end = memchr(text.p + nominal, '\n', room);
    return end ? (size_t)(end - text.p) + 1 : nominal + room;
}

void block_init(struct block *block) {
    *block = (struct block){0};
}

void block_release(struct block *block) {
    arena_release(&block->arena);
    block->candidates = (candidate_vec){0};
}

struct match_scratch *blocks_scratch(struct blocks *blocks, int worker) {
    if (!blocks->scratch[worker]) blocks->scratch[worker] = match_scratch_new(blocks->matcher);
    return blocks->scratch[worker];
}

static void scan(struct blocks *blocks, int worker, struct block *block) {
    if (!blocks->reader->kinds) return;
    struct match_scratch *scratch = blocks_scratch(blocks, worker);
    block->lines =
        match_scan(blocks->matcher, scratch, block->text, &block->arena, &block->candidates);
    /* a line that the cut splits is counted by the block that ends it */
    bool ends = !block->text.n || block->text.p[block->text.n - 1] == '\n';
    if (block->cut && !ends && block->lines) block->lines--;
}

void blocks_text(struct blocks *blocks, int worker, struct str text, uint64_t offset) {
    struct block block = {.text = text, .offset = offset};
    scan(blocks, worker, &block);
    reader_block(blocks->reader, &block, blocks_scratch(blocks, worker));
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

/* ---- streams ------------------------------------------------------------------------ */

bool blocks_stream(struct blocks *blocks, int worker, struct stream *stream, struct str ahead,
                   struct err *err) {
    char *room = malloc(ROOM);
    if (!room) base_out_of_memory();
    size_t have = ahead.n < ROOM ? ahead.n : ROOM;
    if (have) memcpy(room, ahead.p, have);
    if (blocks->mac) end_lines(room, have);
    uint64_t start = 0, nominal = BLOCK_BYTES;
    bool ok = true, end = false, cancelled = false;
    while (!end && !cancelled) {
        /* enough to find the end of the line that crosses the nominal end */
        size_t want = (size_t)(nominal - start) + BLOCK_OVERLAP;
        if (have < want) {
            size_t got = stream_fill(stream, room + have, want - have, &ok, err);
            if (blocks->mac) end_lines(room + have, got);
            have += got;
        }
        end = have < want;
        size_t cut = end && have <= nominal - start
                         ? have
                         : block_end((struct str){room, have}, (size_t)(nominal - start));
        if (end && cut < have) end = false; /* a last short block is left */
        struct block block = {.text = {room, cut}, .offset = start, .cut = cut < have || !end};
        scan(blocks, worker, &block);
        reader_block(blocks->reader, &block, blocks_scratch(blocks, worker));
        block_release(&block);
        memmove(room, room + cut, have - cut);
        have -= cut;
        start += cut;
        nominal += BLOCK_BYTES;
        blocks->bytes = start;
        if (blocks->done) blocks->done(blocks->ctx, cut);
        cancelled = stopped(blocks);
        if (!ok && !have) end = true;
    }
    free(room);
    if (cancelled && !end) return say_stopped(err);
    return ok;
}

/* ---- files: a ring of blocks -------------------------------------------------------- */

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
    uint64_t size, n_blocks;
    pthread_mutex_t lock;
    pthread_cond_t moved;
    uint64_t next, consumed; /* block numbers */
    bool consuming, stop, shrunk;
    struct slot slots[RING_MAX];
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

static void load(struct ring *ring, struct slot *slot, uint64_t number, int worker) {
    uint64_t offset = number * BLOCK_BYTES;
    size_t want = ring->size - offset < ROOM ? (size_t)(ring->size - offset) : ROOM;
    size_t n = read_at(ring, slot->room, want, offset);
    if (ring->blocks->mac) end_lines(slot->room, n);
    struct str text = {slot->room, n};
    size_t from = number ? block_end(text, 0) : 0;
    size_t to = block_end(text, BLOCK_BYTES);
    if (from > to) from = to;
    slot->short_read = n < want;
    slot->block = (struct block){.text = {slot->room + from, to - from},
                                 .offset = offset + from,
                                 .cut = offset + to < ring->size};
    scan(ring->blocks, worker, &slot->block);
}

/* Hands ready blocks to the reader; called and left with the lock held. */
static void consume(struct ring *ring, int worker) {
    if (ring->consuming) return;
    ring->consuming = true;
    for (;;) {
        struct slot *slot = &ring->slots[ring->consumed % (uint64_t)ring->n_slots];
        if (ring->consumed >= ring->n_blocks || slot->state != SLOT_READY || ring->stop) break;
        pthread_mutex_unlock(&ring->lock);
        struct blocks *blocks = ring->blocks;
        reader_block(blocks->reader, &slot->block, blocks_scratch(blocks, worker));
        blocks->bytes += slot->block.text.n;
        if (blocks->done) blocks->done(blocks->ctx, slot->block.text.n);
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

static void ring_work(void *ctx, int worker, size_t i) {
    struct ring *ring = ctx;
    (void)i;
    pthread_mutex_lock(&ring->lock);
    while (ring->next < ring->n_blocks && !ring->stop) {
        if (ring->next >= ring->consumed + (uint64_t)ring->n_slots) {
            pthread_cond_wait(&ring->moved, &ring->lock);
            continue;
        }
        uint64_t number = ring->next++;
        struct slot *slot = &ring->slots[number % (uint64_t)ring->n_slots];
        slot->state = SLOT_BUSY;
        pthread_mutex_unlock(&ring->lock);
        load(ring, slot, number, worker);
        pthread_mutex_lock(&ring->lock);
        slot->state = SLOT_READY;
        consume(ring, worker);
    }
    pthread_mutex_unlock(&ring->lock);
}

static void ring_free(struct ring *ring) {
    for (int i = 0; i < ring->n_slots; i++) {
        block_release(&ring->slots[i].block);
        free(ring->slots[i].room);
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

bool blocks_file(struct blocks *blocks, int worker, int threads, int fd, uint64_t size,
                 const char *name, struct err *err) {
    struct ring ring = {.blocks = blocks,
                        .fd = fd,
                        .size = size,
                        .n_blocks = (size + BLOCK_BYTES - 1) / BLOCK_BYTES};
    ring.n_slots = threads < 2 ? 1 : 2 * threads > RING_MAX ? RING_MAX : 2 * threads;
    pthread_mutex_init(&ring.lock, NULL);
    pthread_cond_init(&ring.moved, NULL);
    for (int i = 0; i < ring.n_slots; i++)
        if (!(ring.slots[i].room = malloc(ROOM))) base_out_of_memory();
    struct alone alone = {&ring, worker};
    if (threads < 2)
        ring_alone(&alone, worker, 0);
    else
        pool_run(threads, (size_t)threads, ring_work, &ring);
    bool whole = ring.consumed == ring.n_blocks && !ring.shrunk, cancelled = stopped(blocks);
    ring_free(&ring);
    if (whole) return true;
    if (ring.error) return err_set(err, strerror(ring.error), NULL, "cannot read '%s'", name);
    if (cancelled) return say_stopped(err);
    return err_set(err, "it became shorter while it was read", NULL, "cannot read the end of '%s'",
                   name);
}
