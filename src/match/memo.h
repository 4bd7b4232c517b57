/* memo.h - remembers what was decided about a line, for all lines that differ from it in digits
 * only.
 *
 * Sound for what depends on the digits' places but not on which digits they are: masking maps
 * every digit to '0', as it does those of hexadecimal numbers (see text/masked.h), and keeps all
 * other bytes and the length, so two lines with the same masked bytes get the same decision. The
 * masked bytes themselves are kept and compared, so no hash has to be trusted. Bounded: 4 ways of
 * 1,024 sets and 768 KiB of text, then it starts anew.
 */
#ifndef FAULTLINE_MATCH_MEMO_H
#define FAULTLINE_MATCH_MEMO_H

#include "model/evidence.h"

enum {
    MEMO_LINE = LIMIT_TEXT, /* longest line that may be asked for */
    DECISION_IDS = 12
};

/* What a decision may be about: a scan passes over lines whose decision is about nothing that it
 * looks for. */
enum about {
    ABOUT_TROUBLE = 1, /* a mark but MARK_CR, or more signals than are told */
    ABOUT_LOUD = 2,    /* signals that count each time */
    ABOUT_MILD = 4,    /* those that lend colour */
    ABOUT_PULSE = 8,   /* those of step lines */
    ABOUT_LINE = 128   /* all lines */
};

/* What the signals say about a line, whatever its digits. */
struct decision {
    uint8_t marks;              /* bits of enum mark */
    uint8_t about;              /* bits of enum about */
    uint16_t n : 4;             /* ids */
    uint16_t sure : 12;         /* bit i: ids[i] hits it; else it may, by the digits */
    uint16_t more : 1;          /* more signals than fit below: nothing else is known of them */
    uint16_t lone : 12;         /* bit i: if ids[i] hits it, its first match begins at at[i] */
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
/* Makes another line the one that memo_store and memo_masked are about, without asking for it. */
void memo_turn(struct memo *memo, struct str line);
/* The line of the last memo_find or memo_turn with its digits masked, and whether it holds
 * hexadecimal numbers.
 */
struct str memo_masked(const struct memo *memo, struct str line);
bool memo_addresses(const struct memo *memo);

/* masked_loosely of the line of a decision that memo_find, memo_store or a pass just gave. */
uint64_t memo_loosely(struct memo *memo, const struct decision *decision);

#define ROLL 0x9E3779B97F4A7C15u
static inline uint64_t roll_line(uint64_t before, uint64_t loosely) {
    return before * ROLL + loosely;
}

/* ---- passing over lines --------------------------------------------------------------------- */

/* A walk over the lines of a block, of which it passes over those that are known and about nothing
 * that is looked for. */
struct pass {
    struct str block;
    size_t at;      /* where the line at hand begins */
    size_t stop;    /* lines that begin here or behind are not read */
    uint32_t lines; /* passed over so far */
    uint64_t roll;  /* roll_line of them; that of a blank line is masked_loosely of nothing */
    uint8_t wanted; /* bits of enum about */
    uint32_t round; /* lines muted in it are passed over, too; UINT32_MAX: none is */
    /* of the line at which it stopped: */
    const struct decision *known; /* NULL: nobody asked, it may be known all the same */
    size_t length, next;          /* where it is known: without LF or CRLF; where the next begins */
};
/* Goes on until a line is wanted or not known, or `stop`.  `over` is a kernel's. */
typedef void pass_over(struct memo *memo, struct pass *pass);
/* The line of a decision that memo_find, memo_store or a pass just gave is passed over for the rest
 * of this round, which is above 0. */
void memo_mute(struct memo *memo, const struct decision *decision, uint32_t round);

/* Some lines are known but for their digits: each has to be tried.  Counts that the line of the
 * decision was, in vain; true now and then, when it is worth looking for digits that tell sooner.
 */
bool memo_vain(struct memo *memo, const struct decision *decision);
/* Lines of the decision with one of the excluded digits (bit d: digit d) at `at` are none of its
 * only loud signal's: a pass goes on over them. */
void memo_guard(struct memo *memo, const struct decision *decision, size_t at, unsigned excluded);

#endif
