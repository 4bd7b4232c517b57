#include "think/scope.h"

#include "think/clocks.h"
#include "think/distribution.h"
#include "think/foreign.h"
#include "think/hosts.h"
#include "think/jobs.h"
#include "think/leaning.h"
#include "think/rollcall.h"
#include "think/roster.h"

static bool hit_counts(const struct view *view, const struct hit *hit) {
    return view_holds(view, &hit->first);
}

bool view_holds(const struct view *view, const struct origin *origin) {
    if (origin->source < 0) return true;
    int chosen = view->chosen[origin->source];
    if (chosen < 0) return false;
    return chosen == 0 || origin->attempt == 0 || origin->attempt == chosen;
}

enum {
    OTHER_JOB = -1,
    STEPS_MADE = 2,  /* so many and the job made progress */
    FRAMES_SHOWN = 2 /* so many and a traceback says where it was */
};

/* Of folders as torchrun makes them, one an attempt: where their names begin. */
static struct str attempts_folder(struct str path) {
    ptrdiff_t at = str_find(path, STR("attempt_"), 0);
    bool component = at == 0 || (at > 0 && path.p[at - 1] == '/');
    return component ? str_sub(path, 0, (size_t)at + 8) : (struct str){0};
}

/* Sources lie in the order of their paths, those of one folder side by side. */
static void last_of_folders(struct view *view) {
    const struct source *sources = view->evidence->sources.v;
    size_t n = view->evidence->sources.n, end;
    for (size_t from = 0; from < n; from = end) {
        struct str folder = attempts_folder(sources[from].path);
        int last = sources[from].attempts;
        for (end = from + 1; end < n && folder.n && str_starts(sources[end].path, folder); end++)
            if (sources[end].attempts > last) last = sources[end].attempts;
        for (size_t i = from; i < end; i++) view->chosen[i] = last;
    }
}

static void choose_attempts(struct view *view, const struct think_options *options,
                            const struct jobs *jobs) {
    const struct evidence *evidence = view->evidence;
    view->chosen = ARENA_ARRAY(view->room, int, evidence->sources.n + 1);
    last_of_folders(view);
    for (size_t i = 0; i < evidence->sources.n; i++) {
        const struct source *source = &evidence->sources.v[i];
        if (options->attempt) view->chosen[i] = options->attempt < 0 ? 0 : options->attempt;
        if (jobs && jobs->of[i] && jobs->of[i] != options->job)
            view->chosen[i] = OTHER_JOB;
        else if (source->kind == KIND_LOG && source->lines > 0)
            view->has_log = true;
    }
}

static const struct str answer_mark = {"answer.", 7};

/* Few of many thousand facts, asked for many times. */
static void index_answers(struct view *view) {
    const struct evidence *evidence = view->evidence;
    for (size_t i = 0; i < evidence->facts.n; i++)
        view->n_answers += str_starts(evidence->facts.v[i].key, answer_mark);
    view->answers = ARENA_ARRAY(view->room, const struct fact *, view->n_answers + 1);
    int n = 0;
    for (size_t i = 0; i < evidence->facts.n; i++)
        if (str_starts(evidence->facts.v[i].key, answer_mark))
            view->answers[n++] = &evidence->facts.v[i];
}

static bool is_answer_to(struct str key, struct str question) {
    return str_starts(key, answer_mark) && str_eq(str_sub(key, answer_mark.n, key.n), question);
}

struct str view_answer(const struct view *view, struct str question) {
    if (is_answer_to(view->supposed_key, question)) return view->supposed_value;
    for (int i = view->n_answers; i-- > 0;)
        if (is_answer_to(view->answers[i]->key, question)) return view->answers[i]->value;
    return (struct str){0};
}

/* The last fact with this key, or NULL. */
static const struct fact *fact_last(const struct view *view, struct str key) {
    return evidence_last_fact(&view->facts, key);
}

static void index_hits(struct view *view) {
    const struct evidence *evidence = view->evidence;
    view->hits = ARENA_ARRAY(view->room, const struct hit *, evidence->hits.n + 1);
    view->first_of = ARENA_ARRAY(view->room, const struct hit *, view->kb->n_signals + 1);
    for (size_t i = 0; i < evidence->hits.n; i++) {
        const struct hit *hit = &evidence->hits.v[i];
        if (!hit_counts(view, hit)) continue;
        view->hits[view->n_hits++] = hit;
        const struct hit **first = &view->first_of[hit->signal];
        if (!*first || origin_order(&hit->first, &(*first)->first) < 0) *first = hit;
        enum role role = view->kb->signals[hit->signal].role;
        if (role == ROLE_PROGRESS) view->progress = true;
        /* people tell of a training that finished, and then of what went wrong */
        if (role == ROLE_DONE && !(hit->flags & HIT_WORDS)) view->done = true;
    }
}

/* Chains of what each source has, in its order: by source its first, and what follows each. */
struct chains {
    int *first, *next, n_sources;
};

static struct chains chains_new(struct view *view, size_t n) {
    int n_sources = (int)view->evidence->sources.n;
    struct chains chains = {.first = ARENA_ARRAY(view->room, int, n_sources + 1),
                            .next = ARENA_ARRAY(view->room, int, n + 1),
                            .n_sources = n_sources};
    for (int i = 0; i < n_sources; i++) chains.first[i] = -1;
    return chains;
}

/* The i-th is of this source; those behind it were chained before. */
static void chain(struct chains *chains, int i, int source) {
    if (source < 0 || source >= chains->n_sources) return;
    chains->next[i] = chains->first[source];
    chains->first[source] = i;
}

static void chain_all(struct view *view) {
    const struct evidence *evidence = view->evidence;
    struct chains hits = chains_new(view, (size_t)view->n_hits);
    struct chains tracks = chains_new(view, evidence->tracks.n);
    struct chains voices = chains_new(view, evidence->voices.n);
    for (int i = view->n_hits - 1; i >= 0; i--) chain(&hits, i, view->hits[i]->last.source);
    for (int i = (int)evidence->tracks.n - 1; i >= 0; i--)
        chain(&tracks, i, evidence->tracks.v[i].origin.source);
    for (int i = (int)evidence->voices.n - 1; i >= 0; i--)
        chain(&voices, i, evidence->voices.v[i].source);
    view->first_in = hits.first, view->next_in = hits.next;
    view->first_track = tracks.first, view->next_track = tracks.next;
    view->first_voice = voices.first, view->next_voice = voices.next;
}

static int fact_number(const struct view *view, const char *key) {
    int64_t value;
    const struct fact *fact = fact_last(view, str_of(key));
    return fact && str_int(fact->value, &value) && value > 0 && value < 1 << 24 ? (int)value : 0;
}

struct view *view_new(const struct kb *kb, const struct evidence *evidence,
                      const struct think_options *options, struct arena *room,
                      struct arena *arena) {
    struct view *view = ARENA_NEW(room, struct view);
    *view = (struct view){.kb = kb,
                          .evidence = evidence,
                          .room = room,
                          .arena = arena,
                          .steps = -1,
                          .study = options->study,
                          .supposed_key = options->supposed_key,
                          .supposed_value = options->supposed_value};
    struct jobs jobs = {0};
    if (options->job) {
        jobs = jobs_find(evidence, room);
        if (jobs.n) view->evidence = evidence = jobs_evidence(evidence, &jobs, options->job, room);
    }
    view->evidence = evidence = clocks_compare(evidence, room);
    choose_attempts(view, options, jobs.n ? &jobs : NULL);
    index_hits(view);
    index_answers(view);
    evidence_last_facts(evidence, NULL, room, &view->facts);
    chain_all(view);
    view->foreign = foreign_find(view);
    for (size_t i = 0; i < evidence->tracks.n; i++)
        if (view_holds(view, &evidence->tracks.v[i].origin) &&
            evidence->tracks.v[i].step > view->steps)
            view->steps = evidence->tracks.v[i].step;
    view->progress |= view->steps >= STEPS_MADE;
    for (size_t i = 0; i < evidence->traces.n; i++)
        view->has_frames |= evidence->traces.v[i].n_frames >= FRAMES_SHOWN &&
                            view_holds(view, &evidence->traces.v[i].origin);
    view->world_size = fact_number(view, "job.world_size");
    view->nodes = fact_number(view, "nodes.count");
    view->compared = fact_last(view, STR("diff.count")) != NULL;
    view->rollcall = rollcall_take(view);
    view->roster = roster_take(view);
    view->leaning = leaning_take(view);
    return view;
}

/* Times of different kinds - with a year and without - do not compare. */
static bool times_compare(const struct origin *a, const struct origin *b) {
    return a->time != TIME_UNKNOWN && b->time != TIME_UNKNOWN && a->yearless == b->yearless;
}

static int64_t time_of(const struct origin *origin) {
    return origin->time - origin->skew;
}

bool origin_known_before(const struct origin *a, const struct origin *b) {
    if (a->source == b->source) return a->line < b->line;
    return times_compare(a, b) && time_of(a) < time_of(b);
}

int origin_order(const struct origin *a, const struct origin *b) {
    if (a->source != b->source && times_compare(a, b) && time_of(a) != time_of(b))
        return time_of(a) < time_of(b) ? -1 : 1;
    if (a->source != b->source) return a->source < b->source ? -1 : 1;
    if (a->line != b->line) return a->line < b->line ? -1 : 1;
    return (a->offset > b->offset) - (a->offset < b->offset);
}

/* ---- facts, also the derived ones -------------------------------------------------------- */

static struct str capture_of(const struct kb *kb, const struct hit *hit, struct str name) {
    const struct signal *signal = &kb->signals[hit->signal];
    for (int g = 0; g < signal->n_groups && g < hit->n_captures; g++)
        if (str_eq(signal->groups[g], name) && hit->captures[g].n) return hit->captures[g];
    return (struct str){0};
}

/* A capture of the deciding hit, else of any other hit of the same failure. */
static struct str scope_capture(const struct scope *scope, struct str name) {
    const struct view *view = scope->view;
    if (scope->hit) {
        struct str value = capture_of(view->kb, scope->hit, name);
        if (value.n) return value;
    }
    for (int i = 0; scope->failure && i < scope->failure->n_signals; i++) {
        const struct hit *hit = view->first_of[scope->failure->signals[i]];
        struct str value = hit ? capture_of(view->kb, hit, name) : (struct str){0};
        if (value.n) return value;
    }
    return (struct str){0};
}

static struct str frame_text(struct arena *arena, const struct frame *frame) {
    return arena_printf(arena, STR_FMT ":" STR_FMT, STR_ARG(frame->path), STR_ARG(frame->function));
}

static struct str trace_frames(struct arena *arena, const struct trace *trace) {
    size_t bytes = 1;
    for (int i = 0; i < trace->n_frames; i++)
        bytes +=
            trace->frames[i].path.n + trace->frames[i].function.n + trace->frames[i].code.n + 4;
    char *text = arena_alloc(arena, bytes), *at = text;
    for (int i = 0; i < trace->n_frames; i++) {
        const struct str parts[] = {trace->frames[i].path,     STR(":"),
                                    trace->frames[i].function, STR(" "),
                                    trace->frames[i].code,     STR("\n")};
        for (size_t p = 0; p < COUNT_OF(parts); p++) {
            if (parts[p].n) memcpy(at, parts[p].p, parts[p].n);
            at += parts[p].n;
        }
    }
    return (struct str){text, (size_t)(at - text)};
}

/* Which installed package the fault is of, as pip calls it: its line names a file of it, or it
 * stopped in its code. */
static struct str fault_package(const struct scope *scope) {
    const struct trace *trace = scope->trace;
    struct str module = scope->hit ? module_of_path(scope->hit->text) : (struct str){0};
    if (!module.n && trace) module = module_of_path(trace->text);
    if (!module.n && trace && trace->n_frames)
        module = module_of_path(trace->frames[trace->n_frames - 1].path);
    return module.n ? distribution_of_module(module) : module;
}

enum { PART_BYTES = 28 };

static bool holds_any(struct str s, const char (*parts)[PART_BYTES], size_t n) {
    for (size_t i = 0; i < n; i++)
        if (str_has(s, str_of(parts[i]))) return true;
    return false;
}

/* Whether it stopped in a file of the script's own project, or in what that calls through wrappers
 * of the language and of torch, which every call of a module passes. */
static struct str fault_own(const struct trace *trace) {
    static const char wrappers[][PART_BYTES] = {
        "torch/nn/modules/module.py", "torch/utils/_contextlib", "torch/autograd/grad_mode.py",
        "/contextlib.py", "/functools.py"};
    static const char others[][PART_BYTES] = {"site-packages",
                                              "dist-packages",
                                              "/lib/python",
                                              "<",
                                              "torch/",
                                              "deepspeed/",
                                              "colossalai/",
                                              "megatron/",
                                              "transformers/",
                                              "accelerate/",
                                              "transformers_modules/",
                                              "vllm/",
                                              "sglang/",
                                              "lightning/",
                                              "peft/",
                                              "trl/",
                                              "nemo/"};
    int i = trace->n_frames - 1;
    while (i >= 0 && holds_any(trace->frames[i].path, wrappers, COUNT_OF(wrappers))) i--;
    if (i < 0) return (struct str){0};
    return holds_any(trace->frames[i].path, others, COUNT_OF(others)) ? STR("no") : STR("yes");
}

static struct str fault_host(const struct scope *scope) {
    struct str own = scope->hit->first.host, hosts[2];
    int n = hosts_of_fault(scope->view, scope->failure, scope->hit->signal, own, hosts);
    return n == 1 ? hosts[0] : own;
}

static struct str fault_fact(const struct scope *scope, struct str name) {
    const struct trace *trace = scope->trace;
    struct arena *arena = scope->view->arena;
    if (str_eq(name, STR("stage")))
        return scope->stage >= 0 ? str_of(stage_names[scope->stage]) : (struct str){0};
    if (str_eq(name, STR("text")) && scope->hit) return scope->hit->text;
    if (str_eq(name, STR("rank")) && scope->hit && scope->hit->first.rank >= 0)
        return arena_printf(arena, "%d", scope->hit->first.rank);
    if (str_eq(name, STR("host")) && scope->hit) return fault_host(scope);
    if (str_eq(name, STR("package"))) return fault_package(scope);
    if (!trace) return (struct str){0};
    if (str_eq(name, STR("exception"))) return trace->type;
    if (str_eq(name, STR("message"))) return trace->message;
    if (str_eq(name, STR("frames"))) return trace_frames(arena, trace);
    if (str_eq(name, STR("own"))) return fault_own(trace);
    if (str_eq(name, STR("frame")) && trace->n_frames)
        return frame_text(arena, &trace->frames[trace->n_frames - 1]);
    return (struct str){0};
}

/* All that was handed over: of some words a cause cannot be told. */
static struct str bytes_read(const struct view *view) {
    uint64_t sum = 0;
    for (size_t i = 0; i < view->evidence->sources.n; i++)
        sum += view->evidence->sources.v[i].bytes;
    return arena_printf(view->arena, "%llu", (unsigned long long)sum);
}

static struct str job_fact(const struct scope *scope, struct str name) {
    const struct view *view = scope->view;
    if (str_eq(name, STR("bytes"))) return bytes_read(view);
    if (str_eq(name, STR("steps")) && (view->steps >= 0 || view->progress))
        return arena_printf(view->arena, "%lld", (long long)(view->steps >= 0 ? view->steps : 1));
    if (str_eq(name, STR("steps")) && view->has_log) return STR("0");
    if (str_eq(name, STR("ranks")) && view->evidence->ranks.n)
        return arena_printf(view->arena, "%zu", view->evidence->ranks.n);
    if (str_eq(name, STR("nodes")) && view->nodes)
        return arena_printf(view->arena, "%d", view->nodes);
    return (struct str){0};
}

struct str scope_answer(const struct scope *scope, int question) {
    const struct question *row = &scope->view->kb->questions[question];
    struct str given = view_answer(scope->view, row->id);
    if (given.n || scope->depth > 2) return given;
    struct scope inner = *scope;
    inner.depth++;
    for (int i = 0; i < row->n_choices; i++)
        if (row->choices[i].when && cond_eval(row->choices[i].when, &inner) == TRUTH_TRUE)
            return row->choices[i].id;
    return (struct str){0};
}

void cause_asks(const struct kb *kb, const struct cause *cause, bool *asked) {
    for (int i = 0; i < cause->n_clues; i++) {
        const struct cond *cond = cause->clues[i].cond;
        for (int c = 0; c < cond->size; c++) {
            if (!str_starts(cond[c].key, STR("answer."))) continue;
            int question = kb_question(kb, str_sub(cond[c].key, 7, cond[c].key.n));
            if (question >= 0) asked[question] = true;
        }
    }
}

struct str scope_fact(const struct scope *scope, struct str key, const struct fact **row) {
    *row = NULL;
    if (scope->chosen && str_eq(key, scope->chosen->key)) return (*row = scope->chosen)->value;
    if (scope->view->supposed_key.n && str_eq(key, scope->view->supposed_key))
        return scope->view->supposed_value;
    if (str_starts(key, STR("cap."))) return scope_capture(scope, str_sub(key, 4, key.n));
    if (str_starts(key, STR("hang."))) return rollcall_fact(scope->view, str_sub(key, 5, key.n));
    if (str_starts(key, STR("roster."))) return roster_fact(scope->view, str_sub(key, 7, key.n));
    if (str_starts(key, STR("fault."))) return fault_fact(scope, str_sub(key, 6, key.n));
    if ((*row = fact_last(scope->view, key))) return (*row)->value;
    if (str_starts(key, STR("job."))) return job_fact(scope, str_sub(key, 4, key.n));
    if (str_starts(key, STR("answer."))) {
        int question = kb_question(scope->view->kb, str_sub(key, 7, key.n));
        return question >= 0 ? scope_answer(scope, question) : (struct str){0};
    }
    return (struct str){0};
}
