/* environment.h - what readers share with the reader of hand-written environments. */
#ifndef FAULTLINE_ENVIRONMENT_H
#define FAULTLINE_ENVIRONMENT_H

#include "facts/reading.h"

/* Settles what only the whole text can settle (which CUDA a bare "CUDA 11.8" means). */
void environment_finish(struct reading *reading);

/* A line of prose or of a list inside it. */
void words_line(struct reading *reading, struct str line);

#endif
