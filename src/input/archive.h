/* archive.h - compressed files and archives, read as streams and folders.  Private to input/;
 * libarchive lives here. */
#ifndef FAULTLINE_ARCHIVE_H
#define FAULTLINE_ARCHIVE_H

#include "input/source.h"

enum { ARCHIVE_HEAD = 512, ARCHIVE_DEPTH = 2 }; /* a tar of compressed logs is opened; no deeper */

/* True for what can be unpacked, by its first ARCHIVE_HEAD bytes. */
bool archive_tell(struct str head, struct str path);
/* False with err when more bytes are given out, in all or of one entry, than logs ever shrink by.
 */
bool archive_is_bounded(uint64_t taken, uint64_t given, uint64_t of_entry, struct str path,
                        struct err *err);
/* False, with err filled. */
bool archive_say_damaged(struct str path, const char *why, struct err *err);
/* Reads every entry; their paths are `path:entry`.  A single compressed file keeps its own path. */
bool archive_source(struct source_run *run, int worker, const struct named_stream *from,
                    struct evidence *into, struct err *err);

#endif
