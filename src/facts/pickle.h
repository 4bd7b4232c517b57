/* pickle.h - plain data out of a Python pickle, without Python.
 *
 * Understands the opcodes of protocols 2 to 5 that build dicts, lists, tuples, sets, numbers, texts
 * and bytes.  A pickle is a program: whatever would import a name or call something is refused, so
 * nothing of it is ever executed.  Size, depth and number of values are bounded.  Knows nothing of
 * what the data means.
 */
#ifndef FAULTLINE_PICKLE_H
#define FAULTLINE_PICKLE_H

#include "base/json.h"

enum {
    PICKLE_BYTES = 64 * 1024 * 1024, /* longer input is refused */
    PICKLE_VALUES = 4 * 1024 * 1024, /* values and references to values */
    PICKLE_DEPTH = 32
};

/* True when the bytes begin like a pickle of protocol 2 to 5. */
bool pickle_tell(struct str bytes);

/* The value as a tree in the arena: tuples and sets become arrays, bytes strings, keys that are
 * numbers their decimal text; texts are slices of `bytes`.  A value that the pickle refers to
 * several times has one list of children that all its places share.  False with err: truncated,
 * malformed, too large, or it wants to import or call something. */
bool pickle_read(struct arena *arena, struct str bytes, const struct json_value **root,
                 struct err *err);

#endif
