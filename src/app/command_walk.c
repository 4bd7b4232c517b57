/* The walk in a plain terminal: the leading causes, one question, an answer, and again. */
#include "app/command.h"

#include "report/layout.h"
#include "report/phrase.h"
#include "report/report.h"

enum { LEADERS = 3 };
static const double noticed = 0.02; /* a smaller change of a share is not told */

/* Where the lines go. */
struct page {
    struct command_context *ctx;
    struct session *session;
    const struct kb *kb;
    struct buf out;
    struct layout layout;
    struct arena arena;
};

static void page_flush(struct page *page) {
    fwrite(page->out.p, 1, page->out.n, page->ctx->out);
    fflush(page->ctx->out);
    buf_clear(&page->out);
    arena_release(&page->arena);
}

static void line(struct page *page, int indent, const char *label, enum style style,
                 struct str text) {
    layout_text(&page->layout, indent, label, style, text);
}

static struct str code_of(const struct page *page, const struct finding *finding) {
    return finding->root >= 0 ? page->kb->roots[finding->root].id : STR("?");
}

static struct str cause_text(struct page *page, const struct finding *finding) {
    return arena_printf(&page->arena, STR_FMT "  " STR_FMT, STR_ARG(code_of(page, finding)),
                        STR_ARG(phrase_cause(page->kb, finding)));
}

static void write_leaders(struct page *page) {
    const struct diagnosis *diagnosis = session_diagnosis(page->session);
    char label[16];
    buf_char(&page->out, '\n');
    for (int i = 0; i < diagnosis->n_findings && i < LEADERS; i++) {
        const struct finding *finding = &diagnosis->findings[i];
        snprintf(label, sizeof label, "  %3.0f %%  ", 100 * finding->confidence);
        line(page, 9, label, i ? STYLE_PLAIN : STYLE_BOLD, cause_text(page, finding));
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
static void write_path(struct page *page) {
    const struct walk_step *step = session_walk(page->session);
    for (int i = 0; i < step->n_known; i++) {
        struct str id = page->kb->questions[step->known[i].question].id;
        if (answered_by_user(page->session, id)) continue;
        line(page, 9, "  the inputs say: ", STYLE_DIM,
             arena_printf(&page->arena, STR_FMT "=" STR_FMT, STR_ARG(id),
                          STR_ARG(step->known[i].choice)));
    }
    for (int i = 0; i < session_answers(page->session); i++) {
        struct str question, choice;
        session_answer_at(page->session, i, &question, &choice);
        line(page, 9, "  you said: ", STYLE_DIM,
             arena_printf(&page->arena, STR_FMT "=" STR_FMT, STR_ARG(question), STR_ARG(choice)));
    }
}

/* The cause that an answer moves most. */
static void write_effect(struct page *page, const struct walk_choice *choice) {
    if (!choice->n_effects) return;
    const struct walk_effect *effect = &choice->effects[0];
    double change = effect->after - effect->before;
    if (change < noticed && change > -noticed) return;
    const struct finding *finding = &session_diagnosis(page->session)->findings[effect->finding];
    line(page, 8, "", STYLE_DIM,
         arena_printf(&page->arena, "%s likely then: " STR_FMT, change > 0 ? "more" : "less",
                      STR_ARG(cause_text(page, finding))));
}

static void write_question(struct page *page) {
    const struct walk_step *step = session_walk(page->session);
    const struct question *question = &page->kb->questions[step->question];
    char label[16];
    buf_char(&page->out, '\n');
    line(page, 0, "", STYLE_BOLD,
         arena_printf(&page->arena, STR_FMT "   [" STR_FMT "]", STR_ARG(question->ask),
                      STR_ARG(question->id)));
    if (question->why.n) line(page, 7, "  why: ", STYLE_DIM, question->why);
    if (question->how.n) line(page, 7, "  how: ", STYLE_CYAN, question->how);
    for (int i = 0; i < step->n_choices; i++) {
        snprintf(label, sizeof label, "  %d. ", i + 1);
        line(page, 5, label, STYLE_PLAIN, step->choices[i].text);
        write_effect(page, &step->choices[i]);
    }
    buf_printf(&page->out, "  ?. don't know   b. go back   q. end here\n> ");
}

/* One answer from standard input; false at its end. */
static bool take_answer(struct page *page) {
    struct session *session = page->session;
    const struct walk_step *step = session_walk(session);
    struct str id = page->kb->questions[step->question].id;
    char text[64];
    if (!fgets(text, sizeof text, stdin)) return false;
    struct str answer = str_trim(str_of(text));
    struct err err;
    int64_t n;
    if (str_eq(answer, STR("q"))) return false;
    if (str_eq(answer, STR("b"))) {
        if (!session_undo(session)) buf_printf(&page->out, "There is nothing to go back to.\n");
        return true;
    }
    if (str_eq(answer, STR("?")))
        answer = STR("unknown");
    else if (str_int(answer, &n) && n >= 1 && n <= step->n_choices)
        answer = step->choices[n - 1].id;
    if (!session_answer(session, id, answer, &err)) command_error(page->ctx, &err, 0);
    return true;
}

/* Asks until nothing is left to ask, or the user has enough. */
static void ask(struct page *page) {
    if (!session_diagnosis(page->session)->n_findings) {
        buf_printf(&page->out, "There is nothing to ask: no failure was found.\n");
        return;
    }
    while (session_walk(page->session)->question >= 0) {
        write_leaders(page);
        write_path(page);
        write_question(page);
        page_flush(page);
        if (!take_answer(page)) {
            buf_char(&page->out, '\n');
            return;
        }
    }
    buf_printf(&page->out, "\nNothing is left to ask: no answer would change the order.\n");
    write_path(page);
}

int command_walk(struct command_context *ctx, int n_args, char **args) {
    struct page page = {.ctx = ctx};
    int status;
    if (!command_open(ctx, n_args, args, &page.session, &status)) return status;
    page.kb = session_kb(page.session);
    page.layout = (struct layout){&page.out, ctx->width, ctx->options.color > 0};
    const struct diagnosis *diagnosis = session_diagnosis(page.session);
    line(&page, 0, "", STYLE_BOLD,
         arena_printf(&page.arena, "%s: " STR_FMT, verdict_names[diagnosis->verdict],
                      STR_ARG(diagnosis->summary)));
    /* standard input cannot be the log and the answers */
    if (n_args > 0 && strcmp(args[0], "-") != 0) ask(&page);
    diagnosis = session_diagnosis(page.session);
    if (diagnosis->n_findings) {
        struct report_options report = {.colour = ctx->options.color > 0,
                                        .verbose = ctx->options.verbose,
                                        .width = ctx->width,
                                        .paths = command_paths(&page.arena, n_args, args)};
        buf_char(&page.out, '\n');
        report_text.write(&page.out, page.kb, session_evidence(page.session), diagnosis, &report);
    }
    page_flush(&page);
    buf_release(&page.out);
    if (status == STATUS_OK) status = command_status(diagnosis);
    session_close(page.session);
    return status;
}
