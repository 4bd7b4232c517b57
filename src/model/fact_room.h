/* fact_room.h - which of very many facts are kept.  Private to model/.
 *
 * A hundred thousand ranks or runs tell the same facts.  Of the first LIMIT_FACTS all are kept, of
 * the rest those that tell another value than any before, up to LIMIT_ALL_FACTS.
 */
#ifndef FAULTLINE_FACT_ROOM_H
#define FAULTLINE_FACT_ROOM_H

#include "model/evidence.h"

/* Whether the fact, which is to be added, is kept. */
bool fact_has_room(struct evidence *evidence, const struct fact *fact);

#endif
