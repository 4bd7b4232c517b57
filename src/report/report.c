#include "report/report.h"

const struct report_format *const report_formats[] = {&report_text, &report_json, &report_markdown,
                                                      &report_html};
const int n_report_formats = COUNT_OF(report_formats);

const struct report_format *report_format_find(struct str name) {
    for (int i = 0; i < n_report_formats; i++)
        if (str_eq(str_of(report_formats[i]->name), name)) return report_formats[i];
    return NULL;
}
