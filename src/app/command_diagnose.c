#include "app/command.h"

#include "report/report.h"

#include <unistd.h>

static void tell_error(void *ctx, const struct err *err) {
    command_error(ctx, err, 0);
}

bool command_open(struct command_context *ctx, int n_args, char **args, struct session **session,
                  int *status) {
    struct err err;
    static const char *const standard_input[] = {"-"};
    if (n_args == 0 && isatty(STDIN_FILENO)) {
        err_set(&err, "name a file, a folder, or - for standard input", "faultline diagnose job/",
                "nothing to read");
        *status = command_error(ctx, &err, STATUS_USAGE);
        return false;
    }
    if (!session_open(session, &ctx->options.session, &err)) {
        *status = command_error(ctx, &err, STATUS_UNREADABLE);
        return false;
    }
    struct input_options input = {
        .threads = ctx->options.session.threads, .on_error = tell_error, .ctx = ctx};
    const char *const *paths = n_args ? (const char *const *)args : standard_input;
    bool all = session_read(*session, paths, n_args ? n_args : 1, &input);
    *status = all ? STATUS_OK : STATUS_UNREADABLE;
    for (int i = 0; i < ctx->options.n_answers; i++) {
        struct str choice = str_of(ctx->options.answers[i]), question = {0};
        str_split(&choice, '=', &question);
        if (session_answer(*session, question, choice, &err)) continue;
        *status = command_error(ctx, &err, STATUS_USAGE);
        session_close(*session);
        return false;
    }
    return true;
}

int command_status(const struct diagnosis *diagnosis) {
    if (diagnosis->verdict != VERDICT_FAILED) return STATUS_OK;
    return diagnosis->findings[0].failure >= 0 ? STATUS_FAILED : STATUS_FALLBACK;
}

int command_diagnose(struct command_context *ctx, int n_args, char **args) {
    struct str name = ctx->options.format ? str_of(ctx->options.format) : STR("text");
    const struct report_format *format = report_format_find(name);
    struct err err;
    if (!format) {
        err_set(&err, "there is no such format", "text, json, markdown, html",
                "cannot report as '" STR_FMT "'", STR_ARG(name));
        return command_error(ctx, &err, STATUS_USAGE);
    }
    struct session *session;
    int status;
    if (!command_open(ctx, n_args, args, &session, &status)) return status;
    struct report_options report = {.colour = ctx->options.color > 0,
                                    .verbose = ctx->options.verbose,
                                    .width = ctx->width,
                                    .paths = n_args ? str_of(args[0]) : (struct str){0}};
    struct buf out = {0};
    const struct diagnosis *diagnosis = session_diagnosis(session);
    format->write(&out, session_kb(session), session_evidence(session), diagnosis, &report);
    fwrite(out.p, 1, out.n, ctx->out);
    buf_release(&out);
    if (status == STATUS_OK) status = command_status(diagnosis);
    session_close(session);
    return status;
}
