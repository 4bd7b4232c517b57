#include "app/command.h"

#include "report/timeline.h"

int command_timeline(struct command_context *ctx, int n_args, char **args) {
    struct str format = ctx->options.format ? str_of(ctx->options.format) : STR("text");
    struct session *session;
    struct err err;
    int status;
    if (!str_eq(format, STR("text")) && !str_eq(format, STR("json"))) {
        err_set(&err, "there is no such format", "text, json", "cannot draw as '" STR_FMT "'",
                STR_ARG(format));
        return command_error(ctx, &err, STATUS_USAGE);
    }
    if (!command_open(ctx, n_args, args, &session, &status)) return status;
    struct arena arena = {0};
    struct buf out = {0};
    const struct evidence *evidence = session_evidence(session);
    const struct diagnosis *diagnosis = session_diagnosis(session);
    const struct timeline *timeline =
        timeline_take(&arena, session_kb(session), evidence, diagnosis);
    if (str_eq(format, STR("json")))
        timeline_json(&out, evidence, diagnosis, timeline);
    else
        timeline_text(&out, evidence, diagnosis, timeline, ctx->options.color > 0);
    fwrite(out.p, 1, out.n, ctx->out);
    buf_release(&out);
    arena_release(&arena);
    if (status == STATUS_OK) status = command_status(diagnosis);
    session_close(session);
    return status;
}
