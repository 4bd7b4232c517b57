/* file.h - small files in one go, and bytes to a descriptor to the last.  Logs are read by input/.
 */
#ifndef FAULTLINE_FILE_H
#define FAULTLINE_FILE_H

#include "base/base.h"

/* Appends what the file holds.  False with err where it cannot be read, or holds more than
 * text->limit allows: then text->full is set, and what fits is there. */
bool file_read(const char *path, struct buf *text, struct err *err);
/* The first bytes of a file, in the room; empty where there are none, or it cannot be read. */
struct str file_head(const char *path, char *room, size_t most);
/* False where not all could be written; errno says why. */
bool fd_write(int fd, const void *bytes, size_t n);

#endif
