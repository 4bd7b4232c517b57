/* paste_entities.h - HTML's ways to write characters; private to text/. */
#ifndef FAULTLINE_PASTE_ENTITIES_H
#define FAULTLINE_PASTE_ENTITIES_H

#include "base/base.h"

/* Appends the line with &lt; &#39; &#x27; and their like decoded; false (nothing to keep) if there
 * are none. */
bool entities_decode(struct buf *out, struct str line);

#endif
