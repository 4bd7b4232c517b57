/* preflight.h - what was found before a launch, as text or JSON. */
#ifndef FAULTLINE_REPORT_PREFLIGHT_H
#define FAULTLINE_REPORT_PREFLIGHT_H

#include "report/layout.h"
#include "think/preflight.h"

/* A finding with place, entry and fix each, then a line that counts. */
void preflight_text(struct layout *layout, const struct kb *kb, const struct evidence *evidence,
                    const struct preflight *preflight);
/* One document of the schema faultline.preflight/1. */
void preflight_json(struct buf *out, const struct kb *kb, const struct evidence *evidence,
                    const struct preflight *preflight);

#endif
