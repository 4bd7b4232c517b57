#include "think/verdict.h"

#include "think/beside.h"
#include "think/cut.h"
#include "think/foreign.h"
#include "think/hosts.h"
#include "think/restart.h"
#include "think/rollcall.h"
#include "think/roster.h"
#include "think/spot.h"
#include "think/stage.h"
#include "think/strength.h"

enum {
    DETAIL_LINES = 8, /* of an exception's message behind its first line */
    FAILED_DECIBANS =
        5, /* below this what was found does not make a failed job that made progress ... */
    FAILED_EXCERPT_DECIBANS =
        1, /* ... and here one of which only a piece or a complaint is there */
    SECONDARY_MAX = 16,
    UNEXPLAINED_MAX = 8
};

/* A log could not be read to its end: how the job went on stands there. */
static bool is_torn(const struct view *view) {
    for (size_t i = 0; i < view->evidence->sources.n; i++) {
        const struct source *source = &view->evidence->sources.v[i];
        if (source->truncated && source->kind == KIND_LOG && view->chosen[i] >= 0) return true;
    }
    return false;
}

/* It says enough to make a failed job. */
static bool is_enough(const struct view *view, const struct candidate_failure *candidate) {
    bool worked = view->progress || view->done;
    bool complained =
        candidate->complained || (candidate->hit && hit_is_words(view, candidate->hit));
    int least = worked && !complained ? FAILED_DECIBANS : FAILED_EXCERPT_DECIBANS;
    return candidate->explained_by < 0 && candidate->score >= least;
}

/* Words may have made a weaker candidate the first one. */
enum verdict verdict_decide(const struct view *view, const struct candidates *candidates) {
    for (int i = 0; i < candidates->n; i++)
        if (is_enough(view, &candidates->v[i])) return VERDICT_FAILED;
    if (!view->done && (is_torn(view) || cut_is(view))) return VERDICT_UNKNOWN;
    return view->progress || view->done ? VERDICT_HEALTHY : VERDICT_UNKNOWN;
}

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
static void first_fault(const struct view *view, const struct candidate_failure *best,
                        struct diagnosis *diagnosis) {
    struct fault_line *line = &diagnosis->first_fault;
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

static int explained_signal(const struct diagnosis *diagnosis) {
    return diagnosis->first_fault.known ? diagnosis->first_fault.signal : -1;
}

/* Its lines and the distinct ranks that wrote them; 1 where no line tells a rank. */
static void count_lines(const struct view *view, struct secondary *row) {
    struct rank_set ranks = {0};
    for (int i = 0; i < view->n_hits; i++) {
        if (view->hits[i]->signal != row->signal) continue;
        row->count += view->hits[i]->count;
        rank_set_add(view->arena, &ranks, view->hits[i]->first.rank, NULL);
    }
    for (size_t i = 0; i < view->evidence->rests.n; i++) {
        const struct hit_rest *rest = &view->evidence->rests.v[i];
        if (rest->signal != row->signal) continue;
        row->count += rest->lines;
        rank_set_join(view->arena, &ranks, &rest->ranks, NULL);
    }
    row->ranks = rank_set_count(&ranks);
    if (!row->ranks) row->ranks = 1;
}

static void secondary_build(const struct view *view, struct diagnosis *diagnosis) {
    diagnosis->secondary = ARENA_ARRAY(view->arena, struct secondary, SECONDARY_MAX);
    for (int s = 0; s < view->kb->n_signals && diagnosis->n_secondary < SECONDARY_MAX; s++) {
        const struct hit *first = view->first_of[s];
        enum role role = view->kb->signals[s].role;
        if (!first || (role != ROLE_CASCADE && role != ROLE_WRAPPER)) continue;
        struct secondary row = {
            .signal = s, .consequence_of = explained_signal(diagnosis), .first = first->first};
        count_lines(view, &row);
        diagnosis->secondary[diagnosis->n_secondary++] = row;
    }
}

static bool is_line_of(const struct origin *origin, const struct fault_line *fault) {
    return fault->known && fault->origin.source == origin->source &&
           fault->origin.line == origin->line;
}

static void unexplained_build(const struct view *view, struct diagnosis *diagnosis) {
    diagnosis->unexplained = ARENA_ARRAY(view->arena, struct standout, UNEXPLAINED_MAX);
    const struct evidence *evidence = view->evidence;
    for (int score = 100; score > 0 && diagnosis->n_unexplained < UNEXPLAINED_MAX; score--)
        for (size_t i = 0; i < evidence->standouts.n && diagnosis->n_unexplained < UNEXPLAINED_MAX;
             i++)
            if (evidence->standouts.v[i].score == score &&
                view_holds(view, &evidence->standouts.v[i].origin) &&
                !is_line_of(&evidence->standouts.v[i].origin, &diagnosis->first_fault))
                diagnosis->unexplained[diagnosis->n_unexplained++] = evidence->standouts.v[i];
}

/* A run that was spoiled in silence went on until somebody stopped it. */
static enum ended stopped_by(const struct view *view) {
    for (int i = view->n_hits - 1; i >= 0; i--) {
        const struct hit *hit = view->hits[i];
        const struct signal *signal = &view->kb->signals[hit->signal];
        bool says = signal->role == ROLE_INITIATING || signal->role == ROLE_WRAPPER;
        bool plain = !(hit->flags & (HIT_WORDS | HIT_ADVICE | HIT_WARNING));
        if (says && plain && signal->failure >= 0 && view->kb->failures[signal->failure].ended)
            return (enum ended)view->kb->failures[signal->failure].ended;
    }
    return ENDED_UNKNOWN;
}

/* A launcher tells that the process is gone. */
static bool tells_exit(const struct candidate_failure *of) {
    struct departure departure;
    return of->hit && departure_read(of->hit->text, &departure) && departure.code != 0;
}

static enum ended ended_of(const struct view *view, const struct candidates *candidates,
                           const struct diagnosis *diagnosis) {
    for (int i = 0; i < candidates->n; i++) {
        const struct candidate_failure *of = &candidates->v[i];
        bool vague = of->alike || (of->hit && hit_is_words(view, of->hit));
        if (of->failure >= 0 && (i == 0 || !vague) && view->kb->failures[of->failure].ended)
            return (enum ended)view->kb->failures[of->failure].ended;
    }
    if (diagnosis->verdict == VERDICT_HEALTHY) return view->done ? ENDED_FINISHED : ENDED_UNKNOWN;
    if (diagnosis->verdict != VERDICT_FAILED) return cut_is(view) ? ENDED_CUT : ENDED_UNKNOWN;
    bool gone = candidates->v[0].terminal || tells_exit(&candidates->v[0]);
    return gone || !view->progress ? ENDED_FAILED : stopped_by(view);
}

static int failed_ranks(const struct view *view, const struct diagnosis *diagnosis) {
    int n = 0;
    for (int i = 0; i < view->n_hits; i++)
        if (view->hits[i]->signal == diagnosis->first_fault.signal) n++;
    return n ? n : 1;
}

static struct str where_text(const struct view *view, const struct fault_line *line) {
    struct arena *arena = view->arena;
    if (line->origin.rank >= 0 && line->origin.host.n)
        return arena_printf(arena, "rank %d on " STR_FMT ": ", line->origin.rank,
                            STR_ARG(line->origin.host));
    if (line->origin.rank >= 0) return arena_printf(arena, "rank %d: ", line->origin.rank);
    return (struct str){0};
}

/* --attempt asks for one that no log has. */
static bool lacks_attempt(const struct view *view) {
    bool logs = false;
    for (size_t i = 0; i < view->evidence->sources.n; i++) {
        const struct source *source = &view->evidence->sources.v[i];
        if (source->kind != KIND_LOG || !source->lines || view->chosen[i] < 0) continue;
        if (view->chosen[i] <= source->attempts) return false;
        logs = true;
    }
    return logs;
}

static struct str summary_of(const struct view *view, const struct diagnosis *diagnosis) {
    struct arena *arena = view->arena;
    if (diagnosis->ended == ENDED_CUT && cut_is(view)) return cut_text(view);
    if (diagnosis->verdict == VERDICT_FAILED) {
        const struct finding *best = &diagnosis->findings[0];
        struct str where = where_text(view, &diagnosis->first_fault);
        return arena_printf(arena, STR_FMT STR_FMT "%s" STR_FMT, STR_ARG(where),
                            STR_ARG(best->title), best->why.n ? ": " : "", STR_ARG(best->why));
    }
    if (diagnosis->verdict == VERDICT_HEALTHY)
        return view->done ? STR("The job did its work; nothing in the input ended or spoiled it")
                          : STR("The job made progress; nothing in the input shows a failure");
    if (view->evidence->sources.n == 0) return STR("There is nothing to read here");
    if (view->progress && is_torn(view))
        return STR("The input could not be read to its end; what was read shows progress and no "
                   "failure");
    bool empty = true, binary = true, unread = true;
    for (size_t i = 0; i < view->evidence->sources.n; i++) {
        empty &= view->evidence->sources.v[i].kind == KIND_EMPTY;
        unread &= !view->evidence->sources.v[i].bytes;
        binary &= view->evidence->sources.v[i].kind == KIND_OTHER ||
                  view->evidence->sources.v[i].kind == KIND_EMPTY;
    }
    if (empty) return STR("The input is empty");
    if (binary && unread) return STR("None of the input could be read");
    if (binary)
        return STR(
            "The input holds no text that could be read: binaries, checkpoints or data only");
    if (lacks_attempt(view)) return STR("No log here holds that attempt");
    return looks_like_a_job(view)
               ? STR("A job's output, but nothing in it tells of a failure or of progress")
               : STR("Nothing here looks like the output of a training or inference job");
}

/* The deciding line only reports that somebody else is gone, or waits for him. */
static bool points_elsewhere(const struct view *view, const struct candidate_failure *best) {
    if (!best->hit) return false;
    enum role role = view->kb->signals[best->hit->signal].role;
    if (role == ROLE_WRAPPER || role == ROLE_CASCADE) return true;
    bool waits = str_find_nocase(best->hit->text, STR("timeout"), 0) >= 0 ||
                 str_find_nocase(best->hit->text, STR("timed out"), 0) >= 0;
    return waits && view->roster->why && str_eq(str_of(view->roster->why), STR("silent"));
}

static int add_ranks(int *into, int n, const int *from, int n_from) {
    for (int i = 0; i < n_from; i++) {
        int at = n;
        while (at > 0 && into[at - 1] > from[i]) at--;
        if (at > 0 && into[at - 1] == from[i]) continue;
        memmove(into + at + 1, into + at, (size_t)(n - at) * sizeof *into);
        into[at] = from[i];
        n++;
    }
    return n;
}

static void missed_ranks(const struct view *view, struct diagnosis *diagnosis) {
    const struct roster *roster = view->roster;
    int *silent =
        ARENA_ARRAY(view->arena, int, roster->n_never + roster->n_early + roster->n_mute + 1);
    int n = add_ranks(silent, 0, roster->never, roster->n_never);
    n = add_ranks(silent, n, roster->early, roster->n_early);
    diagnosis->n_silent = add_ranks(silent, n, roster->mute, roster->n_mute);
    diagnosis->silent = silent;
    diagnosis->roster = roster;
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

/* What stands beside the first fault comes before a deciding line that is the fault itself. */
static void beside_place(const struct view *view, const struct candidate_failure *best,
                         struct diagnosis *diagnosis) {
    struct reason beside;
    const struct fault_line *fault = &diagnosis->first_fault;
    if (!beside_fault(view, best, fault, &beside)) return;
    for (int i = 0; i < diagnosis->n_findings; i++) {
        struct finding *finding = &diagnosis->findings[i];
        if (finding->fault != 1 || finding->study || !finding->n_reasons) continue;
        int at = is_line_of(&finding->reasons[0].origin, fault) ? 0 : 1;
        struct reason *place = finding->reasons + at;
        memmove(place + 1, place, (size_t)(finding->n_reasons - at) * sizeof *place);
        *place = beside;
        finding->n_reasons++;
        finding->deciding = 1 - at;
    }
}

/* What an absent rank did last is the fault itself: it is said once. */
static const struct rollcall *rollcall_beside(const struct view *view,
                                              const struct fault_line *fault) {
    if (!view->rollcall || fault->called) return view->rollcall;
    struct rollcall *call = ARENA_NEW(view->arena, struct rollcall);
    *call = *view->rollcall;
    call->n_last = 0;
    call->last = ARENA_ARRAY(view->arena, struct hang_last, HANG_LAST);
    for (int i = 0; i < view->rollcall->n_last; i++)
        if (!str_eq(view->rollcall->last[i].what, fault->text))
            call->last[call->n_last++] = view->rollcall->last[i];
    return call;
}

void verdict_fill(const struct view *view, const struct candidates *candidates,
                  struct diagnosis *diagnosis) {
    diagnosis->stage = diagnosis->n_findings ? diagnosis->findings[0].stage : STAGE_NONE;
    if (diagnosis->verdict == VERDICT_FAILED) {
        first_fault(view, &candidates->v[0], diagnosis);
        earlier_line(view, &candidates->v[0], &diagnosis->first_fault);
        quoted_line(view, &diagnosis->first_fault);
        diagnosis->ranks_failed = failed_ranks(view, diagnosis);
    } else if (view->progress) {
        int scores[STAGE_COUNT];
        static const int any[STAGE_COUNT] = {0};
        stage_scores(view, NULL, NULL, scores);
        diagnosis->stage = stage_choose(scores, any);
    }
    secondary_build(view, diagnosis);
    unexplained_build(view, diagnosis);
    diagnosis->ended = ended_of(view, candidates, diagnosis);
    diagnosis->ranks_seen = (int)view->evidence->ranks.n;
    diagnosis->world_size = view->world_size;
    diagnosis->rollcall = view->rollcall;
    if (diagnosis->verdict == VERDICT_FAILED) {
        missed_ranks(view, diagnosis);
        if (points_elsewhere(view, &candidates->v[0])) roster_place(view, &diagnosis->first_fault);
        whose_line(view, &candidates->v[0], &diagnosis->first_fault);
        rollcall_place(view, candidates->v[0].failure, &diagnosis->first_fault);
        spot_fill(view, &candidates->v[0], &diagnosis->first_fault);
        diagnosis->rollcall = rollcall_beside(view, &diagnosis->first_fault);
        beside_place(view, &candidates->v[0], diagnosis);
    }
    diagnosis->summary = summary_of(view, diagnosis);
    restart_fill(view, diagnosis);
}
