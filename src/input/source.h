/* source.h - one file or stream, from its first byte to its evidence.  Private to input/. */
#ifndef FAULTLINE_SOURCE_H
#define FAULTLINE_SOURCE_H

#include "input/blocks.h"
#include "input/kin.h"
#include "input/walk.h"

/* What all sources of one run share. */
struct source_run {
    const struct kb *kb;
    const struct matcher *matcher;
    const struct input_options *options;
    struct worker *workers;
    int threads;                             /* that may take part in the source at hand */
    uint64_t total;                          /* bytes of all sources, as far as they are known */
    size_t n_files;                          /* 0: not known */
    bool paths_stay;                         /* see struct evidence */
    struct kins *kins;                       /* of the files; NULL: not looked for */
    void (*done)(void *ctx, uint64_t bytes); /* may be NULL */
    /* after each block, what is known of its source; may be NULL */
    void (*look)(void *ctx, const struct evidence *partial);
    bool (*cancelled)(void *ctx); /* may be NULL */
    void *ctx;
};

/* Reads one file with `threads` threads (1: the caller's alone) into `into`, which holds the
 * evidence of this source alone afterwards - of several where the file is an archive.  False with
 * err where it could not be read to its end; what could is in `into`. */
bool source_read(struct source_run *run, int worker, int threads, const struct walked *file,
                 struct evidence *into, struct err *err);
/* A stream by name: an archive's entry, standard input. */
struct named_stream {
    struct stream *stream;
    struct str path;
    int depth; /* archives around it */
};
bool source_stream(struct source_run *run, int worker, const struct named_stream *named,
                   struct evidence *into, struct err *err);
/* Lists a source that could not be read. */
void source_unread(struct evidence *into, struct str path, const struct err *err);
/* For a log that is read piece by piece: its one source in `into` and a reader for its lines; then
 * the facts of a piece that begins with that line. */
void source_open_log(struct source_run *run, struct evidence *into, enum kind kind,
                     const struct walked *file, struct reader *reader);
void source_log_head(struct evidence *into, struct str text, uint32_t line, struct alike *alike,
                     const struct head_kin *kin);
/* The same for text in memory. */
void source_text(struct source_run *run, struct str text, struct str path, struct evidence *into);

#endif
