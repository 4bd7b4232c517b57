/* memo.h - remembers what was decided about a line, for all lines that differ from it in digits
 * only.
 *
 * Sound for a decision that depends on the digits' places but not on which digits they are
 * (digit-blind expressions and needles without digits): masking maps every digit to '0' and keeps
 * all other bytes and the length, so two lines with the same masked bytes get the same decision.
 * The masked bytes themselves are kept and compared, so no hash has to be trusted.  Bounded: 4 ways
 * of 512 sets and 512 KiB of text, then it starts anew.
 */
#ifndef FAULTLINE_MATCH_MEMO_H
#define FAULTLINE_MATCH_MEMO_H

#include "base/base.h"

enum { MEMO_LINE = 1024 /* longest line that is remembered */ };

struct memo; /* of one thread, made with malloc */
struct memo *memo_new(void);
void memo_release(struct memo *memo);

/* What was decided about the line (0 or 1), or -1; then memo_store may be called with the same line
 * next. */
int memo_find(struct memo *memo, struct str line);
void memo_store(struct memo *memo, struct str line, bool decision);

#endif
