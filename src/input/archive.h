/* archive.h - compressed files and archives, read as streams and folders.  Private to input/;
 * libarchive lives here. */
#ifndef FAULTLINE_ARCHIVE_H
#define FAULTLINE_ARCHIVE_H

#include "input/source.h"

/* True for what libarchive would open: by its first bytes.  The file offset stays at the beginning.
 */
bool archive_is(int fd, struct str path);
/* Reads every entry; their paths are `file:entry`.  A single compressed file keeps its own path. */
bool archive_source(struct source_run *run, int worker, const struct walked *file, int fd,
                    struct evidence *into, struct err *err);

#endif
