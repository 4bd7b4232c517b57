/* syntax.h - what a signal's expression may be written in, and what its verdict can depend on.
 *
 * A walk over the text of an expression; compiles nothing.
 */
#ifndef FAULTLINE_MATCH_SYNTAX_H
#define FAULTLINE_MATCH_SYNTAX_H

#include "base/base.h"

enum { SYNTAX_GROUPS = 8 /* groups an expression may have, as struct match can keep */ };

struct syntax {
    int groups;
    /* No construct tells one digit from another: replacing digits of a text by other digits changes
     * neither whether it matches nor where. */
    bool digit_blind;
    int alternatives; /* outside of groups */
};

/* False with *err filled when the expression uses what PCRE2 and ripgrep do not share, or anchors.
 */
bool syntax_read(struct str regex, struct syntax *syntax, struct err *err);

/* True when no byte of the expression can make it tell digits apart: a quick look that spares
 * syntax_read for most.  The expression must be one that syntax_read would take. */
bool syntax_plainly_blind(struct str regex);
/* A wider expression, for masked lines (see text/masked.h), in which the digit `any` stands for all
 * digits: it matches a line of which some digits were made `any` wherever this one matches the
 * line.  Hexadecimal digits are masked by '0' alone.  The result lives in the arena. */
struct str syntax_relax(struct arena *arena, struct str regex, char any);

#endif
