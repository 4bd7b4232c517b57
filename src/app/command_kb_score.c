/* `faultline kb score DIR`: the figures on a folder of labelled cases. */
#include "app/command_kb.h"

#include "app/cases.h"
#include "app/score.h"
#include "base/json.h"

struct run {
    struct command_context *ctx;
    struct session *session;
    struct score score;
    FILE *misses; /* beside JSON they go to the errors */
    int cases, unreadable, unasked;
};

static void tell_error(void *ctx, const struct err *err) {
    struct run *run = ctx;
    run->unreadable++;
    command_error(run->ctx, err, 0);
}

/* What a label says beforehand ("answers": {question: choice}), so that a case can ask what a walk
 * asks later; each is given as a person would, in order.  Returns how many stand. */
static int give_answers(struct run *run, const struct json_value *label) {
    const struct json_value *list = json_get(label, STR("answers"));
    int given = 0;
    for (const struct json_value *item = list ? list->first : NULL; item; item = item->next) {
        struct err err;
        if (session_answer(run->session, item->key, item->text, &err))
            given++;
        else
            tell_error(run, &err);
    }
    return given;
}

static void score_folder(void *ctx, const char *folder, const struct json_value *label) {
    struct run *run = ctx;
    struct arena *arena = &run->score.arena;
    const char *job = arena_cstr(arena, arena_printf(arena, "%s/job", folder));
    struct input_options input = {
        .threads = run->ctx->options.session.threads, .on_error = tell_error, .ctx = run};
    session_read(run->session, &job, 1, &input);
    struct str miss = {0}, id = case_id(folder);
    const struct kb *kb = session_kb(run->session);
    const struct diagnosis *diagnosis = session_diagnosis(run->session);
    run->cases++;
    bool right = score_case(&run->score, id, label, kb, diagnosis, &miss);
    if (!right && run->ctx->options.misses) fprintf(run->misses, STR_FMT "\n", STR_ARG(miss));
    int given = give_answers(run, label);
    if (!score_asks(&run->score, id, label, kb, session_diagnosis(run->session), &miss)) {
        run->unasked++;
        fprintf(run->misses, STR_FMT "\n", STR_ARG(miss));
    }
    while (given-- > 0) session_undo(run->session);
}

int command_kb_score(struct command_context *ctx, int n_args, char **args) {
    struct run run = {.ctx = ctx, .misses = kb_wants_json(ctx) ? ctx->err : ctx->out};
    struct err err;
    if (n_args < 1) {
        err_set(&err, "name a folder of cases", "faultline kb score tests/cases",
                "nothing to score");
        return command_error(ctx, &err, STATUS_USAGE);
    }
    if (!session_open(&run.session, &ctx->options.session, &err))
        return command_error(ctx, &err, STATUS_UNREADABLE);
    score_init(&run.score);
    const struct case_visit visit = {score_folder, tell_error, &run, &run.score.arena};
    for (int i = 0; i < n_args; i++) cases_visit(&visit, args[i]);
    int status = run.unasked ? STATUS_FAILED : STATUS_OK;
    if (run.unreadable) status = STATUS_UNREADABLE;
    if (run.cases) (kb_wants_json(ctx) ? score_json : score_print)(&run.score, ctx->out);
    score_release(&run.score);
    session_close(run.session);
    return status;
}
