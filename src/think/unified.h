/* unified.h - the difference of two texts as `diff -u` writes it.  Private to think/. */
#ifndef FAULTLINE_UNIFIED_H
#define FAULTLINE_UNIFIED_H

#include "base/base.h"

/* Three lines of context; "a/" and "b/" before a relative path.  Empty where they are the same. */
struct str unified_diff(struct arena *arena, struct str path, struct str before, struct str after);

#endif
