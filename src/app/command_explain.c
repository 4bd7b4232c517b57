#include "app/command.h"

#include "app/explain_tree.h"
#include "report/layout.h"
#include "report/phrase.h"

enum { INDENT = 9, CODE_WIDTH = 4, TITLE_MIN = 24, SAMPLES_MAX = 16, NEAR_MAX = 12 };

/* A page being written about one thing. */
struct page {
    struct layout layout;
    struct arena arena;
    const struct kb *kb;
    struct image *image;
};

static void line(struct page *page, const char *label, enum style style, struct str text) {
    if (!text.n) return;
    layout_text(&page->layout, INDENT, label, style, phrase_template(&page->arena, text));
}

/* One of several below a line: a step, a command. */
static void item(struct page *page, const char *mark, enum style style, struct str text) {
    layout_text(&page->layout, INDENT + 2, mark, style, phrase_template(&page->arena, text));
}

static void heading(struct page *page, struct str id, struct str title) {
    layout_text(&page->layout, 0, "", STYLE_BOLD,
                arena_printf(&page->arena, STR_FMT "  " STR_FMT, STR_ARG(id), STR_ARG(title)));
    buf_char(page->layout.out, '\n');
}

static void numbers(struct page *page, const struct code *code) {
    if (code->share >= 0)
        line(page, "  study", STYLE_PLAIN,
             arena_printf(
                 &page->arena, "%.1f %% of %s%s", code->share,
                 code->stage >= 0 && code->id.n > 1 ? "the issues of its stage" : "all issues",
                 code->dist >= 0
                     ? arena_printf(&page->arena, "; %.1f %% of them only in distributed work",
                                    code->dist)
                           .p
                     : ""));
}

/* ---- codes ---------------------------------------------------------------------------------- */

/* "4.2  Memory & offload issue", one of a list: ids and titles side by side where there is room for
 * ids of `width` columns. */
static void entry(struct page *page, const char *label, int width, struct str id,
                  struct str title) {
    struct arena *arena = &page->arena;
    if (INDENT + width + TITLE_MIN > page->layout.width) {
        line(page, label, STYLE_PLAIN,
             arena_printf(arena, STR_FMT "  " STR_FMT, STR_ARG(id), STR_ARG(title)));
        return;
    }
    struct str head =
        arena_printf(arena, "%-*s%-*.*s", INDENT, label, width, (int)id.n, id.n ? id.p : "");
    layout_text(&page->layout, INDENT + width + 2, arena_cstr(arena, head), STYLE_PLAIN,
                phrase_template(arena, title));
}

static void list_failures(struct page *page, bool (*has)(const struct failure *, int), int index) {
    const char *label = "  knows";
    int width = 0;
    for (int f = 0; f < page->kb->n_failures; f++)
        if (has(&page->kb->failures[f], index) && (int)page->kb->failures[f].id.n > width)
            width = (int)page->kb->failures[f].id.n;
    for (int f = 0; f < page->kb->n_failures; f++) {
        const struct failure *failure = &page->kb->failures[f];
        if (!has(failure, index)) continue;
        entry(page, label, width, failure->id, failure->title);
        label = "";
    }
}

/* The codes of a stage. */
static void list_codes(struct page *page, const char *label, const struct code *codes, int n,
                       int stage) {
    for (int i = 0; i < n; i++) {
        if (codes[i].stage != stage) continue;
        entry(page, label, CODE_WIDTH, codes[i].id, codes[i].name);
        label = "";
    }
}

static void explain_code(struct page *page, const struct code *code) {
    heading(page, code->id, code->name);
    line(page, "  what", STYLE_PLAIN, code->about);
    line(page, "  seen", STYLE_PLAIN, code->examples);
    if (code->stage >= 0 && code != &page->kb->stages[code->stage])
        line(page, "  stage", STYLE_PLAIN, page->kb->stages[code->stage].name);
    numbers(page, code);
}

static void explain_stage(struct page *page, const struct code *stage, int index) {
    explain_code(page, stage);
    list_codes(page, "  signs", page->kb->symptoms, page->kb->n_symptoms, index);
    list_codes(page, "  causes", page->kb->roots, page->kb->n_roots, index);
}

/* False where there is no such code (-1); `has`: an entry knows it. */
static bool explain_known(struct page *page, const struct code *codes, int index,
                          bool (*has)(const struct failure *, int)) {
    if (index < 0) return false;
    explain_code(page, &codes[index]);
    list_failures(page, has, index);
    return true;
}

static bool explain_taxonomy(struct page *page, struct str id) {
    const struct kb *kb = page->kb;
    for (int i = 0; i < STAGE_COUNT; i++) {
        if (!str_eq(kb->stages[i].id, id) && !str_eq(str_of(stage_names[i]), id)) continue;
        explain_stage(page, &kb->stages[i], i);
        return true;
    }
    return explain_known(page, kb->symptoms, kb_symptom(kb, id), failure_has_symptom) ||
           explain_known(page, kb->roots, kb_root(kb, id), failure_has_root) ||
           explain_known(page, kb->patterns, kb_pattern(kb, id), failure_has_pattern);
}

/* ---- entries -------------------------------------------------------------------------------- */

static struct str codes_by_stage(struct page *page, const int codes[STAGE_COUNT],
                                 const struct code *rows) {
    struct str text = {0};
    for (int s = 0; s < STAGE_COUNT; s++) {
        if (codes[s] < 0) continue;
        struct str id = rows[codes[s]].id;
        text = arena_printf(&page->arena, STR_FMT "%s" STR_FMT, STR_ARG(text), text.n ? ", " : "",
                            STR_ARG(id));
    }
    return text.n ? text : STR("not told by the input");
}

static void explain_fix(struct page *page, const struct fix *fix) {
    struct arena *arena = &page->arena;
    line(page, "  fix", STYLE_BOLD,
         arena_printf(arena, STR_FMT "  " STR_FMT " (%s)",
                      STR_ARG(page->kb->patterns[fix->pattern].id), STR_ARG(fix->title),
                      fix_kind_names[fix->kind]));
    for (int i = 0; i < fix->n_steps; i++) item(page, "         -", STYLE_PLAIN, fix->steps[i]);
    for (int i = 0; i < fix->n_commands; i++)
        item(page, "         $", STYLE_CYAN, fix->commands[i]);
    for (int i = 0; i < fix->patch.n_sets; i++)
        line(page, "", STYLE_CYAN,
             arena_printf(arena, STR_FMT ": " STR_FMT, STR_ARG(fix->patch.sets[2 * i]),
                          STR_ARG(fix->patch.sets[2 * i + 1])));
    if (fix->cost.n)
        line(page, "", STYLE_DIM, arena_printf(arena, "cost: " STR_FMT, STR_ARG(fix->cost)));
    if (fix->verify.n)
        line(page, "", STYLE_DIM, arena_printf(arena, "worked if: " STR_FMT, STR_ARG(fix->verify)));
}

static void explain_failure(struct page *page, const struct failure *failure) {
    struct arena *arena = &page->arena;
    heading(page, failure->id, failure->title);
    line(page, "", STYLE_PLAIN, failure->about);
    line(page, "  what", STYLE_PLAIN, codes_by_stage(page, failure->symptom, page->kb->symptoms));
    for (int i = 0; i < failure->n_causes; i++) {
        const struct cause *cause = &failure->causes[i];
        struct str text = arena_printf(arena, STR_FMT "  " STR_FMT "  (%d %% before any clue)",
                                       STR_ARG(codes_by_stage(page, cause->root, page->kb->roots)),
                                       STR_ARG(cause->why), cause->prior);
        line(page, i ? "" : "  why", STYLE_PLAIN, text);
        for (int c = 0; c < cause->n_clues; c++)
            if (cause->clues[c].why.n)
                line(page, "", STYLE_DIM,
                     arena_printf(arena, "  %+d  " STR_FMT, cause->clues[c].decibans,
                                  STR_ARG(cause->clues[c].why)));
    }
    for (int i = 0; i < failure->n_fixes; i++) explain_fix(page, &failure->fixes[i]);
    for (int i = 0; i < failure->n_dead_ends; i++)
        line(page, i ? "" : "  not", STYLE_PLAIN, failure->dead_ends[i]);
    for (int i = 0; i < failure->n_consequence_of; i++)
        line(page, i ? "" : "  after", STYLE_PLAIN,
             page->kb->failures[failure->consequence_of[i]].id);
    for (int i = 0; i < failure->n_signals; i++) {
        const struct signal *signal = &page->kb->signals[failure->signals[i]];
        line(page, i ? "" : "  says", STYLE_PLAIN,
             arena_printf(arena, STR_FMT "  " STR_FMT, STR_ARG(signal->id), STR_ARG(signal->says)));
    }
    for (int i = 0; i < failure->n_references; i++)
        line(page, i ? "" : "  see", STYLE_DIM, failure->references[i]);
}

static void explain_signal(struct page *page, const struct signal *signal) {
    struct image_sample samples[SAMPLES_MAX];
    heading(page, signal->id, signal->says);
    line(page, "  role", STYLE_PLAIN,
         arena_printf(&page->arena, "%s, in %s, %s", role_names[signal->role],
                      where_names[signal->in], level_names[signal->level]));
    line(page, "  regex", STYLE_CYAN, signal->regex);
    if (signal->failure >= 0)
        line(page, "  of", STYLE_PLAIN, page->kb->failures[signal->failure].id);
    int n = image_samples(page->image, &page->arena, signal->id, samples, SAMPLES_MAX);
    for (int i = 0; i < n; i++)
        line(page, samples[i].match ? "  yes" : "  no", STYLE_DIM, samples[i].line);
}

static void explain_question(struct page *page, const struct question *question) {
    heading(page, question->id, question->ask);
    line(page, "  why", STYLE_PLAIN, question->why);
    line(page, "  how", STYLE_PLAIN, question->how);
    for (int i = 0; i < question->n_choices; i++)
        line(page, "", STYLE_PLAIN,
             arena_printf(&page->arena, STR_FMT "  " STR_FMT, STR_ARG(question->choices[i].id),
                          STR_ARG(question->choices[i].text)));
}

static bool explain_entry(struct page *page, struct str id) {
    const struct kb *kb = page->kb;
    int failure = kb_failure(kb, id), signal = kb_signal(kb, id), question = kb_question(kb, id);
    if (failure >= 0)
        explain_failure(page, &kb->failures[failure]);
    else if (signal >= 0)
        explain_signal(page, &kb->signals[signal]);
    else if (question >= 0)
        explain_question(page, &kb->questions[question]);
    return failure >= 0 || signal >= 0 || question >= 0;
}

static bool explain_nearest(struct page *page, struct str words) {
    struct image_near near[NEAR_MAX];
    int n = image_search(page->image, &page->arena, words, near, NEAR_MAX);
    int width = 0;
    for (int i = 0; i < n; i++)
        if ((int)near[i].id.n > width) width = (int)near[i].id.n;
    for (int i = 0; i < n; i++) entry(page, i ? "" : "  near", width, near[i].id, near[i].title);
    return n > 0;
}

/* What the study saw in a stage, by the stage's code or name; -1: it is no stage. */
static int study_of_stage(const struct kb *kb, struct str id) {
    for (int s = 0; s < STAGE_COUNT; s++) {
        if (!str_eq(kb->stages[s].id, id) && !str_eq(str_of(stage_names[s]), id)) continue;
        for (int f = 0; f < kb->n_failures; f++)
            if (kb->failures[f].study && kb->failures[f].symptom[s] >= 0) return f;
    }
    return -1;
}

/* With --tree, of an entry, a symptom or a stage its decision tree. */
static bool explain_as_tree(struct page *page, const char *format, struct str id, struct err *err) {
    const struct kb *kb = page->kb;
    int failure = kb_failure(kb, id), symptom = kb_symptom(kb, id);
    if (failure < 0 && symptom < 0) failure = study_of_stage(kb, id);
    if (failure < 0 && symptom < 0)
        return err_set(err, "only entries, symptoms and stages have one",
                       "faultline kb list shows all entries",
                       "there is no decision tree of '" STR_FMT "'", STR_ARG(id));
    struct str title = failure >= 0 ? kb->failures[failure].title : kb->symptoms[symptom].name;
    const struct tree_node *tree = failure >= 0
                                       ? explain_tree_of_failure(kb, failure, &page->arena)
                                       : explain_tree_of_symptom(kb, symptom, &page->arena);
    if (!tree)
        return err_set(err,
                       failure >= 0 ? "one of its signals alone starts no diagnosis"
                                    : "no entry shows it",
                       NULL, "there is no decision tree of '" STR_FMT "'", STR_ARG(id));
    if (strcmp(format, "json") == 0)
        explain_tree_json(page->layout.out, id, title, tree);
    else if (strcmp(format, "dot") == 0)
        explain_tree_dot(page->layout.out, id, title, tree);
    else {
        heading(page, id, title);
        explain_tree_text(&page->layout, tree);
    }
    return true;
}

static bool format_fits(const struct options *options, const char *format) {
    if (strcmp(format, "text") == 0) return true;
    return options->tree && (strcmp(format, "dot") == 0 || strcmp(format, "json") == 0);
}

int command_explain(struct command_context *ctx, int n_args, char **args) {
    struct err err;
    struct page page = {0};
    if (n_args < 1)
        return command_refuse(ctx, STATUS_USAGE, "name a code, an entry, or some words",
                              "faultline explain 4.2", "nothing to explain");
    const char *format = ctx->options.format ? ctx->options.format : "text";
    if (!format_fits(&ctx->options, format)) {
        return command_refuse(ctx, STATUS_USAGE, "text is; of a tree (--tree) also dot and json",
                              NULL, "explain has no format '%s'", format);
    }
    if (!image_open(&page.image, ctx->options.session.overlays, ctx->options.session.n_overlays,
                    &err))
        return command_error(ctx, &err, STATUS_UNREADABLE);
    struct buf out = {0};
    page.kb = image_kb(page.image);
    page.layout = (struct layout){&out, ctx->width, ctx->options.color > 0};
    struct str id = str_of(args[0]);
    for (int i = 1; i < n_args; i++)
        id = arena_printf(&page.arena, STR_FMT " %s", STR_ARG(id), args[i]);
    int status = STATUS_OK;
    if (ctx->options.tree) {
        if (!explain_as_tree(&page, format, id, &err))
            status = command_error(ctx, &err, STATUS_USAGE);
    } else if (!explain_taxonomy(&page, id) && !explain_entry(&page, id) &&
               !explain_nearest(&page, id))
        status =
            command_refuse(ctx, STATUS_USAGE, "no code, entry or words like it",
                           "faultline explain 4 lists the codes of a stage, kb list all entries",
                           "cannot explain '" STR_FMT "'", STR_ARG(id));
    command_write(ctx, &out);
    arena_release(&page.arena);
    image_close(page.image);
    return status;
}
