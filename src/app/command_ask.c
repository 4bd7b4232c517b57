/* `faultline ask PATH`: what to run on a machine that one cannot reach. */
#include "app/command.h"

#include "app/ask.h"

int command_ask(struct command_context *ctx, int n_args, char **args) {
    struct session *session;
    struct buf out = {0};
    int status;
    if (!command_open(ctx, n_args, args, &session, &status)) return status;
    ask_block(&out, session);
    command_write(ctx, &out);
    if (ctx->terminal)
        fprintf(ctx->err, "\nPut what comes back into a file beside the log, whole, and run "
                          "faultline diagnose on both.\n");
    session_close(session);
    return status;
}
