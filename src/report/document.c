#include "report/document.h"

#include "report/course.h"
#include "report/phrase.h"
#include "report/whynot.h"
#include "think/think.h"

enum { CAUSES_SHOWN = 4 };

struct draft {
    struct buf *out;
    const struct markup *markup;
    const struct kb *kb;
    const struct evidence *evidence;
    const struct diagnosis *diagnosis;
    struct arena arena;
};

/* ---- parts ---------------------------------------------------------------------------------- */

static void begin(struct draft *doc, enum part part) {
    buf_printf(doc->out, "%s", doc->markup->parts[part].before);
}

static void end(struct draft *doc, enum part part) {
    buf_printf(doc->out, "%s", doc->markup->parts[part].after);
}

static void text(struct draft *doc, struct str words) {
    doc->markup->text(doc->out, words);
}

static void add(struct draft *doc, enum part part, struct str words) {
    if (!words.n) return;
    begin(doc, part);
    text(doc, words);
    end(doc, part);
}

static void add_code(struct draft *doc, enum part part, struct str lines) {
    const char *lead = doc->markup->parts[part].line;
    if (!lines.n) return;
    begin(doc, part);
    for (struct str line; lines.n && str_line(&lines, &line);) {
        buf_printf(doc->out, "%s", lead ? lead : "");
        doc->markup->code(doc->out, line);
        if (lines.n) buf_char(doc->out, '\n');
    }
    end(doc, part);
}

static void add_place(struct draft *doc, const struct origin *origin) {
    if (origin->source >= 0)
        add_code(doc, PART_PLACE,
                 arena_printf(&doc->arena, STR_FMT ":%u",
                              STR_ARG(doc->evidence->sources.v[origin->source].path),
                              origin->line));
}

/* ---- the report, from top to bottom -------------------------------------------------------------
 */

/* Where the fault is seen and what its line says; nothing where a person told it. */
static void add_fault(struct draft *doc) {
    const struct fault_line *fault = &doc->diagnosis->first_fault;
    if (!fault->known) return;
    begin(doc, PART_PARAGRAPH);
    add_place(doc, &fault->origin);
    text(doc, phrase_circumstances(&doc->arena, doc->diagnosis));
    end(doc, PART_PARAGRAPH);
    add_code(doc, PART_BLOCK, phrase_fault(doc->diagnosis));
    add(doc, PART_PARAGRAPH, phrase_last(&doc->arena, doc->evidence, doc->diagnosis));
    struct str frame = phrase_frame(&doc->arena, fault);
    if (!frame.n) return;
    begin(doc, PART_PARAGRAPH);
    add(doc, PART_STRONG, STR("In"));
    buf_char(doc->out, ' ');
    add_code(doc, PART_CODE, frame);
    end(doc, PART_PARAGRAPH);
}

static void add_symptom(struct draft *doc) {
    const struct code *symptom = &doc->kb->symptoms[doc->diagnosis->findings[0].symptom];
    begin(doc, PART_PARAGRAPH);
    add(doc, PART_STRONG, STR("Symptom"));
    text(doc, arena_printf(&doc->arena, " " STR_FMT " " STR_FMT, STR_ARG(symptom->id),
                           STR_ARG(symptom->name)));
    end(doc, PART_PARAGRAPH);
}

/* Who did not come to the collective that the others wait in, and what he did last. */
static void add_hang(struct draft *doc) {
    const struct rollcall *call = doc->diagnosis->rollcall;
    if (!call) return;
    add(doc, PART_HEADING, STR("Hang"));
    add(doc, PART_PARAGRAPH, call->text);
    if (call->n_last) begin(doc, PART_LIST);
    for (int i = 0; i < call->n_last; i++)
        add(doc, PART_ITEM,
            arena_printf(&doc->arena, "rank %d, last: " STR_FMT, call->last[i].rank,
                         STR_ARG(call->last[i].what)));
    if (call->n_last) end(doc, PART_LIST);
}

static void add_course(struct draft *doc) {
    const struct course *course = doc->diagnosis->course;
    struct course_row rows[COURSE_ROWS];
    struct str lines = {0};
    int n = course_rows(&doc->arena, doc->evidence, course, false, rows);
    if (!n) return;
    add(doc, PART_HEADING, STR("Steps"));
    add(doc, PART_PARAGRAPH, course_head(&doc->arena, doc->evidence, course));
    for (int i = 0; i < n; i++)
        lines = arena_printf(&doc->arena, STR_FMT "%s  " STR_FMT "  " STR_FMT "\n", STR_ARG(lines),
                             rows[i].name, STR_ARG(rows[i].line), STR_ARG(rows[i].figures));
    add_code(doc, PART_BLOCK, lines);
    if (course->n_told) begin(doc, PART_LIST);
    for (int i = 0; i < course->n_told; i++) add(doc, PART_ITEM, course->told[i]);
    if (course->n_told) end(doc, PART_LIST);
}

static void add_reasons(struct draft *doc, const struct finding *finding) {
    const struct diagnosis *d = doc->diagnosis;
    int n = 0;
    for (int i = 0; i < finding->n_reasons; i++)
        n += i != finding->deciding &&
             !(finding->reasons[i].beside && phrase_repeats(d, &finding->reasons[i]));
    if (!n) return;
    begin(doc, PART_SUBLIST);
    for (int i = 0; i < 2 * finding->n_reasons; i++) {
        const struct reason *reason = &finding->reasons[i % finding->n_reasons];
        bool beside = i >= finding->n_reasons; /* behind what weighs */
        if (i % finding->n_reasons == finding->deciding || reason->beside != beside) continue;
        if (beside && phrase_repeats(doc->diagnosis, reason)) continue;
        begin(doc, PART_SUBITEM);
        text(doc, phrase_reason(&doc->arena, doc->kb, reason));
        if (reason->origin.source >= 0) buf_char(doc->out, ' ');
        add_place(doc, &reason->origin);
        end(doc, PART_SUBITEM);
    }
    end(doc, PART_SUBLIST);
}

static void add_cause(struct draft *doc, const struct finding *finding) {
    begin(doc, PART_ITEM);
    if (doc->markup->meters)
        buf_printf(doc->out, "<meter min=\"0\" max=\"1\" value=\"%.2f\"></meter> ",
                   finding->confidence);
    add(doc, PART_STRONG, finding->root >= 0 ? doc->kb->roots[finding->root].id : STR("?"));
    buf_char(doc->out, ' ');
    text(doc, phrase_rival(&doc->arena, doc->kb, doc->diagnosis, finding));
    buf_printf(doc->out, " (%.0f %%)", 100 * finding->confidence);
    add_reasons(doc, finding);
    end(doc, PART_ITEM);
}

/* The causes of the first fault, then each further fault in a sentence. */
static void add_causes(struct draft *doc) {
    const struct diagnosis *d = doc->diagnosis;
    add(doc, PART_HEADING, STR("Causes"));
    begin(doc, PART_LIST);
    for (int i = 0; i < d->n_findings && i < CAUSES_SHOWN && d->findings[i].fault == 1; i++)
        if (!i || !phrase_is_minor(&d->findings[i])) add_cause(doc, &d->findings[i]);
    for (int i = 1; i < d->n_findings; i++)
        if (d->findings[i].fault != d->findings[i - 1].fault)
            add(doc, PART_ITEM,
                phrase_other_fault(&doc->arena, doc->kb, doc->evidence, &d->findings[i]));
    end(doc, PART_LIST);
}

static struct str lines_of(struct draft *doc, const struct str *lines, int n) {
    struct str all = {0};
    for (int i = 0; i < n; i++)
        all = arena_printf(&doc->arena, STR_FMT STR_FMT "\n", STR_ARG(all), STR_ARG(lines[i]));
    return all;
}

static void add_fix(struct draft *doc, const struct fix *fix, struct str diff, int number) {
    if (doc->markup->numbered) buf_printf(doc->out, "%d. ", number);
    begin(doc, PART_STEP);
    add(doc, PART_STRONG, fix->title);
    buf_printf(doc->out, " (%s)", fix_kind_names[fix->kind]);
    if (fix->cost.n) text(doc, arena_printf(&doc->arena, "; cost: " STR_FMT, STR_ARG(fix->cost)));
    if (fix->verify.n)
        text(doc, arena_printf(&doc->arena, "; worked if: " STR_FMT, STR_ARG(fix->verify)));
    for (int i = 0; i < fix->n_steps; i++) add(doc, PART_DETAIL, fix->steps[i]);
    for (int i = 0; i < fix->patch.n_sets && !diff.n; i++) {
        begin(doc, PART_DETAIL);
        add_code(doc, PART_CODE,
                 arena_printf(&doc->arena, STR_FMT ": " STR_FMT, STR_ARG(fix->patch.sets[2 * i]),
                              STR_ARG(fix->patch.sets[2 * i + 1])));
        end(doc, PART_DETAIL);
    }
    add_code(doc, PART_SHELL, lines_of(doc, fix->commands, fix->n_commands));
    add_code(doc, PART_DIFF, diff);
    end(doc, PART_STEP);
}

static void add_fixes(struct draft *doc) {
    const struct finding *best = &doc->diagnosis->findings[0];
    if (!best->n_fixes) return;
    add(doc, PART_HEADING, STR("Fixes"));
    begin(doc, PART_STEPS);
    for (int i = 0; i < best->n_fixes; i++) add_fix(doc, &best->fixes[i], best->diffs[i], i + 1);
    end(doc, PART_STEPS);
}

static void add_restart(struct draft *doc) {
    struct str advice = phrase_restart(&doc->arena, &doc->diagnosis->restart);
    if (!advice.n) return;
    begin(doc, PART_PARAGRAPH);
    add(doc, PART_STRONG, STR("Run"));
    text(doc, arena_printf(&doc->arena, " " STR_FMT, STR_ARG(advice)));
    end(doc, PART_PARAGRAPH);
}

static void add_why_not(struct draft *doc) {
    int n;
    const struct why_not_line *lines = why_not_lines(&doc->arena, doc->kb, doc->diagnosis, &n);
    if (!n) return;
    add(doc, PART_HEADING,
        arena_printf(&doc->arena, "Why not " STR_FMT, STR_ARG(doc->diagnosis->why_not_code)));
    begin(doc, PART_LIST);
    for (int i = 0; i < n;) {
        begin(doc, PART_ITEM);
        text(doc, lines[i++].text);
        bool more = i < n && lines[i].depth;
        if (more) begin(doc, PART_SUBLIST);
        for (; i < n && lines[i].depth; i++) add(doc, PART_SUBITEM, lines[i].text);
        if (more) end(doc, PART_SUBLIST);
        end(doc, PART_ITEM);
    }
    end(doc, PART_LIST);
}

/* The jobs of a folder that holds several. */
static void add_jobs(struct draft *doc) {
    const struct diagnosis *d = doc->diagnosis;
    if (!d->n_jobs) return;
    add(doc, PART_HEADING, STR("Jobs"));
    add(doc, PART_PARAGRAPH,
        arena_printf(&doc->arena, "%d in this folder; this report is about " STR_FMT, d->n_jobs,
                     STR_ARG(d->job_id)));
    begin(doc, PART_LIST);
    for (int i = 0; i < d->n_jobs; i++) add(doc, PART_ITEM, phrase_job(&doc->arena, d->jobs[i]));
    end(doc, PART_LIST);
}

/* What no entry knows: the entries whose words are near. */
static void add_nearest(struct draft *doc) {
    const struct diagnosis *d = doc->diagnosis;
    if (!d->n_nearest) return;
    add(doc, PART_HEADING, STR("Nearest entries"));
    begin(doc, PART_LIST);
    for (int i = 0; i < d->n_nearest; i++)
        add(doc, PART_ITEM, phrase_near(&doc->arena, &doc->kb->failures[d->nearest[i]]));
    end(doc, PART_LIST);
}

static void add_remarks(struct draft *doc) {
    const struct diagnosis *d = doc->diagnosis;
    if (!d->n_remarks) return;
    add(doc, PART_HEADING, STR("Odd about the input"));
    begin(doc, PART_LIST);
    for (int i = 0; i < d->n_remarks; i++) add(doc, PART_ITEM, d->remarks[i]);
    end(doc, PART_LIST);
}

/* With its choices: who gets the report may answer without the program. */
static void add_next(struct draft *doc) {
    const struct next_step *next = &doc->diagnosis->next;
    if (!next->id.n) return;
    add(doc, PART_HEADING, STR("Still worth asking"));
    add(doc, PART_PARAGRAPH, next->text);
    begin(doc, PART_LIST);
    for (int i = 0; i < next->n_choices; i++)
        add(doc, PART_ITEM, walk_choice_text(doc->kb, next->id, next->choices[i], &doc->arena));
    end(doc, PART_LIST);
}

static void add_failure(struct draft *doc) {
    add_fault(doc);
    add_symptom(doc);
    add_hang(doc);
    add_causes(doc);
    add_fixes(doc);
    add_restart(doc);
    add_course(doc);
    add_why_not(doc);
    add_next(doc);
}

void document_write(struct buf *out, const struct markup *markup, const struct kb *kb,
                    const struct evidence *evidence, const struct diagnosis *diagnosis) {
    struct draft doc = {out, markup, kb, evidence, diagnosis, {0}};
    buf_printf(out, "%s", markup->head);
    add(&doc, PART_TITLE, str_of(verdict_names[diagnosis->verdict]));
    add(&doc, PART_SUMMARY, diagnosis->summary);
    if (diagnosis->n_findings)
        add_failure(&doc);
    else
        add_course(&doc);
    add_nearest(&doc);
    add_jobs(&doc);
    add_remarks(&doc);
    add(&doc, PART_SMALL,
        arena_printf(&doc.arena, "faultline " FAULTLINE_VERSION ", knowledge " STR_FMT,
                     STR_ARG(kb->version)));
    buf_printf(out, "%s", markup->foot);
    arena_release(&doc.arena);
}
