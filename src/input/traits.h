/* traits.h - what all lines that differ in digits and addresses only have in common.  Private to
 * input/.
 *
 * Ranks print the same lines, and each prints its own again and again.  What a visit finds out
 * about a line whatever its digits - that it is no step line, nothing to tracebacks, holds no word
 * of trouble - is found once by each worker, of whatever source, and remembered by the masked line
 * itself: no answer depends on which line came first.
 */
#ifndef FAULTLINE_TRAITS_H
#define FAULTLINE_TRAITS_H

#include "input/keep.h"
#include "text/alike.h"
#include "text/text.h"

enum answer { UNASKED, NO, YES };

struct traits {
    struct grams grams; /* pairs of bytes that one of these lines may hold */
    size_t body;        /* where the text begins behind the prefix, */
    int severity;       /* and what that says: the rest holds for these */
    bool kernel;        /* speaks as the kernel does */
    bool config;        /* a command line, an export, a row of a configuration */
    bool step;          /* may be a step line */
    bool timers;        /* begins or is a block of timers */
    bool meeting;       /* may be one of those that all ranks write together */
    unsigned tells;     /* what it tells a tracer; 0: nothing where no traceback is open */
    /* of few lines, found when asked for: */
    enum answer pause, dull;
    enum answer open; /* ... but this and the rest hold for other addresses not: */
    bool hashed;
    uint64_t opening; /* opening_hash */
    struct track_words words;
};

/* The traits of a mended line whose prefix was read; valid until the next call.  `alike` keeps
 * struct traits; `beyond`: see alike_of. */
struct traits *traits_of(struct alike *alike, struct str piece, bool beyond,
                         const struct place *place);
/* Whether the line, whose text behind the prefix is `body`, tells what jobs do between steps and
 * after the last one; tells of no trouble: its standout_score is 0; holds no secret. */
bool traits_pause(struct traits *traits, struct str body);
bool traits_dull(struct traits *traits, struct str body);
bool traits_open(struct traits *traits, struct str line);
uint64_t traits_opening(struct traits *traits, struct str body); /* opening_hash of the body */

#endif
