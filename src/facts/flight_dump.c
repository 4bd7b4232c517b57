/* Versions differ: sequence numbers are collective_seq_id or seq_id, a group is a pair, a name or a
 * number, ranks are a list or its text. */
#include "facts/flight_dump.h"

#include "facts/flight.h"
#include "text/chars.h"

#include <math.h>
#include <stdlib.h>

/* Values that share their children make small pickles of huge tables: what no dump holds is not
 * looked into. */
static bool is_row(const struct json_value *value) {
    return value->type == JSON_OBJECT && value->n <= DUMP_MEMBERS;
}

static int64_t integer(const struct json_value *value, int64_t otherwise) {
    if (!value || value->type != JSON_NUMBER || !(fabs(value->number) < 9.2e18)) return otherwise;
    return (int64_t)value->number;
}

static struct str text_of(struct dump *dump, const struct json_value *value) {
    return json_scalar(dump->arena, value);
}

/* ---- ranks --------------------------------------------------------------------------------- */

typedef VEC(int) int_vec;

static int compare_ints(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static void add_rank(struct dump *dump, int_vec *ranks, int64_t rank) {
    if (rank >= 0 && rank < DUMP_RANKS && dump->listed++ < DUMP_LISTED)
        vec_push(dump->arena, ranks, (int)rank);
}

/* Of a list, or of its text "[0, 1]"; ascending and distinct. */
static int_vec ranks_of(struct dump *dump, const struct json_value *value) {
    int_vec ranks = {0};
    for (const struct json_value *at = value ? value->first : NULL;
         at && dump->listed < DUMP_LISTED; at = at->next)
        add_rank(dump, &ranks, integer(at, -1));
    struct str text = value && value->type == JSON_STRING ? value->text : (struct str){0};
    for (size_t i = 0; i < text.n && dump->listed < DUMP_LISTED;) {
        size_t end = i;
        int64_t rank;
        while (end < text.n && is_digit(text.p[end])) end++;
        if (end > i && str_int(str_sub(text, i, end - i), &rank)) add_rank(dump, &ranks, rank);
        i = end > i ? end : i + 1;
    }
    if (ranks.n) qsort(ranks.v, ranks.n, sizeof *ranks.v, compare_ints);
    size_t kept = 0;
    for (size_t i = 0; i < ranks.n; i++)
        if (!kept || ranks.v[kept - 1] != ranks.v[i]) ranks.v[kept++] = ranks.v[i];
    ranks.n = kept;
    return ranks;
}

static bool holds(const int_vec *ranks, int rank) {
    return ranks->n && bsearch(&rank, ranks->v, ranks->n, sizeof rank, compare_ints);
}

static int_vec common(struct dump *dump, const int_vec *a, const int_vec *b) {
    int_vec both = {0};
    for (size_t i = 0; i < a->n; i++)
        if (holds(b, a->v[i])) vec_push(dump->arena, &both, a->v[i]);
    return both;
}

/* "nccl_trace_rank_12", "_dump_3", "rank7.json": the last number of the file's name. */
static int rank_in_name(struct str path) {
    size_t end = path.n, start;
    int64_t rank;
    while (end > 0 && path.p[end - 1] != '/' && !is_digit(path.p[end - 1])) end--;
    for (start = end; start > 0 && is_digit(path.p[start - 1]);) start--;
    bool digits = end > start && str_int(str_sub(path, start, end - start), &rank);
    return digits && rank < DUMP_RANKS ? (int)rank : -1;
}

/* ---- groups -------------------------------------------------------------------------------- */

static struct dump_group *group_of(struct dump *dump, struct str name, struct str about) {
    for (size_t i = 0; i < dump->groups.n; i++)
        if (str_eq(dump->groups.v[i].name, name)) return &dump->groups.v[i];
    if (dump->groups.n >= DUMP_GROUPS) return NULL;
    struct dump_group group = {.name = name, .about = about};
    vec_push(dump->arena, &dump->groups, group);
    return &dump->groups.v[dump->groups.n - 1];
}

/* Reads the groups; what all of them have in common names the rank, if it is one. */
static void read_groups(struct dump *dump, const struct json_value *config, int rank) {
    int_vec mine = {0}, world = {0};
    bool any = false;
    int groups = 0;
    for (const struct json_value *at = config ? config->first : NULL; at; at = at->next) {
        if (!is_row(at) || groups >= DUMP_GROUPS) continue;
        groups++;
        struct str about = text_of(dump, json_get(at, STR("desc")));
        int_vec ranks = ranks_of(dump, json_get(at, STR("ranks")));
        struct dump_group *group = group_of(dump, at->key, about);
        if (!group || !ranks.n) continue;
        group->runs = flight_runs(dump->arena, ranks.v, ranks.n);
        if (ranks.n > world.n) world = ranks;
        mine = any ? common(dump, &mine, &ranks) : ranks;
        any = true;
    }
    if (world.n && world.v[0] == 0) dump->world = world.v[world.n - 1] + 1;
    dump->rank = rank;
    if (any && !holds(&mine, rank)) dump->rank = mine.n == 1 ? mine.v[0] : -1;
}

/* ---- entries ------------------------------------------------------------------------------- */

/* The number of elements of [[4096, 5120], [16]]. */
static double elements(const struct json_value *sizes) {
    double sum = 0;
    int n = 0;
    for (const struct json_value *at = sizes ? sizes->first : NULL; at && n < 256;
         at = at->next, n++) {
        double product = 1;
        int dimensions = 0;
        for (const struct json_value *d = at->first; d && dimensions < 16;
             d = d->next, dimensions++)
            if (d->type == JSON_NUMBER && d->number >= 0) product *= d->number;
        sum += product;
    }
    return sum < 1e18 ? sum : 0;
}

/* "4096x5120,16" */
static void add_sizes(struct buf *out, const struct json_value *sizes) {
    int n = 0;
    for (const struct json_value *at = sizes ? sizes->first : NULL; at && n < 4; at = at->next) {
        if (n++) buf_char(out, ',');
        int dimensions = 0;
        for (const struct json_value *d = at->first; d && dimensions < 8; d = d->next)
            buf_printf(out, "%s%lld", dimensions++ ? "x" : "", (long long)integer(d, 0));
        if (!dimensions) buf_str(out, STR("scalar"));
    }
}

static struct str sizes_text(struct dump *dump, const struct json_value *entry) {
    struct buf out = {.limit = 120};
    add_sizes(&out, json_get(entry, STR("input_sizes")));
    buf_str(&out, STR(" to "));
    add_sizes(&out, json_get(entry, STR("output_sizes")));
    struct str text = arena_str(dump->arena, buf_view(&out));
    buf_release(&out);
    return text;
}

static bool is_library(struct str path) {
    return !str_ends(path, STR(".py")) || str_has(path, STR("/torch/")) ||
           str_has(path, STR("/site-packages/deepspeed/comm/")) || str_starts(path, STR("<"));
}

/* Frames stand innermost first; the first that is not torch's own says most. */
static struct str frame_of(struct dump *dump, const struct json_value *frames) {
    const struct json_value *best = frames ? frames->first : NULL;
    int n = 0;
    for (const struct json_value *at = best; at && n < 64; at = at->next, n++) {
        if (!is_row(at) || is_library(text_of(dump, json_get(at, STR("filename"))))) continue;
        best = at;
        break;
    }
    if (!best || !is_row(best)) return (struct str){0};
    struct str path = text_of(dump, json_get(best, STR("filename")));
    if (!path.n) return (struct str){0};
    return arena_printf(dump->arena, STR_FMT ":%lld " STR_FMT, STR_ARG(path),
                        (long long)integer(json_get(best, STR("line")), 0),
                        STR_ARG(text_of(dump, json_get(best, STR("name")))));
}

static struct dump_op op_of(struct dump *dump, const struct json_value *entry) {
    const struct json_value *types = json_get(entry, STR("input_dtypes"));
    const struct json_value *seq = json_get(entry, STR("collective_seq_id"));
    struct dump_op op = {.seq = integer(seq ? seq : json_get(entry, STR("seq_id")), 0)};
    op.created = integer(json_get(entry, STR("time_created_ns")), 0);
    op.name = text_of(dump, json_get(entry, STR("profiling_name")));
    op.state = text_of(dump, json_get(entry, STR("state")));
    op.type = text_of(dump, types && types->first ? types->first : types);
    op.in = elements(json_get(entry, STR("input_sizes")));
    op.out = elements(json_get(entry, STR("output_sizes")));
    return op;
}

/* What costs memory is made for the few that are kept. */
static void op_detail(struct dump *dump, struct dump_op *op, const struct json_value *entry) {
    op->sizes = sizes_text(dump, entry);
    op->frame = frame_of(dump, json_get(entry, STR("frames")));
}

static struct dump_group *entry_group(struct dump *dump, const struct json_value *entry) {
    const struct json_value *pair = json_get(entry, STR("process_group"));
    const struct json_value *first = pair && pair->type == JSON_ARRAY ? pair->first : NULL;
    struct str name = text_of(dump, first), about = {0};
    if (first && first->next) about = text_of(dump, first->next);
    if (!name.n) name = text_of(dump, json_get(entry, STR("pg_name")));
    if (!name.n) name = text_of(dump, json_get(entry, STR("pg_id")));
    return group_of(dump, name, about);
}

static void read_status(struct dump_group *group, const struct json_value *status) {
    int64_t enqueued = integer(json_get(status, STR("last_enqueued_collective")), 0);
    int64_t completed = integer(json_get(status, STR("last_completed_collective")), 0);
    if (enqueued > group->enqueued) group->enqueued = enqueued;
    if (completed > group->completed) group->completed = completed;
}

static bool is_completed(const struct json_value *entry, const struct dump_op *op) {
    const struct json_value *retired = json_get(entry, STR("retired"));
    return str_eq(op->state, STR("completed")) || (retired && retired->type == JSON_TRUE);
}

static void read_entry(struct dump *dump, const struct json_value *entry,
                       const struct json_value *status) {
    struct dump_group *group = entry_group(dump, entry);
    struct dump_op op = op_of(dump, entry);
    if (!group || !op.name.n) return;
    if (!entry->next) {
        op_detail(dump, &op, entry);
        dump->last = op;
        dump->last_group = group->about.n ? group->about : group->name;
    }
    const struct json_value *p2p = json_get(entry, STR("is_p2p"));
    if (p2p && p2p->type == JSON_TRUE) return;
    if (!group->has_last) {
        struct str id = text_of(dump, json_get(entry, STR("pg_id")));
        read_status(group, json_get(status, id));
    }
    if (op.seq > group->enqueued) group->enqueued = op.seq;
    if (is_completed(entry, &op)) {
        if (op.seq > group->completed) group->completed = op.seq;
    } else {
        group->pending_all++;
        if (group->n_pending < DUMP_PENDING) {
            op_detail(dump, &op, entry);
            group->pending[group->n_pending++] = op;
        }
    }
    group->last = op;
    group->has_last = true;
}

/* A group completes in order: what lies before its first incomplete collective is done. */
static void settle_group(struct dump_group *group) {
    if (!group->n_pending) return;
    int64_t before = group->pending[0].seq - 1;
    if (before > group->completed) group->completed = before;
}

bool dump_read(struct dump *dump, const struct json_value *root, struct str path, int rank) {
    const struct json_value *entries =
        root->type == JSON_ARRAY ? root : json_get(root, STR("entries"));
    const struct json_value *config = json_get(root, STR("pg_config"));
    if (!config && (!entries || entries->type != JSON_ARRAY)) return false;
    int64_t own = integer(json_get(root, STR("rank")), -1);
    if (own >= 0 && own < DUMP_RANKS) rank = (int)own;
    if (rank < 0) rank = rank_in_name(path);
    dump->nccl = text_of(dump, json_get(root, STR("nccl_version")));
    read_groups(dump, config, rank);
    int skip = entries && entries->n > DUMP_ENTRIES ? entries->n - DUMP_ENTRIES : 0;
    for (const struct json_value *at = entries ? entries->first : NULL; at; at = at->next)
        if (skip-- <= 0 && is_row(at)) read_entry(dump, at, json_get(root, STR("pg_status")));
    for (size_t i = 0; i < dump->groups.n; i++) settle_group(&dump->groups.v[i]);
    return true;
}
