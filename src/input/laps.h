/* laps.h - what each rank took for the parts of a step, as the lines of one source tell.
 * Private to input/. */
#ifndef FAULTLINE_LAPS_H
#define FAULTLINE_LAPS_H

#include "input/keep.h"
#include "input/rank_rows.h"
#include "think/peers.h"
#include "think/swaps.h"
#include "think/told.h"

enum lap_swap { SWAP_IN, SWAP_OUT, SWAP_OPTIMIZER, SWAP_FORWARD, SWAP_BACKWARD, SWAP_STEP };
enum { LAP_SWAPS = 6 };
enum { LAPS = 9, LAP_ROWS = 4096 /* ranks */, LAP_RANGES = 8 };

struct lap_samples {
    uint32_t seen;
    float v[LAPS]; /* the last ones, a ring */
};

struct lap_row {
    struct origin origin; /* its last line */
    struct lap_samples phases[PEER_PHASES];
};

/* Of the least and most over all ranks, by the name of the phase. */
struct lap_range {
    char phase[32];
    struct lap_samples least, most;
    struct origin origin;
};

struct laps {
    VEC(struct lap_row) rows;
    struct rank_rows row_of;
    struct lap_range ranges[LAP_RANGES];
    int n_ranges, attempt;
    struct lap_samples swaps[LAP_SWAPS]; /* of whoever tells of offload */
    struct origin swapped;
    bool across; /* the rows of a block of Megatron's follow */
    struct arena arena;
};

/* A step line that was read. */
void laps_track(struct laps *laps, const struct track *track);
/* Any line: DeepSpeed's "time (ms) | fwd_microstep: ..." and the rows of Megatron's timers.
 */
bool laps_timed(struct str body, const struct grams *grams); /* it may be one */
void laps_line(struct laps *laps, const struct line_seen *line, struct str body);
/* What the ranks say beside each other; false where nobody stands out.  `pipelined`: stages differ
 * by their nature. */
bool laps_judge(struct laps *laps, struct arena *arena, bool pipelined, struct told *told);
/* What offload costs; false where it is not worth a word. */
bool laps_judge_swaps(struct laps *laps, struct arena *arena, struct told *told);
void laps_release(struct laps *laps);

#endif
