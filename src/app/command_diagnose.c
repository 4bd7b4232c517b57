#include "app/command.h"

#include "app/answers.h"
#include "app/patience.h"
#include "base/clock.h"
#include "report/report.h"

#include <langinfo.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    PATHS_TOLD = 4, /* more are not repeated in a hint */
    PROGRESS_MS = 500
};

/* Reading that takes long is told on a terminal's last line, which goes when it is done. */
struct progress {
    struct command_context *ctx;
    double next; /* when the line is written again, clock_ms; 0: never */
    atomic_bool shown;
    struct patience *patience; /* NULL: nobody is surprised that nothing comes */
};

static void wipe_progress(struct progress *progress) {
    if (progress->shown) fprintf(progress->ctx->err, "\r\033[K");
    progress->shown = false;
}

static void tell_progress(void *ctx, uint64_t done, uint64_t total) {
    struct progress *progress = ctx;
    if (progress->patience) patience_heard(progress->patience);
    if (progress->next <= 0 || clock_ms() < progress->next) return;
    progress->next = clock_ms() + PROGRESS_MS;
    progress->shown = true;
    fprintf(progress->ctx->err, total ? "\rReading: %.0f of %.0f MB" : "\rReading: %.0f MB",
            (double)done / 1e6, (double)total / 1e6);
    fflush(progress->ctx->err);
}

static void tell_error(void *ctx, const struct err *err) {
    struct progress *progress = ctx;
    wipe_progress(progress);
    command_error(progress->ctx, err, 0);
}

static bool read_inputs(struct command_context *ctx, struct session *session, int n_args,
                        char **args) {
    static const char *const standard_input[] = {"-"};
    const char *term = getenv("TERM");
    bool told = isatty(fileno(ctx->err)) && term && strcmp(term, "dumb") != 0;
    struct progress progress = {.ctx = ctx, .next = told ? clock_ms() + PROGRESS_MS : 0};
    struct input_options input = {.threads = ctx->options.session.threads,
                                  .on_error = tell_error,
                                  .on_progress = tell_progress,
                                  .ctx = &progress};
    const char *const *paths = n_args ? (const char *const *)args : standard_input;
    if (strcmp(paths[0], "-") != 0)
        progress.patience = patience_begin(paths[0], PATIENCE_S, tell_error, &progress);
    bool all = session_read(session, paths, n_args ? n_args : 1, &input);
    if (progress.patience) patience_end(progress.patience);
    wipe_progress(&progress);
    return all;
}

/* --probe: what this machine says, where the job ran here. */
static void probe_here(struct command_context *ctx, struct session *session) {
    static const struct probe_options none = {0};
    if (!ctx->options.probe || session_probe(session, &none, ctx->options.here)) return;
    command_refuse(ctx, 0, "no host name or GPU of the job is this machine's",
                   "--here says that it is", "the facts of this machine are left out");
}

bool command_has_input(struct command_context *ctx, int n_args) {
    char hint[64];
    if (n_args || !isatty(STDIN_FILENO)) return true;
    snprintf(hint, sizeof hint, "faultline %s job/", ctx->command->name);
    command_refuse(ctx, STATUS_USAGE, "name a file, a folder, or - for standard input", hint,
                   "nothing to read");
    return false;
}

bool command_open(struct command_context *ctx, int n_args, char **args, struct session **session,
                  int *status) {
    struct err err;
    if (!command_has_input(ctx, n_args)) {
        *status = STATUS_USAGE;
        return false;
    }
    if (!session_open(session, &ctx->options.session, &err)) {
        *status = command_error(ctx, &err, STATUS_UNREADABLE);
        return false;
    }
    *status = read_inputs(ctx, *session, n_args, args) ? STATUS_OK : STATUS_UNREADABLE;
    probe_here(ctx, *session);
    if (answers_take(&ctx->options, *session, &err)) return true;
    *status = command_error(ctx, &err, STATUS_USAGE);
    session_close(*session);
    return false;
}

int command_status(const struct diagnosis *diagnosis) {
    if (diagnosis->verdict != VERDICT_FAILED) return STATUS_OK;
    return diagnosis->findings[0].failure >= 0 ? STATUS_FAILED : STATUS_FALLBACK;
}

struct str command_paths(struct arena *arena, int n_args, char **args) {
    struct str text = {0};
    for (int i = 0; i < n_args; i++) {
        struct stat about;
        bool again =
            stat(args[i], &about) == 0 && (S_ISREG(about.st_mode) || S_ISDIR(about.st_mode));
        if (!again || i >= PATHS_TOLD) return (struct str){0};
        text = arena_printf(arena, STR_FMT "%s" STR_FMT, STR_ARG(text), i ? " " : "",
                            STR_ARG(str_shell(arena, str_of(args[i]))));
    }
    return text;
}

static void write_out(void *ctx, struct str bytes) {
    fwrite(bytes.p, 1, bytes.n, ctx);
}

int command_diagnose(struct command_context *ctx, int n_args, char **args) {
    struct str name = ctx->options.format ? str_of(ctx->options.format) : STR("text");
    const struct report_format *format = report_format_find(name);
    if (!format)
        return command_refuse(ctx, STATUS_USAGE, "there is no such format",
                              "text, json, markdown, html", "cannot report as '" STR_FMT "'",
                              STR_ARG(name));
    struct session *session;
    int status;
    if (!command_open(ctx, n_args, args, &session, &status)) return status;
    struct arena arena = {0};
    struct report_options report = {.colour = ctx->options.color > 0,
                                    .ascii = strcmp(nl_langinfo(CODESET), "UTF-8") != 0,
                                    .verbose = ctx->options.verbose,
                                    .width = ctx->width,
                                    .paths = command_paths(&arena, n_args, args)};
    struct buf out = {.drain = format->flows ? write_out : NULL, .ctx = ctx->out};
    const struct diagnosis *diagnosis = session_diagnosis(session);
    format->write(&out, session_kb(session), session_evidence(session), diagnosis, &report);
    command_write(ctx, &out);
    arena_release(&arena);
    if (status == STATUS_OK) status = command_status(diagnosis);
    session_close(session);
    return status;
}
