/* blocks.h - a source cut into blocks, scanned by several threads, read in order.  Private to
 * input/. */
#ifndef FAULTLINE_BLOCKS_H
#define FAULTLINE_BLOCKS_H

#include "input/reader.h"
#include "input/stream.h"

/* Where a block that should end at `nominal` ends: after the line that crosses it, or BLOCK_OVERLAP
 * further where no line ends.  The same rule everywhere makes the cuts the same whoever reads. */
size_t block_end(struct str text, size_t nominal);
void block_release(struct block *block);

/* What blocks of one source have in common. */
struct blocks {
    struct reader *reader;
    const struct matcher *matcher;
    struct worker *workers;                  /* what they keep is made when first needed */
    bool mac;                                /* CRs end its lines */
    void (*done)(void *ctx, uint64_t bytes); /* told after each block */
    void (*look)(void *ctx, const struct evidence *partial); /* then shown what is known, or NULL */
    bool (*cancelled)(void *ctx);
    void *ctx;
    uint64_t bytes; /* read in the end */
};

const struct worker *blocks_worker(struct blocks *blocks, int worker);
struct alike *worker_heads(struct worker *worker); /* for facts_read_log_head */
/* ROOM_BYTES for text, and back again: the pointer is NULL then, and may have been. */
char *room_take(struct worker *worker);
void room_give(struct worker *worker, char **room);
void worker_release(struct worker *worker);
/* One block of text in memory, of at most BLOCK_BYTES + BLOCK_OVERLAP. */
void blocks_text(struct blocks *blocks, int worker, struct str text, uint64_t offset);
/* A stream whose first bytes were read into `ahead`: one thread at a time takes a block from it,
 * while the others scan.  False when it failed or was cancelled midway. */
bool blocks_stream(struct blocks *blocks, int worker, int threads, struct stream *stream,
                   struct str ahead, struct err *err);
/* A regular file of `size` bytes with `threads` threads. */
bool blocks_file(struct blocks *blocks, int worker, int threads, int fd, uint64_t size,
                 const char *name, struct err *err);

#endif
