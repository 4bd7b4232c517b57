/* complete.h - the rest of a path that is being typed.  Knows folders and no screen. */
#ifndef FAULTLINE_COMPLETE_H
#define FAULTLINE_COMPLETE_H

#include "base/base.h"

/* Appends to *typed what all names that begin like its last part have in common, and '/' behind a
 * folder that is alone.  `names` receives at most `most` of these names, sorted; returns how many
 * there are in all.  A path that begins with ~/ is in the home folder. */
int path_complete(struct arena *arena, struct buf *typed, struct str *names, int most);
/* The path as it is opened: ~/ replaced by the home folder. */
struct str path_expand(struct arena *arena, struct str typed);

#endif
