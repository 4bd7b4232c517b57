/* library.h - shared libraries that are loaded when they are first needed, as each would cost every
 * start of the program. */
#ifndef FAULTLINE_LIBRARY_H
#define FAULTLINE_LIBRARY_H

#include "base/base.h"

/* The first of the names that can be loaded, or NULL; it stays loaded. */
void *library_open(const char *const *names, int n);
/* Puts the function of that name into `call`, the address of a pointer to it.  False when the
 * library, which may be NULL, has none. */
bool library_call(void *library, const char *name, void *call);

#endif
