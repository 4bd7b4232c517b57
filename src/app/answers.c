#include "app/answers.h"

#include "base/file.h"

enum { FILE_MAX = 1 << 20 };

static bool answer_take(struct session *session, struct str text, struct err *err) {
    struct str choice = text, question = {0};
    if (str_find(text, STR("="), 0) < 0)
        return err_set(err, "an answer is ID=CHOICE", "a line that begins with # is a comment",
                       "cannot take '" STR_FMT "'", STR_ARG(text));
    str_split(&choice, '=', &question);
    return session_answer(session, str_trim(question), str_trim(choice), err);
}

/* "FILE:3: " before what went wrong. */
static bool place(struct err *err, const char *path, int line) {
    struct err inner = *err;
    return err_set(err, inner.detail, inner.hint, "%s:%d: %.160s", path, line, inner.what);
}

static bool take_lines(struct session *session, const char *path, struct str text,
                       struct err *err) {
    int number = 0;
    for (struct str line; str_line(&text, &line);) {
        number++;
        line = str_trim(line);
        if (!line.n || line.p[0] == '#') continue;
        if (!answer_take(session, line, err)) return place(err, path, number);
    }
    return true;
}

static bool take_file(struct session *session, const char *path, struct err *err) {
    struct buf text = {.limit = FILE_MAX};
    bool good = file_read(path, &text, err) && take_lines(session, path, buf_view(&text), err);
    buf_release(&text);
    return good;
}

bool answers_take(const struct options *options, struct session *session, struct err *err) {
    struct str cause = options->session.think.why_not;
    if (cause.n && kb_root(session_kb(session), cause) < 0)
        return err_set(err, "no root cause of the taxonomy has this code",
                       "faultline explain 4 lists those of a stage",
                       "there is no cause '" STR_FMT "'", STR_ARG(cause));
    if (options->answers_file && !take_file(session, options->answers_file, err)) return false;
    for (int i = 0; i < options->n_answers; i++)
        if (!answer_take(session, str_of(options->answers[i]), err)) return false;
    return true;
}
