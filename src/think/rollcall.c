#include "think/rollcall.h"

#include "think/rollcall_seen.h"
#include "think/rollcall_table.h"

enum { STALL_MARGIN = 2, KINDS_MAX = 8, RANKS_SHOWN = 24 };

/* Marks of a rank. */
enum { MISSING = 1, WAITING = 2, ABSENT = 4, STALLED = 8, MISMATCHED = 16 };

struct roll {
    const struct evidence *evidence;
    struct roll_table table;
    unsigned char *marks;              /* by rank */
    unsigned char *told;               /* by rank: it left a dump or a line */
    const struct roll_group *mismatch; /* the first group whose members disagree, or NULL */
    int64_t mismatch_seq;
};

/* ---- one group ----------------------------------------------------------------------------- */

/* The first sequence number that nobody completed and somebody began; 0: none. */
static int64_t group_front(const struct roll_group *group) {
    int64_t top = 0;
    for (size_t i = 0; i < group->rows.n; i++)
        if (group->rows.v[i].completed > top) top = group->rows.v[i].completed;
    for (size_t i = 0; i < group->rows.n; i++)
        if (group->rows.v[i].enqueued > top) return top + 1;
    return 0;
}

static int members_of(const struct roll_group *group) {
    return group->members ? group->n_members : (int)group->rows.n;
}

static int member_at(const struct roll_group *group, int i) {
    return group->members ? group->members[i] : group->rows.v[i].rank;
}

static bool came(const struct roll_group *group, int rank, int64_t seq) {
    const struct roll_row *row = roll_row(group, rank);
    return row && row->enqueued >= seq;
}

/* Silence says something only where most of the others speak, and where all that spoke were kept:
 * of the lines of one signal only the first LIMIT_HITS are. */
static bool silence_tells(const struct roll *roll, const struct roll_group *group) {
    if (!roll->table.dumps && roll->table.ranks.n >= LIMIT_HITS) return false;
    int told = 0, n = members_of(group);
    for (int i = 0; i < n; i++) told += roll->told[member_at(group, i)];
    return told * 2 >= n && told > 1;
}

static void call_group(struct roll *roll, const struct roll_group *group) {
    int64_t seq = group_front(group);
    int n = members_of(group), missing = 0;
    if (!seq) return;
    bool silence = silence_tells(roll, group);
    for (int i = 0; i < n; i++) {
        int rank = member_at(group, i);
        if (came(group, rank, seq)) continue;
        if (!roll->told[rank] && !silence) continue;
        roll->marks[rank] |= roll->told[rank] ? MISSING : ABSENT;
        missing++;
    }
    for (int i = 0; missing && i < n; i++)
        if (came(group, member_at(group, i), seq)) roll->marks[member_at(group, i)] |= WAITING;
}

/* Those that no member completes before the others have come. */
static bool needs_all(struct str name) {
    return str_has(name, STR("all_")) || str_has(name, STR("reduce_scatter")) ||
           str_has(name, STR("barrier")) || str_has(name, STR("ALL"));
}

/* It began a collective that others completed long ago: the device or the process stopped in it. */
static void call_stalled(struct roll *roll, const struct roll_group *group) {
    int64_t front = group_front(group);
    for (size_t i = 0; front && i < group->rows.n; i++) {
        const struct roll_row *row = &group->rows.v[i];
        const struct roll_op *op = roll_op(row, row->completed + 1);
        if (op && needs_all(op->name) && row->completed + STALL_MARGIN < front)
            roll->marks[row->rank] |= STALLED;
    }
}

/* ---- disagreement -------------------------------------------------------------------------- */

static bool is_point_to_point(struct str name) {
    return str_has(name, STR("coalesced")) || str_has(name, STR("COALESCED")) ||
           str_has(name, STR("send")) || str_has(name, STR("recv"));
}

static bool has_fixed_size(struct str name) {
    bool varies = str_has(name, STR("all_to_all")) || str_has(name, STR("ALLTOALL")) ||
                  str_has(name, STR("gather")) || str_has(name, STR("scatter"));
    return !varies || str_has(name, STR("_all_gather_base")) ||
           str_has(name, STR("_reduce_scatter_base"));
}

static bool agree(const struct roll_op *a, const struct roll_op *b) {
    if (!str_eq(a->name, b->name)) return false;
    if (a->type.n && b->type.n && !str_eq(a->type, b->type)) return false;
    return !has_fixed_size(a->name) || (a->in == b->in && a->out == b->out);
}

/* Marks the members that are not of the largest party; of two equal parties all. */
static bool call_mismatch(struct roll *roll, const struct roll_group *group, int64_t seq) {
    const struct roll_op *kinds[KINDS_MAX];
    int counts[KINDS_MAX] = {0}, n = 0, best = 0, ties = 0;
    for (size_t i = 0; i < group->rows.n; i++) {
        const struct roll_op *op = roll_op(&group->rows.v[i], seq);
        int k = 0;
        if (!op || is_point_to_point(op->name)) continue;
        while (k < n && !agree(kinds[k], op)) k++;
        if (k == n && n < KINDS_MAX) kinds[n++] = op;
        if (k < n) counts[k]++;
    }
    if (n < 2) return false;
    for (int k = 0; k < n; k++) best = counts[k] > counts[best] ? k : best;
    for (int k = 0; k < n; k++) ties += counts[k] == counts[best];
    for (size_t i = 0; i < group->rows.n; i++) {
        const struct roll_op *op = roll_op(&group->rows.v[i], seq);
        if (op && !is_point_to_point(op->name) && (ties > 1 || !agree(kinds[best], op)))
            roll->marks[group->rows.v[i].rank] |= MISMATCHED;
    }
    return true;
}

/* Where members disagree, some may have got past it: looked at is also what the slowest is in. */
static void call_disagreement(struct roll *roll, const struct roll_group *group) {
    int64_t front = group_front(group), slowest = front;
    if (!front || roll->mismatch) return;
    for (size_t i = 0; i < group->rows.n; i++)
        if (group->rows.v[i].ops.n && group->rows.v[i].completed + 1 < slowest)
            slowest = group->rows.v[i].completed + 1;
    int64_t seq = call_mismatch(roll, group, slowest) ? slowest
                  : call_mismatch(roll, group, front) ? front
                                                      : 0;
    if (!seq) return;
    roll->mismatch = group;
    roll->mismatch_seq = seq;
}

/* ---- the verdict over all groups ----------------------------------------------------------- */

static int marked(const struct roll *roll, unsigned with, unsigned without, int **ranks) {
    int n = 0;
    for (int r = 0; r <= roll->table.most; r++)
        n += (roll->marks[r] & with) && !(roll->marks[r] & without);
    *ranks = ARENA_ARRAY(roll->table.arena, int, n + 1);
    n = 0;
    for (int r = 0; r <= roll->table.most; r++)
        if ((roll->marks[r] & with) && !(roll->marks[r] & without)) (*ranks)[n++] = r;
    return n;
}

/* Who did not come and waits nowhere else; else who left nothing; else who waits in a circle. */
static void find_missing(const struct roll *roll, struct rollcall *call) {
    call->n_missing = marked(roll, MISSING, WAITING, &call->missing);
    if (call->n_missing) return;
    call->n_missing = marked(roll, ABSENT, 0, &call->missing);
    call->undumped = call->n_missing > 0;
    if (!call->n_missing) call->n_missing = marked(roll, MISSING, 0, &call->missing);
}

static bool lists(const int *ranks, int n, int rank) {
    for (int i = 0; i < n; i++)
        if (ranks[i] == rank) return true;
    return false;
}

static int64_t began(const struct roll_group *group, int64_t seq, struct str *name) {
    int64_t first = INT64_MAX;
    for (size_t i = 0; i < group->rows.n; i++) {
        const struct roll_op *op = roll_op(&group->rows.v[i], seq);
        if (!op) continue;
        if (!name->n) *name = op->name;
        if (op->created < first) first = op->created;
    }
    return first;
}

static bool misses(const struct roll *roll, const struct rollcall *call,
                   const struct roll_group *group, int64_t seq) {
    for (int i = 0; i < call->n_missing; i++) {
        int rank = call->missing[i], n = members_of(group);
        bool member = false;
        for (int m = 0; m < n && !member; m++) member = member_at(group, m) == rank;
        if (member && !came(group, rank, seq)) return true;
    }
    return call->n_missing == 0 && call->n_stalled == 0 && roll->table.groups.n > 0;
}

static bool stalls(const struct rollcall *call, const struct roll_group *group) {
    for (size_t i = 0; i < group->rows.n; i++)
        if (lists(call->stalled, call->n_stalled, group->rows.v[i].rank)) return true;
    return false;
}

/* The collective that is waited for longest, of those that a rank to blame did not come to. */
static const struct roll_group *find_group(const struct roll *roll, const struct rollcall *call,
                                           int64_t *seq) {
    const struct roll_group *best = NULL;
    int64_t earliest = INT64_MAX;
    if (roll->mismatch) {
        *seq = roll->mismatch_seq;
        return roll->mismatch;
    }
    for (size_t i = 0; i < roll->table.groups.n; i++) {
        const struct roll_group *group = &roll->table.groups.v[i];
        int64_t front = group_front(group);
        struct str name = {0};
        if (!front) continue;
        bool blamed = call->n_missing || !call->n_stalled ? misses(roll, call, group, front)
                                                          : stalls(call, group);
        int64_t since = blamed ? began(group, front, &name) : INT64_MAX;
        if (!blamed || (best && since >= earliest)) continue;
        best = group;
        earliest = since;
        *seq = front;
    }
    return best;
}

/* ---- what is said -------------------------------------------------------------------------- */

static struct str ranks_text(struct arena *arena, const int *ranks, int n) {
    struct str text = {0};
    for (int i = 0; i < n && i < RANKS_SHOWN; i++)
        text = arena_printf(arena, STR_FMT "%s%d", STR_ARG(text), i ? ", " : "", ranks[i]);
    return n > RANKS_SHOWN
               ? arena_printf(arena, STR_FMT " and %d more", STR_ARG(text), n - RANKS_SHOWN)
               : text;
}

static struct str named(struct arena *arena, const int *ranks, int n) {
    return arena_printf(arena, "%s " STR_FMT, n > 1 ? "ranks" : "rank",
                        STR_ARG(ranks_text(arena, ranks, n)));
}

static struct str sentence(struct arena *arena, const struct rollcall *call) {
    struct str what =
        arena_printf(arena, STR_FMT " of " STR_FMT ", sequence number %lld",
                     STR_ARG(call->collective), STR_ARG(call->group), (long long)call->seq);
    struct str also = {0};
    if (call->n_stalled)
        also = arena_printf(arena, "; " STR_FMT " stopped in a collective that others completed",
                            STR_ARG(named(arena, call->stalled, call->n_stalled)));
    if (call->n_mismatched)
        return arena_printf(
            arena,
            STR_FMT " came to " STR_FMT " with another operation, size or type than the others",
            STR_ARG(named(arena, call->mismatched, call->n_mismatched)), STR_ARG(what));
    if (call->n_missing)
        return arena_printf(arena, STR_FMT " did not come to " STR_FMT "; %d of %d wait%s" STR_FMT,
                            STR_ARG(named(arena, call->missing, call->n_missing)), STR_ARG(what),
                            call->waiting, call->members,
                            call->undumped ? "; it left no record of its own" : "", STR_ARG(also));
    return arena_printf(arena, "all %d ranks came to " STR_FMT ", and it does not complete" STR_FMT,
                        call->members, STR_ARG(what), STR_ARG(also));
}

/* Of a rank that left no record the last line of its own log, if it has one. */
static struct hang_last last_written(const struct evidence *evidence, int rank) {
    for (size_t i = 0; i < evidence->sources.n; i++) {
        const struct source *source = &evidence->sources.v[i];
        if (source->rank == rank && source->kind == KIND_LOG && source->last_line.n)
            return (struct hang_last){rank, (int)i, source->last_line};
    }
    return (struct hang_last){rank, -1, STR("it left no record")};
}

static void add_last(const struct roll *roll, struct rollcall *call, const int *ranks, int n) {
    for (int i = 0; i < n && call->n_last < HANG_LAST; i++) {
        struct hang_last row = {.rank = ranks[i], .source = -1};
        bool listed = false;
        for (int k = 0; k < call->n_last; k++) listed |= call->last[k].rank == ranks[i];
        for (size_t k = 0; k < roll->table.ranks.n && row.source < 0; k++)
            if (roll->table.ranks.v[k].rank == ranks[i]) {
                row.source = roll->table.ranks.v[k].source;
                row.what = roll->table.ranks.v[k].last;
            }
        if (row.source < 0) row = last_written(roll->evidence, ranks[i]);
        if (!listed) call->last[call->n_last++] = row;
    }
}

static void settle(const struct roll *roll, const struct roll_group *group, struct rollcall *call) {
    struct arena *arena = roll->table.arena;
    call->group = group->about.n ? group->about : group->name;
    call->members = members_of(group);
    for (int i = 0; i < call->members; i++)
        call->waiting += came(group, member_at(group, i), call->seq);
    began(group, call->seq, &call->collective);
    if (!call->collective.n) call->collective = STR("a collective");
    call->last = ARENA_ARRAY(arena, struct hang_last, HANG_LAST);
    add_last(roll, call, call->mismatched, call->n_mismatched);
    add_last(roll, call, call->missing, call->n_missing);
    add_last(roll, call, call->stalled, call->n_stalled);
    call->kind = call->n_mismatched ? "mismatch" : call->n_missing ? "missing" : "stalled";
    call->text = sentence(arena, call);
}

/* Each waited in it for as long as it may take: nobody is missing, it is the collective that does
 * not end. */
static bool all_came(const struct roll *roll, const struct roll_group *group, int64_t seq) {
    int n = members_of(group);
    bool all = n > 1 && n == roll->table.world;
    for (int i = 0; i < n && all; i++)
        all = roll_op(roll_row(group, member_at(group, i)), seq) != NULL;
    return all;
}

static struct rollcall *rollcall_told(const struct view *view) {
    struct roll roll = {.evidence = view->evidence};
    roll_table_read(&roll.table, view);
    if (roll.table.most < 0 || !roll.table.groups.n) return NULL;
    roll.marks = ARENA_ARRAY(view->room, unsigned char, roll.table.most + 1);
    roll.told = ARENA_ARRAY(view->room, unsigned char, roll.table.most + 1);
    for (size_t i = 0; i < roll.table.ranks.n; i++) roll.told[roll.table.ranks.v[i].rank] = 1;
    for (size_t i = 0; i < roll.table.groups.n; i++) {
        call_group(&roll, &roll.table.groups.v[i]);
        call_disagreement(&roll, &roll.table.groups.v[i]);
        if (roll.table.dumps) call_stalled(&roll, &roll.table.groups.v[i]);
    }
    struct rollcall *call = ARENA_NEW(view->arena, struct rollcall);
    find_missing(&roll, call);
    call->n_mismatched = marked(&roll, MISMATCHED, 0, &call->mismatched);
    call->n_stalled = marked(&roll, STALLED, 0, &call->stalled);
    const struct roll_group *group = find_group(&roll, call, &call->seq);
    bool told = group && (roll.table.dumps || call->n_missing || call->n_mismatched ||
                          all_came(&roll, group, call->seq));
    if (!told) return NULL;
    settle(&roll, group, call);
    /* lines alone are of several moments: most ranks cannot be who is waited for */
    if (!roll.table.dumps && call->n_missing * 2 > call->members) return NULL;
    return call;
}

struct rollcall *rollcall_take(const struct view *view) {
    struct rollcall *call = rollcall_told(view);
    return call ? call : rollcall_seen(view);
}

/* ---- for others ---------------------------------------------------------------------------- */

struct str rollcall_fact(const struct view *view, struct str name) {
    const struct rollcall *call = view->rollcall;
    struct arena *arena = view->arena;
    if (!call) return (struct str){0};
    if (str_eq(name, STR("kind"))) return str_of(call->kind);
    if (str_eq(name, STR("group"))) return call->group;
    if (str_eq(name, STR("collective"))) return call->collective;
    if (str_eq(name, STR("text"))) return call->text;
    if (str_eq(name, STR("seq"))) return arena_printf(arena, "%lld", (long long)call->seq);
    if (str_eq(name, STR("waiting"))) return arena_printf(arena, "%d", call->waiting);
    if (str_eq(name, STR("world"))) return arena_printf(arena, "%d", call->members);
    if (str_eq(name, STR("missing"))) return ranks_text(arena, call->missing, call->n_missing);
    if (str_eq(name, STR("stalled"))) return ranks_text(arena, call->stalled, call->n_stalled);
    if (str_eq(name, STR("mismatch")))
        return ranks_text(arena, call->mismatched, call->n_mismatched);
    return (struct str){0};
}

void rollcall_place(const struct view *view, int failure, struct fault_line *line) {
    static const char hangs[][32] = {"flight-recorder-roll-call", "hang-training",
                                     "nccl-collective-timeout", "infer-hang-multi-gpu"};
    const struct rollcall *call = view->rollcall;
    bool ours = false;
    for (size_t i = 0; i < COUNT_OF(hangs) && failure >= 0; i++)
        ours |= str_eq(view->kb->failures[failure].id, str_of(hangs[i]));
    if (!call || !ours || !call->n_last) return;
    line->called = true;
    line->origin.rank = call->last[0].rank;
    line->origin.host = (struct str){0};
    if (call->last[0].source < 0) return;
    const struct source *source = &view->evidence->sources.v[call->last[0].source];
    bool log = source->kind == KIND_LOG; /* where it ends; a recorder's document has one place */
    line->text = log ? source->last_line : (struct str){0};
    line->origin = (struct origin){.source = call->last[0].source,
                                   .line = log ? source->last_line_no : 1,
                                   .rank = call->last[0].rank,
                                   .host = source->host,
                                   .time = log ? source->last_time : TIME_UNKNOWN,
                                   .attempt = log ? source->attempts : 1};
}
