/* The report as one HTML page without scripts or outside resources. */
#include "report/report.h"

#include "report/course.h"
#include "report/layout.h"
#include "report/phrase.h"
#include "report/whynot.h"

static void add_line(struct buf *out, struct str line) {
    struct buf clean = {0};
    layout_clean(&clean, line);
    for (size_t i = 0; i < clean.n; i++) {
        char c = clean.p[i];
        if (c == '<')
            buf_printf(out, "&lt;");
        else if (c == '>')
            buf_printf(out, "&gt;");
        else if (c == '&')
            buf_printf(out, "&amp;");
        else if (c == '"')
            buf_printf(out, "&quot;");
        else
            buf_char(out, c);
    }
    buf_release(&clean);
}

/* Text from outside: markup is escaped, lines are kept, control bytes never survive. */
static void add(struct buf *out, struct str text) {
    struct str line;
    for (bool first = true; text.n && str_line(&text, &line); first = false) {
        if (!first) buf_char(out, '\n');
        add_line(out, line);
    }
}

static void element(struct buf *out, const char *name, struct str text) {
    if (!text.n) return;
    buf_printf(out, "<%s>", name);
    add(out, text);
    buf_printf(out, "</%s>\n", name);
}

static const char style[] =
    "body{font:16px/1.5 system-ui,sans-serif;max-width:52em;margin:2em auto;padding:0 "
    "1em;color:#222;background:#fff}"
    "pre,code{font:14px/1.4 "
    "ui-monospace,monospace;background:#f3f3f3;white-space:pre-wrap;overflow-wrap:anywhere}"
    "pre{padding:.6em}meter{width:8em}small{color:#666}"
    "@media(prefers-color-scheme:dark){body{color:#ddd;background:#161616}pre,code{background:#"
    "262626}small{color:#999}}";

static void add_place(struct buf *out, const struct evidence *evidence,
                      const struct origin *origin) {
    if (origin->source < 0) return;
    buf_printf(out, "<small>");
    add(out, evidence->sources.v[origin->source].path);
    buf_printf(out, ":%u</small>", origin->line);
}

static void add_cause(struct buf *out, const struct kb *kb, const struct evidence *evidence,
                      const struct finding *finding) {
    struct str code = finding->root >= 0 ? kb->roots[finding->root].id : STR("?");
    buf_printf(out, "<li><meter min=\"0\" max=\"1\" value=\"%.2f\"></meter> <b>" STR_FMT "</b> ",
               finding->confidence, STR_ARG(code));
    add(out, phrase_cause(kb, finding));
    buf_printf(out, " (%.0f %%)", 100 * finding->confidence);
    if (finding->n_reasons > 1) buf_printf(out, "<ul>");
    struct arena arena = {0};
    for (int i = 1; i < finding->n_reasons; i++) {
        const struct reason *reason = &finding->reasons[i];
        buf_printf(out, "<li>");
        add(out, phrase_reason(&arena, kb, reason));
        buf_char(out, ' ');
        add_place(out, evidence, &reason->origin);
        buf_printf(out, "</li>");
    }
    arena_release(&arena);
    buf_printf(out, finding->n_reasons > 1 ? "</ul></li>\n" : "</li>\n");
}

static void add_other_faults(struct buf *out, const struct kb *kb, const struct evidence *evidence,
                             const struct diagnosis *d) {
    struct arena arena = {0};
    for (int i = 1; i < d->n_findings; i++)
        if (d->findings[i].fault != d->findings[i - 1].fault) {
            element(out, "li", phrase_other_fault(&arena, kb, evidence, &d->findings[i]));
        }
    arena_release(&arena);
}

static void add_fix(struct buf *out, const struct fix *fix, struct str diff) {
    buf_printf(out, "<li><b>");
    add(out, fix->title);
    buf_printf(out, "</b> <small>%s</small>\n", fix_kind_names[fix->kind]);
    for (int i = 0; i < fix->n_steps; i++) element(out, "p", fix->steps[i]);
    for (int i = 0; i < fix->patch.n_sets && !diff.n; i++) {
        buf_printf(out, "<p><code>");
        add(out, fix->patch.sets[2 * i]);
        buf_printf(out, ": ");
        add(out, fix->patch.sets[2 * i + 1]);
        buf_printf(out, "</code></p>\n");
    }
    for (int i = 0; i < fix->n_commands; i++) element(out, "pre", fix->commands[i]);
    element(out, "pre", diff);
    if (fix->cost.n) buf_printf(out, "<small>costs ");
    add(out, fix->cost);
    buf_printf(out, fix->cost.n ? "</small> " : "");
    if (fix->verify.n) buf_printf(out, "<small>worked if: ");
    add(out, fix->verify);
    buf_printf(out, fix->verify.n ? "</small></li>\n" : "</li>\n");
}

static void add_circumstances(struct buf *out, const struct diagnosis *d) {
    struct arena arena = {0};
    add(out, phrase_circumstances(&arena, d));
    arena_release(&arena);
}

/* Who did not come to the collective that the others wait in, and what he did last. */
static void add_hang(struct buf *out, const struct rollcall *call) {
    if (!call) return;
    buf_printf(out, "<h2>Hang</h2>\n");
    element(out, "p", call->text);
    buf_printf(out, call->n_last ? "<ul>\n" : "");
    for (int i = 0; i < call->n_last; i++) {
        buf_printf(out, "<li>rank %d, last: ", call->last[i].rank);
        add(out, call->last[i].what);
        buf_printf(out, "</li>\n");
    }
    buf_printf(out, call->n_last ? "</ul>\n" : "");
}

static void add_course(struct buf *out, const struct evidence *evidence,
                       const struct course *course) {
    struct arena arena = {0};
    struct course_row rows[COURSE_ROWS];
    int n = course_rows(&arena, evidence, course, false, rows);
    if (n) {
        buf_printf(out, "<h2>Steps</h2>\n");
        element(out, "p", course_head(&arena, evidence, course));
        buf_printf(out, "<pre>");
        for (int i = 0; i < n; i++)
            buf_printf(out, "%s  " STR_FMT "  " STR_FMT "\n", rows[i].name, STR_ARG(rows[i].line),
                       STR_ARG(rows[i].figures));
        buf_printf(out, "</pre>\n");
        for (int i = 0; i < course->n_told; i++) element(out, "p", course->told[i]);
    }
    arena_release(&arena);
}

static void add_restart(struct buf *out, const struct restart *restart) {
    struct arena arena = {0};
    struct str text = phrase_restart(&arena, restart);
    if (text.n) buf_printf(out, "<p><b>Run</b> ");
    add(out, text);
    if (text.n) buf_printf(out, "</p>\n");
    arena_release(&arena);
}

static void add_why_not(struct buf *out, const struct kb *kb, const struct diagnosis *d) {
    struct arena arena = {0};
    int n;
    const struct why_not_line *lines = why_not_lines(&arena, kb, d, &n);
    if (n) buf_printf(out, "<h2>Why not " STR_FMT "</h2>\n", STR_ARG(d->why_not_code));
    for (int i = 0; i < n; i++) element(out, lines[i].depth ? "small" : "p", lines[i].text);
    arena_release(&arena);
}

static void add_jobs(struct buf *out, const struct diagnosis *d) {
    struct arena arena = {0};
    if (!d->n_jobs) return;
    buf_printf(out, "<h2>Jobs</h2>\n<p>%d in this folder; this report is about ", d->n_jobs);
    add(out, d->job_id);
    buf_printf(out, "</p>\n<ul>\n");
    for (int i = 0; i < d->n_jobs; i++) element(out, "li", phrase_job(&arena, d->jobs[i]));
    buf_printf(out, "</ul>\n");
    arena_release(&arena);
}

static void write_html(struct buf *out, const struct kb *kb, const struct evidence *evidence,
                       const struct diagnosis *d, const struct report_options *options) {
    (void)options;
    buf_printf(out,
               "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>faultline: "
               "%s</title>\n<style>%s</style>\n",
               verdict_names[d->verdict], style);
    buf_printf(out, "<h1>%s</h1>\n", verdict_names[d->verdict]);
    element(out, "p", d->summary);
    if (d->n_findings) {
        const struct finding *best = &d->findings[0];
        if (d->first_fault.known) add_place(out, evidence, &d->first_fault.origin);
        if (d->first_fault.known) add_circumstances(out, d);
        element(out, "pre", d->first_fault.text);
        buf_printf(out, "<p><b>Symptom " STR_FMT "</b> ", STR_ARG(kb->symptoms[best->symptom].id));
        add(out, kb->symptoms[best->symptom].name);
        buf_printf(out, "</p>\n");
        add_hang(out, d->rollcall);
        add_course(out, evidence, d->course);
        buf_printf(out, "<h2>Causes</h2>\n<ul>\n");
        for (int i = 0; i < d->n_findings && i < 4 && d->findings[i].fault == 1; i++)
            add_cause(out, kb, evidence, &d->findings[i]);
        add_other_faults(out, kb, evidence, d);
        buf_printf(out, "</ul>\n<h2>Fixes</h2>\n<ol>\n");
        for (int i = 0; i < best->n_fixes; i++) add_fix(out, &best->fixes[i], best->diffs[i]);
        buf_printf(out, "</ol>\n");
        add_restart(out, &d->restart);
        add_why_not(out, kb, d);
        if (d->next.question >= 0) buf_printf(out, "<h2>Still worth asking</h2>\n");
        element(out, "p", d->next.text);
    } else {
        add_course(out, evidence, d->course);
    }
    add_jobs(out, d);
    buf_printf(out,
               "<small>faultline " FAULTLINE_VERSION ", knowledge " STR_FMT "</small>\n</html>\n",
               STR_ARG(kb->version));
}

const struct report_format report_html = {"html", "one page without scripts", write_html};
