#include "app/command.h"

#include "report/timeline.h"

int command_timeline(struct command_context *ctx, int n_args, char **args) {
    struct session *session;
    bool as_json;
    int status;
    if (!command_json(ctx, &as_json, &status)) return status;
    if (!command_open(ctx, n_args, args, &session, &status)) return status;
    struct arena arena = {0};
    struct buf out = {0};
    const struct evidence *evidence = session_evidence(session);
    const struct diagnosis *diagnosis = session_diagnosis(session);
    const struct timeline *timeline =
        timeline_take(&arena, session_kb(session), evidence, diagnosis);
    if (as_json)
        timeline_json(&out, evidence, diagnosis, timeline);
    else
        timeline_text(&out, evidence, diagnosis, timeline, 80, ctx->options.color > 0);
    command_write(ctx, &out);
    arena_release(&arena);
    if (status == STATUS_OK) status = command_status(diagnosis);
    session_close(session);
    return status;
}
