/* The text report: 80 columns, what matters first, no internals unless asked for. */
#include "report/report.h"

#include "report/course.h"
#include "report/layout.h"
#include "report/phrase.h"
#include "report/whynot.h"

#include <stdio.h>

enum {
    INDENT = 9,
    LASTS_SHOWN = 3,
    FIXES_SHOWN = 3,
    CAUSES_SHOWN = 3,
    CLUES_SHOWN = 3,
    STEPS_SHOWN = 3,
    SAW_BYTES = 210,
    ODD_BYTES = 200
};

struct page {
    struct layout layout;
    struct arena arena;
    const struct kb *kb;
    const struct evidence *evidence;
    const struct diagnosis *diagnosis;
    const struct report_options *options;
};

static struct str place_text(struct page *page, const struct origin *origin) {
    return phrase_place(&page->arena, page->evidence, origin);
}

static void write_head(struct page *page) {
    static const struct {
        const char *word;
        enum style style;
    } heads[] = {{"UNKNOWN", STYLE_YELLOW}, {"HEALTHY", STYLE_GREEN}, {"FAILED", STYLE_RED}};
    const struct diagnosis *d = page->diagnosis;
    struct str title = d->summary;
    if (d->verdict == VERDICT_FAILED) {
        struct str who = phrase_when(&page->arena, &d->first_fault);
        title = arena_printf(&page->arena, STR_FMT "%s" STR_FMT, STR_ARG(who), who.n ? ": " : "",
                             STR_ARG(d->findings[0].title));
    }
    layout_title(&page->layout, heads[d->verdict].style, heads[d->verdict].word, title);
}

/* Who did not come to the collective that the others wait in, and what he did last. */
static void write_hang(struct page *page) {
    const struct rollcall *call = page->diagnosis->rollcall;
    int most = page->options->verbose ? HANG_LAST : LASTS_SHOWN;
    if (!call) return;
    if (!page->diagnosis->first_fault.called)
        layout_text(&page->layout, INDENT, "  hang", STYLE_YELLOW, call->text);
    for (int i = 0; i < call->n_last && i < most; i++) {
        struct str what = phrase_cut(&page->arena, call->last[i].what, SAW_BYTES);
        struct str text = arena_printf(&page->arena, "rank %d, last: " STR_FMT, call->last[i].rank,
                                       STR_ARG(what));
        layout_text(&page->layout, INDENT, "", STYLE_DIM, text);
    }
}

static void write_saw(struct page *page) {
    const struct diagnosis *d = page->diagnosis;
    if (!d->first_fault.known) return; /* told by a person, not by a line */
    struct str text = phrase_fault(d);
    if (!page->options->verbose)
        text = phrase_around(&page->arena, page->kb, d->first_fault.signal, text, SAW_BYTES);
    layout_text(&page->layout, INDENT, "  saw", STYLE_PLAIN, text);
    struct str place = place_text(page, &d->first_fault.origin);
    struct str follows = phrase_follows(&page->arena, d);
    if (follows.n)
        place = arena_printf(&page->arena, STR_FMT "; " STR_FMT, STR_ARG(place), STR_ARG(follows));
    layout_text(&page->layout, INDENT, "", STYLE_DIM, place);
    struct str frame = phrase_frame(&page->arena, &d->first_fault);
    if (frame.n) layout_text(&page->layout, INDENT, "  in", STYLE_PLAIN, frame);
    struct str ranks = phrase_ranks(d);
    if (ranks.n) layout_text(&page->layout, INDENT, "  ranks", STYLE_YELLOW, ranks);
    struct str last = phrase_last(&page->arena, page->evidence, d);
    if (last.n) layout_text(&page->layout, INDENT, "", STYLE_DIM, last);
    write_hang(page);
}

/* How the run went, where it went long enough to have a course. */
static void write_course(struct page *page) {
    const struct course *course = page->diagnosis->course;
    struct course_row rows[COURSE_ROWS];
    int n = course_rows(&page->arena, page->evidence, course, page->options->ascii, rows);
    if (!n) return;
    layout_text(&page->layout, INDENT, "  steps", STYLE_PLAIN,
                course_head(&page->arena, page->evidence, course));
    for (int i = 0; i < n; i++) {
        struct str text = arena_printf(&page->arena, "%s  " STR_FMT "  " STR_FMT, rows[i].name,
                                       STR_ARG(rows[i].line), STR_ARG(rows[i].figures));
        layout_text(&page->layout, INDENT, "", STYLE_DIM, text);
    }
    for (int i = 0; i < course->n_told; i++)
        layout_text(&page->layout, INDENT, "", STYLE_YELLOW, course->told[i]);
}

static void write_what(struct page *page) {
    const struct finding *best = &page->diagnosis->findings[0];
    const struct code *symptom = &page->kb->symptoms[best->symptom];
    struct str text =
        arena_printf(&page->arena, STR_FMT "  " STR_FMT ", " STR_FMT, STR_ARG(symptom->id),
                     STR_ARG(symptom->name), STR_ARG(phrase_stage(best->stage)));
    layout_text(&page->layout, INDENT, "  what", STYLE_PLAIN, text);
}

/* "R4.5 the batch no longer fits ........ likely 83 %" */
static void write_cause(struct page *page, const struct finding *finding, const char *label,
                        bool first) {
    struct layout *layout = &page->layout;
    struct str code = finding->root >= 0 ? page->kb->roots[finding->root].id : STR("?");
    struct str name = phrase_rival(&page->arena, page->kb, page->diagnosis, finding);
    struct str text = arena_printf(&page->arena, STR_FMT " " STR_FMT, STR_ARG(code), STR_ARG(name));
    int percent = (int)(100 * finding->confidence + 0.5);
    struct str odds = arena_printf(&page->arena, "%s%d %%", first ? "likely " : "", percent);
    layout_row(layout, INDENT, label, first ? STYLE_BOLD : STYLE_PLAIN, text, odds);
}

/* What weighs goes before the line that stands beside the fault. */
static void write_clues(struct page *page, const struct finding *finding) {
    int shown = 0, most = page->options->verbose ? finding->n_reasons : CLUES_SHOWN;
    for (int i = 0; i < 2 * finding->n_reasons && shown < most; i++) {
        const struct reason *reason = &finding->reasons[i % finding->n_reasons];
        if (i % finding->n_reasons == finding->deciding) continue;
        if (reason->beside != (i >= finding->n_reasons)) continue;
        bool idle =
            (reason->weight <= 0 && !reason->beside) || phrase_repeats(page->diagnosis, reason);
        if (idle && !page->options->verbose) continue;
        struct str said = phrase_reason(&page->arena, page->kb, reason);
        struct str place = place_text(page, &reason->origin);
        struct str text = said;
        if (place.n)
            text =
                arena_printf(&page->arena, STR_FMT " (" STR_FMT ")", STR_ARG(said), STR_ARG(place));
        if (page->options->verbose)
            text = arena_printf(&page->arena, "%+d  " STR_FMT, reason->weight, STR_ARG(text));
        layout_text(&page->layout, INDENT + 5, "", STYLE_DIM, text);
        shown++;
    }
}

static void write_why(struct page *page) {
    const struct diagnosis *d = page->diagnosis;
    int most = page->options->verbose ? d->n_findings : CAUSES_SHOWN;
    for (int i = 0; i < d->n_findings && i < most && d->findings[i].fault == 1; i++) {
        if (i > 0 && phrase_is_minor(&d->findings[i]) && !page->options->verbose) continue;
        write_cause(page, &d->findings[i], i ? "" : "  why", i == 0);
        if (i == 0 || page->options->verbose) write_clues(page, &d->findings[i]);
    }
}

/* Its indentation is a part of it. */
static void write_diff_line(struct page *page, struct str line) {
    size_t blanks = line.n > 0;
    while (blanks > 0 && blanks < line.n && line.p[blanks] == ' ') blanks++;
    struct str label =
        arena_printf(&page->arena, "%*s%.*s", INDENT + 3, "", (int)blanks, line.p ? line.p : "");
    layout_text(&page->layout, INDENT + 3 + (int)blanks, arena_cstr(&page->arena, label),
                STYLE_CYAN, str_sub(line, blanks, line.n));
}

static void write_details(struct page *page, const struct fix *fix, struct str diff) {
    struct layout *layout = &page->layout;
    int most = page->options->verbose ? 99 : STEPS_SHOWN;
    for (int i = 0; i < fix->n_steps && i < most; i++)
        layout_text(layout, INDENT + 5, "            -", STYLE_PLAIN, fix->steps[i]);
    for (int i = 0; i < fix->patch.n_sets && !diff.n; i++) {
        struct str set =
            arena_printf(&page->arena, STR_FMT "%s" STR_FMT ": " STR_FMT, STR_ARG(fix->patch.file),
                         fix->patch.file.n ? ": " : "", STR_ARG(fix->patch.sets[2 * i]),
                         STR_ARG(fix->patch.sets[2 * i + 1]));
        layout_text(layout, INDENT + 3, "", STYLE_CYAN, set);
    }
    for (int i = 0; i < fix->n_commands && i < most; i++)
        layout_text(layout, INDENT + 5, "            $", STYLE_CYAN, fix->commands[i]);
    for (struct str line; diff.n && str_line(&diff, &line);) write_diff_line(page, line);
}

/* The first fix whole, the others by their title. */
static void write_fix(struct page *page, const struct fix *fix, struct str diff, int number) {
    struct layout *layout = &page->layout;
    char label[24];
    bool whole = number == 1 || page->options->verbose;
    bool more = whole && (fix->cost.n || fix->verify.n); /* the kind stands below with these */
    snprintf(label, sizeof label, number == 1 ? "  do     %d. " : "         %d. ", number);
    layout_row(layout, INDENT + 3, label, number == 1 ? STYLE_BOLD : STYLE_PLAIN, fix->title,
               more ? (struct str){0} : str_of(fix_kind_names[fix->kind]));
    if (!whole) return;
    write_details(page, fix, diff);
    if (!more) return;
    struct str kind =
        arena_printf(&page->arena, "%s%s" STR_FMT "%s" STR_FMT, fix_kind_names[fix->kind],
                     fix->cost.n ? "; cost: " : "", STR_ARG(fix->cost),
                     fix->verify.n ? "; worked if " : "", STR_ARG(fix->verify));
    layout_text(layout, INDENT + 3, "", STYLE_DIM, kind);
}

static void write_do(struct page *page) {
    const struct finding *best = &page->diagnosis->findings[0];
    int most = page->options->verbose ? best->n_fixes : FIXES_SHOWN;
    for (int i = 0; i < best->n_fixes && i < most; i++)
        write_fix(page, &best->fixes[i], best->diffs[i], i + 1);
    if (best->n_fixes || !best->n_patterns) return;
    const struct code *pattern = &page->kb->patterns[best->patterns[0]];
    struct str text =
        arena_printf(&page->arena, STR_FMT "  " STR_FMT " (what solved most issues of this kind)",
                     STR_ARG(pattern->id), STR_ARG(pattern->name));
    layout_text(&page->layout, INDENT, "  do", STYLE_PLAIN, text);
}

static void write_run(struct page *page) {
    struct str text = phrase_restart(&page->arena, &page->diagnosis->restart);
    if (text.n) layout_text(&page->layout, INDENT, "  run", STYLE_PLAIN, text);
}

/* Other faults that broke processes of their own, by their likeliest cause. */
static void write_other_faults(struct page *page) {
    const struct diagnosis *d = page->diagnosis;
    for (int i = 1; i < d->n_findings; i++)
        if (d->findings[i].fault != d->findings[i - 1].fault)
            layout_text(
                &page->layout, INDENT, "  too", STYLE_YELLOW,
                phrase_other_fault(&page->arena, page->kb, page->evidence, &d->findings[i]));
}

/* The other jobs of the folder, one line each. */
static void write_jobs(struct page *page) {
    const struct diagnosis *d = page->diagnosis;
    if (!d->n_jobs) return;
    struct str about =
        arena_printf(&page->arena, "%d in this folder; this report is about " STR_FMT, d->n_jobs,
                     STR_ARG(d->job_id));
    layout_text(&page->layout, INDENT, "  jobs", STYLE_PLAIN, about);
    for (int i = 0; i < d->n_jobs; i++) {
        const struct diagnosis *job = d->jobs[i];
        if (job->job == d->job) continue;
        layout_text(&page->layout, INDENT, "", STYLE_DIM, phrase_job(&page->arena, job));
    }
}

/* What helps where nothing was found. */
static void write_hint(struct page *page) {
    if (page->diagnosis->verdict != VERDICT_UNKNOWN) return;
    layout_text(&page->layout, INDENT, "  try", STYLE_PLAIN, phrase_unknown());
    const struct diagnosis *d = page->diagnosis;
    struct str what =
        d->n_nearest ? page->kb->failures[d->nearest[0]].id : STR("WORDS OF THE ERROR");
    layout_text(&page->layout, INDENT, "", STYLE_CYAN,
                arena_printf(&page->arena, "faultline explain " STR_FMT, STR_ARG(what)));
}

static void write_unexplained(struct page *page) {
    const struct diagnosis *d = page->diagnosis;
    if (!phrase_is_weak(d) && !page->options->verbose) return;
    for (int i = 0; i < d->n_unexplained && i < 3; i++) {
        struct str place = place_text(page, &d->unexplained[i].origin);
        struct str odd = phrase_cut(&page->arena, d->unexplained[i].text, ODD_BYTES);
        struct str text =
            arena_printf(&page->arena, STR_FMT ": " STR_FMT, STR_ARG(place), STR_ARG(odd));
        layout_text(&page->layout, INDENT, i ? "" : "  also", STYLE_DIM, text);
    }
}

static void write_nearest(struct page *page) {
    const struct diagnosis *d = page->diagnosis;
    for (int i = 0; i < d->n_nearest; i++) {
        const struct failure *failure = &page->kb->failures[d->nearest[i]];
        layout_text(&page->layout, INDENT, i ? "" : "  near", STYLE_PLAIN,
                    phrase_near(&page->arena, failure));
    }
}

static void write_remarks(struct page *page) {
    const struct diagnosis *d = page->diagnosis;
    for (int i = 0; i < d->n_remarks; i++)
        layout_text(&page->layout, INDENT, i ? "" : "  note", STYLE_YELLOW, d->remarks[i]);
}

static void write_why_not(struct page *page) {
    int n;
    const struct why_not_line *lines = why_not_lines(&page->arena, page->kb, page->diagnosis, &n);
    if (n) buf_char(page->layout.out, '\n');
    for (int i = 0; i < n; i++) {
        int indent = lines[i].depth ? INDENT + 3 : INDENT;
        layout_text(&page->layout, indent, i ? "" : "  not",
                    lines[i].depth ? STYLE_DIM : STYLE_PLAIN, lines[i].text);
    }
}

static void write_next(struct page *page) {
    const struct next_step *next = &page->diagnosis->next;
    if (page->diagnosis->verdict != VERDICT_FAILED || !next->id.n || page->options->walked) return;
    struct str paths = page->options->paths.n ? page->options->paths : STR("PATH");
    struct str text = arena_printf(&page->arena, "Not sure? The walk asks: " STR_FMT,
                                   STR_ARG(phrase_ask(page->kb, next)));
    buf_char(page->layout.out, '\n');
    layout_text(&page->layout, 2, "  ", STYLE_PLAIN, text);
    text = arena_printf(&page->arena, "faultline walk " STR_FMT, STR_ARG(paths));
    layout_text(&page->layout, 4, "    ", STYLE_CYAN, text);
}

static void write_text(struct buf *out, const struct kb *kb, const struct evidence *evidence,
                       const struct diagnosis *diagnosis, const struct report_options *options) {
    struct page page = {.layout = {out, options->width > 0 ? options->width : 80, options->colour},
                        .kb = kb,
                        .evidence = evidence,
                        .diagnosis = diagnosis,
                        .options = options};
    write_head(&page);
    if (diagnosis->verdict == VERDICT_FAILED) {
        buf_char(out, '\n');
        write_saw(&page);
        write_what(&page);
        write_why(&page);
        write_other_faults(&page);
        buf_char(out, '\n');
        write_do(&page);
        write_run(&page);
        write_course(&page);
    } else if (diagnosis->course) {
        write_course(&page);
    }
    write_jobs(&page);
    write_remarks(&page);
    write_unexplained(&page);
    write_nearest(&page);
    write_hint(&page);
    write_why_not(&page);
    write_next(&page);
    arena_release(&page.arena);
}

const struct report_format report_text = {"text", "for people: 80 columns, what matters first",
                                          write_text, false};
