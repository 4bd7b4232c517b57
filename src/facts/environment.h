/* environment.h - what readers share with the reader of hand-written environments. */
#ifndef FAULTLINE_ENVIRONMENT_H
#define FAULTLINE_ENVIRONMENT_H

#include "facts/reading.h"

/* Settles what only the whole text can settle (which CUDA a bare "CUDA 11.8" means). */
void environment_finish(struct reading *reading);

#endif
