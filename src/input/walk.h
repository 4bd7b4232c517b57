/* walk.h - which files there are below the paths given.  Private to input/. */
#ifndef FAULTLINE_WALK_H
#define FAULTLINE_WALK_H

#include <sys/types.h>

#include "base/base.h"

struct walked {
    struct str path;  /* as reports show it */
    const char *real; /* as it is opened; "-" for standard input */
    uint64_t size;    /* 0 for streams */
    int task;         /* which of a job's, as tasks_number tells it, and 1; 0: unknown */
    int kin : 30;     /* see kin.h; 0: none */
    bool stream : 1;  /* a FIFO or standard input: read once, in order */
    bool linked : 1;  /* reached over a symbolic link */
};

/* What a file is, whatever its name. */
struct identity {
    dev_t dev;
    ino_t ino;
    size_t index;        /* in the walk's files; */
    struct walked *file; /* that one, when all are there */
};

struct walk {
    struct arena *arena, *texts; /* of the list, and of the paths */
    VEC(struct walked) files;
    VEC(struct identity) identities; /* of the files, for the time of the walk */
    struct arena passing;            /* of those */
    bool failed;                     /* something could not be read */
    int link_room; /* how many entries the link that is being followed may still have */
    void (*on_error)(void *ctx, const struct err *err);
    void *ctx;
};

/* Fills walk->files, sorted by path, each file once however often it is linked.  Loops of links
 * end; a link to a folder of thousands of files is told and left out; devices and sockets are
 * refused where they are named and skipped inside folders. */
void walk_paths(struct walk *walk, const char *const *paths, int n_paths);

#endif
