/* The report as Markdown, for issues and tickets. */
#include "report/report.h"

#include "report/course.h"
#include "report/layout.h"
#include "report/phrase.h"
#include "report/whynot.h"

/* Text from outside in a code span or block must not end it; control bytes never survive. */
static void add_code(struct buf *out, struct str text) {
    size_t from = out->n;
    layout_clean(out, text);
    for (size_t i = from; i < out->n; i++)
        if (out->p[i] == '`') out->p[i] = '\'';
}

/* Outside code the characters that Markdown reads are escaped. */
static void add_text(struct buf *out, struct str text) {
    struct buf clean = {0};
    layout_clean(&clean, text);
    for (size_t i = 0; i < clean.n; i++) {
        if (strchr("\\`*_{}[]<>#|~", clean.p[i])) buf_char(out, '\\');
        buf_char(out, clean.p[i]);
    }
    buf_release(&clean);
}

static void add_place(struct buf *out, const struct evidence *evidence,
                      const struct origin *origin) {
    if (origin->source < 0) return;
    buf_printf(out, "`");
    add_code(out, evidence->sources.v[origin->source].path);
    buf_printf(out, ":%u`", origin->line);
}

static void add_cause(struct buf *out, const struct kb *kb, const struct evidence *evidence,
                      const struct finding *finding) {
    struct str code = finding->root >= 0 ? kb->roots[finding->root].id : STR("?");
    buf_printf(out, "- **" STR_FMT "** ", STR_ARG(code));
    add_text(out, phrase_cause(kb, finding));
    buf_printf(out, " (%.0f %%)\n", 100 * finding->confidence);
    struct arena arena = {0};
    for (int i = 1; i < finding->n_reasons; i++) {
        const struct reason *reason = &finding->reasons[i];
        buf_printf(out, "  - ");
        add_text(out, phrase_reason(&arena, kb, reason));
        buf_char(out, ' ');
        add_place(out, evidence, &reason->origin);
        buf_char(out, '\n');
    }
    arena_release(&arena);
}

static void add_other_faults(struct buf *out, const struct kb *kb, const struct evidence *evidence,
                             const struct diagnosis *d) {
    struct arena arena = {0};
    for (int i = 1; i < d->n_findings; i++)
        if (d->findings[i].fault != d->findings[i - 1].fault) {
            buf_printf(out, "- ");
            add_text(out, phrase_other_fault(&arena, kb, evidence, &d->findings[i]));
            buf_char(out, '\n');
        }
    arena_release(&arena);
}

static void add_fix(struct buf *out, const struct fix *fix, struct str diff, int number) {
    buf_printf(out, "%d. **", number);
    add_text(out, fix->title);
    buf_printf(out, "** (%s)", fix_kind_names[fix->kind]);
    if (fix->cost.n) buf_printf(out, "; costs ");
    add_text(out, fix->cost);
    if (fix->verify.n) buf_printf(out, "; worked if: ");
    add_text(out, fix->verify);
    buf_char(out, '\n');
    for (int i = 0; i < fix->n_steps; i++) {
        buf_printf(out, "   - ");
        add_text(out, fix->steps[i]);
        buf_char(out, '\n');
    }
    for (int i = 0; i < fix->patch.n_sets && !diff.n; i++) {
        buf_printf(out, "   - `");
        add_code(out, fix->patch.sets[2 * i]);
        buf_printf(out, ": ");
        add_code(out, fix->patch.sets[2 * i + 1]);
        buf_printf(out, "`\n");
    }
    if (fix->n_commands) buf_printf(out, "\n   ```sh\n");
    for (int i = 0; i < fix->n_commands; i++) {
        buf_printf(out, "   ");
        add_code(out, fix->commands[i]);
        buf_char(out, '\n');
    }
    if (fix->n_commands) buf_printf(out, "   ```\n");
    if (diff.n) buf_printf(out, "\n   ```diff\n");
    bool patched = diff.n > 0;
    for (struct str line; diff.n && str_line(&diff, &line);) {
        buf_printf(out, "   ");
        add_code(out, line);
        buf_char(out, '\n');
    }
    if (patched) buf_printf(out, "   ```\n");
}

static void add_circumstances(struct buf *out, const struct diagnosis *d) {
    struct arena arena = {0};
    add_text(out, phrase_circumstances(&arena, d));
    arena_release(&arena);
}

/* Who did not come to the collective that the others wait in, and what he did last. */
static void add_hang(struct buf *out, const struct rollcall *call) {
    if (!call) return;
    buf_printf(out, "\n## Hang\n\n");
    add_text(out, call->text);
    buf_printf(out, call->n_last ? "\n\n" : "\n");
    for (int i = 0; i < call->n_last; i++) {
        buf_printf(out, "- rank %d, last: ", call->last[i].rank);
        add_text(out, call->last[i].what);
        buf_char(out, '\n');
    }
}

static void add_course(struct buf *out, const struct evidence *evidence,
                       const struct course *course) {
    struct arena arena = {0};
    struct course_row rows[COURSE_ROWS];
    int n = course_rows(&arena, evidence, course, false, rows);
    if (n) {
        buf_printf(out, "\n## Steps\n\n");
        add_text(out, course_head(&arena, evidence, course));
        buf_printf(out, "\n\n```\n");
        for (int i = 0; i < n; i++)
            buf_printf(out, "%s  " STR_FMT "  " STR_FMT "\n", rows[i].name, STR_ARG(rows[i].line),
                       STR_ARG(rows[i].figures));
        buf_printf(out, "```\n");
        for (int i = 0; i < course->n_told; i++) {
            buf_printf(out, i ? "- " : "\n- ");
            add_text(out, course->told[i]);
            buf_char(out, '\n');
        }
    }
    arena_release(&arena);
}

static void add_restart(struct buf *out, const struct restart *restart) {
    struct arena arena = {0};
    struct str text = phrase_restart(&arena, restart);
    if (text.n) buf_printf(out, "\n**Run** ");
    add_text(out, text);
    if (text.n) buf_char(out, '\n');
    arena_release(&arena);
}

static void add_why_not(struct buf *out, const struct kb *kb, const struct diagnosis *d) {
    struct arena arena = {0};
    int n;
    const struct why_not_line *lines = why_not_lines(&arena, kb, d, &n);
    if (n) buf_printf(out, "\n## Why not " STR_FMT "\n\n", STR_ARG(d->why_not_code));
    for (int i = 0; i < n; i++) {
        buf_printf(out, "%s- ", lines[i].depth ? "  " : "");
        add_text(out, lines[i].text);
        buf_char(out, '\n');
    }
    arena_release(&arena);
}

static void add_jobs(struct buf *out, const struct diagnosis *d) {
    struct arena arena = {0};
    if (d->n_jobs)
        buf_printf(out, "\n## Jobs\n\n%d in this folder; this report is about " STR_FMT "\n\n",
                   d->n_jobs, STR_ARG(d->job_id));
    for (int i = 0; i < d->n_jobs; i++) {
        buf_printf(out, "- ");
        add_text(out, phrase_job(&arena, d->jobs[i]));
        buf_char(out, '\n');
    }
    arena_release(&arena);
}

/* Where the fault is seen and what its line says; nothing where a person told it. */
static void add_fault(struct buf *out, const struct evidence *evidence, const struct diagnosis *d) {
    if (!d->first_fault.known) return;
    buf_printf(out, "\n");
    add_place(out, evidence, &d->first_fault.origin);
    add_circumstances(out, d);
    buf_printf(out, "\n\n```\n");
    add_code(out, d->first_fault.text);
    buf_printf(out, "\n```\n");
}

static void write_markdown(struct buf *out, const struct kb *kb, const struct evidence *evidence,
                           const struct diagnosis *d, const struct report_options *options) {
    (void)options;
    buf_printf(out, "# %s: ", verdict_names[d->verdict]);
    add_text(out, d->summary);
    buf_printf(out, "\n");
    if (d->n_findings == 0) {
        add_course(out, evidence, d->course);
        add_jobs(out, d);
        return;
    }
    const struct finding *best = &d->findings[0];
    add_fault(out, evidence, d);
    buf_printf(out, "\n**Symptom** ");
    add_text(out, kb->symptoms[best->symptom].id);
    buf_char(out, ' ');
    add_text(out, kb->symptoms[best->symptom].name);
    buf_char(out, '\n');
    add_hang(out, d->rollcall);
    add_course(out, evidence, d->course);
    buf_printf(out, "\n## Causes\n\n");
    for (int i = 0; i < d->n_findings && i < 4 && d->findings[i].fault == 1; i++)
        add_cause(out, kb, evidence, &d->findings[i]);
    add_other_faults(out, kb, evidence, d);
    if (best->n_fixes) buf_printf(out, "\n## Fixes\n\n");
    for (int i = 0; i < best->n_fixes; i++) add_fix(out, &best->fixes[i], best->diffs[i], i + 1);
    add_restart(out, &d->restart);
    add_jobs(out, d);
    add_why_not(out, kb, d);
    if (d->next.question >= 0) {
        buf_printf(out, "\n## Still worth asking\n\n");
        add_text(out, d->next.text);
        buf_char(out, '\n');
    }
    buf_printf(out, "\n_faultline " FAULTLINE_VERSION ", knowledge " STR_FMT "_\n",
               STR_ARG(kb->version));
}

const struct report_format report_markdown = {"markdown", "for issues and tickets", write_markdown};
