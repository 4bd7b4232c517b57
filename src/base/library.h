/* library.h - shared libraries that are loaded when they are first needed, as each would cost every
 * start of the program. */
#ifndef FAULTLINE_LIBRARY_H
#define FAULTLINE_LIBRARY_H

#include "base/base.h"

/* Loads the first of `names` that can be, and puts the functions called `calls` into a struct of
 * nothing but pointers to them, in this order; both lists end with NULL.  The library stays loaded.
 * False when there is none, or it lacks one of them. */
bool library_load(const char *const *names, const char *const *calls, void *pointers);

#endif
