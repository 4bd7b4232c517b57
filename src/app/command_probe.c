/* faultline probe: this machine's facts. */
#include "app/command.h"

#include "base/file.h"
#include "facts/pick.h"
#include "report/facts.h"
#include "report/layout.h"
#include "world/probe.h"

enum { HOSTS = 32, HOSTFILE_BYTES = 65536 };

/* The names of a host file: the first word of each line; how many, -1: err. */
static int hosts_read(struct arena *arena, const char *path, const char **hosts, struct err *err) {
    struct buf text = {.limit = HOSTFILE_BYTES};
    bool read = file_read(path, &text, err) || text.full;
    struct str rest = buf_view(&text), line;
    int n = 0;
    while (n < HOSTS && str_line(&rest, &line)) {
        struct str word = pick_until(pick_word(pick_until(line, STR("#")), NULL), STR(":"));
        if (word.n && word.p[0] != '-') hosts[n++] = arena_cstr(arena, word);
    }
    buf_release(&text);
    return read ? n : -1;
}

static void write_fact(struct layout *layout, struct arena *arena, const struct fact *fact) {
    struct str text = arena_printf(arena, STR_FMT "%s" STR_FMT, STR_ARG(fact->value),
                                   fact->unit.n ? " " : "", STR_ARG(fact->unit));
    struct str label = arena_printf(arena, "    %-34.*s  ", (int)fact->key.n, fact->key.p);
    layout_text(layout, layout_columns(label), label.p, STYLE_PLAIN, text);
}

static enum style outcome_style(struct str outcome) {
    if (str_eq(outcome, STR("ok"))) return STYLE_GREEN;
    return str_eq(outcome, STR("absent")) ? STYLE_DIM : STYLE_YELLOW;
}

/* What it runs or reads, how long it may take and what it is for. */
static void write_about(struct layout *layout, struct arena *arena, const struct probe *probe) {
    struct str how =
        str_of(probe->files ? probe->files : "what the system tells without a program");
    for (int i = 0; i < PROBE_ARGS && probe->argv[i]; i++)
        how = arena_printf(arena, STR_FMT "%s%s", STR_ARG(i ? how : (struct str){0}), i ? " " : "",
                           probe->argv[i]);
    layout_text(layout, 4, "    ", STYLE_DIM,
                arena_printf(arena, "%s%s%s: " STR_FMT " (at most %.1f s)", probe->gives,
                             probe->root ? "; as root also " : "", probe->root ? probe->root : "",
                             STR_ARG(how), probe->deadline_ms / 1000.0));
}

static void write_result(struct layout *layout, struct arena *arena,
                         const struct probe_report *report, const struct probe_result *result,
                         bool verbose) {
    struct str from = arena_printf(arena, "probe " STR_FMT, STR_ARG(result->id));
    struct str label = arena_printf(arena, "%-14.*s", (int)result->id.n, result->id.p);
    struct str said = result->outcome;
    if (result->exit > 0 && str_eq(said, STR("failed")))
        said = arena_printf(arena, "failed, exit code %d", result->exit);
    if (str_eq(said, STR("denied")) && result->probe->root)
        said = arena_printf(arena, "denied; root would see %s", result->probe->root);
    layout_row(layout, 14, label.p, outcome_style(result->outcome), said,
               arena_printf(arena, "%d ms", result->took_ms));
    if (verbose) write_about(layout, arena, result->probe);
    for (size_t i = 0; i < report->evidence.facts.n; i++) {
        const struct fact *fact = &report->evidence.facts.v[i];
        if (str_eq(fact->from, from) && !str_starts(fact->key, STR("probe.")))
            write_fact(layout, arena, fact);
    }
}

static void write_text(struct buf *out, const struct probe_report *report,
                       const struct command_context *ctx) {
    struct arena arena = {0};
    struct layout layout = {out, ctx->width, ctx->options.color > 0};
    layout_text(&layout, 0, "", STYLE_BOLD,
                arena_printf(&arena, STR_FMT ", " STR_FMT, STR_ARG(report->machine),
                             STR_ARG(report_time(&arena, report->time))));
    for (int i = 0; i < report->n_results; i++)
        write_result(&layout, &arena, report, &report->results[i], ctx->options.verbose);
    for (size_t i = 0; i < report->evidence.facts.n; i++) {
        const struct fact *fact = &report->evidence.facts.v[i];
        if (!str_starts(fact->key, STR("clash."))) continue;
        layout_text(&layout, 14, "contradiction ", STYLE_RED, fact->value);
    }
    arena_release(&arena);
}

int command_probe(struct command_context *ctx, int n_args, char **args) {
    struct arena arena = {0};
    struct err err;
    const char *hosts[HOSTS];
    struct probe_options options = {.net = ctx->options.net, .hosts = hosts};
    bool as_json;
    int status;
    const struct probe *only = NULL;
    if (!command_json(ctx, &as_json, &status)) return status;
    if (n_args > 1 || (n_args == 1 && !(only = probe_find(str_of(args[0])))))
        return command_refuse(ctx, STATUS_USAGE,
                              "faultline probe without a name runs all and names them", NULL,
                              "there is no probe '%s'", args[n_args - 1]);
    if (ctx->options.hostfile &&
        (options.n_hosts = hosts_read(&arena, ctx->options.hostfile, hosts, &err)) < 0) {
        arena_release(&arena);
        return command_error(ctx, &err, STATUS_UNREADABLE);
    }
    struct probe_report report;
    struct buf out = {0};
    probe_run(&report, only, &options);
    if (as_json)
        report_facts(&out, &report.evidence, report.machine, report.time);
    else
        write_text(&out, &report, ctx);
    command_write(ctx, &out);
    probe_release(&report);
    arena_release(&arena);
    return STATUS_OK;
}
