/* tell.h - what a file is, and who reads its facts.  Private to input/; input_tell is the public
 * face. */
#ifndef FAULTLINE_TELL_H
#define FAULTLINE_TELL_H

#include "facts/facts.h"
#include "input/words.h"

/* Kind by content, then name; *reader: the format's reader, also for a log that holds such a text,
 * or NULL.  *custom: what the head tells of its lines, where they were looked at. */
enum kind tell_kind(struct str head, struct str path, const struct fact_reader **reader,
                    struct custom *custom);

#endif
