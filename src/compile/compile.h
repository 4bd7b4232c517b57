/* compile.h - YAML to image, with every check that keeps an entry honest.  libyaml lives here. */
#ifndef FAULTLINE_COMPILE_H
#define FAULTLINE_COMPILE_H

#include "model/kb.h"

/* One complaint about the knowledge; `path:line` points into the YAML. */
struct complaint {
    struct str path, id, text;
    int line;
    bool fatal; /* an error: no image is written; else a warning */
};
struct compile_report {
    struct complaint *complaints;
    int n_complaints, n_errors;
    int entries, signals, questions, fixes;
};

/* Reads the knowledge tree below `dir`, checks it whole, and with out != NULL writes the image
 * (atomically: a temporary file, then rename).  False when there was any error; err is filled only
 * for errors of the world (unreadable folder, disk full).  `base` (may be NULL) is the knowledge
 * that an overlay may refer to. */
bool compile_tree(const char *dir, const struct kb *base, const char *out, struct arena *arena,
                  struct compile_report *report, struct err *err);

#endif
