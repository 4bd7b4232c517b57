#include "report/timeline.h"

#include <stdlib.h>

enum {
    APART = 16,    /* up to so many lanes each has its row */
    ODD_CELLS = 4, /* a lane that ends so far from its like is odd */
    ODD_STEPS = 2  /* or so many steps behind */
};

const char *const lane_mark_names[LANE_MARKS] = {"none",        "wrote", "step",       "done",
                                                 "consequence", "fault", "first_fault"};

struct painter {
    struct arena *arena;
    const struct kb *kb;
    const struct evidence *evidence;
    const struct diagnosis *diagnosis;
    struct timeline *timeline;
    int *by_rank; /* lane of a rank, -1 none */
    int *by_source;
    int most; /* highest rank */
    bool cut; /* some signal hit more often than is kept: lanes may lack its mark */
};

/* ---- the axis ------------------------------------------------------------------------------ */

/* Of the job that the diagnosis is about. */
static bool in_job(const struct painter *p, int source) {
    const int *job_of = p->diagnosis->job_of;
    return !job_of || source < 0 || !job_of[source] || job_of[source] == p->diagnosis->job;
}

static bool counts(const struct painter *p, const struct origin *origin) {
    if (!in_job(p, origin->source)) return false;
    if (origin->source < 0 || p->diagnosis->attempt < 0 || origin->attempt == 0) return true;
    int chosen = p->diagnosis->attempt ? p->diagnosis->attempt
                                       : p->evidence->sources.v[origin->source].attempts;
    return origin->attempt == chosen;
}

static void widen(struct timeline *timeline, int64_t time, bool dated, bool *any) {
    if (time == TIME_UNKNOWN || time_has_year(time) != dated) return;
    if (!*any || time < timeline->from) timeline->from = time;
    if (!*any || time > timeline->to) timeline->to = time;
    *any = true;
}

/* Times count where most sources tell them; those of one kind only, with a year or without. */
static void axis_find(struct painter *p) {
    const struct evidence *evidence = p->evidence;
    int timed = 0, dated = 0, logs = 0;
    bool any = false;
    for (size_t i = 0; i < evidence->sources.n; i++) {
        const struct source *source = &evidence->sources.v[i];
        if (source->kind != KIND_LOG || !source->lines || !in_job(p, (int)i)) continue;
        logs++;
        timed += source->first_time != TIME_UNKNOWN;
        dated += time_has_year(source->first_time);
    }
    if (timed * 2 < logs || !timed) return;
    bool with_year = dated * 2 >= timed;
    for (size_t i = 0; i < evidence->sources.n; i++) {
        const struct source *source = &evidence->sources.v[i];
        if (source->kind != KIND_LOG || !source->lines || source->attempts > 1) continue;
        if (!in_job(p, (int)i)) continue;
        widen(p->timeline, source->first_time, with_year, &any);
        widen(p->timeline, source->last_time, with_year, &any);
    }
    for (size_t i = 0; i < evidence->tracks.n; i++)
        if (counts(p, &evidence->tracks.v[i].origin))
            widen(p->timeline, evidence->tracks.v[i].origin.time, with_year, &any);
    for (size_t i = 0; i < evidence->hits.n; i++)
        if (counts(p, &evidence->hits.v[i].first) &&
            evidence->sources.v[evidence->hits.v[i].first.source].kind == KIND_LOG)
            widen(p->timeline, evidence->hits.v[i].first.time, with_year, &any);
    p->timeline->timed = any && p->timeline->to > p->timeline->from;
}

static int cell_of_share(double share) {
    int cell = (int)(share * LANE_CELLS);
    return cell < 0 ? 0 : cell >= LANE_CELLS ? LANE_CELLS - 1 : cell;
}

static int cell_of_time(const struct timeline *timeline, int64_t time) {
    return cell_of_share((double)(time - timeline->from) / (double)(timeline->to - timeline->from));
}

static bool on_axis(const struct timeline *timeline, int64_t time) {
    return time != TIME_UNKNOWN && time_has_year(time) == time_has_year(timeline->from);
}

/* A line without a time stands where its source's lines put it. */
static int cell_of(const struct painter *p, const struct origin *origin) {
    const struct timeline *timeline = p->timeline;
    const struct source *source = &p->evidence->sources.v[origin->source];
    double share = source->lines ? (double)origin->line / (double)source->lines : 0;
    if (!timeline->timed) return cell_of_share(share);
    if (on_axis(timeline, origin->time)) return cell_of_time(timeline, origin->time);
    if (!on_axis(timeline, source->first_time) || !on_axis(timeline, source->last_time)) return -1;
    double length = (double)(source->last_time - source->first_time);
    return cell_of_time(timeline, source->first_time + (int64_t)(share * length));
}

/* ---- lanes --------------------------------------------------------------------------------- */

static struct lane *lane_new(struct painter *p, int rank, int source) {
    struct lane *lane = &p->timeline->lanes[p->timeline->n_lanes++];
    *lane = (struct lane){.rank = rank, .source = source, .step = -1, .first = -1, .last = -1};
    return lane;
}

static void lanes_make(struct painter *p) {
    const struct evidence *evidence = p->evidence;
    const struct roster *roster = p->diagnosis->roster;
    int n_never = roster ? roster->n_never : 0;
    size_t most = evidence->ranks.n + evidence->sources.n + (size_t)n_never + 1;
    p->most = evidence->ranks.n ? evidence->ranks.v[evidence->ranks.n - 1] : -1;
    for (int i = 0; i < n_never; i++)
        if (roster->never[i] > p->most) p->most = roster->never[i];
    p->timeline->lanes = ARENA_ARRAY(p->arena, struct lane, most);
    p->by_rank = ARENA_ARRAY(p->arena, int, p->most + 2);
    p->by_source = ARENA_ARRAY(p->arena, int, evidence->sources.n + 1);
    for (int r = 0; r <= p->most; r++) p->by_rank[r] = -1;
    for (size_t i = 0; i < evidence->sources.n; i++) p->by_source[i] = -1;
    for (size_t i = 0; i < evidence->ranks.n; i++) p->by_rank[evidence->ranks.v[i]] = -2;
    for (int i = 0; i < n_never; i++)
        if (p->by_rank[roster->never[i]] == -1) p->by_rank[roster->never[i]] = -3;
    for (int r = 0; r <= p->most; r++) {
        if (p->by_rank[r] == -1) continue;
        bool wrote = p->by_rank[r] == -2;
        p->by_rank[r] = p->timeline->n_lanes;
        lane_new(p, r, -1)->wrote = wrote;
    }
    for (int i = 0; roster && i < roster->n_early; i++)
        if (roster->early[i] <= p->most && p->by_rank[roster->early[i]] >= 0)
            p->timeline->lanes[p->by_rank[roster->early[i]]].early = true;
}

/* Lines that name no rank get a lane of their source's own. */
static struct lane *lane_of(struct painter *p, const struct origin *origin) {
    int rank = origin->rank >= 0 ? origin->rank : p->evidence->sources.v[origin->source].rank;
    if (rank >= 0 && rank <= p->most && p->by_rank[rank] >= 0) {
        struct lane *lane = &p->timeline->lanes[p->by_rank[rank]];
        lane->wrote = true;
        if (lane->source < 0) lane->source = origin->source;
        return lane;
    }
    int *index = &p->by_source[origin->source];
    if (*index < 0) {
        *index = p->timeline->n_lanes;
        lane_new(p, -1, origin->source)->wrote = true;
    }
    return &p->timeline->lanes[*index];
}

static void stretch(struct lane *lane, int cell) {
    if (lane->first < 0 || cell < lane->first) lane->first = cell;
    if (cell > lane->last) lane->last = cell;
}

static void paint(struct painter *p, const struct origin *origin, enum lane_mark mark) {
    if (origin->source < 0 || !counts(p, origin)) return;
    if (p->evidence->sources.v[origin->source].kind != KIND_LOG && mark < MARK_FOLLOWS) return;
    struct lane *lane = lane_of(p, origin);
    int cell = cell_of(p, origin);
    if (cell < 0) return;
    if (mark > lane->cells[cell]) lane->cells[cell] = (unsigned char)mark;
    /* the first fault may be laid to a rank by what others wrote: that rank wrote no longer */
    if (mark != MARK_FIRST) stretch(lane, cell);
}

/* A second fault of its own, not the first one's consequence. */
static bool is_independent(const struct painter *p, int failure) {
    for (int i = 0; failure >= 0 && i < p->diagnosis->n_findings; i++)
        if (p->diagnosis->findings[i].failure == failure && p->diagnosis->findings[i].fault > 1)
            return true;
    return false;
}

/* What fails after the first fault follows from it, as far as one can see. */
static enum lane_mark mark_fault(const struct painter *p, const struct origin *origin,
                                 int failure) {
    const struct fault_line *fault = &p->diagnosis->first_fault;
    if (!fault->known || fault->origin.source < 0 || is_independent(p, failure)) return MARK_FAULT;
    return cell_of(p, origin) < cell_of(p, &fault->origin) ? MARK_FAULT : MARK_FOLLOWS;
}

static enum lane_mark mark_of(const struct painter *p, const struct hit *hit) {
    const struct signal *signal = &p->kb->signals[hit->signal];
    switch (signal->role) {
    case ROLE_CASCADE:
    case ROLE_WRAPPER: return MARK_FOLLOWS;
    case ROLE_DONE: return MARK_DONE;
    case ROLE_INITIATING:
        if (hit->flags & (HIT_WARNING | HIT_ADVICE | HIT_WORDS)) return MARK_WROTE;
        return mark_fault(p, &hit->first, signal->failure);
    default: return MARK_WROTE;
    }
}

static void voices_paint(struct painter *p) {
    for (size_t i = 0; i < p->evidence->voices.n; i++) {
        const struct voice *voice = &p->evidence->voices.v[i];
        struct origin origin = {.source = voice->source, .rank = voice->rank};
        if (!voice->first_line || p->evidence->sources.v[voice->source].attempts > 1) continue;
        origin.line = voice->first_line;
        origin.time = voice->first_time;
        paint(p, &origin, MARK_WROTE);
        origin.line = voice->last_line;
        origin.time = voice->last_time;
        paint(p, &origin, MARK_WROTE);
    }
}

static bool is_cut(const struct painter *p) {
    int *hits = ARENA_ARRAY(p->arena, int, p->kb->n_signals + 1);
    for (size_t i = 0; i < p->evidence->hits.n; i++)
        if (++hits[p->evidence->hits.v[i].signal] >= LIMIT_HITS) return true;
    return false;
}

static void events_paint(struct painter *p) {
    const struct evidence *evidence = p->evidence;
    for (size_t i = 0; i < evidence->hits.n; i++) {
        const struct hit *hit = &evidence->hits.v[i];
        paint(p, &hit->first, mark_of(p, hit));
        if (hit->last.line < UINT32_MAX / 2) paint(p, &hit->last, mark_of(p, hit));
    }
    for (size_t i = 0; i < evidence->traces.n; i++)
        if (!evidence->traces.v[i].ignored && !evidence->traces.v[i].followed)
            paint(p, &evidence->traces.v[i].end, mark_fault(p, &evidence->traces.v[i].end, -1));
    for (size_t i = 0; i < evidence->tracks.n; i++) {
        const struct track *track = &evidence->tracks.v[i];
        if (!counts(p, &track->origin)) continue;
        paint(p, &track->origin, MARK_STEP);
        struct lane *lane = lane_of(p, &track->origin);
        if (track->step > lane->step) lane->step = track->step;
    }
    if (p->diagnosis->first_fault.known) paint(p, &p->diagnosis->first_fault.origin, MARK_FIRST);
}

/* A file of one rank wrote from its first line to its last, whatever was looked at between. */
static void sources_paint(struct painter *p) {
    for (size_t i = 0; i < p->evidence->sources.n; i++) {
        const struct source *source = &p->evidence->sources.v[i];
        if (source->kind != KIND_LOG || !source->lines || source->attempts > 1) continue;
        if (source->rank < 0 && p->by_source[i] < 0) continue;
        struct origin first = {.source = (int)i, .line = 1, .rank = -1, .time = source->first_time};
        struct origin last = {.source = (int)i, .rank = -1, .time = source->last_time};
        last.line = source->lines < UINT32_MAX ? (uint32_t)source->lines : UINT32_MAX;
        paint(p, &first, MARK_WROTE);
        paint(p, &last, MARK_WROTE);
    }
}

static void lanes_fill(struct timeline *timeline) {
    for (int i = 0; i < timeline->n_lanes; i++) {
        struct lane *lane = &timeline->lanes[i];
        for (int c = lane->first; c >= 0 && c <= lane->last; c++)
            if (!lane->cells[c]) lane->cells[c] = MARK_WROTE;
    }
}

/* ---- rows ---------------------------------------------------------------------------------- */

/* What kind of fate a lane had: the first fault is nobody else's. */
static int fate_of(const struct painter *p, const struct lane *lane) {
    unsigned seen = 0;
    for (int c = 0; c < LANE_CELLS; c++) seen |= 1u << lane->cells[c];
    seen &= 1u << MARK_FIRST | 1u << MARK_FAULT | 1u << MARK_FOLLOWS | 1u << MARK_DONE;
    if (p->cut) seen &= ~(1u << MARK_FOLLOWS);
    return (int)(seen << 3) | lane->wrote << 2 | lane->early << 1 | (lane->rank < 0);
}

static int compare_ints(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* The middle of where lanes end, and how far from it they usually lie. */
struct usual {
    int64_t last, step, apart;
};

static int64_t middle(int *values, int n) {
    qsort(values, (size_t)n, sizeof *values, compare_ints);
    return values[n / 2];
}

static struct usual usual_of(struct painter *p, const int *lanes, int n) {
    struct usual usual;
    int *values = ARENA_ARRAY(p->arena, int, n);
    for (int i = 0; i < n; i++) values[i] = p->timeline->lanes[lanes[i]].last;
    usual.last = middle(values, n);
    for (int i = 0; i < n; i++) {
        int64_t step = p->timeline->lanes[lanes[i]].step;
        values[i] = step > INT32_MAX ? INT32_MAX : (int)step;
    }
    usual.step = middle(values, n);
    for (int i = 0; i < n; i++) values[i] = abs(values[i] - (int)usual.step);
    usual.apart = middle(values, n);
    return usual;
}

static void row_add(struct painter *p, const int *lanes, int n) {
    struct timeline *timeline = p->timeline;
    struct timeline_row row = {.n = n, .step = -1};
    row.lanes = ARENA_ARRAY(p->arena, int, n + 1);
    memcpy(row.lanes, lanes, sizeof *lanes * (size_t)n);
    for (int i = 0; i < n; i++) {
        const struct lane *lane = &timeline->lanes[lanes[i]];
        if (lane->step > row.step) row.step = lane->step;
        for (int c = 0; c < LANE_CELLS; c++)
            if (lane->cells[c] > row.cells[c]) row.cells[c] = lane->cells[c];
    }
    timeline->rows[timeline->n_rows++] = row;
}

static bool is_odd(const struct lane *lane, const struct usual *usual) {
    if (llabs(lane->last - usual->last) >= ODD_CELLS) return true;
    int64_t room = ODD_STEPS + 8 * usual->apart;
    return lane->step >= 0 && usual->step >= 0 && lane->step + room < usual->step;
}

/* Lanes of one fate are one row, but for those that end elsewhere or at another step. */
static void fate_split(struct painter *p, const int *lanes, int n) {
    int *like = ARENA_ARRAY(p->arena, int, n), k = 0;
    struct usual usual = usual_of(p, lanes, n);
    for (int i = 0; i < n; i++) {
        if (n > 2 && is_odd(&p->timeline->lanes[lanes[i]], &usual))
            row_add(p, &lanes[i], 1);
        else
            like[k++] = lanes[i];
    }
    if (k) row_add(p, like, k);
}

static int compare_rows(const void *a, const void *b) {
    return compare_ints(&((const struct timeline_row *)a)->lanes[0],
                        &((const struct timeline_row *)b)->lanes[0]);
}

/* A rank that wrote, but in another job alone. */
static bool is_foreign(const struct painter *p, const struct lane *lane) {
    return p->diagnosis->job_of && lane->wrote && lane->first < 0;
}

static void rows_make(struct painter *p) {
    struct timeline *timeline = p->timeline;
    int n = timeline->n_lanes, *lanes = ARENA_ARRAY(p->arena, int, n + 1);
    bool *taken = ARENA_ARRAY(p->arena, bool, n + 1);
    timeline->rows = ARENA_ARRAY(p->arena, struct timeline_row, n + 1);
    for (int i = 0; i < n; i++) {
        int k = 0, fate = fate_of(p, &timeline->lanes[i]);
        taken[i] |= is_foreign(p, &timeline->lanes[i]);
        if (taken[i]) continue;
        for (int j = i; j < n && (j == i || n > APART); j++)
            if (!taken[j] && fate_of(p, &timeline->lanes[j]) == fate) taken[lanes[k++] = j] = true;
        fate_split(p, lanes, k);
    }
    if (timeline->n_rows)
        qsort(timeline->rows, (size_t)timeline->n_rows, sizeof *timeline->rows, compare_rows);
}

const struct timeline *timeline_take(struct arena *arena, const struct kb *kb,
                                     const struct evidence *evidence,
                                     const struct diagnosis *diagnosis) {
    struct timeline *timeline = ARENA_NEW(arena, struct timeline);
    struct painter p = {.arena = arena,
                        .kb = kb,
                        .evidence = evidence,
                        .diagnosis = diagnosis,
                        .timeline = timeline};
    p.cut = is_cut(&p);
    axis_find(&p);
    lanes_make(&p);
    voices_paint(&p);
    events_paint(&p);
    sources_paint(&p);
    lanes_fill(timeline);
    rows_make(&p);
    return timeline;
}
