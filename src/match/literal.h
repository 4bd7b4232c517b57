/* literal.h - strings that every match of an expression must hold.
 *
 * They are what a line is searched for before the expression is tried; which of them are taken only
 * decides how often that is.
 */
#ifndef FAULTLINE_MATCH_LITERAL_H
#define FAULTLINE_MATCH_LITERAL_H

#include "base/base.h"

enum { LITERALS_MAX = 96, LITERAL_MIN = 4, LITERAL_LONGEST = 64 };

/* Alternatives: a match holds at least one of them. */
struct literals {
    int n;
    struct str *v;
};

/* The cheapest alternatives that the expression proves, by the sum of cost() over them; false when
 * it proves none of LITERAL_MIN bytes or more.  The expression is one that syntax_read takes; of
 * another the result may be wrong, but reading it is safe. */
bool literals_of(struct arena *arena, struct str regex,
                 uint64_t (*cost)(void *ctx, struct str literal), void *ctx, struct literals *out);

#endif
