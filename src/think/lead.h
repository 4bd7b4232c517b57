/* lead.h - every cause that is still in question, with its share.  Private to think/.
 *
 * The findings of a diagnosis are the first few of these; the walk and why-not look at all. */
#ifndef FAULTLINE_LEAD_H
#define FAULTLINE_LEAD_H

#include "think/candidate.h"

struct lead {
    const struct candidate_failure *candidate;
    int cause, score; /* of the candidate's failure (-1: the fallback), in decibans */
    double share;     /* of all leads, adding up to 1 */
};
struct leads {
    struct lead *v;
    int n;
};
/* The likeliest failure's first cause, then the rest by share: the order of a diagnosis. */
struct leads leads_of(const struct view *view, const struct candidates *candidates);

#endif
