#include "think/swaps.h"

#include <math.h>

#define WORTH_PART           0.3 /* of a whole step: less is the price of offload, */
#define OPTIMIZER_WORTH_PART 0.6 /* of what the optimizer alone takes, where no more is told */

static double known(double seconds) {
    return isnan(seconds) ? 0 : seconds;
}

struct str swaps_judge(struct arena *arena, const struct swaps *swaps) {
    double swapped = known(swaps->in) + known(swaps->out), optimizer = known(swaps->optimizer);
    double whole = swaps->forward + swaps->backward + swaps->step;
    bool told = !isnan(whole);
    if (!told) whole = optimizer > swapped ? optimizer : optimizer + swapped;
    double worth = told ? WORTH_PART : OPTIMIZER_WORTH_PART;
    if ((!told && optimizer <= 0) || !(swapped > worth * whole) || swapped > whole)
        return (struct str){0};
    return arena_printf(arena, "steps: %.0f percent of %s swaps optimizer states",
                        100 * swapped / whole, told ? "a step" : "the update");
}
