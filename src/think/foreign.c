#include "think/foreign.h"

enum {
    ALONE_LINES = 300, /* a longer log without any sign is another system's, */
    LOGS_LINES = 2000, /* and so are several that are as long together, */
    FILES_MANY = 24,   /* and more files than people paste that are not even called logs */
    LAST_LINES = 4,    /* where a log ends */
    FILES_OF_ONE = 64  /* one file with a sign among more of them makes no job of their folder */
};

/* How much a line speaks for a job. */
enum sign { NO_SIGN, STAGE_LINE /* documentation names commands, too */, JOB_LINE };

static enum sign sign_of(const struct kb *kb, const struct hit *hit) {
    const struct signal *signal = &kb->signals[hit->signal];
    if (hit->flags & HIT_WORDS || signal->in == IN_CONFIG) return NO_SIGN;
    if (hit->first.rank >= 0) return JOB_LINE; /* only jobs have ranks */
    bool ends = signal->failure >= 0 && kb->failures[signal->failure].ended != ENDED_UNKNOWN;
    if (ends && signal->in == IN_LINE && signal->level == LEVEL_SPECIFIC) return JOB_LINE;
    if (signal->role == ROLE_INITIATING) return NO_SIGN;
    if (signal->role == ROLE_WRAPPER && signal->in == IN_LINE) return STAGE_LINE;
    if (signal->role == ROLE_PROGRESS || signal->role == ROLE_START || signal->role == ROLE_DONE)
        return JOB_LINE;
    for (int s = 0; s < STAGE_COUNT; s++)
        if (signal->stage[s] >= 3) return STAGE_LINE;
    return NO_SIGN;
}

/* A script of Python tells at the very end of a log by which signal its program died, or that it
 * refuses its command line, or the shell tells that it was killed: it was run there. */
static bool ends_the_log(const struct view *view, const struct hit *hit) {
    const struct source *source = &view->evidence->sources.v[hit->last.source];
    enum role role = view->kb->signals[hit->signal].role;
    bool killed = str_has(hit->text, STR(" Killed ")) && str_has(hit->text, STR("python"));
    bool says =
        (role == ROLE_WRAPPER && (killed || str_has(hit->text, STR(" died with <Signals.")))) ||
        (role == ROLE_INITIATING && str_has(hit->text, STR(".py: error: argument ")));
    return says && !(hit->flags & HIT_WORDS) && hit->last.line + LAST_LINES > source->lines;
}

static enum sign *signs_find(const struct view *view) {
    const struct evidence *evidence = view->evidence;
    enum sign *signs = ARENA_ARRAY(view->room, enum sign, evidence->sources.n + 1);
    for (size_t i = 0; i < evidence->sources.n; i++)
        signs[i] = evidence->sources.v[i].rank >= 0 ? JOB_LINE : NO_SIGN;
    for (size_t i = 0; i < evidence->traces.n; i++)
        if (evidence->traces.v[i].n_frames) signs[evidence->traces.v[i].end.source] = JOB_LINE;
    for (int i = 0; i < view->n_hits; i++) {
        const struct hit *hit = view->hits[i];
        enum sign sign = ends_the_log(view, hit) ? JOB_LINE : sign_of(view->kb, hit);
        if (sign > signs[hit->first.source]) signs[hit->first.source] = sign;
    }
    return signs;
}

/* Of kinds that a stray file is taken for; readers know the others by more than a word. */
static bool may_be_stray(const struct source *source) {
    return source->lines > 0 && (source->kind == KIND_LOG || source->kind == KIND_ENV ||
                                 source->kind == KIND_SCRIPT || source->kind == KIND_NETWORK);
}

/* Somebody called it a log, or a program wrote it as its output: "train_log.txt", "job.o4711". */
static bool is_called_log(const struct source *source) {
    static const char words[][8] = {"log", "logs",   "out",    "output", "err",
                                    "o",   "stdout", "stderr", "e",      "console"};
    struct str name = str_file_name(source->path);
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (str_has_word(name, str_of(words[i]))) return true;
    return str_eq(source->path, STR("-"));
}

/* Folders in which some file shows a sign. */
struct folders {
    VEC(struct str) all;
    size_t files; /* that show one */
};

static struct folders folders_find(const struct view *view, const enum sign *signs) {
    const struct evidence *evidence = view->evidence;
    struct folders folders = {0};
    for (size_t i = 0; i < evidence->sources.n; i++) {
        struct str folder = str_folder(evidence->sources.v[i].path);
        folders.files += signs[i] == JOB_LINE;
        bool again = folders.all.n && str_eq(folders.all.v[folders.all.n - 1], folder);
        if (signs[i] == JOB_LINE && !again) vec_push(view->room, &folders.all, folder);
    }
    return folders;
}

/* A job's folder holds more than what its ranks wrote. */
static bool lies_beside(const struct folders *folders, const struct source *source) {
    for (size_t i = 0; i < folders->all.n; i++)
        if (str_eq(folders->all.v[i], str_folder(source->path))) return true;
    return false;
}

/* What shows no sign: lines of what is called a log, files that are not. */
static void strays_count(const struct view *view, const enum sign *signs, uint64_t *lines,
                         uint64_t *files) {
    const struct evidence *evidence = view->evidence;
    *lines = *files = 0;
    for (size_t i = 0; i < evidence->sources.n; i++) {
        const struct source *source = &evidence->sources.v[i];
        if (signs[i] == JOB_LINE || !may_be_stray(source)) continue;
        if (is_called_log(source))
            *lines += source->lines;
        else
            ++*files;
    }
}

bool *foreign_find(const struct view *view) {
    const struct evidence *evidence = view->evidence;
    bool *foreign = ARENA_ARRAY(view->room, bool, evidence->sources.n + 1);
    enum sign *signs = signs_find(view);
    struct folders folders = folders_find(view, signs);
    uint64_t lines, files;
    strays_count(view, signs, &lines, &files);
    if (folders.files * FILES_OF_ONE < files) folders.all.n = 0;
    for (size_t i = 0; i < evidence->sources.n; i++) {
        const struct source *source = &evidence->sources.v[i];
        foreign[i] = false;
        if (signs[i] == JOB_LINE || !may_be_stray(source)) continue;
        bool alone = source->kind == KIND_LOG && !signs[i] && source->lines >= ALONE_LINES;
        bool many = is_called_log(source) ? lines >= LOGS_LINES : files >= FILES_MANY;
        foreign[i] = alone || (many && !lies_beside(&folders, source));
    }
    return foreign;
}

bool looks_like_a_job(const struct view *view) {
    for (int i = 0; i < view->n_hits; i++) {
        const struct signal *signal = &view->kb->signals[view->hits[i]->signal];
        if (signal->role == ROLE_PROGRESS || signal->role == ROLE_DONE ||
            signal->role == ROLE_START)
            return true;
        for (int s = 0; s < STAGE_COUNT; s++)
            if (signal->stage[s] >= 4 && signal->in != IN_WORDS) return true;
    }
    return false;
}
