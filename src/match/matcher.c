#include "match/matcher.h"
#include "match/literal.h"
#include "match/syntax.h"

#include "model/evidence.h"

#include <stdlib.h>

static bool has_digit(struct str s) {
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] >= '0' && s.p[i] <= '9') return true;
    return false;
}

/* ---- what a signal is looked for by ------------------------------------------------------ */

enum {
    QUIET = 20,  /* of a million lines: needles up to this are taken as they are */
    HOT = 2000,  /* a progress signal beyond it stands in step lines */
    SHORT = 100, /* what a needle too short for a word costs, and */
    STUMP = 10   /* one too short for two */
};

struct chooser {
    struct arena *arena;
    const struct background *background;
    bool *blind;    /* by signal: digits do not matter to it */
    bool *pulses;   /* by signal: it stands in step lines */
    uint32_t *heat; /* by signal */
    struct needle *needles;
    int n, cap;
};

static uint64_t literal_cost(void *ctx, struct str literal) {
    const struct chooser *chooser = ctx;
    return (uint64_t)needle_heat(chooser->background, literal) + (literal.n < NEEDLE_WORD   ? SHORT
                                                                  : literal.n < NEEDLE_PAIR ? STUMP
                                                                                            : 1);
}

static void add_needle(struct chooser *chooser, struct str text, int signal,
                       enum needle_group group) {
    if (chooser->n == chooser->cap) {
        struct needle *old = chooser->needles;
        chooser->cap = chooser->cap * 2 + 64;
        chooser->needles = ARENA_ARRAY(chooser->arena, struct needle, chooser->cap);
        if (old) memcpy(chooser->needles, old, sizeof *old * (size_t)chooser->n);
    }
    chooser->needles[chooser->n++] = (struct needle){text, signal, group};
}

/* The author's needles as alternatives, and what they cost; UINT64_MAX where they cannot be looked
 * for. */
static uint64_t authors_literals(struct chooser *chooser, const struct signal *signal,
                                 struct literals *out) {
    uint64_t cost = 0;
    *out = (struct literals){signal->n_needles, signal->needles};
    for (int i = 0; i < signal->n_needles; i++) {
        struct str needle = signal->needles[i];
        if (needle.n < NEEDLE_MIN || str_has(needle, STR("\n"))) return UINT64_MAX;
        cost += literal_cost(chooser, needle);
    }
    return signal->n_needles ? cost : UINT64_MAX;
}

/* Adds what a signal is looked for by: its author's needles, or rarer strings that its expression
 * proves. */
static void choose(struct chooser *chooser, const struct signal *signal, int index) {
    struct literals needles, proved;
    struct syntax syntax;
    struct err err;
    uint64_t cost = authors_literals(chooser, signal, &needles), other = 0;
    bool blind = syntax_plainly_blind(signal->regex) ||
                 (syntax_read(signal->regex, &syntax, &err) && syntax.digit_blind);
    for (int i = 0; i < signal->n_needles; i++) blind = blind && !has_digit(signal->needles[i]);
    if (cost > QUIET * (uint64_t)signal->n_needles &&
        literals_of(chooser->arena, signal->regex, literal_cost, chooser, &proved)) {
        for (int i = 0; i < proved.n; i++) other += literal_cost(chooser, proved.v[i]);
        if (other < cost) {
            cost = other;
            needles = proved;
        }
    }
    chooser->heat[index] = cost < UINT32_MAX ? (uint32_t)cost : UINT32_MAX;
    if (cost == UINT64_MAX) return;
    for (int i = 0; i < needles.n; i++) blind = blind && !has_digit(needles.v[i]);
    chooser->blind[index] = blind;
    chooser->pulses[index] = signal->role == ROLE_PROGRESS && cost > HOT;
    for (int i = 0; i < needles.n; i++)
        add_needle(chooser, needles.v[i], index,
                   chooser->pulses[index] ? NEEDLE_PULSE : NEEDLE_LOUD);
}

static void choose_all(struct chooser *chooser, const struct kb *kb) {
    for (int i = 0; i < kb->n_signals; i++)
        if (kb->signals[i].in != IN_WORDS) choose(chooser, &kb->signals[i], i);
    for (int i = 0; i < n_trouble_texts; i++)
        add_needle(chooser, trouble_texts[i].text, (int)trouble_texts[i].trouble, NEEDLE_TROUBLE);
}

static struct wording wording_of(struct arena *arena, const struct kb *kb, int signal) {
    const struct signal *s = &kb->signals[signal];
    struct wording wording = {signal, ARENA_ARRAY(arena, struct str, s->n_needles + 1),
                              s->n_needles};
    for (int i = 0; i < s->n_needles; i++) {
        wording.needles[i] = arena_str(arena, s->needles[i]);
        char *p = (char *)wording.needles[i].p;
        for (size_t k = 0; k < wording.needles[i].n; k++)
            if (p[k] >= 'A' && p[k] <= 'Z') p[k] = (char)(p[k] + 32);
    }
    return wording;
}

/* Box drawing is e2 94 xx and e2 95 xx. */
static void admit_boxes(struct kernel_tables *tables) {
    kernel_admit(tables, BUCKET_BOX, 0, 0xe2);
    kernel_admit(tables, BUCKET_BOX, 1, 0x94);
    kernel_admit(tables, BUCKET_BOX, 1, 0x95);
    for (int c = 0; c < 256; c++) {
        kernel_admit(tables, BUCKET_BOX, 2, (uint8_t)c);
        kernel_admit(tables, BUCKET_BOX, 3, (uint8_t)c);
    }
}

/* The needles that hold digits, as masked lines hold them. */
static struct needle_set *blind_needles(struct arena *arena, const struct chooser *chooser) {
    struct needle *blind = ARENA_ARRAY(arena, struct needle, chooser->n + 1);
    int n = 0;
    for (int i = 0; i < chooser->n; i++) {
        struct needle needle = chooser->needles[i];
        if (!has_digit(needle.text)) continue;
        needle.text = arena_str(arena, needle.text);
        char *p = (char *)(uintptr_t)needle.text.p;
        for (size_t k = 0; k < needle.text.n; k++)
            if (p[k] >= '0' && p[k] <= '9') p[k] = '0';
        blind[n++] = needle;
    }
    return needle_set_new(arena, blind, n, chooser->background, ~0u);
}

static void add_programs(struct arena *arena, struct matcher *matcher, const bool *blind) {
    const struct kb *kb = matcher->kb;
    matcher->programs = programs_new(arena, 2 * kb->n_signals);
    matcher->wordings = ARENA_ARRAY(arena, struct wording, kb->n_signals + 1);
    for (int i = 0; i < kb->n_signals; i++) {
        bool words = kb->signals[i].in == IN_WORDS;
        programs_set(matcher->programs, i, kb->signals[i].regex, words);
        if (!blind[i] && !words)
            programs_set_relaxed(matcher->programs, kb->n_signals + i, kb->signals[i].regex);
        if (words) matcher->wordings[matcher->n_wordings++] = wording_of(arena, kb, i);
    }
}

struct matcher *matcher_new(struct arena *arena, const struct kb *kb) {
    struct matcher *matcher = ARENA_NEW(arena, struct matcher);
    struct arena scratch = {0};
    struct background *background = background_new(&scratch);
    struct chooser chooser = {.arena = arena, .background = background};
    chooser.blind = ARENA_ARRAY(&scratch, bool, kb->n_signals + 1);
    chooser.pulses = matcher->pulses = ARENA_ARRAY(arena, bool, kb->n_signals + 1);
    chooser.heat = matcher->heat = ARENA_ARRAY(arena, uint32_t, kb->n_signals + 1);
    choose_all(&chooser, kb);
    matcher->kb = kb;
    matcher->kernel = kernel_best();
    matcher->loud =
        needle_set_new(arena, chooser.needles, chooser.n, background, ~(unsigned)NEEDLE_PULSE);
    matcher->pulse = needle_set_new(arena, chooser.needles, chooser.n, background, NEEDLE_PULSE);
    matcher->blind = blind_needles(arena, &chooser);
    admit_boxes(&matcher->loud->tables);
    add_programs(arena, matcher, chooser.blind);
    arena_release(&scratch);
    return matcher;
}

void matcher_release(struct matcher *matcher) {
    if (matcher) programs_release(matcher->programs);
}

uint32_t match_heat(const struct matcher *matcher, int signal) {
    return matcher->heat[signal];
}

struct match_scratch *match_scratch_new(const struct matcher *matcher) {
    struct match_scratch *scratch = calloc(1, sizeof *scratch);
    size_t n = (size_t)matcher->kb->n_signals + 1;
    if (!scratch) base_out_of_memory();
    scratch->runner = runner_new(matcher->programs);
    scratch->memo = memo_new();
    scratch->seen = calloc(n, sizeof *scratch->seen);
    scratch->found = calloc(n, sizeof *scratch->found);
    scratch->shares = calloc(n, sizeof *scratch->shares);
    scratch->lower = malloc(LIMIT_TEXT);
    if (!scratch->seen || !scratch->found || !scratch->shares || !scratch->lower)
        base_out_of_memory();
    return scratch;
}

void match_scratch_release(struct match_scratch *scratch) {
    if (!scratch) return;
    runner_release(scratch->runner);
    memo_release(scratch->memo);
    free(scratch->seen);
    free(scratch->found);
    free(scratch->shares);
    free(scratch->lower);
    buf_release(&scratch->mended);
    free(scratch);
}

uint64_t match_limited(const struct match_scratch *scratch) {
    return scratch->limited;
}
