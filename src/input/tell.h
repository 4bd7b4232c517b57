/* tell.h - what a file is, and who reads its facts.  Private to input/. */
#ifndef FAULTLINE_TELL_H
#define FAULTLINE_TELL_H

#include "facts/facts.h"
#include "input/words.h"

enum {
    TELL_BYTES = 64 * 1024, /* of the beginning of a file that tell what it is */
    TELL_PASTE = 128 * 1024 /* what is larger was not pasted, and holds no person's words */
};

/* Kind by content, then name; *reader: the format's reader, also for a log that holds such a text,
 * or NULL.  *custom: what the head tells of its lines, where they were looked at. */
enum kind tell_kind(struct str head, struct str path, const struct fact_reader **reader,
                    struct custom *custom);

/* Adds what the middle and the end of a file tell of its lines: a log may begin with what the batch
 * script printed.  `head` may hold all of it. */
void tell_custom(struct custom *custom, int fd, uint64_t size, struct str head);
/* Whether it is text: what else tell_kind asks is left out. */
bool tell_text(struct str head);

#endif
