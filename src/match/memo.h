/* memo.h - remembers what was decided about a line, for all lines that differ from it in digits
 * only.
 *
 * Sound for what depends on the digits' places but not on which digits they are: masking maps
 * every digit to '0' and keeps all other bytes and the length, so two lines with the same masked
 * bytes get the same decision. The masked bytes themselves are kept and compared, so no hash has to
 * be trusted. Bounded: 4 ways of 1,024 sets and 768 KiB of text, then it starts anew.
 */
#ifndef FAULTLINE_MATCH_MEMO_H
#define FAULTLINE_MATCH_MEMO_H

#include "model/evidence.h"

enum {
    MEMO_LINE = LIMIT_TEXT, /* longest line that may be asked for */
    DECISION_IDS = 12
};

/* What the signals say about a line, whatever its digits. */
struct decision {
    uint8_t marks; /* bits of enum mark */
    bool more;     /* there are more signals than fit below: nothing else is known of them */
    uint16_t n;
    uint16_t sure;              /* bit i: ids[i] hits it; else it may, by the digits */
    uint16_t ids[DECISION_IDS]; /* in signal order */
    uint16_t at[DECISION_IDS];  /* where the first match begins, of those that may: can begin */
};

struct memo; /* of one thread, made with malloc */
struct memo *memo_new(void);
void memo_release(struct memo *memo);

/* What was decided about the line of at most MEMO_LINE bytes, or NULL; then memo_store may be
 * called for the same line next, and gives the copy it keeps.  Both are valid until the next call.
 * `beyond`: MASKED_BEYOND bytes behind the line may be read. */
const struct decision *memo_find(struct memo *memo, struct str line, bool beyond);
const struct decision *memo_store(struct memo *memo, struct str line,
                                  const struct decision *decision);
uint64_t memo_missed(const struct memo *memo); /* how often memo_find gave NULL */
/* The line of the last memo_find with its digits masked. */
struct str memo_masked(const struct memo *memo, struct str line);

#endif
