#include "app/command.h"

#include "report/report.h"

#include <unistd.h>

static void tell_error(void *ctx, const struct err *err) {
    command_error(ctx, err, 0);
}

/* Opens a session, reads the paths (standard input when there are none) and takes the answers given
 * beforehand. False when that ended the command; *status says how. */
static bool open_and_read(struct command_context *ctx, int n_args, char **args,
                          struct session **session, int *status) {
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

static int diagnosis_status(const struct diagnosis *diagnosis) {
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
    if (!open_and_read(ctx, n_args, args, &session, &status)) return status;
    struct report_options report = {.colour = ctx->options.color > 0,
                                    .verbose = ctx->options.verbose,
                                    .width = ctx->width,
                                    .paths = n_args ? str_of(args[0]) : (struct str){0}};
    struct buf out = {0};
    const struct diagnosis *diagnosis = session_diagnosis(session);
    format->write(&out, session_kb(session), session_evidence(session), diagnosis, &report);
    fwrite(out.p, 1, out.n, ctx->out);
    buf_release(&out);
    if (status == STATUS_OK) status = diagnosis_status(diagnosis);
    session_close(session);
    return status;
}

/* ---- the walk in a plain terminal -------------------------------------------------------------
 */

static void print_leaders(struct command_context *ctx, const struct session *session) {
    const struct diagnosis *diagnosis = session_diagnosis(session);
    const struct kb *kb = session_kb(session);
    for (int i = 0; i < diagnosis->n_findings && i < 3; i++) {
        const struct finding *finding = &diagnosis->findings[i];
        struct str code = finding->root >= 0 ? kb->roots[finding->root].id : STR("?");
        fprintf(ctx->out, "  %3.0f %%  " STR_FMT "  ", 100 * finding->confidence, STR_ARG(code));
        command_print(ctx->out, finding->why.n ? finding->why : finding->title);
        fputc('\n', ctx->out);
    }
}

static bool answered_by_user(const struct session *session, struct str id) {
    for (int i = 0; i < session_answers(session); i++) {
        struct str question, choice;
        session_answer_at(session, i, &question, &choice);
        if (str_eq(question, id)) return true;
    }
    return false;
}

/* What the inputs answered, then what the user did. */
static void print_path(struct command_context *ctx, const struct session *session) {
    const struct walk_step *step = session_walk(session);
    for (int i = 0; i < step->n_known; i++) {
        struct str id = session_kb(session)->questions[step->known[i].question].id;
        if (!answered_by_user(session, id))
            fprintf(ctx->out, "  the inputs say: " STR_FMT "=" STR_FMT "\n", STR_ARG(id),
                    STR_ARG(step->known[i].choice));
    }
    for (int i = 0; i < session_answers(session); i++) {
        struct str question, choice;
        session_answer_at(session, i, &question, &choice);
        fprintf(ctx->out, "  you said: " STR_FMT "=" STR_FMT "\n", STR_ARG(question),
                STR_ARG(choice));
    }
}

static void print_effect(struct command_context *ctx, const struct session *session,
                         const struct walk_choice *choice) {
    const struct diagnosis *diagnosis = session_diagnosis(session);
    if (!choice->n_effects) return;
    const struct walk_effect *effect = &choice->effects[0];
    const struct finding *finding = &diagnosis->findings[effect->finding];
    struct str code = finding->root >= 0 ? session_kb(session)->roots[finding->root].id : STR("?");
    fprintf(ctx->out, "        then " STR_FMT " %.0f %% -> %.0f %%: ", STR_ARG(code),
            100 * effect->before, 100 * effect->after);
    command_print(ctx->out, finding->why.n ? finding->why : finding->title);
    fputc('\n', ctx->out);
}

static void print_question(struct command_context *ctx, const struct session *session) {
    const struct walk_step *step = session_walk(session);
    const struct question *question = &session_kb(session)->questions[step->question];
    fprintf(ctx->out, "\n");
    command_print(ctx->out, question->ask);
    fprintf(ctx->out, "   [" STR_FMT "]\n", STR_ARG(question->id));
    if (question->why.n) fprintf(ctx->out, "  why: " STR_FMT "\n", STR_ARG(question->why));
    if (question->how.n) fprintf(ctx->out, "  how: " STR_FMT "\n", STR_ARG(question->how));
    for (int i = 0; i < step->n_choices; i++) {
        fprintf(ctx->out, "  %d. ", i + 1);
        command_print(ctx->out, step->choices[i].text);
        fputc('\n', ctx->out);
        print_effect(ctx, session, &step->choices[i]);
    }
    fprintf(ctx->out, "  ?. don't know   b. go back   q. end here\n> ");
    fflush(ctx->out);
}

/* One answer from standard input; false at its end. */
static bool walk_ask(struct command_context *ctx, struct session *session) {
    const struct walk_step *step = session_walk(session);
    struct str id = session_kb(session)->questions[step->question].id;
    print_question(ctx, session);
    char line[64];
    if (!fgets(line, sizeof line, stdin)) return false;
    struct str answer = str_trim(str_of(line));
    struct err err;
    int64_t n;
    if (str_eq(answer, STR("q"))) return false;
    if (str_eq(answer, STR("b"))) {
        if (!session_undo(session)) fprintf(ctx->out, "There is nothing to go back to.\n");
    } else if (str_eq(answer, STR("?")))
        session_answer(session, id, STR("unknown"), &err);
    else if (str_int(answer, &n) && n >= 1 && n <= step->n_choices)
        session_answer(session, id, step->choices[n - 1].id, &err);
    else if (!session_answer(session, id, answer, &err))
        command_error(ctx, &err, 0);
    return true;
}

int command_walk(struct command_context *ctx, int n_args, char **args) {
    struct session *session;
    int status;
    if (!open_and_read(ctx, n_args, args, &session, &status)) return status;
    const struct diagnosis *diagnosis = session_diagnosis(session);
    fprintf(ctx->out, "%s: ", verdict_names[diagnosis->verdict]);
    command_print(ctx->out, diagnosis->summary);
    fputc('\n', ctx->out);
    bool interactive = n_args > 0 && strcmp(args[0], "-") != 0;
    while (interactive && session_diagnosis(session)->n_findings &&
           session_walk(session)->question >= 0) {
        fprintf(ctx->out, "\n");
        print_leaders(ctx, session);
        print_path(ctx, session);
        if (!walk_ask(ctx, session)) break;
    }
    diagnosis = session_diagnosis(session);
    if (interactive && diagnosis->n_findings && session_walk(session)->question < 0) {
        fprintf(ctx->out, "\nNothing is left to ask: no answer would change the order.\n");
        print_path(ctx, session);
    }
    if (diagnosis->n_findings) {
        struct report_options report = {.colour = ctx->options.color > 0, .width = ctx->width};
        struct buf out = {0};
        buf_char(&out, '\n');
        report_text.write(&out, session_kb(session), session_evidence(session), diagnosis, &report);
        fwrite(out.p, 1, out.n, ctx->out);
        buf_release(&out);
    }
    if (status == STATUS_OK) status = diagnosis_status(diagnosis);
    session_close(session);
    return status;
}
