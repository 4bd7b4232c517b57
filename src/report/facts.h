/* facts.h - facts alone, without a diagnosis: the JSON of `faultline probe`. */
#ifndef FAULTLINE_REPORT_FACTS_H
#define FAULTLINE_REPORT_FACTS_H

#include "base/json.h"
#include "model/evidence.h"

/* Schema faultline.facts/1: `facts` as in a report, `origins` with machine, time, source and unit
 * of each. */
void report_facts(struct buf *out, const struct evidence *evidence, struct str machine,
                  int64_t time);
/* A value as JSON: whole numbers as such, everything else as it was written. */
void report_fact_value(struct json *json, struct str value);
/* The facts in key order, of several with one key the last; allocated in the arena. */
const struct fact **report_facts_sorted(struct arena *arena, const struct evidence *evidence,
                                        size_t *n);
/* "2024-05-01T12:03:41Z" */
struct str report_time(struct arena *arena, int64_t time);

#endif
