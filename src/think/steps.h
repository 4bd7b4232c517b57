/* steps.h - what the course of a run's steps says: spoiled losses, slowing, standing still.
 *
 * Works on the tracks of one source and attempt, in the order of lines.  Every threshold is
 * relative to the run's own course (medians and their deviation), so that no scale of loss and no
 * size of model needs to be known; what is not clear is not told.  Knows no signal and no cause:
 * its sentences are looked at like lines of a log, by signals that ask for "steps: ...".
 */
#ifndef FAULTLINE_STEPS_H
#define FAULTLINE_STEPS_H

#include "model/evidence.h"

enum step_trouble {
    STEPS_LOSS_LOST,     /* nan or inf from here to the end */
    STEPS_LOSS_ZERO,     /* exactly 0 from here to the end */
    STEPS_LOSS_DIVERGES, /* rose from here on and stayed up */
    STEPS_LOSS_SPIKE,    /* rose and came back */
    STEPS_NORM_EXPLODES, /* the gradient's norm rose from here on and stayed up */
    STEPS_NORM_LOST,     /* it is nan or inf from here to the end, and the loss stands still */
    STEPS_SCALE_FALLS,   /* the loss scale came down to its end */
    STEPS_SKIPPED,       /* most steps are skipped */
    STEPS_SLOWER,        /* steps take longer from here on */
    STEPS_DATA           /* a large part of a step waits for data, from the start */
};
enum { STEP_TROUBLES = 10, STEPS_MIN = 12 /* readings; fewer tell nothing */ };

struct step_event {
    enum step_trouble trouble;
    int at;               /* index of the reading it began at */
    double value, before; /* what is measured, there and before it */
};

/* Writes at most STEP_TROUBLES events, one of each kind, in the order of the enum; how many. */
int steps_judge(const struct track *tracks, int n, struct step_event *events);
/* "steps: loss 9.87 from step 1200 on, 2.31 before" */
struct str steps_sentence(struct arena *arena, const struct track *tracks,
                          const struct step_event *event);
/* Seconds that a step takes at each reading: told, or from the rate, else from the clock; NaN where
 * not known.  *told: seconds, 0: only its proportions mean something. */
void steps_pace(const struct track *tracks, int n, double *pace, bool *told);
/* Seconds without a step until `end` (nanoseconds since 1970), where that is far beyond what the
 * run took before, its pauses included; 0: it is not, or nothing tells.  `lag`: steps between two
 * lines of steps, 0: as between readings.  *usual: seconds that a step took. */
double steps_stalled(const struct track *tracks, int n, int64_t end, int64_t lag, double *usual);
/* The median of those that are finite, or NaN. */
double steps_median(const double *values, int n);

#endif
