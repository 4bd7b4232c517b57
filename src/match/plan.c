#include "match/plan.h"

#include "match/literal.h"
#include "match/match.h"
#include "match/syntax.h"
#include "match/trouble.h"
#include "text/masked.h"

static bool has_digit(struct str s) {
    for (size_t i = 0; i < s.n; i++)
        if (is_digit(s.p[i])) return true;
    return false;
}

/* ---- what a signal is looked for by ------------------------------------------------------ */

enum {
    EACH = 50,   /* what each needle costs the tables, in healthy lines of a million */
    HOT = 2000,  /* a progress signal beyond it stands in step lines */
    SHORT = 100, /* what a needle too short for a word costs, and */
    STUMP = 10   /* one too short for two */
};

static uint64_t literal_cost(const struct background *background, struct str literal) {
    return (uint64_t)needle_heat(background, literal) + (literal.n < NEEDLE_WORD   ? SHORT
                                                         : literal.n < NEEDLE_PAIR ? STUMP
                                                                                   : 1);
}

struct prover {
    struct arena *arena;
    const struct background *background;
};

struct prover *prover_new(struct arena *arena) {
    struct prover *prover = ARENA_NEW(arena, struct prover);
    *prover = (struct prover){arena, background_new(arena)};
    return prover;
}

static uint64_t proof_cost(void *ctx, struct str literal) {
    const struct prover *prover = ctx;
    return literal_cost(prover->background, literal) + EACH;
}

int prover_needles(struct prover *prover, struct str regex, struct str **needles) {
    struct literals proved;
    if (!literals_of(prover->arena, regex, proof_cost, prover, &proved)) return 0;
    *needles = proved.v;
    return proved.n;
}

struct chooser {
    struct arena *arena;
    const struct background *background;
    struct plan *plan;
};

/* How masking a line may leave a needle in it.  `within`: it begins among the digits of a
 * hexadecimal number, or before their first; `ends`: the number in which it ends is one. */
static struct str needle_masked(struct arena *arena, struct str text, bool within, bool ends) {
    struct str masked = arena_str(arena, text);
    char *p = (char *)(uintptr_t)masked.p;
    for (size_t at = 0; at < text.n; at++) {
        bool starts = at == 0 ? within : p[at - 1] == 'x' && (at == 1 ? within : p[at - 2] == '0');
        size_t end = starts ? hex_end(p, at, at, text.n) : at;
        if (end == text.n && !ends) end = at;
        for (size_t i = at; i < end; i++) p[i] = '0';
        if (is_digit(p[at])) p[at] = '0';
    }
    return masked;
}

/* Adds the ways in which a needle may stand in a masked line, but for its own. */
static void add_blind(struct chooser *chooser, struct needle needle) {
    struct str ways[5] = {needle.text};
    for (int way = 0, n = 1; way < 4; way++) {
        bool known = false;
        needle.text = needle_masked(chooser->arena, ways[0], way & 1, way & 2);
        for (int i = 0; i < n; i++) known |= str_eq(ways[i], needle.text);
        if (known) continue;
        vec_push(chooser->arena, &chooser->plan->blind, needle);
        ways[n++] = needle.text;
    }
}

static void add_needle(struct chooser *chooser, struct str text, int signal,
                       enum needle_group group) {
    struct plan *plan = chooser->plan;
    struct needle needle = {.text = text, .signal = signal, .group = group};
    if (group == NEEDLE_PULSE)
        vec_push(chooser->arena, &plan->pulse, needle);
    else
        vec_push(chooser->arena, &plan->loud, needle);
    add_blind(chooser, needle);
}

static bool can_be_looked_for(const struct signal *signal) {
    for (int i = 0; i < signal->n_needles; i++)
        if (signal->needles[i].n < NEEDLE_MIN || str_has(signal->needles[i], STR("\n")))
            return false;
    return signal->n_needles > 0;
}

static void choose(struct chooser *chooser, const struct signal *signal, int index) {
    struct plan *plan = chooser->plan;
    struct syntax syntax;
    struct err err;
    uint64_t cost = 0;
    size_t blind_needles = plan->blind.n;
    plan->heat[index] = UINT32_MAX;
    if (!can_be_looked_for(signal)) return;
    plan->steadfast[index] = true;
    bool blind = syntax_plainly_blind(signal->regex) ||
                 (syntax_read(signal->regex, &syntax, &err) && syntax.digit_blind);
    for (int i = 0; i < signal->n_needles; i++) {
        cost += literal_cost(chooser->background, signal->needles[i]);
        if (has_digit(signal->needles[i])) blind = plan->steadfast[index] = false;
    }
    plan->heat[index] = cost < UINT32_MAX ? (uint32_t)cost : UINT32_MAX;
    plan->digit_blind[index] = blind;
    plan->pulses[index] = signal->role == ROLE_PROGRESS && cost > HOT;
    for (int i = 0; i < signal->n_needles; i++)
        add_needle(chooser, signal->needles[i], index,
                   plan->pulses[index] ? NEEDLE_PULSE : NEEDLE_LOUD);
    if (plan->blind.n > blind_needles) plan->steadfast[index] = false;
}

static void choose_all(struct chooser *chooser, const struct kb *kb) {
    for (int i = 0; i < kb->n_signals; i++)
        if (kb->signals[i].in != IN_WORDS) choose(chooser, &kb->signals[i], i);
    for (int i = 0; i < n_trouble_texts; i++)
        add_needle(chooser, trouble_texts[i].text, (int)trouble_texts[i].trouble, NEEDLE_TROUBLE);
}

/* ---- the plan ---------------------------------------------------------------------------- */

static void traits_new(struct plan *plan, const struct kb *kb, struct arena *arena) {
    *plan = (struct plan){.heat = ARENA_ARRAY(arena, uint32_t, kb->n_signals + 1),
                          .pulses = ARENA_ARRAY(arena, bool, kb->n_signals + 1),
                          .digit_blind = ARENA_ARRAY(arena, bool, kb->n_signals + 1),
                          .steadfast = ARENA_ARRAY(arena, bool, kb->n_signals + 1)};
}

void plan_make(struct plan *plan, const struct kb *kb, struct arena *arena) {
    struct arena scratch = {0};
    const struct background *background = background_new(&scratch);
    struct chooser chooser = {arena, background, plan};
    traits_new(plan, kb, arena);
    choose_all(&chooser, kb);
    plan->loud.n = (size_t)needles_place(plan->loud.v, (int)plan->loud.n, background);
    plan->pulse.n = (size_t)needles_place(plan->pulse.v, (int)plan->pulse.n, background);
    plan->blind.n = (size_t)needles_place(plan->blind.v, (int)plan->blind.n, background);
    arena_release(&scratch);
}

/* ---- as bytes: numbers of four bytes, low end first ---------------------------------------- */

enum {
    PLAN_VERSION = 3, /* of the bytes and of what the choices mean to needles.c */
    TRAIT_PULSE = 1,
    TRAIT_BLIND = 2,
    TRAIT_STEADFAST = 4
};

static void put(struct buf *out, uint32_t value) {
    for (int i = 0; i < 4; i++) buf_char(out, (char)(value >> 8 * i));
}

static void put_needles(struct buf *out, const struct needle *needles, size_t n) {
    put(out, (uint32_t)n);
    for (size_t i = 0; i < n; i++) {
        put(out, (uint32_t)needles[i].signal << 3 | (uint32_t)needles[i].group);
        put(out, (uint32_t)needles[i].offset << 8 | needles[i].bucket);
        put(out, (uint32_t)needles[i].text.n);
        buf_str(out, needles[i].text);
    }
}

struct str match_plan(struct arena *arena, const struct kb *kb) {
    struct arena scratch = {0};
    struct plan plan;
    struct buf out = {0};
    plan_make(&plan, kb, &scratch);
    put(&out, PLAN_VERSION);
    put(&out, (uint32_t)kb->n_signals);
    for (int i = 0; i < kb->n_signals; i++) {
        put(&out, plan.heat[i]);
        buf_char(&out, (char)((plan.pulses[i] ? TRAIT_PULSE : 0) |
                              (plan.digit_blind[i] ? TRAIT_BLIND : 0) |
                              (plan.steadfast[i] ? TRAIT_STEADFAST : 0)));
    }
    put_needles(&out, plan.loud.v, plan.loud.n);
    put_needles(&out, plan.pulse.v, plan.pulse.n);
    put_needles(&out, plan.blind.v, plan.blind.n);
    struct str bytes = arena_str(arena, buf_view(&out));
    buf_release(&out);
    arena_release(&scratch);
    return bytes;
}

/* Bytes that end too early give zeros and leave `rest` without a start. */
static uint32_t take(struct str *rest) {
    if (rest->n < 4) {
        *rest = (struct str){0};
        return 0;
    }
    const unsigned char *p = (const unsigned char *)rest->p;
    *rest = (struct str){rest->p + 4, rest->n - 4};
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static bool take_needle(struct str *rest, const struct kb *kb, struct needle *needle) {
    uint32_t whose = take(rest), place = take(rest), n = take(rest);
    if (!rest->p || n > rest->n) return false;
    *needle = (struct needle){.text = {rest->p, n},
                              .signal = (int)(whose >> 3),
                              .group = (enum needle_group)(whose & 7),
                              .offset = (uint16_t)(place >> 8),
                              .bucket = (uint8_t)place};
    *rest = (struct str){rest->p + n, rest->n - n};
    int limit = needle->group == NEEDLE_TROUBLE ? n_trouble_texts : kb->n_signals;
    return needle->signal < limit && place >> 24 == 0 && needle_is_placed(needle);
}

#define take_needles(rest, kb, arena, needles)                                                     \
    take_array(rest, kb, arena, &(needles)->v, &(needles)->n)
static bool take_array(struct str *rest, const struct kb *kb, struct arena *arena,
                       struct needle **v, size_t *n) {
    size_t count = take(rest);
    if (!rest->p || count > rest->n / 12) return false;
    *v = ARENA_ARRAY(arena, struct needle, count + 1);
    for (*n = 0; *n < count; ++*n)
        if (!take_needle(rest, kb, &(*v)[*n])) return false;
    return true;
}

bool plan_read(struct plan *plan, const struct kb *kb, struct arena *arena) {
    struct str rest = kb->plan;
    if (take(&rest) != PLAN_VERSION || take(&rest) != (uint32_t)kb->n_signals) return false;
    if (rest.n / 5 < (size_t)kb->n_signals) return false;
    traits_new(plan, kb, arena);
    for (int i = 0; i < kb->n_signals; i++) {
        plan->heat[i] = take(&rest);
        plan->pulses[i] = *rest.p & TRAIT_PULSE;
        plan->digit_blind[i] = *rest.p & TRAIT_BLIND;
        plan->steadfast[i] = *rest.p & TRAIT_STEADFAST;
        rest = (struct str){rest.p + 1, rest.n - 1};
    }
    return take_needles(&rest, kb, arena, &plan->loud) &&
           take_needles(&rest, kb, arena, &plan->pulse) &&
           take_needles(&rest, kb, arena, &plan->blind) && rest.n == 0;
}
