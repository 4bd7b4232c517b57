/* image.h - the knowledge base image: SQLite bytes to struct kb.
 *
 * The embedded image is used where it lies, read-only; images of a site overlay it by id.  SQLite
 * lives here and in image_write.c, and is opened when something is searched for.
 */
#ifndef FAULTLINE_IMAGE_H
#define FAULTLINE_IMAGE_H

#include "model/kb.h"

enum { IMAGE_APPLICATION_ID = 0x464c4b42 /* "FLKB" */, IMAGE_FORMAT = 4, IMAGE_WORDS = 32 };

/* The image linked into the program; empty in a program built without one (the bootstrap compiler).
 */
struct str image_embedded(void);

struct image; /* an open knowledge base: struct kb and its full-text index */
/* Loads the embedded image, then each overlay file or folder of *.sqlite in the order given.  False
 * with err filled when one is missing, truncated, of another version, or not an image. */
bool image_open(struct image **image, const char *const *overlays, int n_overlays, struct err *err);
const struct kb *image_kb(const struct image *image);
void image_close(struct image *image);

/* The nearest entries to some words by full-text search, best first; returns how many (<= max).
 * Of the words the first ones count, IMAGE_WORDS at most.  Shown, never ranked with findings. */
struct image_near {
    struct str kind, id, title; /* kind: failure, symptom, cause, pattern */
    double rank;  /* 1: the best of its image; images are not comparable, so overlays go first */
    double score; /* what its words and the given ones share, in the index's own weight (bm25) */
};
int image_search(struct image *image, struct arena *arena, struct str words, struct image_near *out,
                 int max);
/* The samples of a signal, for `explain`: must-match lines then must-not-match lines. */
struct image_sample {
    struct str line;
    bool match;
};
int image_samples(struct image *image, struct arena *arena, struct str signal,
                  struct image_sample *out, int max);
/* Where the message of a signal was found, as its author says; may be empty. */
struct str image_source(struct image *image, struct arena *arena, struct str signal);

#endif
