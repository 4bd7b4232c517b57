/* fill.h - fixes with their placeholders filled from the evidence.  Private to think/. */
#ifndef FAULTLINE_FILL_H
#define FAULTLINE_FILL_H

#include "think/scope.h"

/* `text` with every {{name}} replaced: by the capture of that name, else by the fact with that key,
 * else by <name>.
 * {{name|half}} and {{name|double}} reckon with whole numbers; {{name|package}} is what pip calls
 * the module of that name, else PACKAGE; {{name|NAME}}: NAME is what stands there where it is not
 * known. */
struct str fill_text(struct str text, const struct scope *scope);
/* A copy of the fix with all its texts filled, without a patch whose values are not all known.
 * Values in commands come from logs: they are quoted for a shell, and left out where they stand in
 * quotes already and would not be plain. */
struct fix fill_fix(const struct fix *fix, const struct scope *scope);

#endif
