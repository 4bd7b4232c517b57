/* The report as one HTML page without scripts or outside resources. */
#include "report/document.h"

#include "report/layout.h"

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
static void write_text(struct buf *out, struct str text) {
    struct str line;
    for (bool first = true; text.n && str_line(&text, &line); first = false) {
        if (!first) buf_char(out, '\n');
        add_line(out, line);
    }
}

static const struct markup html = {
    .parts = {[PART_TITLE] = {"<h1>", "</h1>\n", NULL},
              [PART_SUMMARY] = {"<p>", "</p>\n", NULL},
              [PART_HEADING] = {"<h2>", "</h2>\n", NULL},
              [PART_PARAGRAPH] = {"<p>", "</p>\n", NULL},
              [PART_STRONG] = {"<b>", "</b>", NULL},
              [PART_SMALL] = {"<small>", "</small>\n", NULL},
              [PART_PLACE] = {"<small>", "</small>", NULL},
              [PART_CODE] = {"<code>", "</code>", NULL},
              [PART_BLOCK] = {"<pre>", "</pre>\n", NULL},
              [PART_LIST] = {"<ul>\n", "</ul>\n", NULL},
              [PART_ITEM] = {"<li>", "</li>\n", NULL},
              [PART_SUBLIST] = {"<ul>", "</ul>", NULL},
              [PART_SUBITEM] = {"<li>", "</li>", NULL},
              [PART_STEPS] = {"<ol>\n", "</ol>\n", NULL},
              [PART_STEP] = {"<li>", "</li>\n", NULL},
              [PART_DETAIL] = {"<ul><li>", "</li></ul>\n", NULL},
              [PART_SHELL] = {"<pre>", "</pre>\n", NULL},
              [PART_DIFF] = {"<pre>", "</pre>\n", NULL}},
    .head =
        "<!doctype html>\n<html lang=\"en\"><meta "
        "charset=\"utf-8\"><title>faultline</title>\n<style>"
        "body{font:16px/1.5 system-ui,sans-serif;max-width:52em;margin:2em auto;padding:0 "
        "1em;color:#222;background:#fff}"
        "pre,code{font:14px/1.4 "
        "ui-monospace,monospace;background:#f3f3f3;white-space:pre-wrap;overflow-wrap:anywhere}"
        "pre{padding:.6em}ol ul{margin:0}meter{width:8em}small{color:#666}"
        "@media(prefers-color-scheme:dark){body{color:#ddd;background:#161616}pre,code{background:#"
        "262626}small{color:#999}}"
        "</style>\n",
    .foot = "</html>\n",
    .meters = true,
    .text = write_text,
    .code = write_text,
};

static void write_html(struct buf *out, const struct kb *kb, const struct evidence *evidence,
                       const struct diagnosis *diagnosis, const struct report_options *options) {
    (void)options;
    document_write(out, &html, kb, evidence, diagnosis);
}

const struct report_format report_html = {"html", "one page without scripts", write_html, false};
