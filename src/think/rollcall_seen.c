#include "think/rollcall_seen.h"

#include "think/rollcall_table.h"
#include "think/spot.h"

#include <stdlib.h>

enum { KEPT_MAX = 1 << 16, BEHIND = 2 };

static int64_t number(struct str text) {
    return roll_number(text, -1);
}

/* One rank as seen from outside. */
struct seen {
    int rank, source;
    struct str what;   /* the frame it stands in, or where it runs */
    struct str waits;  /* the collective it stands in, empty: none */
    int64_t operation; /* it launched, -1 not told */
};

struct sight {
    const struct view *view;
    VEC(struct seen) ranks;
};

static int compare_seen(const void *a, const void *b) {
    const struct seen *x = a, *y = b;
    if (x->rank != y->rank) return x->rank > y->rank ? 1 : -1;
    return (x->source > y->source) - (x->source < y->source);
}

/* ---- stacks -------------------------------------------------------------------------------- */

/* Functions of torch.distributed in which a rank waits for its peers. */
static const char collectives[][24] = {"barrier",
                                       "monitored_barrier",
                                       "all_reduce",
                                       "broadcast",
                                       "all_gather",
                                       "reduce_scatter",
                                       "all_to_all",
                                       "reduce",
                                       "gather",
                                       "scatter",
                                       "recv",
                                       "irecv",
                                       "all_gather_into_tensor",
                                       "reduce_scatter_tensor",
                                       "all_to_all_single",
                                       "broadcast_object_list",
                                       "all_gather_object"};

/* The one that a frame stands in, or nothing. */
static struct str collective_of(struct str frame) {
    struct str rest = frame, function = {0};
    str_split(&rest, ' ', &function);
    if (!str_has(rest, STR("distributed"))) return (struct str){0};
    for (size_t i = 0; i < COUNT_OF(collectives); i++)
        if (str_eq(function, str_of(collectives[i]))) return function;
    return (struct str){0};
}

/* The innermost frame that is the user's own says most of a rank that waits nowhere. */
static bool is_library(struct str frame) {
    return path_is_library(frame) || str_has(frame, STR("(torch/")) ||
           str_has(frame, STR("(threading.py"));
}

static void read_stacks(struct sight *sight, const struct document *document) {
    struct str rest = document->text, line;
    struct seen *seen = NULL;
    bool own = false;
    while (str_line(&rest, &line)) {
        struct str word = roll_field(&line);
        if (str_eq(word, STR("rank"))) {
            int64_t rank = number(line);
            seen = NULL;
            if (rank < 0 || rank >= ROLL_RANKS || sight->ranks.n >= KEPT_MAX) continue;
            struct seen row = {.rank = (int)rank, .source = document->source, .operation = -1};
            vec_push(sight->view->arena, &sight->ranks, row);
            seen = &sight->ranks.v[sight->ranks.n - 1];
            own = false;
        } else if (seen && str_eq(word, STR("frame"))) {
            if (!seen->waits.n) seen->waits = collective_of(line);
            if (own) continue;
            own = !is_library(line);
            if (!seen->what.n || own) seen->what = line;
        }
    }
}

/* ---- RAS ----------------------------------------------------------------------------------- */

/* Where the named ranks and the most common number disagree by more than a moment's lag. */
static struct rollcall *read_ras(const struct view *view, const struct document *document) {
    struct rollcall *call = ARENA_NEW(view->arena, struct rollcall);
    struct str rest = document->text, line, where[HANG_LAST];
    int64_t most = -1, top = -1;
    int room = 0;
    for (struct str all = rest; str_line(&all, &line);) room += str_starts(line, STR("rank\t"));
    call->missing = ARENA_ARRAY(view->arena, int, room + 1);
    while (str_line(&rest, &line)) {
        struct str word = roll_field(&line);
        if (str_eq(word, STR("comm"))) {
            if (call->n_missing) break; /* the first one that disagrees */
            call->group = roll_field(&line);
            call->collective = line.n ? line : STR("collective");
            most = top = -1;
        } else if (str_eq(word, STR("top"))) {
            int64_t n = number(roll_field(&line)), at = number(line);
            if (n > most && n < ROLL_RANKS) most = n, top = at;
        } else if (str_eq(word, STR("rank"))) {
            int64_t rank = number(roll_field(&line)), at = number(roll_field(&line));
            if (rank < 0 || rank >= ROLL_RANKS || top < 0 || at + BEHIND > top) continue;
            if (call->n_missing < HANG_LAST) where[call->n_missing] = line;
            call->missing[call->n_missing++] = (int)rank;
        }
    }
    if (!call->n_missing || most <= call->n_missing) return NULL;
    call->kind = "missing";
    call->seq = top;
    call->waiting = (int)most;
    call->members = (int)most + call->n_missing;
    call->last = ARENA_ARRAY(view->arena, struct hang_last, HANG_LAST);
    for (; call->n_last < call->n_missing && call->n_last < HANG_LAST; call->n_last++)
        call->last[call->n_last] = (struct hang_last){.rank = call->missing[call->n_last],
                                                      .source = document->source,
                                                      .what = where[call->n_last]};
    call->text = arena_printf(
        view->arena,
        "rank %d%s launched fewer " STR_FMT " operations than the %d others on " STR_FMT
        ", which came to operation %lld",
        call->missing[0], call->n_missing > 1 ? " and others" : "", STR_ARG(call->collective),
        call->waiting, STR_ARG(call->group), (long long)top);
    return call;
}

/* ---- the odd ones -------------------------------------------------------------------------- */

/* The collective that most stand in. */
static struct str common(const struct sight *sight, int *count) {
    struct str best = {0};
    *count = 0;
    for (size_t k = 0; k < COUNT_OF(collectives); k++) {
        struct str name = str_of(collectives[k]);
        int n = 0;
        for (size_t i = 0; i < sight->ranks.n; i++) n += str_eq(sight->ranks.v[i].waits, name);
        if (n > *count) *count = n, best = name;
    }
    return best;
}

static void drop_repeated(struct sight *sight) {
    size_t kept = 0;
    if (sight->ranks.n) qsort(sight->ranks.v, sight->ranks.n, sizeof *sight->ranks.v, compare_seen);
    for (size_t i = 0; i < sight->ranks.n; i++)
        if (!kept || sight->ranks.v[kept - 1].rank != sight->ranks.v[i].rank)
            sight->ranks.v[kept++] = sight->ranks.v[i];
    sight->ranks.n = kept;
}

static struct rollcall *odd_ones(struct sight *sight) {
    struct arena *arena = sight->view->arena;
    int waiting, n = (int)sight->ranks.n;
    struct str waits = common(sight, &waiting);
    if (n < 3 || waiting == n || waiting * 2 <= n) return NULL;
    struct rollcall *call = ARENA_NEW(arena, struct rollcall);
    *call = (struct rollcall){.kind = "missing",
                              .group = STR("the stacks"),
                              .collective = waits,
                              .waiting = waiting,
                              .members = n};
    call->missing = ARENA_ARRAY(arena, int, n);
    call->last = ARENA_ARRAY(arena, struct hang_last, HANG_LAST);
    for (int i = 0; i < n; i++) {
        const struct seen *seen = &sight->ranks.v[i];
        if (str_eq(seen->waits, waits)) continue;
        call->missing[call->n_missing++] = seen->rank;
        if (call->n_last == HANG_LAST) continue;
        struct str what = arena_printf(arena, "stands in " STR_FMT, STR_ARG(seen->what));
        call->last[call->n_last++] = (struct hang_last){seen->rank, seen->source, what};
    }
    call->text = arena_printf(arena, "rank %d%s not in " STR_FMT " with the %d others: it " STR_FMT,
                              call->missing[0], call->n_missing > 1 ? " and others are" : " is",
                              STR_ARG(waits), waiting, STR_ARG(call->last[0].what));
    return call;
}

struct rollcall *rollcall_seen(const struct view *view) {
    const struct evidence *evidence = view->evidence;
    struct sight sight = {.view = view};
    struct rollcall *ras = NULL;
    for (size_t i = 0; i < evidence->documents.n; i++) {
        const struct document *document = &evidence->documents.v[i];
        if (document->source < 0) continue;
        if (str_eq(document->format, STR("stacks"))) read_stacks(&sight, document);
        if (str_eq(document->format, STR("ras")) && !ras) ras = read_ras(view, document);
    }
    drop_repeated(&sight);
    struct rollcall *call = odd_ones(&sight);
    return call ? call : ras;
}
