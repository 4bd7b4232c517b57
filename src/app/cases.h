/* cases.h - folders of labelled cases: ID/case.json (the labels) and ID/job/ (what a user has).
 *
 * Finds and reads them in the order of their names, at any depth; knows nothing of what labels
 * mean. */
#ifndef FAULTLINE_CASES_H
#define FAULTLINE_CASES_H

#include "base/base.h"

struct json_value;

struct case_visit {
    /* `folder` holds the case; its last part is the case's id.  The label lives in `arena`. */
    void (*found)(void *ctx, const char *folder, const struct json_value *label);
    void (*unreadable)(void *ctx, const struct err *err);
    void *ctx;
    struct arena *arena;
};
/* Calls `found` for every case at or below the folder, `unreadable` for a label that cannot be read
 * and for a folder without any. */
void cases_visit(const struct case_visit *visit, const char *folder);
/* The last part of a case's folder. */
struct str case_id(const char *folder);
/* The first item of a list in a label, such as "symptom"; empty where there is none. */
struct str case_first(const struct json_value *label, const char *list);

#endif
