#include "app/live.h"

#include "facts/pick.h"
#include "input/input.h"
#include "text/text.h"

#include <time.h>

#define HOUR INT64_C(3600000000000)

/* ---- whose machine ---------------------------------------------------------------------- */

static bool same_host(struct str name, struct str machine) {
    return name.n > 0 && !evidence_same_host(name, STR("localhost")) &&
           evidence_same_host(name, machine);
}

static bool is_host_key(struct str key) {
    return str_eq(key, STR("host.name")) || str_eq(key, STR("env.HOSTNAME")) ||
           str_eq(key, STR("env.SLURMD_NODENAME"));
}

static bool is_uuid_key(struct str key) {
    return str_starts(key, STR("gpu.")) && str_ends(key, STR(".uuid"));
}

static bool has_uuid(const struct evidence *evidence, struct str uuid) {
    for (size_t i = 0; i < evidence->facts.n; i++)
        if (is_uuid_key(evidence->facts.v[i].key) && str_eq(evidence->facts.v[i].value, uuid))
            return true;
    return false;
}

bool live_is_same_machine(const struct evidence *evidence, const struct probe_report *report) {
    for (size_t i = 0; i < evidence->sources.n; i++)
        if (same_host(evidence->sources.v[i].host, report->machine)) return true;
    for (size_t i = 0; i < evidence->hits.n; i++)
        if (same_host(evidence->hits.v[i].first.host, report->machine)) return true;
    for (size_t i = 0; i < evidence->facts.n; i++) {
        const struct fact *fact = &evidence->facts.v[i];
        if (same_host(fact->machine, report->machine)) return true;
        if (is_host_key(fact->key) && same_host(fact->value, report->machine)) return true;
        if (is_uuid_key(fact->key) && has_uuid(&report->evidence, fact->value)) return true;
    }
    return false;
}

/* ---- the kernel's log in the time of the job -------------------------------------------- */

/* A time without a zone is this machine's local time. */
static int64_t to_utc(int64_t time, bool zoned) {
    time_t seconds = (time_t)(time / 1000000000);
    struct tm local;
    if (zoned || !gmtime_r(&seconds, &local)) return time;
    local.tm_isdst = -1;
    return (int64_t)mktime(&local) * 1000000000;
}

static bool job_time(const struct evidence *evidence, int64_t *first, int64_t *last) {
    *first = INT64_MAX;
    *last = INT64_MIN;
    for (size_t i = 0; i < evidence->hits.n; i++) {
        const struct origin *ends[] = {&evidence->hits.v[i].first, &evidence->hits.v[i].last};
        for (size_t e = 0; e < COUNT_OF(ends); e++) {
            if (ends[e]->time == TIME_UNKNOWN || ends[e]->yearless) continue;
            int64_t time = to_utc(ends[e]->time, ends[e]->zoned);
            if (time < *first) *first = time;
            if (time > *last) *last = time;
        }
    }
    return *first <= *last;
}

/* The lines of a kernel log that fall in the time of the job, with an hour around it; empty where
 * the job tells no time. */
static struct str kernel_lines(struct arena *arena, const struct evidence *evidence,
                               struct str text) {
    int64_t first, last;
    struct buf kept = {0};
    struct str line;
    if (!job_time(evidence, &first, &last)) return (struct str){0};
    while (str_line(&text, &line)) {
        struct place place = locate_line(line, NULL);
        if (place.time == TIME_UNKNOWN || place.yearless || place.dateless) continue;
        int64_t time = to_utc(place.time, place.zoned);
        if (time < first - HOUR || time > last + HOUR) continue;
        buf_str(&kept, line);
        buf_char(&kept, '\n');
    }
    struct str lines = arena_str(arena, buf_view(&kept));
    buf_release(&kept);
    return lines;
}

/* ---- together --------------------------------------------------------------------------- */

/* A list of interfaces or addresses has one key many times: only what a file of the job told before
 * keeps a live value out. */
static bool told(const struct evidence *evidence, size_t n, struct str key) {
    for (size_t i = 0; i < n; i++)
        if (str_eq(evidence->facts.v[i].key, key)) return true;
    return false;
}

/* dmesg, else the journal. */
static struct str kernel_text(const struct probe_report *report) {
    static const char *const ids[] = {"kernel", "journal"};
    for (size_t k = 0; k < COUNT_OF(ids); k++)
        for (int i = 0; i < report->n_results; i++)
            if (str_eq(report->results[i].id, str_of(ids[k])) &&
                str_eq(report->results[i].outcome, STR("ok")))
                return report->results[i].text;
    return (struct str){0};
}

static bool told_by(const struct fact *fact, const struct probe_report *report) {
    struct str id = fact->from;
    if (!str_starts(id, STR("probe "))) return false;
    id = str_sub(id, strlen("probe "), id.n);
    for (int i = 0; i < report->n_results; i++)
        if (str_eq(report->results[i].id, id)) return true;
    return false;
}

void live_forget(struct evidence *evidence, const struct probe_report *report) {
    size_t kept = 0;
    for (size_t i = 0; i < evidence->facts.n; i++)
        if (!told_by(&evidence->facts.v[i], report))
            evidence->facts.v[kept++] = evidence->facts.v[i];
    evidence->facts.n = kept;
}

static bool has_source(const struct evidence *evidence, struct str path) {
    for (size_t i = 0; i < evidence->sources.n; i++)
        if (str_eq(evidence->sources.v[i].path, path)) return true;
    return false;
}

void live_add(struct evidence *evidence, const struct kb *kb, const struct matcher *matcher,
              const struct probe_report *report) {
    struct arena arena = {0};
    struct str lines = kernel_lines(&arena, evidence, kernel_text(report));
    struct str name = STR("dmesg of this machine"); /* read once, however often one asks */
    if (lines.n && !has_source(evidence, name))
        input_read_text(evidence, kb, matcher, lines, name, NULL);
    size_t before = evidence->facts.n;
    for (size_t i = 0; i < report->evidence.facts.n; i++) {
        struct fact fact = report->evidence.facts.v[i];
        if (fact_is_state(fact.key))
            fact.key = arena_printf(&arena, "now." STR_FMT, STR_ARG(fact.key));
        if (!told(evidence, before, fact.key)) evidence_add_fact(evidence, &fact);
    }
    arena_release(&arena);
}
