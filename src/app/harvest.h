/* harvest.h - the messages that a program can print, as literals in its source.
 *
 * Finds `raise X("...")`, `assert c, "..."`, logger and warnings calls of Python, and TORCH_CHECK,
 * `throw X("...")`, LOG and their relatives of C++.  Adjacent literals are joined; what is filled
 * in at run time becomes {}.  A scanner, no parser: what it does not understand it leaves out. */
#ifndef FAULTLINE_HARVEST_H
#define FAULTLINE_HARVEST_H

#include "base/base.h"

struct harvested {
    int line;
    struct str type; /* of the exception: "ValueError", or empty */
    struct str text; /* with {} where something is filled in */
};
typedef VEC(struct harvested) harvest;
/* Appends the messages of one source text. */
void harvest_source(struct arena *arena, struct str text, bool python, harvest *out);
/* A line as it might be printed: {} filled with `with`. */
struct str harvest_line(struct arena *arena, const struct harvested *row, struct str with);

#endif
