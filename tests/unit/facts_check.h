/* facts_check.h - reads a text as a file of a name and looks at the facts that came of it. */
#ifndef FAULTLINE_TEST_FACTS_CHECK_H
#define FAULTLINE_TEST_FACTS_CHECK_H

#include "facts/facts.h"
#include "tests/unit/test.h"
#include "text/alike.h"

static const struct origin facts_origin = {
    .source = 0, .rank = -1, .time = TIME_UNKNOWN, .line = 1};

static inline struct evidence facts_of(const char *name, const char *text, const char *reader) {
    struct evidence evidence = {0};
    const struct fact_reader *found = facts_recognize(str_of(text), str_of(name));
    if (!found) fail_msg("nobody reads %s", name);
    assert_string_equal(found->id, reader);
    found->read(&evidence, str_of(text), &facts_origin);
    return evidence;
}

static inline struct evidence facts_in_log(const char *text) {
    struct evidence evidence = {0};
    struct alike *alike = facts_heads_new();
    facts_read_log_head(&evidence, str_of(text), &facts_origin, alike, NULL);
    alike_release(alike);
    return evidence;
}

/* The last fact of this key has this value. */
static inline void fact_is(const struct evidence *evidence, const char *key, const char *value) {
    struct str found = evidence_fact(evidence, str_of(key));
    if (!str_eq(found, str_of(value)))
        fail_msg("%s is '" STR_FMT "', not '%s'", key, STR_ARG(found), value);
}

/* Some fact of this key has this value (interfaces, devices: several share a key). */
static inline void fact_among(const struct evidence *evidence, const char *key, const char *value) {
    for (size_t i = 0; i < evidence->facts.n; i++)
        if (str_eq(evidence->facts.v[i].key, str_of(key)) &&
            str_eq(evidence->facts.v[i].value, str_of(value)))
            return;
    fail_msg("no %s is '%s'", key, value);
}

static inline void fact_unknown(const struct evidence *evidence, const char *key) {
    struct str found = evidence_fact(evidence, str_of(key));
    if (found.n) fail_msg("%s is '" STR_FMT "', but nothing says so", key, STR_ARG(found));
}

static inline uint32_t fact_line(const struct evidence *evidence, const char *key) {
    const struct fact *fact = evidence_fact_row(evidence, str_of(key));
    return fact ? fact->origin.line : 0;
}

#endif
