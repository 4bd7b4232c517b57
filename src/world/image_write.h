/* image_write.h - struct kb to image bytes: the only place that knows the tables besides
 * image_load.
 *
 * Rows are written in id order and without time stamps: the same knowledge gives the same bytes.
 * References are written as ids, so that an overlay may refer to what it is laid over.
 */
#ifndef FAULTLINE_IMAGE_WRITE_H
#define FAULTLINE_IMAGE_WRITE_H

#include "model/kb.h"

/* What an image holds and struct kb does not. */
struct image_signal_note {
    const struct str *match;
    int n_match;
    const struct str *reject;
    int n_reject;
    struct str source;
};
struct image_ids {
    const struct str *v;
    int n;
};
struct image_notes {
    bool taxonomy;                     /* write the codes: not an overlay */
    struct image_signal_note *signals; /* as many as kb->signals */
    struct image_ids *follows;         /* consequence_of by id, as many as kb->failures */
};

/* Builds an image.  Signals that conditions refer to are written by cond.key. */
bool image_bytes(const struct kb *kb, const struct image_notes *notes, struct arena *arena,
                 struct str *bytes, struct err *err);
/* Writes bytes to a temporary file beside `path` and renames it. */
bool image_save(struct str bytes, const char *path, struct err *err);

#endif
