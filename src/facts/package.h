/* package.h - versions of software: one key for the many names that people give a thing.
 *
 * Knows which names mean the same, and what a version tells besides itself (torch 2.1.0+cu118 was
 * built for CUDA 11.8).  Knows no format.
 */
#ifndef FAULTLINE_PACKAGE_H
#define FAULTLINE_PACKAGE_H

#include "facts/pick.h"
#include "facts/reading.h"

/* Notes `<package>.version` and what follows from it.  The name is normalised as pip does it (lower
 * case, '_' and '.' to '-') and aliases are resolved; nothing is noted without a version. */
void package_note(struct reading *reading, struct str name, struct str version);
/* The CUDA that torch was built for, however it is written: "11.8", "118", "cu118", "11080". */
void package_note_cuda(struct reading *reading, struct str key, struct str version);

/* A software's name in free text. */
struct package_alias {
    const char *written; /* lower case */
    const char *key;     /* key without ".version" */
};
/* The longest alias that s begins with (without case), or NULL. */
const struct package_alias *package_alias_at(struct str s);
/* False where no text that differs from s in digits only begins with one. */
bool package_alias_may(struct str s);

#endif
