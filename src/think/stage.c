#include "think/stage.h"
#include "think/strength.h"
#include "think/survival.h"

/* What is likely before anything is known: half of all issues are met in training (the study's
 * shares, flattened, because a failure's own list of stages already says most of it). */
static const int prior[STAGE_COUNT] = {-2, -2, -1, 0, -2};

enum {
    OUTER_DIVISOR = 3,
    CLEAR_DECIBANS = 4, /* by which a frame must speak for one stage to decide */
    NO_STEP_DECIBANS = 4,
    WHOLE_LINES = 60,
    TOLD_DECIBANS = 40, /* the user says which stage it was */
    NEAR_DECIBANS = 4   /* by which one stage may lead another and still be mistaken for it */
};

/* The user's answer to the taxonomy's first question, empty without one. */
static struct str stage_told(const struct view *view) {
    return view_answer(view, STR("see-stage"));
}

/* The frame at which a module is being imported, n_frames without one. */
static int import_frame(const struct trace *trace) {
    for (int f = 0; f < trace->n_frames; f++) {
        const struct frame *frame = &trace->frames[f];
        if (str_eq(frame->function, STR("<module>")) &&
            (str_starts(frame->code, STR("import ")) || str_starts(frame->code, STR("from "))))
            return f;
    }
    return trace->n_frames;
}

/* What a frame's signal says of a stage. A program that still imports its modules, and what runs in
 * them meanwhile, neither trains nor answers requests yet, whatever its file is for. */
static int frame_score(const struct signal *signal, int stage, bool imported) {
    if (imported && (stage == STAGE_TRAIN || stage == STAGE_INFER)) return 0;
    return signal->stage[stage];
}

/* A model's forward is run in every stage, and its frames leave open who ran it. */
static bool is_clear(const struct signal *signal) {
    int best = 0, next = 0;
    for (int s = 0; s < STAGE_COUNT; s++) {
        int score = signal->stage[s];
        if (score > best) {
            next = best;
            best = score;
        } else if (score > next) {
            next = score;
        }
    }
    return best - next >= CLEAR_DECIBANS;
}

/* What the frames of one traceback say, innermost first.  *inner: none has spoken clearly yet. */
static void add_own_frames(const struct view *view, const struct trace *trace, bool *inner,
                           bool *counted, int scores[STAGE_COUNT]) {
    int importing = import_frame(trace);
    for (int f = trace->n_frames; f-- > 0;) {
        bool spoke = false;
        for (int i = 0; i < trace->frames[f].n_signals; i++) {
            const struct signal *signal = &view->kb->signals[trace->frames[f].signals[i]];
            if (counted[trace->frames[f].signals[i]]) continue;
            counted[trace->frames[f].signals[i]] = true;
            for (int s = 0; s < STAGE_COUNT; s++) {
                int score = frame_score(signal, s, f >= importing);
                scores[s] += *inner ? score : score / OUTER_DIVISOR;
                spoke |= score != 0 && is_clear(signal);
            }
        }
        *inner = *inner && !spoke;
    }
}

/* The traceback that was raised while this one was handled, NULL without one.  Python prints a
 * handled exception from its `try` on: who called that stands in the later traceback only. */
static const struct trace *raised_while_handling(const struct view *view,
                                                 const struct trace *trace) {
    const struct trace *all = view->evidence->traces.v;
    for (size_t t = 0; t < view->evidence->traces.n; t++)
        if (all[t].cause >= 0 && &all[all[t].cause] == trace) return &all[t];
    return NULL;
}

/* Frames tell where the program was: the innermost that clearly speaks for a stage counts whole,
 * those around it a third.  Where none does, those of what was raised next tell who called it. */
static void add_frames(const struct view *view, const struct trace *trace, struct arena *scratch,
                       int scores[STAGE_COUNT]) {
    bool inner = true;
    bool *counted = ARENA_ARRAY(scratch, bool, view->kb->n_signals + 1);
    const struct trace *t = trace;
    for (int guard = 0; t && guard < 8; guard++) {
        add_own_frames(view, t, &inner, counted, scores);
        t = t->cause >= 0 ? &view->evidence->traces.v[t->cause] : NULL;
    }
    t = raised_while_handling(view, trace);
    for (int guard = 0; t && inner && guard < 8; guard++) {
        add_own_frames(view, t, &inner, counted, scores);
        t = raised_while_handling(view, t);
    }
}

/* Lines before the moment in its own source, and anywhere in the others; `at`: what decides. */
static bool speaks(const struct view *view, const struct hit *hit, const struct hit *at,
                   const struct origin *moment, bool framed) {
    const struct signal *signal = &view->kb->signals[hit->signal];
    /* what is known as noise did not keep the program where that is met */
    bool said = signal->role == ROLE_INITIATING || signal->role == ROLE_CONTEXT ||
                signal->role == ROLE_WRAPPER;
    if (said && hit->flags & HIT_ADVICE && hit != at) return false;
    if (framed && (signal->in == IN_FRAME || hit->flags & HIT_IN_TRACEBACK)) return false;
    return !moment || hit->first.source != moment->source || hit->first.line <= moment->line;
}

/* What people tell has no order of time: the title stands before the command that it is about. */
static bool told_in_words(const struct view *view, const struct hit *hit) {
    return view->kb->signals[hit->signal].in == IN_WORDS;
}

/* A whole log, long or from its launcher to where its program stopped, without a single step: it
 * was not yet training. */
static bool no_step_yet(const struct view *view, const struct origin *moment) {
    if (!moment) return false;
    bool whole = view->evidence->sources.v[moment->source].lines >= WHOLE_LINES;
    for (int i = 0; i < view->n_hits; i++) {
        const struct hit *hit = view->hits[i];
        enum role role = view->kb->signals[hit->signal].role;
        if (role == ROLE_PROGRESS) return false;
        whole |= role == ROLE_START && hit->first.source == moment->source &&
                 hit->first.line < moment->line && !line_is_launchers(view, moment);
    }
    return whole;
}

/* Lines that signals of one failure know are one event: for each stage the strongest of them
 * counts.  Of what people write each piece is said of its own, but for what the job is for, which
 * its command, its script and its user all tell. */
static void add_signal(const struct signal *signal, int *said, int *purpose,
                       int scores[STAGE_COUNT]) {
    int own[STAGE_COUNT] = {0};
    bool alone = !signal->purpose && (signal->failure < 0 || signal->in == IN_WORDS);
    int *most = alone ? own : signal->purpose ? purpose : said + STAGE_COUNT * signal->failure;
    for (int s = 0; s < STAGE_COUNT; s++) {
        if (!alone && signal->stage[s] <= most[s]) continue;
        scores[s] += signal->stage[s] - most[s];
        most[s] = signal->stage[s];
    }
}

void stage_scores(const struct view *view, const struct hit *at, const struct trace *trace,
                  int scores[STAGE_COUNT]) {
    const struct origin *moment = at ? &at->first : trace ? &trace->end : NULL;
    if (at && told_in_words(view, at)) moment = NULL;
    bool framed = trace && trace->n_frames;
    struct arena scratch = {0}; /* asked for thousands of times a job */
    bool *done = ARENA_ARRAY(&scratch, bool, view->kb->n_signals + 1);
    int *said = ARENA_ARRAY(&scratch, int, STAGE_COUNT *(view->kb->n_failures + 1));
    int purpose[STAGE_COUNT] = {0};
    for (int s = 0; s < STAGE_COUNT; s++) scores[s] = prior[s];
    if (no_step_yet(view, moment)) {
        scores[STAGE_TRAIN] -= NO_STEP_DECIBANS;
        scores[STAGE_INFER] -= NO_STEP_DECIBANS;
    }
    if (framed) add_frames(view, trace, &scratch, scores);
    for (int i = 0; i < view->n_hits; i++) {
        const struct hit *hit = view->hits[i];
        if (done[hit->signal] || !speaks(view, hit, at, moment, framed)) continue;
        done[hit->signal] = true;
        add_signal(&view->kb->signals[hit->signal], said, purpose, scores);
    }
    arena_release(&scratch);
    int told = stage_of_name(stage_told(view));
    if (told >= 0) scores[told] += TOLD_DECIBANS;
}

bool stage_is_open(const struct view *view, const struct hit *at, const struct trace *trace,
                   const int codes[STAGE_COUNT], bool open[STAGE_COUNT]) {
    int scores[STAGE_COUNT], n = 0;
    if (stage_told(view).n) return false;
    stage_scores(view, at, trace, scores);
    enum stage best = stage_choose(scores, codes);
    for (int s = 0; s < STAGE_COUNT; s++) {
        open[s] = codes[s] >= 0 && scores[s] >= scores[best] - NEAR_DECIBANS;
        n += open[s];
    }
    return n > 1;
}

enum stage stage_choose(const int scores[STAGE_COUNT], const int codes[STAGE_COUNT]) {
    enum stage best = STAGE_NONE;
    for (int s = 0; s < STAGE_COUNT; s++)
        if (codes[s] >= 0 && (best == STAGE_NONE || scores[s] > scores[best])) best = (enum stage)s;
    return best;
}

enum stage stage_at_large(const struct view *view, const int codes[STAGE_COUNT]) {
    int scores[STAGE_COUNT];
    stage_scores(view, NULL, NULL, scores);
    return stage_choose(scores, codes);
}
