#include "think/verdict.h"

#include "think/beside.h"
#include "think/cut.h"
#include "think/departure.h"
#include "think/fault.h"
#include "think/foreign.h"
#include "think/restart.h"
#include "think/roster.h"
#include "think/spot.h"
#include "think/stage.h"
#include "think/strength.h"

enum {
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
    return of->hit && departure_read(of->hit->text, &departure);
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

/* Where --attempt asks for one that no log has, the most that one of them has; else 0. */
static int lacks_attempt(const struct view *view) {
    int most = 0;
    for (size_t i = 0; i < view->evidence->sources.n; i++) {
        const struct source *source = &view->evidence->sources.v[i];
        if (source->kind != KIND_LOG || !source->lines || view->chosen[i] < 0) continue;
        if (view->chosen[i] <= source->attempts) return 0;
        if (source->attempts > most) most = source->attempts;
    }
    return most;
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
    int attempts = lacks_attempt(view);
    if (attempts)
        return arena_printf(arena, "No log here holds that attempt, but at most %d", attempts);
    return looks_like_a_job(view)
               ? STR("A job's output, but nothing in it tells of a failure or of progress")
               : STR("Nothing here looks like the output of a training or inference job");
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
        fault_find(view, &candidates->v[0], &diagnosis->first_fault);
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
        fault_lay(view, &candidates->v[0], &diagnosis->first_fault);
        spot_fill(view, &candidates->v[0], &diagnosis->first_fault);
        diagnosis->rollcall = rollcall_beside(view, &diagnosis->first_fault);
        beside_place(view, &candidates->v[0], diagnosis);
    }
    diagnosis->summary = summary_of(view, diagnosis);
    restart_fill(view, diagnosis);
}
