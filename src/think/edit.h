/* edit.h - one setting changed in the text of a configuration, all else as it was written.
 * Private to think/.
 *
 * Each gives the new text in *text and true, or false where it cannot be done with certainty. */
#ifndef FAULTLINE_EDIT_H
#define FAULTLINE_EDIT_H

#include "base/base.h"

/* A member of a JSON document by its path ("zero_optimization.stage"); objects on the way are made
 * where they are missing, an empty value removes the member. */
bool edit_json(struct arena *arena, struct str *text, struct str path, struct str value);
/* `export NAME=value` of a shell script: changed where it stands, else set before the line that
 * launches; an empty value removes it. */
bool edit_environment(struct arena *arena, struct str *text, struct str name, struct str value);
/* `#SBATCH --name=value`: changed, else added behind the last directive. */
bool edit_directive(struct arena *arena, struct str *text, struct str name, struct str value);

/* For those above: the text with `with` in place of its bytes from..to-1. */
struct str edit_splice(struct arena *arena, struct str text, size_t from, size_t to,
                       struct str with);

#endif
