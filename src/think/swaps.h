/* swaps.h - what a step spends on fetching optimizer states from CPU or NVMe and putting them back.
 *
 * Offload buys memory with time; where most of a step goes there, it bought too much.  Knows no
 * reason.
 */
#ifndef FAULTLINE_SWAPS_H
#define FAULTLINE_SWAPS_H

#include "base/base.h"

/* Usual seconds, NaN: not told.  The optimizer's hold the swaps in some releases. */
struct swaps {
    double in, out, optimizer;
    double forward, backward, step; /* of the whole step */
};

/* "steps: 62 percent of a step swaps optimizer states", or the empty slice. */
struct str swaps_judge(struct arena *arena, const struct swaps *swaps);

#endif
