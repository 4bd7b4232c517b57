#include "world/probe.h"

#include "facts/pick.h"
#include "world/child.h"
#include "world/probe_calls.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { TASKS = 64, FILES = 4096 };

struct task {
    const struct probe *probe;
    struct str argument;
    const char *argv[PROBE_ARGS];
};

const struct probe *probe_find(struct str id) {
    for (int i = 0; i < n_probe_rows; i++)
        if (str_eq(id, str_of(probe_rows[i].id))) return &probe_rows[i];
    return NULL;
}

/* ---- in the child ----------------------------------------------------------------------- */

static void write_files(struct buf *out, const char *patterns) {
    struct str rest = str_of(patterns), pattern;
    struct arena arena = {0};
    size_t written = 0;
    while (str_split(&rest, ' ', &pattern)) {
        glob_t found = {0};
        if (pattern.n && glob(arena_cstr(&arena, pattern), 0, NULL, &found) == 0)
            for (size_t i = 0; i < found.gl_pathc && written < FILES; i++, written++)
                write_file(out, found.gl_pathv[i], strstr(found.gl_pathv[i], ".so.") == NULL);
        globfree(&found);
    }
    arena_release(&arena);
}

static void task_write(struct buf *out, const void *ctx) {
    const struct task *task = ctx;
    if (task->probe->files)
        write_files(out, task->probe->files);
    else
        task->probe->write(out, task->argument.p);
}

/* ---- what to run ------------------------------------------------------------------------ */

static void task_add(struct task *tasks, int *n, const struct probe *probe, struct str argument) {
    if (*n >= TASKS) return;
    struct task *task = &tasks[(*n)++];
    *task = (struct task){.probe = probe, .argument = argument};
    for (int i = 0; i < PROBE_ARGS && probe->argv[i]; i++)
        task->argv[i] = strcmp(probe->argv[i], "{}") == 0 ? argument.p : probe->argv[i];
}

static int tasks_plan(struct task *tasks, const struct probe *only,
                      const struct probe_options *options, struct arena *arena) {
    int n = 0;
    for (int i = 0; i < n_probe_rows; i++) {
        const struct probe *probe = &probe_rows[i];
        struct str arguments[TASKS];
        if (only ? probe != only : probe->net && !options->net) continue;
        if (!probe->arguments) {
            task_add(tasks, &n, probe, str_of(options->folder ? options->folder : "."));
            continue;
        }
        int count = probe->arguments(options, arena, arguments, TASKS);
        for (int a = 0; a < count; a++) task_add(tasks, &n, probe, arguments[a]);
    }
    return n;
}

/* ---- what came of it -------------------------------------------------------------------- */

static int read_text(const struct probe *probe, struct str text, const struct origin *origin,
                     struct evidence *into) {
    const struct fact_reader *reader = probe->reader;
    if (!text.n) return 0;
    reader->read(into, text, origin);
    if (into->facts.n) return (int)into->facts.n;
    reader = facts_recognize(text, str_of(probe->id));
    if (reader && reader != probe->reader) reader->read(into, text, origin);
    return (int)into->facts.n;
}

static bool says_denied(struct str text) {
    static const char *const words[] = {"Operation not permitted", "Permission denied",
                                        "you must be root", "Insufficient Permissions",
                                        "not seeing messages from other users"};
    return STR_HAS_ANY(text, words);
}

static struct str outcome_of(const struct task *task, const struct child *child, struct str text,
                             int n_facts) {
    if (child->state == CHILD_TIMEOUT || child->state == CHILD_ABANDONED) return STR("timeout");
    if (child->state == CHILD_NOT_STARTED) return STR("failed");
    if (child->overflowed && !n_facts) return STR("unreadable");
    if (child->exit == 127 && !child->out.n) return STR("absent");
    if (!n_facts && task->probe->root && says_denied(text)) return STR("denied");
    if (child->exit != 0) return STR("failed");
    if (!n_facts && !task->argv[0]) return STR("absent");
    return n_facts ? STR("ok") : STR("unreadable");
}

static void fact_add(struct probe_report *report, struct str id, const char *suffix,
                     struct str value) {
    struct fact fact = {
        .key = arena_printf(&report->arena, "probe." STR_FMT "%s", STR_ARG(id), suffix),
        .value = value,
        .machine = report->machine,
        .time = report->time,
        .origin = {.source = -1, .rank = -1, .time = report->time},
        .from = arena_printf(&report->arena, "probe " STR_FMT, STR_ARG(id))};
    evidence_add_fact(&report->evidence, &fact);
}

/* The reader's facts become this machine's, now. */
static void facts_take(struct probe_report *report, struct str id, const struct evidence *read) {
    struct str from = arena_printf(&report->arena, "probe " STR_FMT, STR_ARG(id));
    for (size_t i = 0; i < read->facts.n; i++) {
        struct fact fact = read->facts.v[i];
        int64_t time = fact.time;
        fact.origin.source = -1;
        fact.machine = report->machine;
        fact.time = time == TIME_UNKNOWN || fact.origin.yearless ? report->time : time;
        fact.from = from;
        evidence_add_fact(&report->evidence, &fact);
    }
}

/* "$ ssh -o BatchMode=yes node1 true", as a person would paste it. */
static struct str command_line(struct arena *arena, const struct task *task) {
    struct str line = STR("$");
    for (int i = 0; i < PROBE_ARGS && task->argv[i]; i++)
        line = arena_printf(arena, STR_FMT " %s", STR_ARG(line), task->argv[i]);
    return line;
}

static void task_close(struct probe_report *report, const struct task *task, struct child *child) {
    struct probe_result *result = &report->results[report->n_results++];
    struct evidence read = {0};
    struct origin origin = {
        .source = -1, .line = 1, .rank = -1, .host = report->machine, .time = report->time};
    struct str text = buf_view(&child->out);
    if (task->probe->prefix && text.n)
        text = arena_printf(&report->arena, "%s" STR_FMT, task->probe->prefix, STR_ARG(text));
    if (task->probe->arguments && task->argv[0])
        text = arena_printf(&report->arena, STR_FMT "\n" STR_FMT,
                            STR_ARG(command_line(&report->arena, task)), STR_ARG(text));
    *result = (struct probe_result){.probe = task->probe,
                                    .id = str_of(task->probe->id),
                                    .text = arena_str(&report->arena, text),
                                    .exit = child->exit,
                                    .took_ms = child->took_ms};
    if (task->probe->arguments)
        result->id = arena_printf(&report->arena, "%s." STR_FMT, task->probe->id,
                                  STR_ARG(pick_word(task->argument, NULL)));
    if (child->state == CHILD_ENDED)
        result->n_facts = read_text(task->probe, result->text, &origin, &read);
    result->outcome = outcome_of(task, child, result->text, result->n_facts);
    fact_add(report, result->id, "", result->outcome);
    if (child->state == CHILD_ABANDONED) fact_add(report, result->id, ".abandoned", STR("yes"));
    if (child->exit > 0 && !str_eq(result->outcome, STR("absent")))
        fact_add(report, result->id, ".exit", arena_printf(&report->arena, "%d", child->exit));
    facts_take(report, result->id, &read);
    evidence_release(&read);
    buf_release(&child->out);
}

static int64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void probe_run(struct probe_report *report, const struct probe *only,
               const struct probe_options *options) {
    char name[256] = "";
    *report = (struct probe_report){.time = now_ns()};
    gethostname(name, sizeof name - 1);
    report->machine = arena_str(&report->arena, str_of(name));
    struct task *tasks = ARENA_ARRAY(&report->arena, struct task, TASKS);
    struct child *children = ARENA_ARRAY(&report->arena, struct child, TASKS);
    int n = tasks_plan(tasks, only, options, &report->arena);
    for (int i = 0; i < n; i++)
        children[i] = (struct child){.argv = tasks[i].argv[0] ? tasks[i].argv : NULL,
                                     .write = task_write,
                                     .ctx = &tasks[i],
                                     .deadline_ms = tasks[i].probe->deadline_ms};
    children_run(children, n, PROBE_TOTAL_MS, options->cancelled, options->ctx);
    report->results = ARENA_ARRAY(&report->arena, struct probe_result, n + 1);
    for (int i = 0; i < n; i++) task_close(report, &tasks[i], &children[i]);
    facts_clash(&report->evidence);
}

void probe_release(struct probe_report *report) {
    evidence_release(&report->evidence);
    arena_release(&report->arena);
}
