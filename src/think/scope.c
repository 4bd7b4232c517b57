#include "think/scope.h"

#include "think/distribution.h"
#include "think/hosts.h"
#include "think/rollcall.h"
#include "think/roster.h"

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
            int question = kb_question(kb, answer_question(cond[c].key));
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
    if ((*row = evidence_last_fact(&scope->view->facts, key))) return (*row)->value;
    if (str_starts(key, STR("job."))) return job_fact(scope, str_sub(key, 4, key.n));
    int question = kb_question(scope->view->kb, answer_question(key));
    return question >= 0 ? scope_answer(scope, question) : (struct str){0};
}
