/* The report as Markdown, for issues and tickets. */
#include "report/document.h"

#include "report/layout.h"

/* Text from outside in a code span or block must not end it; control bytes never survive. */
static void write_code(struct buf *out, struct str text) {
    size_t from = out->n;
    layout_clean(out, text);
    for (size_t i = from; i < out->n; i++)
        if (out->p[i] == '`') out->p[i] = '\'';
}

/* Outside code the characters that Markdown reads are escaped. */
static void write_text(struct buf *out, struct str text) {
    struct buf clean = {0};
    layout_clean(&clean, text);
    for (size_t i = 0; i < clean.n; i++) {
        if (strchr("\\`*_{}[]<>#|~", clean.p[i])) buf_char(out, '\\');
        buf_char(out, clean.p[i]);
    }
    buf_release(&clean);
}

static const struct markup markdown = {
    .parts = {[PART_TITLE] = {"# ", ": ", NULL},
              [PART_SUMMARY] = {"", "\n", NULL},
              [PART_HEADING] = {"\n## ", "\n", NULL},
              [PART_PARAGRAPH] = {"\n", "\n", NULL},
              [PART_STRONG] = {"**", "**", NULL},
              [PART_SMALL] = {"\n_", "_\n", NULL},
              [PART_PLACE] = {"`", "`", NULL},
              [PART_CODE] = {"`", "`", NULL},
              [PART_BLOCK] = {"\n```\n", "\n```\n", NULL},
              [PART_LIST] = {"\n", "", NULL},
              [PART_ITEM] = {"- ", "\n", NULL},
              [PART_SUBLIST] = {"", "", NULL},
              [PART_SUBITEM] = {"\n  - ", "", NULL},
              [PART_STEPS] = {"\n", "", NULL},
              [PART_STEP] = {"", "\n", NULL},
              [PART_DETAIL] = {"\n   - ", "", NULL},
              [PART_SHELL] = {"\n\n   ```sh\n", "\n   ```", "   "},
              [PART_DIFF] = {"\n\n   ```diff\n", "\n   ```", "   "}},
    .head = "",
    .foot = "",
    .numbered = true,
    .text = write_text,
    .code = write_code,
};

static void write_markdown(struct buf *out, const struct kb *kb, const struct evidence *evidence,
                           const struct diagnosis *diagnosis,
                           const struct report_options *options) {
    (void)options;
    document_write(out, &markdown, kb, evidence, diagnosis);
}

const struct report_format report_markdown = {"markdown", "for issues and tickets", write_markdown,
                                              false};
