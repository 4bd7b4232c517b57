#include "think/fault.h"

#include "think/departure.h"
#include "think/hosts.h"
#include "think/rollcall.h"
#include "think/roster.h"
#include "think/strength.h"

enum { DETAIL_LINES = 8 /* of an exception's message behind its first line */ };

/* ---- the line ------------------------------------------------------------------------------- */

/* Where a complaint decides, a line of a log that says the same is the better one to show. */
static const struct hit *shown_hit(const struct view *view, const struct candidate_failure *best) {
    if (!best->hit || !hit_is_words(view, best->hit)) return best->hit;
    const struct failure *failure = &view->kb->failures[best->failure];
    for (int i = 0; i < failure->n_signals; i++) {
        const struct hit *hit = view->first_of[failure->signals[i]];
        if (hit && !hit_is_words(view, hit) &&
            view->evidence->sources.v[hit->first.source].kind == KIND_LOG)
            return hit;
    }
    return best->hit;
}

/* An exception's first line often names its kind alone ("Error(s) in loading state_dict"): what one
 * of its further lines says tells more. */
static const struct hit *detail_of(const struct view *view, const struct hit *head) {
    const struct signal *of = &view->kb->signals[head->signal];
    const struct hit *best = head;
    for (int i = view->first_in[head->first.source]; head->flags & HIT_EXCEPTION && i >= 0;
         i = view->next_in[i]) {
        const struct hit *hit = view->hits[i];
        const struct signal *signal = &view->kb->signals[hit->signal];
        uint32_t behind = hit->first.line - head->first.line;
        bool plain = signal->in == IN_LINE && signal->role == ROLE_INITIATING &&
                     !(hit->flags & (HIT_EXCEPTION | HIT_WARNING | HIT_ADVICE | HIT_WORDS));
        if (!plain || signal->failure != of->failure || signal->level < of->level ||
            hit->first.rank != head->first.rank || hit->first.line <= head->first.line ||
            behind > DETAIL_LINES)
            continue;
        if (best == head || hit->first.line < best->first.line) best = hit;
    }
    return best;
}

/* An exception without a message ("AssertionError"), or cut off, says less than the code that
 * raised it, unless that only names it ("raise ChildFailedError("). */
static bool shows_code(const struct hit *hit, bool framed, const struct trace *trace) {
    bool exception = !hit || framed || hit->flags & HIT_EXCEPTION || (trace && !trace->text.n);
    return exception && trace && trace->code.n && !str_trim(trace->message).n &&
           !(trace->text.n && str_starts(str_trim(trace->code), STR("raise")));
}

/* "CheckpointingException:" alone: its message begins on the next line.  NULL: it does not. */
static const struct standout *message_behind(const struct view *view, const struct trace *trace) {
    struct str text = trace ? str_trim(trace->text) : (struct str){0};
    struct str message = trace ? str_trim(trace->message) : (struct str){0};
    bool open = text.n && text.p[text.n - 1] == ':' && !(message.n && str_has(text, message));
    return open ? standout_behind(view, &trace->end, 1) : NULL;
}

/* Of a failure that is known by a frame the exception below it is the line to show. */
static void deciding_line(const struct view *view, const struct candidate_failure *best,
                          struct fault_line *line) {
    const struct hit *hit = shown_hit(view, best);
    if (hit) hit = detail_of(view, hit);
    bool framed =
        hit && best->trace && best->trace->text.n && view->kb->signals[hit->signal].in == IN_FRAME;
    line->known = hit || best->trace || best->standout;
    line->signal = hit ? hit->signal : -1;
    bool stopped = best->failure >= 0 && view->kb->failures[best->failure].harmless;
    bool own = !hit || hit->flags & HIT_EXCEPTION;
    const struct standout *message =
        own && !stopped && !best->standout ? message_behind(view, best->trace) : NULL;
    if (message) {
        line->origin = message->origin;
        line->text = message->text;
    } else if (!stopped && !best->standout && shows_code(hit, framed, best->trace)) {
        line->origin = best->trace->code_at;
        line->text = best->trace->code;
    } else if (hit && !framed) {
        line->origin = hit->first;
        line->text = hit->text;
    } else if (best->trace && !best->standout) {
        line->origin = best->trace->end;
        line->text = best->trace->text;
    } else {
        line->origin = *candidate_origin(best);
        line->text = best->standout ? best->standout->text : (struct str){0};
    }
}

/* The launcher saw a process end before others told why, and of a process that ended without a word
 * the last thing that its own failure knows it did comes first. */
static void earlier_line(const struct view *view, const struct candidate_failure *best,
                         struct fault_line *line) {
    struct departure departure;
    const struct hit *earlier = NULL;
    if (!best->hit || best->failure < 0 || line->origin.source < 0) return;
    bool harmless = view->kb->failures[best->failure].harmless;
    if (best->terminal && !harmless) return;
    bool quiet = departure_read(best->hit->text, &departure) && departure.code > 0;
    for (int i = 0; i < view->n_hits; i++) {
        const struct hit *hit = view->hits[i];
        const struct signal *signal = &view->kb->signals[hit->signal];
        if (signal->failure != best->failure || hit->first.source != line->origin.source ||
            hit->first.line >= line->origin.line || hit->flags & (HIT_WORDS | HIT_WARNING))
            continue;
        bool ended = departure_read(hit->text, &departure) && departure.code < 0;
        if (best->terminal && hit->flags & (HIT_EXCEPTION | HIT_IN_TRACEBACK)) continue;
        bool did = (quiet && signal->role == ROLE_CONTEXT && hit->count == 1) ||
                   (harmless && signal->role != ROLE_ADVICE);
        if (ended || did) earlier = !earlier || did ? hit : earlier;
    }
    if (!earlier) return;
    line->origin = earlier->first;
    line->text = earlier->text;
    line->signal = earlier->signal;
}

/* What the C++ runtime quotes when nobody caught an exception, the process had told before, with
 * its rank and the time. */
static void quoted_line(const struct view *view, struct fault_line *line) {
    if (line->origin.source < 0 || !str_starts(str_trim(line->text), STR("what():"))) return;
    for (int i = 0; i < view->n_hits; i++) {
        const struct hit *hit = view->hits[i];
        if (hit->signal != line->signal || hit->first.source != line->origin.source ||
            hit->first.line >= line->origin.line || hit->flags & (HIT_WORDS | HIT_WARNING))
            continue;
        line->origin = hit->first;
        line->text = hit->text;
    }
}

void fault_find(const struct view *view, const struct candidate_failure *best,
                struct fault_line *line) {
    deciding_line(view, best, line);
    earlier_line(view, best, line);
    quoted_line(view, line);
}

/* ---- whose it is ---------------------------------------------------------------------------- */

/* The deciding line only reports that somebody else is gone, or waits for him. */
static bool points_elsewhere(const struct view *view, const struct candidate_failure *best) {
    if (!best->hit) return false;
    enum role role = view->kb->signals[best->hit->signal].role;
    if (role == ROLE_WRAPPER || role == ROLE_CASCADE) return true;
    return hit_is_wait(best->hit) && view->roster->why &&
           str_eq(str_of(view->roster->why), STR("silent"));
}

/* Where the scheduler names the one node that failed the fault is its, whoever wrote the line; a
 * line without a prefix is of the only rank that failed. */
static void whose_line(const struct view *view, const struct candidate_failure *best,
                       struct fault_line *line) {
    struct str nodes[2];
    if (hosts_failed(view, best->scope.failure, nodes) == 1) {
        line->origin.host = nodes[0];
        line->origin.rank = -1;
    } else if (line->known && line->origin.rank < 0) {
        line->origin.rank = view->roster->alone;
    }
}

void fault_lay(const struct view *view, const struct candidate_failure *best,
               struct fault_line *line) {
    if (points_elsewhere(view, best)) roster_place(view, line);
    whose_line(view, best, line);
    rollcall_place(view, best->failure, line);
}
