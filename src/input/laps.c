#include "input/laps.h"

#include <math.h>

#include "input/traits.h"
#include "text/chars.h"
#include "text/grams.h"
#include "think/steps.h"

enum { LEAST_LAPS = 3 };

static void sample(struct lap_samples *samples, double seconds) {
    if (isfinite(seconds) && seconds > 0) samples->v[samples->seen++ % LAPS] = (float)seconds;
}

static double usual(const struct lap_samples *samples) {
    double v[LAPS];
    int n = samples->seen < LAPS ? (int)samples->seen : LAPS;
    for (int i = 0; i < n; i++) v[i] = (double)samples->v[i];
    return n >= LEAST_LAPS ? steps_median(v, n) : NAN;
}

static void begin_attempt(struct laps *laps, int attempt) {
    if (attempt == laps->attempt) return;
    laps->rows.n = 0;
    rank_rows_clear(&laps->row_of);
    laps->n_ranges = 0;
    memset(laps->swaps, 0, sizeof laps->swaps);
    laps->attempt = attempt;
}

static struct lap_row *row_of(struct laps *laps, const struct origin *origin) {
    begin_attempt(laps, origin->attempt);
    int rank = origin->rank;
    if (rank < 0 || rank >= LAP_ROWS) return NULL;
    int at = rank_row(&laps->row_of, rank);
    if (at < 0) {
        at = (int)laps->rows.n;
        rank_row_add(&laps->row_of, rank, at);
        vec_push(&laps->arena, &laps->rows, (struct lap_row){.origin = *origin});
    }
    struct lap_row *row = &laps->rows.v[at];
    row->origin = *origin;
    row->origin.host = (struct str){0};
    return row;
}

void laps_track(struct laps *laps, const struct track *track) {
    struct lap_row *row = row_of(laps, &track->origin);
    if (!row) return;
    sample(&row->phases[PEER_STEP], (double)track->seconds);
    sample(&row->phases[PEER_DATA], (double)track->data);
}

/* ---- lines of timers ---------------------------------------------------------------- */

static double after(struct str line, const char *name) {
    ptrdiff_t at = str_find(line, str_of(name), 0);
    double value;
    if (at < 0) return NAN;
    struct str rest = str_trim(str_from(line, (size_t)at + strlen(name)));
    size_t n = 0;
    while (is_digit(byte_at(rest, n)) || byte_at(rest, n) == '.') n++;
    return str_number(str_sub(rest, 0, n), &value) ? value : NAN;
}

/* Of the optimizer with NVMe: "| optimizer_swap_in_state: 4012.01 | ...", or of its swapper alone.
 */
static void swap_line(struct laps *laps, const struct line_seen *line, struct str body) {
    static const char *const names[LAP_SWAPS][2] = {
        [SWAP_IN] = {" optimizer_swap_in_state:", " swap_in_state:"},
        [SWAP_OUT] = {" optimizer_swap_out_state:", " swap_out_state:"},
        [SWAP_OPTIMIZER] = {" optimizer_step:"},
        [SWAP_FORWARD] = {" fwd:", " forward:"},
        [SWAP_BACKWARD] = {" bwd:", " backward:"},
        [SWAP_STEP] = {" step:"}};
    begin_attempt(laps, line->origin.attempt);
    for (int part = 0; part < LAP_SWAPS; part++) {
        double value = after(body, names[part][0]);
        if (isnan(value) && names[part][1]) value = after(body, names[part][1]);
        if (isnan(value)) continue;
        sample(&laps->swaps[part], value / 1e3);
        if (part == SWAP_IN || part == SWAP_OUT) laps->swapped = line->origin;
    }
    laps->swapped.host = (struct str){0};
}

/* What a rank does alone: the rest of backward waits for the others. */
static void deepspeed_line(struct laps *laps, const struct line_seen *line, struct str body) {
    struct lap_row *row = row_of(laps, &line->origin);
    double backward = after(body, "bwd_inner_microstep:");
    if (!row) return;
    if (isnan(backward)) backward = after(body, "bwd_inner:");
    double forward = after(body, "fwd_microstep:");
    if (isnan(forward)) forward = after(body, "fwd:");
    sample(&row->phases[PEER_FORWARD], forward / 1e3);
    sample(&row->phases[PEER_BACKWARD], backward / 1e3);
    sample(&row->phases[PEER_DATA], after(body, "batch_input:") / 1e3);
}

static struct lap_range *range_of(struct laps *laps, struct str phase) {
    for (int i = 0; i < laps->n_ranges; i++)
        if (str_eq(str_of(laps->ranges[i].phase), phase)) return &laps->ranges[i];
    if (laps->n_ranges == LAP_RANGES || phase.n >= sizeof laps->ranges[0].phase) return NULL;
    struct lap_range *range = &laps->ranges[laps->n_ranges++];
    *range = (struct lap_range){0};
    memcpy(range->phase, phase.p, phase.n);
    return range;
}

/* "forward-compute ......: (600.21, 1190.40)", in ms; of those that hold no communication. */
static void range_line(struct laps *laps, const struct line_seen *line, struct str body) {
    static const char *const own[] = {"forward-compute", "backward-compute", "batch-generator",
                                      "optimizer-inner-step"};
    ptrdiff_t open = str_find(body, STR(": ("), 0), dots = str_find(body, STR(" .."), 0);
    if (dots <= 0 || open < dots) return;
    struct str phase = str_trim(str_sub(body, 0, (size_t)dots));
    if (!STR_AMONG(phase, own)) return;
    begin_attempt(laps, line->origin.attempt);
    double least = after(body, ": ("), most = after(str_from(body, (size_t)open), ", ");
    struct lap_range *range = range_of(laps, phase);
    if (!range || isnan(least) || isnan(most)) return;
    sample(&range->least, least / 1e3);
    sample(&range->most, most / 1e3);
    range->origin = line->origin;
    range->origin.host = (struct str){0};
}

/* Of DeepSpeed, and the heading of Megatron's. */
static const struct str timers = STR("time (ms) |"), across = STR("time across ranks (ms)");

bool laps_timed(struct str body, const struct grams *grams) {
    return grams_has(grams, body, timers) || grams_has(grams, body, across);
}

void laps_line(struct laps *laps, const struct line_seen *line, struct str body) {
    if (!line->traits->timers && !laps->across) return;
    if (str_has(body, timers)) {
        deepspeed_line(laps, line, body);
        swap_line(laps, line, body);
    } else if (str_has(body, across)) {
        laps->across = str_has(body, STR("(min, max)"));
    } else if (laps->across) {
        laps->across = str_has(body, STR(": ("));
        range_line(laps, line, body);
    }
}

/* ---- the end ------------------------------------------------------------------------ */

bool laps_judge(struct laps *laps, struct arena *arena, bool pipelined, struct told *told) {
    int n = (int)laps->rows.n, row = 0;
    struct peer *peers = ARENA_ARRAY(arena, struct peer, n + 1);
    for (int i = 0; i < n; i++) {
        peers[i] = (struct peer){.rank = laps->rows.v[i].origin.rank, .row = i};
        for (int p = 0; p < PEER_PHASES; p++)
            peers[i].seconds[p] = usual(&laps->rows.v[i].phases[p]);
        if (pipelined) peers[i].seconds[PEER_FORWARD] = peers[i].seconds[PEER_BACKWARD] = NAN;
    }
    told->sentence = peers_judge(arena, peers, n, &row);
    if (told->sentence.n) told->origin = laps->rows.v[row].origin;
    double step = 0;
    for (int i = 0; i < laps->n_ranges; i++) step = fmax(step, usual(&laps->ranges[i].most));
    for (int i = 0; i < laps->n_ranges && !told->sentence.n && !pipelined; i++) {
        const struct lap_range *range = &laps->ranges[i];
        told->sentence = peers_range(arena, str_of(range->phase), usual(&range->least),
                                     usual(&range->most), step);
        told->origin = range->origin;
    }
    return told->sentence.n > 0;
}

bool laps_judge_swaps(struct laps *laps, struct arena *arena, struct told *told) {
    const struct lap_samples *of = laps->swaps;
    struct swaps swaps = {.in = usual(&of[SWAP_IN]),
                          .out = usual(&of[SWAP_OUT]),
                          .optimizer = usual(&of[SWAP_OPTIMIZER]),
                          .forward = usual(&of[SWAP_FORWARD]),
                          .backward = usual(&of[SWAP_BACKWARD]),
                          .step = usual(&of[SWAP_STEP])};
    told->sentence = swaps_judge(arena, &swaps);
    told->origin = laps->swapped;
    return told->sentence.n > 0;
}

void laps_release(struct laps *laps) {
    rank_rows_release(&laps->row_of);
    arena_release(&laps->arena);
}
