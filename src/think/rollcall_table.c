/* Documents and watchdog lines become rows. */
#include "think/rollcall_table.h"

#include <stdlib.h>

enum { SPEAK = 3, SPEAK_OF = 4 }; /* so many of those that there are */

/* ---- groups -------------------------------------------------------------------------------- */

static void index_add(struct roll_table *table, int group) {
    size_t at = table->groups.v[group].hash & (table->index_cap - 1);
    while (table->index[at] >= 0) at = (at + 1) & (table->index_cap - 1);
    table->index[at] = group;
}

static void index_grow(struct roll_table *table) {
    if (table->groups.n * 2 < table->index_cap) return;
    table->index_cap = table->index_cap ? table->index_cap * 2 : 256;
    table->index = ARENA_ARRAY(table->arena, int, table->index_cap);
    for (size_t i = 0; i < table->index_cap; i++) table->index[i] = -1;
    for (size_t i = 0; i < table->groups.n; i++) index_add(table, (int)i);
}

/* "0-7", "0-12/4", "3,5" */
static void add_members(struct roll_table *table, struct roll_group *group, int *room) {
    struct str rest = group->runs, run;
    while (str_split(&rest, ',', &run)) {
        struct str from = {0}, to = {0}, step = {0};
        int64_t a, b, by = 1;
        str_split(&run, '-', &from);
        bool pair = str_split(&run, '/', &to);
        bool strided = pair && str_split(&run, '/', &step);
        if (!str_int(from, &a) || a < 0) continue;
        if (!pair || !str_int(to, &b)) b = a;
        if (strided && (!str_int(step, &by) || by < 1 || by > ROLL_RANKS)) by = 1;
        for (; a <= b && a < ROLL_RANKS && table->n_members < ROLL_MEMBERS; a += by) {
            if (room) room[group->n_members] = (int)a;
            if (room && a > table->most) table->most = (int)a;
            group->n_members++;
            table->n_members += room != NULL;
        }
    }
}

static void expand_members(struct roll_table *table, struct roll_group *group) {
    size_t before = table->n_members;
    add_members(table, group, NULL); /* counts */
    if (!group->n_members || (size_t)group->n_members > ROLL_MEMBERS - before) {
        group->n_members = 0;
        return;
    }
    group->members = ARENA_ARRAY(table->arena, int, group->n_members);
    group->n_members = 0;
    add_members(table, group, group->members);
}

/* Groups of one name and other ranks are different groups. */
static int group_find(struct roll_table *table, struct str name, struct str about,
                      struct str runs) {
    uint64_t hash = str_hash(name) * 31 + str_hash(runs);
    hash ^= hash >> 29;
    index_grow(table);
    for (size_t at = hash & (table->index_cap - 1); table->index[at] >= 0;
         at = (at + 1) & (table->index_cap - 1)) {
        const struct roll_group *group = &table->groups.v[table->index[at]];
        if (group->hash == hash && str_eq(group->name, name) && str_eq(group->runs, runs))
            return table->index[at];
    }
    struct roll_group group = {.name = name, .about = about, .runs = runs, .hash = hash};
    expand_members(table, &group);
    vec_push(table->arena, &table->groups, group);
    index_add(table, (int)table->groups.n - 1);
    return (int)table->groups.n - 1;
}

static struct roll_row *row_find(struct roll_table *table, int group, int rank) {
    struct roll_group *at = &table->groups.v[group];
    /* documents come rank by rank, so that it is the last one or new */
    for (size_t i = at->rows.n; i-- > 0 && at->rows.n - i < 4;)
        if (at->rows.v[i].rank == rank) return &at->rows.v[i];
    struct roll_row row = {.rank = rank};
    vec_push(table->arena, &at->rows, row);
    return &at->rows.v[at->rows.n - 1];
}

/* ---- documents ----------------------------------------------------------------------------- */

int64_t roll_number(struct str text, int64_t none) {
    int64_t value;
    /* so that one more never overflows */
    return str_int(text, &value) && value < INT64_MAX / 4 && value > -INT64_MAX / 4 ? value : none;
}

static int64_t number(struct str text) {
    return roll_number(text, 0);
}

static double decimal(struct str text) {
    double value;
    return str_number(text, &value) ? value : 0;
}

struct str roll_field(struct str *rest) {
    struct str out = {0};
    str_split(rest, '\t', &out);
    return out;
}

static struct roll_op read_op(struct str rest) {
    struct roll_op op = {0};
    op.seq = number(roll_field(&rest));
    op.name = roll_field(&rest);
    op.in = decimal(roll_field(&rest));
    op.out = decimal(roll_field(&rest));
    op.type = roll_field(&rest);
    op.state = roll_field(&rest);
    op.created = number(roll_field(&rest));
    op.sizes = roll_field(&rest);
    return op;
}

static struct roll_row *read_group(struct roll_table *table, struct str rest, int rank) {
    struct str name = roll_field(&rest), about = roll_field(&rest), runs = roll_field(&rest);
    int64_t enqueued = number(roll_field(&rest)), completed = number(roll_field(&rest));
    int group = group_find(table, name, about, runs);
    if (enqueued <= 0) return NULL; /* it never used it, or does not tell */
    struct roll_row *row = row_find(table, group, rank);
    row->enqueued = enqueued;
    row->completed = completed;
    return row;
}

/* False: it does not name its rank. */
static bool read_document(struct roll_table *table, const struct document *document) {
    struct str rest = document->text, line;
    struct roll_rank rank = {.rank = -1, .source = document->source};
    struct roll_row *row = NULL;
    while (str_line(&rest, &line)) {
        struct str word = roll_field(&line);
        int64_t value = number(line);
        if (str_eq(word, STR("rank")) && value >= 0 && value < ROLL_RANKS) rank.rank = (int)value;
        if (str_eq(word, STR("last"))) rank.last = line;
        if (rank.rank < 0) continue;
        if (str_eq(word, STR("group"))) row = read_group(table, line, rank.rank);
        if (str_eq(word, STR("op")) && row && row->ops.n < ROLL_OPS)
            vec_push(table->arena, &row->ops, read_op(line));
    }
    if (rank.rank < 0) return false;
    if (rank.rank > table->most) table->most = rank.rank;
    vec_push(table->arena, &table->ranks, rank);
    return true;
}

static struct str folder_of(const struct view *view, const struct document *document) {
    return str_folder(view->evidence->sources.v[document->source].path);
}

static bool is_dump(const struct document *document) {
    return document->source >= 0 && str_eq(document->format, STR("flight"));
}

static int64_t rank_told(const struct document *document) {
    struct str rest = document->text, line;
    for (int i = 0; i < 3 && str_line(&rest, &line); i++)
        if (str_starts(line, STR("rank\t"))) return number(str_sub(line, 5, line.n));
    return -1;
}

static int compare_numbers(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Two dumps of one rank are of two jobs or two moments. */
static bool ranks_repeat(const struct view *view) {
    const struct evidence *evidence = view->evidence;
    int64_t *told = ARENA_ARRAY(view->arena, int64_t, evidence->documents.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < evidence->documents.n; i++)
        if (is_dump(&evidence->documents.v[i])) {
            int64_t rank = rank_told(&evidence->documents.v[i]);
            if (rank >= 0) told[n++] = rank;
        }
    if (n) qsort(told, n, sizeof *told, compare_numbers);
    for (size_t i = 1; i < n; i++)
        if (told[i] == told[i - 1]) return true;
    return false;
}

/* The folder with the most dumps, the last of equals; documents are in the order of paths. */
static struct str folder_choose(const struct view *view) {
    const struct evidence *evidence = view->evidence;
    struct str best = {0}, at = {0};
    int most = 0, n = 0;
    for (size_t i = 0; i < evidence->documents.n; i++) {
        if (!is_dump(&evidence->documents.v[i])) continue;
        struct str folder = folder_of(view, &evidence->documents.v[i]);
        n = n && str_eq(folder, at) ? n + 1 : 1;
        at = folder;
        if (n < most) continue;
        most = n;
        best = at;
    }
    return best;
}

static void read_documents(struct roll_table *table, const struct view *view) {
    const struct evidence *evidence = view->evidence;
    bool repeat = ranks_repeat(view);
    struct str folder = repeat ? folder_choose(view) : (struct str){0};
    for (size_t i = 0; i < evidence->documents.n; i++) {
        const struct document *document = &evidence->documents.v[i];
        if (!is_dump(document) || (repeat && !str_eq(folder_of(view, document), folder))) continue;
        if (read_document(table, document)) table->dumps = true;
    }
}

/* ---- watchdog lines ------------------------------------------------------------------------ */

static struct str word_behind(struct str text, struct str label) {
    ptrdiff_t at = str_find(text, label, 0);
    if (at < 0) return (struct str){0};
    struct str word = str_sub(text, (size_t)at + label.n, text.n);
    size_t n = 0;
    while (n < word.n && !strchr(",) \t]", word.p[n])) n++;
    return str_sub(word, 0, n);
}

/* What a watchdog's line tells of a rank: `all`, it is of the group of all ranks. */
struct watched {
    struct str seq, enqueued, about;
    int64_t rank; /* -1: it tells nothing of one */
    bool all;
};

static struct watched watched_of(const struct hit *hit) {
    struct watched line = {.rank = -1};
    if (!str_has(hit->text, STR("WorkNCCL(")) &&
        !str_has(hit->text, STR("last enqueued NCCL work: ")))
        return line;
    line.seq = word_behind(hit->text, STR("SeqNum="));
    line.enqueued = word_behind(hit->text, STR("last enqueued NCCL work: "));
    line.about = word_behind(hit->text, STR("PG GUID "));
    if (!line.about.n) line.about = word_behind(hit->text, STR("[PG "));
    line.all = !line.about.n || str_starts(line.about, STR("0"));
    struct str told = word_behind(hit->text, STR("[Rank "));
    int64_t rank = hit->first.rank >= 0 ? hit->first.rank : told.n ? number(told) : -1;
    if ((line.seq.n || line.enqueued.n) && rank >= 0 && rank < ROLL_RANKS) line.rank = rank;
    return line;
}

static void read_hit(struct roll_table *table, const struct hit *hit, struct str runs) {
    struct watched line = watched_of(hit);
    if (line.rank < 0) return;
    int rank = (int)line.rank;
    int group =
        group_find(table, line.all ? STR("0") : line.about,
                   line.all ? STR("default_pg") : line.about, line.all ? runs : (struct str){0});
    struct roll_row *row = NULL;
    for (size_t i = 0; i < table->groups.v[group].rows.n; i++)
        if (table->groups.v[group].rows.v[i].rank == rank) row = &table->groups.v[group].rows.v[i];
    if (!row) row = row_find(table, group, rank);
    if (rank > table->most) table->most = rank;
    int64_t at = number(line.seq), last = number(line.enqueued);
    int64_t done = number(word_behind(hit->text, STR("last completed NCCL work: ")));
    if (at - 1 > done) done = at - 1;
    if (at > row->enqueued) row->enqueued = at;
    if (last > row->enqueued) row->enqueued = last;
    if (done > row->completed) row->completed = done;
    if (!line.seq.n) return;
    struct roll_op op = {.seq = at,
                         .name = word_behind(hit->text, STR("OpType=")),
                         .in = decimal(word_behind(hit->text, STR("NumelIn="))),
                         .out = decimal(word_behind(hit->text, STR("NumelOut=")))};
    vec_push(table->arena, &row->ops, op);
    struct roll_rank self = {.rank = rank, .source = hit->first.source, .last = hit->text};
    vec_push(table->arena, &table->ranks, self);
}

/* The highest rank that speaks proves that those below it are there.  Where many of them are silent
 * their logs are not, and of one that told its own error no more needs to be asked. */
static int world_proven(const struct view *view) {
    int most = -1, n = 0;
    for (int i = 0; i < view->n_hits; i++) {
        struct watched line = watched_of(view->hits[i]);
        if (line.all && line.rank > most) most = (int)line.rank;
    }
    if (most < 1) return 0;
    bool *told = ARENA_ARRAY(view->room, bool, most + 1);
    for (int i = 0; i < view->n_hits; i++) {
        struct watched line = watched_of(view->hits[i]);
        if (!line.all || line.rank < 0 || told[line.rank]) continue;
        told[line.rank] = true;
        n++;
    }
    for (int i = 0; i < view->n_hits; i++) {
        const struct hit *hit = view->hits[i];
        bool error = view->kb->signals[hit->signal].role == ROLE_INITIATING;
        if (error && hit->first.rank >= 0 && hit->first.rank < most && !told[hit->first.rank])
            return 0;
    }
    return n * SPEAK_OF >= (most + 1) * SPEAK ? most + 1 : 0;
}

/* A communicator that holds all that speak is of all, most likely. */
static int world_told(const struct view *view, int proven) {
    const struct fact *told = evidence_last_fact(&view->facts, STR("nccl.nranks"));
    int64_t n = told ? number(told->value) : 0;
    if (view->world_size > 1) return view->world_size;
    return n >= proven && n < ROLL_RANKS ? (int)n : 0;
}

static void read_lines(struct roll_table *table, const struct view *view) {
    struct str runs = {0};
    int world = world_proven(view);
    table->world = world_told(view, world);
    if (table->world > 1) world = table->world;
    if (world > 1) runs = arena_printf(view->arena, "0-%d", world - 1);
    for (int i = 0; i < view->n_hits; i++) read_hit(table, view->hits[i], runs);
}

/* ---- the table ----------------------------------------------------------------------------- */

static int compare_rows(const void *a, const void *b) {
    const struct roll_row *x = a, *y = b;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

void roll_table_read(struct roll_table *table, const struct view *view) {
    *table = (struct roll_table){.arena = view->arena, .most = -1};
    read_documents(table, view);
    if (!table->dumps) read_lines(table, view);
    for (size_t i = 0; i < table->groups.n; i++) {
        struct roll_group *group = &table->groups.v[i];
        if (group->rows.n) qsort(group->rows.v, group->rows.n, sizeof *group->rows.v, compare_rows);
    }
}

const struct roll_row *roll_row(const struct roll_group *group, int rank) {
    size_t low = 0, high = group->rows.n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (group->rows.v[middle].rank < rank)
            low = middle + 1;
        else
            high = middle;
    }
    bool found = low < group->rows.n && group->rows.v[low].rank == rank;
    return found ? &group->rows.v[low] : NULL;
}

const struct roll_op *roll_op(const struct roll_row *row, int64_t seq) {
    for (size_t i = 0; row && i < row->ops.n; i++)
        if (row->ops.v[i].seq == seq) return &row->ops.v[i];
    return NULL;
}
