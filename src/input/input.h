/* input.h - from paths to evidence.
 *
 * Walks files and folders, tells by content what each file is, decompresses, reads in large blocks
 * (never mmap), and runs scan -> mend -> locate -> traceback -> confirm on logs and the fact
 * readers on the rest. A path that cannot be read is reported to `on_error` and the others are
 * still read.
 */
#ifndef FAULTLINE_INPUT_H
#define FAULTLINE_INPUT_H

#include "match/match.h"
#include "model/evidence.h"

struct input_options {
    int threads;    /* 0: as many as the machine has */
    bool hits_only; /* no facts, no tracebacks kept: for `scan` */
    bool growing;   /* more of it comes: where it stops now is no end */
    void (*on_error)(void *ctx, const struct err *err);
    void (*on_progress)(void *ctx, uint64_t bytes_done, uint64_t bytes_total);
    /* for `scan`: every confirmed hit as it is found, in file order within a source; NULL otherwise
     */
    void (*on_hit)(void *ctx, const struct source *source, const struct hit *hit);
    /* After each file, and each block of one that is read alone: what is merged, and what of the
     * source at hand is known already (NULL: none).  Reading waits for it: who wants to keep some
     * of it copies seldom (evidence_merge).  What ends a source is missing in `partial`. */
    void (*on_look)(void *ctx, const struct evidence *merged, const struct evidence *partial);
    bool (*cancelled)(void *ctx); /* polled between blocks; NULL: never */
    void *ctx;
};

/* Reads all paths ("-": standard input) into evidence (zero-initialised by the caller), sorted.
 * False when a path could not be read; what could is in evidence all the same. */
bool input_read(struct evidence *evidence, const struct kb *kb, const struct matcher *matcher,
                const char *const *paths, int n_paths, const struct input_options *options);
/* The same for text in memory (a paste), in this thread; without options nobody is told. */
void input_read_text(struct evidence *evidence, const struct kb *kb, const struct matcher *matcher,
                     struct str text, struct str name, const struct input_options *options);

#endif
