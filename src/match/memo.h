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

enum { MEMO_LINE = 1024 /* longest line that is remembered */, DECISION_IDS = 8 };

/* What the signals say about a line, whatever its digits. */
struct decision {
    bool speaks; /* one that is not mild hits it (or there are more than fit below) */
    uint8_t n_mild, n_maybe;
    uint16_t ids[DECISION_IDS]; /* mild signals that hit it, then those that may, by the digits */
    uint16_t at[DECISION_IDS];  /* where the first match of those that may can begin */
};

struct memo; /* of one thread, made with malloc */
struct memo *memo_new(void);
void memo_release(struct memo *memo);

/* What was decided about the line, or NULL; then memo_store may be called with the same line next.
 * Valid until the next memo_store. */
const struct decision *memo_find(struct memo *memo, struct str line);
void memo_store(struct memo *memo, struct str line, const struct decision *decision);

#endif
