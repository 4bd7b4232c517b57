#include "think/jobs.h"

#include "model/job_name.h"
#include "text/chars.h"

#include <stdlib.h>

enum { SHORT_MIN = 3 };

/* A number that is the rank is none of a job. */
static struct str number_of(const struct source *source) {
    struct str id = job_number(source->path, &(bool){false});
    int64_t value;
    return str_int(id, &value) && value == source->rank ? (struct str){0} : id;
}

static int compare_ids(const void *a, const void *b) {
    return job_number_cmp(*(const struct str *)a, *(const struct str *)b);
}

static int find_id(const struct jobs *jobs, struct str id) {
    for (int i = 0; i < jobs->n; i++)
        if (str_eq(jobs->ids[i], id)) return i;
    return -1;
}

/* The number that ends the name of an output, "train-1068.err", where it is shorter than those that
 * stand for jobs by themselves. */
static struct str short_number(const struct source *source, struct str *stream) {
    struct str path = source->path, name = path, component;
    while (str_split(&path, '/', &component)) name = component;
    size_t dot = name.n, start;
    while (dot && name.p[dot - 1] != '.') dot--;
    if (!dot || job_name_is_of_process(name)) return (struct str){0};
    *stream = str_sub(name, dot, name.n);
    for (start = dot - 1; start && is_digit(name.p[start - 1]);) start--;
    bool apart = start && (name.p[start - 1] == '-' || name.p[start - 1] == '_');
    return apart ? str_sub(name, start, dot - 1 - start) : (struct str){0};
}

/* A small cluster counts its jobs from 1: each wrote both of its streams, and no number is as short
 * as a rank's.  False: such numbers tell no jobs apart. */
static bool short_ids(const struct evidence *evidence, struct jobs *jobs) {
    struct str streams[JOBS_MAX]; /* of each job, the first */
    bool both = false;
    for (size_t i = 0; i < evidence->sources.n; i++) {
        const struct source *source = &evidence->sources.v[i];
        struct str stream = {0};
        struct str id = short_number(source, &stream);
        if (source->kind != KIND_LOG || !id.n) continue;
        if (source->rank >= 0 || id.n < SHORT_MIN || id.n >= JOB_DIGITS) return jobs->n = 0, false;
        int at = find_id(jobs, id);
        both |= at >= 0 && !str_eq(streams[at], stream);
        if (at >= 0) continue;
        if (jobs->n == JOBS_MAX) return jobs->n = 0, false;
        streams[jobs->n] = stream;
        jobs->ids[jobs->n++] = id;
    }
    if (!both) jobs->n = 0;
    return jobs->n > 1;
}

/* ---- folders ------------------------------------------------------------------------------- */

/* A job that is written again, or whose parts start one after the other, pauses for less. */
static const int64_t apart_ns = 20 * 3600 * SECOND_NS;

struct folder {
    struct str name;
    int64_t first, last; /* of what its logs tell */
};

/* How many bytes the folders have that all logs lie in. */
static size_t common_bytes(const struct evidence *evidence) {
    struct str common = {0};
    bool any = false;
    for (size_t i = 0; i < evidence->sources.n; i++) {
        struct str path = evidence->sources.v[i].path;
        if (evidence->sources.v[i].kind != KIND_LOG) continue;
        size_t n = 0, slash = 0;
        if (!any) common = path;
        any = true;
        for (; n < common.n && n < path.n && common.p[n] == path.p[n]; n++)
            if (path.p[n] == '/') slash = n + 1;
        common.n = slash;
    }
    return common.n;
}

/* The folder below the common one that a file lies in; empty: none, or that of an attempt. */
static struct str folder_of(struct str path, size_t common) {
    if (path.n <= common) return (struct str){0};
    struct str rest = str_sub(path, common, path.n), name = {0};
    str_split(&rest, '/', &name);
    return rest.n && !str_starts(name, STR("attempt_")) ? name : (struct str){0};
}

static int compare_folders(const void *a, const void *b) {
    const struct folder *x = a, *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

static struct folder *folder_at(struct folder *folders, int *n, struct str name) {
    for (int i = 0; i < *n; i++)
        if (str_eq(folders[i].name, name)) return &folders[i];
    if (*n == JOBS_MAX) return NULL;
    folders[*n] = (struct folder){name, INT64_MAX, TIME_UNKNOWN};
    return &folders[(*n)++];
}

/* Folders whose logs lie more than a night apart, each from the next.  0: they do not, or somewhere
 * nothing tells. */
static int folders_apart(const struct evidence *evidence, size_t common, struct folder *folders) {
    int n = 0;
    for (size_t i = 0; i < evidence->sources.n; i++) {
        const struct source *source = &evidence->sources.v[i];
        if (source->kind != KIND_LOG) continue;
        struct folder *folder = folder_at(folders, &n, folder_of(source->path, common));
        if (!folder || !folder->name.n) return 0;
        if (!time_has_year(source->first_time) || source->last_time < source->first_time) continue;
        if (source->first_time < folder->first) folder->first = source->first_time;
        if (source->last_time > folder->last) folder->last = source->last_time;
    }
    qsort(folders, (size_t)n, sizeof *folders, compare_folders);
    for (int i = 0; i < n; i++)
        if (folders[i].last == TIME_UNKNOWN ||
            (i && folders[i].first - folders[i - 1].last < apart_ns))
            return 0;
    return n;
}

static struct jobs jobs_of_folders(const struct evidence *evidence, struct jobs jobs) {
    struct folder folders[JOBS_MAX];
    size_t common = common_bytes(evidence);
    jobs.n = folders_apart(evidence, common, folders);
    if (jobs.n < 2) return jobs.n = 0, jobs;
    for (int i = 0; i < jobs.n; i++) jobs.ids[i] = folders[i].name;
    for (size_t i = 0; i < evidence->sources.n; i++)
        jobs.of[i] = find_id(&jobs, folder_of(evidence->sources.v[i].path, common)) + 1;
    return jobs;
}

/* ---- all of it ----------------------------------------------------------------------------- */

struct jobs jobs_find(const struct evidence *evidence, struct arena *arena) {
    struct jobs jobs = {.ids = ARENA_ARRAY(arena, struct str, JOBS_MAX),
                        .of = ARENA_ARRAY(arena, int, evidence->sources.n + 1)};
    for (size_t i = 0; i < evidence->sources.n; i++) {
        const struct source *source = &evidence->sources.v[i];
        if (source->kind != KIND_LOG) continue;
        struct str id = number_of(source);
        if (!id.n || find_id(&jobs, id) >= 0) continue;
        if (jobs.n == JOBS_MAX) return jobs.n = 0, jobs; /* such numbers tell no jobs apart */
        jobs.ids[jobs.n++] = id;
    }
    struct str stream;
    bool shorter = jobs.n == 0 && short_ids(evidence, &jobs);
    if (jobs.n < 2) return jobs_of_folders(evidence, jobs);
    qsort(jobs.ids, (size_t)jobs.n, sizeof *jobs.ids, compare_ids);
    for (size_t i = 0; i < evidence->sources.n; i++)
        jobs.of[i] = find_id(&jobs, shorter ? short_number(&evidence->sources.v[i], &stream)
                                            : number_of(&evidence->sources.v[i])) +
                     1;
    return jobs;
}

static bool is_of_job(const struct jobs *jobs, int source, int job) {
    return source < 0 || !jobs->of[source] || jobs->of[source] == job;
}

/* Counted first: of many jobs each has few rows. */
#define KEEP_ROWS(list, source_of)                                                                 \
    do {                                                                                           \
        size_t kept = 0;                                                                           \
        for (size_t i = 0; i < evidence->list.n; i++)                                              \
            kept += is_of_job(jobs, evidence->list.v[i].source_of, job);                           \
        own->list.v = arena_alloc(arena, sizeof *own->list.v * (kept + 1));                        \
        own->list.n = 0;                                                                           \
        own->list.cap = kept;                                                                      \
        for (size_t i = 0; i < evidence->list.n; i++)                                              \
            if (is_of_job(jobs, evidence->list.v[i].source_of, job))                               \
                own->list.v[own->list.n++] = evidence->list.v[i];                                  \
    } while (0)

const struct evidence *jobs_evidence(const struct evidence *evidence, const struct jobs *jobs,
                                     int job, struct arena *arena) {
    struct evidence *own = ARENA_NEW(arena, struct evidence);
    *own = *evidence;
    own->arena = (struct arena){0};
    KEEP_ROWS(facts, origin.source);
    KEEP_ROWS(tracks, origin.source);
    KEEP_ROWS(standouts, origin.source);
    KEEP_ROWS(documents, source);
    KEEP_ROWS(voices, source);
    own->ranks.v = ARENA_ARRAY(arena, int, own->voices.n + 1);
    own->ranks.n = own->ranks.cap = 0;
    for (size_t i = 0; i < own->voices.n; i++) /* by rank */
        if (!own->ranks.n || own->ranks.v[own->ranks.n - 1] != own->voices.v[i].rank)
            own->ranks.v[own->ranks.n++] = own->voices.v[i].rank;
    return own;
}

int64_t job_end(const struct evidence *evidence, const struct jobs *jobs, int job) {
    int64_t end = TIME_UNKNOWN;
    for (size_t i = 0; i < evidence->sources.n; i++)
        if (jobs->of[i] == job && evidence->sources.v[i].last_time > end)
            end = evidence->sources.v[i].last_time;
    return end;
}
