/* `faultline kb score DIR`: the figures on a folder of labelled cases. */
#include "app/command.h"

#include "app/score.h"
#include "base/json.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { DEPTH_MAX = 8, LABEL_MAX = 1 << 20 };

struct run {
    struct command_context *ctx;
    struct session *session;
    struct score score;
    int cases, unreadable;
};

static void tell_error(void *ctx, const struct err *err) {
    struct run *run = ctx;
    run->unreadable++;
    command_error(run->ctx, err, 0);
}

static bool read_file(const char *path, struct buf *out) {
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    char block[4096];
    for (size_t n; (n = fread(block, 1, sizeof block, file)) > 0 && out->n < LABEL_MAX;)
        buf_add(out, block, n);
    fclose(file);
    return true;
}

static void score_folder(struct run *run, const char *folder, const struct json_value *label) {
    struct arena *arena = &run->score.arena;
    const char *job = arena_cstr(arena, arena_printf(arena, "%s/job", folder));
    const char *slash = strrchr(folder, '/');
    struct input_options input = {
        .threads = run->ctx->options.session.threads, .on_error = tell_error, .ctx = run};
    session_read(run->session, &job, 1, &input);
    struct str miss = {0};
    run->cases++;
    bool right = score_case(&run->score, str_of(slash ? slash + 1 : folder), label,
                            session_kb(run->session), session_diagnosis(run->session), &miss);
    if (!right && run->ctx->options.misses) fprintf(run->ctx->out, STR_FMT "\n", STR_ARG(miss));
}

static void visit_label(struct run *run, const char *folder, const char *path) {
    struct buf text = {0};
    struct err err;
    if (read_file(path, &text)) {
        const struct json_value *label = json_parse(&run->score.arena, buf_view(&text), &err);
        if (label)
            score_folder(run, folder, label);
        else
            tell_error(run, &err);
    }
    buf_release(&text);
}

static void visit(struct run *run, const char *folder, int depth) {
    struct arena *arena = &run->score.arena;
    const char *path = arena_cstr(arena, arena_printf(arena, "%s/case.json", folder));
    struct stat status;
    if (stat(path, &status) == 0) {
        visit_label(run, folder, path);
        return;
    }
    struct dirent **names;
    int n = depth < DEPTH_MAX ? scandir(folder, &names, NULL, alphasort) : -1;
    for (int i = 0; i < n; i++) {
        path = arena_cstr(arena, arena_printf(arena, "%s/%s", folder, names[i]->d_name));
        if (names[i]->d_name[0] != '.' && stat(path, &status) == 0 && S_ISDIR(status.st_mode))
            visit(run, path, depth + 1);
        free(names[i]);
    }
    if (n >= 0) free(names);
}

int command_kb_score(struct command_context *ctx, int n_args, char **args) {
    struct run run = {.ctx = ctx};
    struct err err;
    if (n_args < 1) {
        err_set(&err, "name a folder of cases", "faultline kb score tests/cases",
                "nothing to score");
        return command_error(ctx, &err, STATUS_USAGE);
    }
    if (!session_open(&run.session, &ctx->options.session, &err))
        return command_error(ctx, &err, STATUS_UNREADABLE);
    score_init(&run.score);
    for (int i = 0; i < n_args; i++) visit(&run, args[i], 0);
    int status = run.unreadable ? STATUS_UNREADABLE : STATUS_OK;
    if (run.cases)
        score_print(&run.score, ctx->out);
    else {
        err_set(&err, "a case is a folder with case.json and job/", NULL, "no case.json below '%s'",
                args[0]);
        status = command_error(ctx, &err, STATUS_UNREADABLE);
    }
    score_release(&run.score);
    session_close(run.session);
    return status;
}
