#include <stdlib.h>

#include "input/keep.h"
#include "input/traits.h"
#include "text/text.h"

enum {
    TABLE_MIN = 64,
    CAPTURE_MAX = 512,
    KEYED_FLAGS = HIT_WARNING | HIT_WORDS | HIT_IN_TRACEBACK | HIT_EXCEPTION
};

void hits_init(struct hit_keeper *keeper, struct evidence *evidence, const struct kb *kb) {
    *keeper = (struct hit_keeper){.evidence = evidence, .kb = kb, .attempt = 1};
}

/* Most sources have no hit: tables are made with the first. */
static void tables_make(struct hit_keeper *keeper) {
    size_t signals = (size_t)keeper->kb->n_signals + 1;
    keeper->cap = TABLE_MIN;
    keeper->table = heap_zeros(keeper->cap, sizeof *keeper->table);
    keeper->keys = heap_zeros(keeper->cap, sizeof *keeper->keys);
    keeper->kept = heap_zeros(signals, sizeof *keeper->kept);
    keeper->overflow = heap_bytes(signals * sizeof *keeper->overflow); /* of kept ones alone */
}

/* ---- the table ---------------------------------------------------------------------- */

/* Signal, attempt, rank and flags side by side: equal keys are equal hits, no hash needed. */
static uint64_t key_of(int signal, const struct line_seen *line, int attempt) {
    return ((uint64_t)(uint32_t)(line->origin.rank + 1) & 0xFFFFFF) |
           ((uint64_t)attempt & 0xFFFF) << 24 | ((uint64_t)signal & 0xFFFF) << 40 |
           ((uint64_t)(line->flags & KEYED_FLAGS) & 0x1F) << 56;
}

static size_t slot_of(const struct hit_keeper *keeper, uint64_t key) {
    uint64_t mixed = key * 0x9E3779B97F4A7C15u; /* its high bits hang on all of the key's, */
    mixed = (mixed ^ mixed >> 32) * 0x9E3779B97F4A7C15u; /* and now these, too */
    size_t i = (size_t)(mixed >> 32) & (keeper->cap - 1);
    while (keeper->table[i] && keeper->keys[i] != key) i = (i + 1) & (keeper->cap - 1);
    return i;
}

static void table_grow(struct hit_keeper *keeper) {
    int32_t *table = keeper->table;
    uint64_t *keys = keeper->keys;
    size_t cap = keeper->cap;
    keeper->cap *= 2;
    keeper->table = heap_zeros(keeper->cap, sizeof *keeper->table);
    keeper->keys = heap_zeros(keeper->cap, sizeof *keeper->keys);
    for (size_t i = 0; i < cap; i++) {
        if (!table[i]) continue;
        size_t slot = slot_of(keeper, keys[i]);
        keeper->table[slot] = table[i];
        keeper->keys[slot] = keys[i];
    }
    free(table);
    free(keys);
}

/* ---- rows --------------------------------------------------------------------------- */

static struct origin origin_keep(struct arena *arena, const struct origin *origin) {
    struct origin copy = *origin;
    copy.host = origin->host.n ? arena_str(arena, origin->host) : (struct str){0};
    return copy;
}

static struct str text_keep(struct arena *arena, const struct line_seen *line, size_t most) {
    bool open = line->traits && line->text.n <= LIMIT_TEXT && traits_open(line->traits, line->text);
    if (open) return arena_str(arena, str_sub(line->text, 0, most));
    if (line->text.n <= most || most == LIMIT_TEXT) return mask_secrets(arena, line->text);
    struct arena scratch = {0};
    struct str text = mask_secrets(&scratch, line->text); /* before it is cut */
    text = arena_str(arena, str_sub(text, 0, most));
    arena_release(&scratch);
    return text;
}

struct hit hit_make(struct arena *arena, const struct match *match, const struct line_seen *line,
                    size_t most) {
    struct hit hit = {.signal = match->signal,
                      .first = origin_keep(arena, &line->origin),
                      .count = 1,
                      .flags = line->flags,
                      .trace = line->trace,
                      .n_captures = match->n_captures,
                      .text = text_keep(arena, line, most)};
    hit.last = hit.first;
    hit.captures = ARENA_ARRAY(arena, struct str, match->n_captures + 1);
    for (int i = 0; i < match->n_captures; i++)
        hit.captures[i] = arena_str(
            arena, str_sub(match->captures[i], 0, most < CAPTURE_MAX ? most : CAPTURE_MAX));
    return hit;
}

static struct str set_value(const struct signal *signal, int pair, const struct match *match) {
    struct str value = signal->sets[2 * pair + 1];
    if (value.n < 2 || value.p[0] != '$') return value;
    struct str name = str_sub(value, 1, value.n);
    for (int g = 0; g < signal->n_groups && g < match->n_captures; g++)
        if (str_eq(signal->groups[g], name)) return str_sub(match->captures[g], 0, CAPTURE_MAX);
    return (struct str){0};
}

static void add_fact(struct evidence *evidence, struct str key, struct str value,
                     const struct origin *origin) {
    if (!value.n) return;
    struct fact fact = {.key = key,
                        .value = value,
                        .time = origin->time,
                        .origin = *origin,
                        .from = STR("log"),
                        .machine = origin->host};
    evidence_add_fact(evidence, &fact);
}

void hit_facts(struct evidence *evidence, const struct signal *signal, const struct match *match,
               const struct origin *origin) {
    for (int p = 0; p < signal->n_sets; p++)
        add_fact(evidence, signal->sets[2 * p], set_value(signal, p, match), origin);
}

/* The first hit of a row gives facts at once, the last one when the source ends; those between do
 * not count. */
static void keep_sets(struct hit_keeper *keeper, const struct match *match,
                      const struct origin *origin, int row, bool is_new) {
    const struct signal *signal = &keeper->kb->signals[match->signal];
    if (!signal->n_sets) return;
    if (is_new) {
        hit_facts(keeper->evidence, signal, match, origin);
        return;
    }
    struct set_value *last = NULL;
    for (size_t i = 0; i < keeper->sets.n && !last; i++)
        if (keeper->sets.v[i].hit == row) last = &keeper->sets.v[i];
    if (!last) {
        vec_push(&keeper->arena, &keeper->sets, (struct set_value){.hit = row});
        last = &keeper->sets.v[keeper->sets.n - 1];
    }
    last->origin = *origin;
    last->origin.host = (struct str){0};
    buf_clear(&last->values);
    for (int p = 0; p < signal->n_sets; p++) {
        buf_str(&last->values, set_value(signal, p, match));
        buf_char(&last->values, '\0');
    }
}

/* How well a line can stand for its signal: the exception itself before any line, that before a
 * warning, before the source code that a traceback echoes, before a line known as advice. */
static int line_worth(unsigned flags, int trace) {
    if (flags & HIT_ADVICE) return 0;
    if (flags & HIT_IN_TRACEBACK && trace < 0) return 1;
    if (flags & HIT_WARNING) return 2;
    return flags & HIT_EXCEPTION || trace >= 0 ? 4 : 3;
}

/* The row of an equal hit, -1: none is kept. */
static int row_of(const struct hit_keeper *keeper, int signal, const struct line_seen *line) {
    return keeper->table[slot_of(keeper, key_of(signal, line, line->origin.attempt))] - 1;
}

/* A sentence of the text also goes before the title, its first line, which only names the matter.
 */
static bool is_worth_more(const struct hit_keeper *keeper, const struct line_seen *line, int row) {
    const struct hit *hit = &keeper->evidence->hits.v[row];
    if (hit->flags & line->flags & HIT_WORDS && hit->first.line == 1 && line->origin.line > 1)
        return true;
    return line_worth(line->flags, line->trace) > line_worth(hit->flags, hit->trace);
}

/* One more of a row; with -1 of no own one: it counts on another rank's. */
static int count(struct hit_keeper *keeper, int signal, const struct line_seen *line, int row) {
    struct evidence *evidence = keeper->evidence;
    if (row < 0) {
        row = keeper->overflow[signal];
        evidence_count_rank(evidence, signal, line->origin.rank);
    }
    struct hit *hit = &evidence->hits.v[row];
    struct str host = str_eq(hit->last.host, line->origin.host) ? hit->last.host : (struct str){0};
    hit->count++;
    hit->last = line->origin;
    hit->last.host = host;
    return row;
}

static bool has_room(const struct hit_keeper *keeper, int signal) {
    return keeper->kept[signal] < evidence_most_hits(keeper->evidence);
}

bool hits_count(struct hit_keeper *keeper, const struct match *match,
                const struct line_seen *line) {
    if (!keeper->table || keeper->kb->signals[match->signal].n_sets) return false;
    int row = row_of(keeper, match->signal, line);
    bool more = row < 0 ? has_room(keeper, match->signal) : is_worth_more(keeper, line, row);
    if (!more) count(keeper, match->signal, line, row);
    return !more;
}

static int add_row(struct hit_keeper *keeper, const struct match *match,
                   const struct line_seen *line) {
    struct evidence *evidence = keeper->evidence;
    uint64_t key = key_of(match->signal, line, line->origin.attempt);
    size_t slot = slot_of(keeper, key);
    int row = (int)evidence->hits.n;
    struct hit hit = hit_make(&evidence->arena, match, line, evidence_most_text(evidence));
    evidence->hit_bytes += hit_bytes(&hit);
    vec_push_alone(&evidence->arena, &evidence->hits, hit);
    keeper->table[slot] = row + 1;
    keeper->keys[slot] = key;
    keeper->overflow[match->signal] = row;
    keeper->kept[match->signal]++;
    if (++keeper->n * 2 > keeper->cap) table_grow(keeper);
    return row;
}

int hits_add(struct hit_keeper *keeper, const struct match *match, const struct line_seen *line,
             bool *is_new) {
    if (!keeper->table) tables_make(keeper);
    struct evidence *evidence = keeper->evidence;
    int own = row_of(keeper, match->signal, line);
    *is_new = own < 0 && has_room(keeper, match->signal);
    int row = *is_new ? add_row(keeper, match, line) : count(keeper, match->signal, line, own);
    if (own >= 0 && is_worth_more(keeper, line, own)) {
        struct hit hit = hit_make(&evidence->arena, match, line, evidence_most_text(evidence));
        evidence->hit_bytes += hit_bytes(&hit);
        hit.count = evidence->hits.v[own].count;
        evidence->hits.v[own] = hit;
    }
    keep_sets(keeper, match, &line->origin, row, *is_new);
    return row;
}

/* ---- attempts ----------------------------------------------------------------------- */

static bool start_seen(const struct hit_keeper *keeper, const struct match *match,
                       const struct line_seen *line) {
    if (!keeper->table) return false;
    return keeper->table[slot_of(keeper, key_of(match->signal, line, keeper->attempt))] != 0;
}

/* The scheduler took the nodes away: a job put into the queue again goes on in the same log. */
static bool ends_job(const struct kb *kb, int signal) {
    int failure = kb->signals[signal].failure;
    return failure >= 0 && kb->failures[failure].ended &&
           kb->signals[signal].role == ROLE_INITIATING;
}

int hits_attempt(struct hit_keeper *keeper, const struct match *match,
                 const struct line_seen *line) {
    enum role role = keeper->kb->signals[match->signal].role;
    if (role == ROLE_START) {
        /* steps come after every rank has started: the same banner once more is a restart; so is
         * any banner behind the end that a launcher told, and its first word behind an error */
        bool again = start_seen(keeper, match, line);
        bool first_word = keeper->kb->signals[match->signal].level == LEVEL_SPECIFIC;
        if (keeper->ended || (keeper->worked && again) ||
            (keeper->erred && (again || first_word))) {
            keeper->attempt++;
            keeper->ended = keeper->worked = keeper->erred = false;
        }
    }
    if (role == ROLE_PROGRESS) keeper->worked = true;
    if (role == ROLE_WRAPPER || role == ROLE_DONE || ends_job(keeper->kb, match->signal))
        keeper->ended = true;
    return keeper->attempt;
}

/* ---- the end ------------------------------------------------------------------------ */

void hits_finish(struct hit_keeper *keeper) {
    struct evidence *evidence = keeper->evidence;
    for (size_t i = 0; i < keeper->sets.n; i++) {
        struct set_value *last = &keeper->sets.v[i];
        const struct signal *signal = &keeper->kb->signals[evidence->hits.v[last->hit].signal];
        const char *value = last->values.p;
        for (int p = 0; p < signal->n_sets; p++, value += strlen(value) + 1)
            add_fact(evidence, signal->sets[2 * p], str_of(value), &last->origin);
        buf_release(&last->values);
    }
    for (size_t i = 0; i < evidence->hits.n; i++) {
        struct hit *hit = &evidence->hits.v[i];
        if (hit->trace >= 0 && evidence->traces.v[hit->trace].followed) hit->flags |= HIT_CHAINED;
    }
    free(keeper->table);
    free(keeper->keys);
    free(keeper->kept);
    free(keeper->overflow);
    arena_release(&keeper->arena);
}
