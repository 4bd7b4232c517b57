/* show.h - knowledge back to YAML, as kb/README.md describes it: for reading, and for a start of
 * one's own entry.
 *
 * What is written compiles to the same rows; needles that the compiler finds are left out.
 */
#ifndef FAULTLINE_COMPILE_SHOW_H
#define FAULTLINE_COMPILE_SHOW_H

#include "world/image.h"

/* Appends one row whole.  The image gives what struct kb does not hold: samples and sources. */
void show_failure(struct image *image, int failure, struct buf *out);
void show_signal(struct image *image, int signal, struct buf *out);
void show_question(const struct kb *kb, int question, struct buf *out);
void show_code(const struct code *code, struct buf *out);

#endif
