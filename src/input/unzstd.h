/* unzstd.h - a stream of zstd frames, read as what they hold.  Private to input/; libzstd lives
 * here.
 *
 * libarchive knows zstd, too, but copies what it unpacks once more and takes longer to load than a
 * rank's log does to be read.
 */
#ifndef FAULTLINE_UNZSTD_H
#define FAULTLINE_UNZSTD_H

#include "input/source.h"

bool unzstd_tell(struct str head);
/* Reads what the frames hold: a log, or an archive, which counts as one with them.  Where there is
 * no libzstd, as archive_source. */
bool unzstd_source(struct source_run *run, int worker, const struct named_stream *from,
                   struct evidence *into, struct err *err);

#endif
