/* report.h - a diagnosis as text, Markdown, HTML or JSON.  A table of formats; nothing here decides
 * anything. */
#ifndef FAULTLINE_REPORT_H
#define FAULTLINE_REPORT_H

#include "model/diagnosis.h"

#define FAULTLINE_VERSION "0.1.0"

struct report_options {
    bool colour;      /* text only */
    bool ascii;       /* text only: the terminal does not show UTF-8 */
    bool verbose;     /* weights, all causes, secondary lines */
    int width;        /* text: columns, 80 by default */
    struct str paths; /* what was asked, for hints such as "faultline walk job/" */
    bool walked;      /* the end of a walk: no hint at one */
};
struct report_format {
    const char *name, *about;
    void (*write)(struct buf *out, const struct kb *kb, const struct evidence *evidence,
                  const struct diagnosis *diagnosis, const struct report_options *options);
    bool flows; /* it never looks back at what it wrote, which may be gone */
};
/* The formats, one file each. */
extern const struct report_format report_text, report_json, report_markdown, report_html;
extern const struct report_format *const report_formats[];
extern const int n_report_formats;
/* NULL when there is no such format. */
const struct report_format *report_format_find(struct str name);

#endif
