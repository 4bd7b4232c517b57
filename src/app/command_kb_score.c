/* `faultline kb score DIR`: the figures on a folder of labelled cases. */
#include "app/command_kb.h"

#include "app/cases.h"
#include "app/score.h"
#include "base/json.h"

struct run {
    struct case_reader reader;
    struct score score;
    FILE *misses; /* beside JSON they go to the errors */
    int cases, unasked;
};

/* What a label says beforehand ("answers": {question: choice}), so that a case can ask what a walk
 * asks later; each is given as a person would, in order.  Returns how many stand. */
static int give_answers(struct run *run, const struct json_value *label) {
    const struct json_value *list = json_get(label, STR("answers"));
    int given = 0;
    for (const struct json_value *item = list ? list->first : NULL; item; item = item->next) {
        struct err err;
        if (session_answer(run->reader.session, item->key, item->text, &err))
            given++;
        else
            case_error(run, &err);
    }
    return given;
}

static void score_folder(void *ctx, const char *folder, const struct json_value *label) {
    struct run *run = ctx;
    case_read(&run->reader, folder);
    struct str miss = {0}, id = case_id(folder);
    const struct kb *kb = session_kb(run->reader.session);
    const struct diagnosis *diagnosis = session_diagnosis(run->reader.session);
    run->cases++;
    bool right = score_case(&run->score, id, label, kb, diagnosis, &miss);
    if (!right && run->reader.ctx->options.misses)
        fprintf(run->misses, STR_FMT "\n", STR_ARG(miss));
    int given = give_answers(run, label);
    if (!score_asks(&run->score, id, label, kb, session_diagnosis(run->reader.session), &miss)) {
        run->unasked++;
        fprintf(run->misses, STR_FMT "\n", STR_ARG(miss));
    }
    while (given-- > 0) session_undo(run->reader.session);
}

int command_kb_score(struct command_context *ctx, int n_args, char **args) {
    struct run run = {.reader = {.ctx = ctx}, .misses = kb_wants_json(ctx) ? ctx->err : ctx->out};
    struct err err;
    if (n_args < 1)
        return command_refuse(ctx, STATUS_USAGE, "name a folder of cases",
                              "faultline kb score tests/cases", "nothing to score");
    if (!session_open(&run.reader.session, &ctx->options.session, &err))
        return command_error(ctx, &err, STATUS_UNREADABLE);
    score_init(&run.score);
    const struct case_visit visit = {score_folder, case_error, &run, &run.reader.arena};
    for (int i = 0; i < n_args; i++) cases_visit(&visit, args[i]);
    int status = run.unasked ? STATUS_FAILED : STATUS_OK;
    if (run.reader.unreadable) status = STATUS_UNREADABLE;
    if (run.cases) (kb_wants_json(ctx) ? score_json : score_print)(&run.score, ctx->out);
    score_release(&run.score);
    case_reader_close(&run.reader);
    return status;
}
