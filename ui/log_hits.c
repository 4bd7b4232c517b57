/* What the lines of the log say, and the way from one that says something to the next. */
#include "ui/log_gather.h"

bool log_says_something(const struct screen *screen, const struct hit *hit) {
    return session_kb(screen->session)->signals[hit->signal].role <= ROLE_WRAPPER;
}

const struct hit *log_hit_at(const struct screen *screen, int source, uint64_t number) {
    const struct evidence *evidence = session_evidence(screen->session);
    const struct signal *signals = session_kb(screen->session)->signals;
    const struct hit *best = NULL;
    for (size_t i = 0; i < evidence->hits.n; i++) {
        const struct hit *hit = &evidence->hits.v[i];
        if (hit->first.source != source || !log_says_something(screen, hit)) continue;
        if (hit->first.line != number && hit->last.line != number) continue;
        if (!best || signals[hit->signal].role < signals[best->signal].role) best = hit;
    }
    return best;
}

/* ---- from one to the next -------------------------------------------------------------------- */

static const int64_t day = 86400LL * 1000000000LL;

/* Where a hit stands among the lines that are shown. */
static struct line_place place_of_hit(const struct log_view *log, const struct hit *hit) {
    struct place said = {.time = hit->first.time,
                         .yearless = hit->first.yearless,
                         .dateless = hit->first.yearless && hit->first.time < day};
    return (struct line_place){.source = hit->first.source,
                               .line = hit->first.line,
                               .rank = hit->first.rank,
                               .offset = hit->first.offset,
                               .time = log_complete_time(log, &said)};
}

/* Within one log lines are in order, among all of them their times are. */
static int compare_places(const struct line_place *a, const struct line_place *b) {
    if (a->source == b->source) return (a->line > b->line) - (a->line < b->line);
    if (a->time != b->time) return a->time < b->time ? -1 : 1;
    return a->source < b->source ? -1 : 1;
}

/* The nearest hit that would be shown, in a direction. */
static bool nearest_hit(struct screen *screen, int direction, struct line_place *best) {
    const struct evidence *evidence = session_evidence(screen->session);
    struct log_view *log = screen->log;
    struct line_place here = log_line_place(log, log->mark_line);
    bool found = false;
    for (size_t i = 0; i < evidence->hits.n; i++) {
        const struct hit *hit = &evidence->hits.v[i];
        struct line_place place = place_of_hit(log, hit);
        bool other = log->source >= 0 ? place.source != here.source : place.time == TIME_UNKNOWN;
        if (other || !log_says_something(screen, hit)) continue;
        if (compare_places(&place, &here) * direction <= 0) continue;
        if (found && compare_places(&place, best) * direction >= 0) continue;
        if (!log_filter_text(screen, &log->filter, &place, hit->text)) continue;
        *best = place;
        found = true;
    }
    return found;
}

void log_jump_hit(struct screen *screen, int direction) {
    struct line_place best;
    if (nearest_hit(screen, direction, &best))
        log_jump(screen, &best);
    else
        screen_say(screen, direction > 0 ? "Nothing further below; s goes to the next log."
                                         : "Nothing further above; S goes to the log before.");
}
