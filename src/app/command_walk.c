/* The walk in a plain terminal: the leading causes, the path so far, one question, an answer, and
 * again. */
#include "app/command.h"

#include "app/answers.h"
#include "report/layout.h"
#include "report/phrase.h"
#include "report/report.h"

#include <unistd.h>

enum { LEADERS = 3, EFFECTS = 2, CHOICES_FEW = 5 };
static const double noticed = 0.01; /* a smaller change of a confidence is not told */

/* Where the lines go. */
struct page {
    struct command_context *ctx;
    struct session *session;
    const struct kb *kb;
    struct buf out;
    struct layout layout;
    struct arena arena;
    struct str paths; /* as a shell takes them */
    struct arena keep;
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

static struct str cause_text(struct page *page, const struct finding *finding) {
    struct str code = finding->root >= 0 ? page->kb->roots[finding->root].id : STR("?");
    return arena_printf(&page->arena, STR_FMT "  " STR_FMT, STR_ARG(code),
                        STR_ARG(phrase_cause(page->kb, finding)));
}

/* The study's causes among the evidence's. */
static const struct diagnosis *standing(const struct page *page) {
    return session_walk(page->session)->standing;
}

static void write_leaders(struct page *page) {
    const struct diagnosis *diagnosis = standing(page);
    char label[16];
    if (diagnosis->n_findings) buf_char(&page->out, '\n');
    for (int i = 0; i < diagnosis->n_findings && i < LEADERS; i++) {
        const struct finding *finding = &diagnosis->findings[i];
        snprintf(label, sizeof label, "  %3.0f %%  ", 100 * finding->confidence);
        line(page, 9, label, i ? STYLE_PLAIN : STYLE_BOLD, cause_text(page, finding));
    }
}

/* ---- the path ------------------------------------------------------------------------------- */

static bool answered_by_user(const struct session *session, struct str id) {
    for (int i = 0; i < session_answers(session); i++) {
        struct str question, choice;
        session_answer_at(session, i, &question, &choice);
        if (str_eq(question, id)) return true;
    }
    return false;
}

static void write_step(struct page *page, const char *label, struct str id, struct str choice) {
    struct arena *arena = &page->arena;
    struct str ask = walk_ask_text(page->kb, id, arena);
    struct str text = phrase_cut(arena, walk_choice_text(page->kb, id, choice, arena), 100);
    line(page, 2, "", STYLE_DIM,
         arena_printf(arena, "%s: " STR_FMT " - " STR_FMT "  [" STR_FMT "=" STR_FMT "]", label,
                      STR_ARG(ask), STR_ARG(text), STR_ARG(id), STR_ARG(choice)));
}

/* What the inputs answered, then what the user did. */
static void write_path(struct page *page) {
    const struct walk_step *step = session_walk(page->session);
    for (int i = 0; i < step->n_known; i++) {
        struct str id = page->kb->questions[step->known[i].question].id;
        if (!answered_by_user(page->session, id))
            write_step(page, "the inputs say", id, step->known[i].choice);
    }
    for (int i = 0; i < session_answers(page->session); i++) {
        struct str question, choice;
        session_answer_at(page->session, i, &question, &choice);
        write_step(page, "you said", question, choice);
    }
}

/* ---- the question --------------------------------------------------------------------------- */

/* "+42 points: R4.5  the batch no longer fits (41 -> 83 %)", for the causes that move most; of many
 * choices only what each raises most. */
static void write_effects(struct page *page, const struct walk_choice *choice, bool many) {
    for (int i = 0, n = 0; i < choice->n_effects && n < (many ? 1 : EFFECTS); i++) {
        const struct walk_effect *effect = &choice->effects[i];
        double change = effect->after - effect->before;
        if (change < noticed && change > -noticed) return;
        if (many && change < 0) continue;
        n++;
        line(page, 8, "", STYLE_DIM,
             arena_printf(&page->arena, "%+.0f points: " STR_FMT " (%.0f -> %.0f %%)", 100 * change,
                          STR_ARG(cause_text(page, effect->of)), 100 * effect->before,
                          100 * effect->after));
    }
}

static void write_question(struct page *page) {
    const struct walk_step *step = session_walk(page->session);
    char label[16];
    buf_char(&page->out, '\n');
    line(page, 0, "", STYLE_BOLD,
         arena_printf(&page->arena, STR_FMT "   [" STR_FMT "]", STR_ARG(step->ask),
                      STR_ARG(step->id)));
    if (step->why.n) line(page, 7, "  why: ", STYLE_DIM, step->why);
    if (step->how.n) line(page, 7, "  how: ", STYLE_CYAN, step->how);
    if (step->probe.n)
        line(page, 7, "  or:  ", STYLE_CYAN,
             arena_printf(&page->arena, "faultline probe tells it (probe " STR_FMT ")",
                          STR_ARG(step->probe)));
    for (int i = 0; i < step->n_choices; i++) {
        snprintf(label, sizeof label, "%3d. ", i + 1);
        line(page, 5, label, STYLE_PLAIN, step->choices[i].text);
        write_effects(page, &step->choices[i], step->n_choices > CHOICES_FEW);
    }
    buf_printf(&page->out, "  ?. don't know   b. go back   q. end here\n> ");
}

static bool read_line(struct page *page, char *text, int size, struct str *line_read) {
    page_flush(page);
    if (!fgets(text, size, stdin)) {
        buf_char(&page->out, '\n');
        return false;
    }
    *line_read = str_trim(str_of(text));
    return true;
}

static void go_back(struct page *page) {
    if (!session_undo(page->session)) buf_printf(&page->out, "There is nothing to go back to.\n");
}

/* One answer from standard input; false at its end. */
static bool take_answer(struct page *page) {
    const struct walk_step *step = session_walk(page->session);
    char text[128];
    struct str answer;
    struct err err;
    int64_t n;
    if (!read_line(page, text, sizeof text, &answer) || str_eq(answer, STR("q"))) return false;
    if (str_eq(answer, STR("b"))) return go_back(page), true;
    if (str_eq(answer, STR("?")))
        answer = STR("unknown");
    else if (str_int(answer, &n) && n >= 1 && n <= step->n_choices)
        answer = step->choices[n - 1].id;
    if (!session_answer(page->session, step->id, answer, &err)) command_error(page->ctx, &err, 0);
    return true;
}

/* ---- the end -------------------------------------------------------------------------------- */

static void write_fix(struct page *page) {
    const struct diagnosis *diagnosis = standing(page);
    struct report_options report = {.colour = page->ctx->options.color > 0,
                                    .verbose = page->ctx->options.verbose,
                                    .width = page->ctx->width,
                                    .paths = page->paths,
                                    .walked = true};
    if (!diagnosis->n_findings) return;
    buf_char(&page->out, '\n');
    report_text.write(&page->out, page->kb, session_evidence(page->session), diagnosis, &report);
}

static void write_end(struct page *page) {
    const struct walk_step *step = session_walk(page->session);
    if (!session_diagnosis(page->session)->n_findings)
        buf_printf(&page->out,
                   "\nWithout a symptom there is nothing further to ask: go back, or name "
                   "a log.\n\n");
    else if (step->id.n)
        buf_printf(&page->out, "\nOne cause leads clearly.\n");
    else
        buf_printf(&page->out, "\nNothing is left to ask: no answer would change the order.\n");
    write_path(page);
    write_fix(page);
}

/* After the fix an answer may be taken back, or more asked: it is not always what leads.  False: it
 * ends here. */
static bool go_on(struct page *page, bool *further) {
    const struct walk_step *step = session_walk(page->session);
    char text[128];
    struct str answer;
    buf_printf(&page->out, "\n%s  b. go back   q. end here\n> ",
               step->id.n ? "  g. go on asking, it is something else\n" : "");
    if (!read_line(page, text, sizeof text, &answer)) return false;
    *further = step->id.n && str_eq(answer, STR("g"));
    return *further || (str_eq(answer, STR("b")) && session_undo(page->session));
}

/* Asks until one cause leads, nothing is left to ask, or the user has enough. */
static void ask(struct page *page) {
    int beforehand = session_answers(page->session);
    bool further = false;
    for (;;) {
        const struct walk_step *step = session_walk(page->session);
        if (step->id.n && (further || !step->decided)) {
            write_leaders(page);
            write_path(page);
            write_question(page);
            if (take_answer(page)) continue;
            write_fix(page);
            return;
        }
        write_end(page);
        bool asked = session_answers(page->session) > beforehand;
        if (!(asked || step->id.n) || !go_on(page, &further)) return;
    }
}

/* Without a path the walk begins with what the user sees. */
static bool walk_open(struct command_context *ctx, int n_args, char **args,
                      struct session **session, int *status) {
    if (n_args) return command_open(ctx, n_args, args, session, status);
    struct err err;
    struct input_options input = {.threads = 1};
    *status = STATUS_OK;
    if (!session_open(session, &ctx->options.session, &err)) {
        *status = command_error(ctx, &err, STATUS_UNREADABLE);
        return false;
    }
    session_read(*session, NULL, 0, &input);
    if (answers_take(&ctx->options, *session, &err)) return true;
    *status = command_error(ctx, &err, STATUS_USAGE);
    session_close(*session);
    return false;
}

static void write_verdict(struct page *page, const struct diagnosis *diagnosis) {
    line(page, 0, "", STYLE_BOLD,
         arena_printf(&page->arena, "%s: " STR_FMT, verdict_names[diagnosis->verdict],
                      STR_ARG(diagnosis->summary)));
    if (!diagnosis->n_findings && diagnosis->verdict == VERDICT_HEALTHY)
        line(page, 0, "", STYLE_PLAIN, STR("If something is wrong all the same, say what:"));
}

int command_walk(struct command_context *ctx, int n_args, char **args) {
    struct page page = {.ctx = ctx};
    int status;
    if (!walk_open(ctx, n_args, args, &page.session, &status)) return status;
    page.kb = session_kb(page.session);
    page.paths = command_paths(&page.keep, n_args, args);
    page.layout = (struct layout){&page.out, ctx->width, ctx->options.color > 0};
    const struct diagnosis *diagnosis = session_diagnosis(page.session);
    if (n_args) write_verdict(&page, diagnosis);
    /* standard input cannot be the log and the answers */
    if (n_args && strcmp(args[0], "-") == 0)
        write_fix(&page);
    else
        ask(&page);
    diagnosis = session_diagnosis(page.session);
    page_flush(&page);
    buf_release(&page.out);
    arena_release(&page.keep);
    if (status == STATUS_OK) status = command_status(diagnosis);
    session_close(page.session);
    return status;
}
