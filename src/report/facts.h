/* facts.h - facts alone, without a diagnosis: the JSON of `faultline probe`. */
#ifndef FAULTLINE_REPORT_FACTS_H
#define FAULTLINE_REPORT_FACTS_H

#include "base/json.h"
#include "model/evidence.h"

/* Schema faultline.facts/1: `facts` as in a report, `origins` with machine, time, source and unit
 * of each. */
void report_facts(struct buf *out, const struct evidence *evidence, struct str machine,
                  int64_t time);
/* The member `facts`: a member a key, in key order, of several facts with one key the last; whole
 * numbers as such, everything else as it was written.  `ours` says of each source whether its facts
 * count (NULL: all do); facts without a source always do. */
void report_facts_member(struct json *json, const struct evidence *evidence, const bool *ours);
/* "2024-05-01T12:03:41Z" */
struct str report_time(struct arena *arena, int64_t time);

#endif
