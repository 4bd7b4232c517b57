#include "match/matcher.h"
#include "match/syntax.h"

#include "model/evidence.h"

#include <stdlib.h>

static const struct {
    struct str text;
    enum trouble trouble;
} troubles[] = {
    {STR("(most recent call "), TROUBLE_TRACE},
    {STR("Error"), TROUBLE_TYPE},
    {STR("Exception"), TROUBLE_TYPE},
    {STR("KeyboardInterrupt"), TROUBLE_TYPE},
    {STR("SystemExit"), TROUBLE_TYPE},
    {STR("ERROR"), TROUBLE_WORD},
    {STR("FATAL"), TROUBLE_WORD},
    {STR("CRITICAL"), TROUBLE_WORD},
    {STR("error: "), TROUBLE_WORD},
    {STR("Error: "), TROUBLE_WORD},
    {STR("fatal error"), TROUBLE_WORD},
    {STR("fatal: "), TROUBLE_WORD},
    {STR("Fatal "), TROUBLE_WORD},
    {STR("Aborted"), TROUBLE_WORD},
    {STR("Killed"), TROUBLE_WORD},
};

static bool has_digit(struct str s) {
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] >= '0' && s.p[i] <= '9') return true;
    return false;
}

/* Digits in an expression or a needle make the verdict depend on them. */
static bool is_sensitive(const struct signal *signal) {
    struct syntax syntax;
    struct err err;
    for (int i = 0; i < signal->n_needles; i++)
        if (has_digit(signal->needles[i])) return true;
    return !syntax_read(signal->regex, &syntax, &err) || !syntax.digit_blind;
}

/* A progress signal that all windows of a needle say is in step lines. */
static bool is_pulse(const struct signal *signal, const struct background *background) {
    enum {
        RARE = 2000 /* in a million lines: beyond it every few hundredth line would be looked at */
    };
    if (signal->role != ROLE_PROGRESS) return false;
    for (int i = 0; i < signal->n_needles; i++) {
        struct str needle = signal->needles[i];
        uint32_t rarest = UINT32_MAX;
        for (size_t k = 0; k + NEEDLE_MIN <= needle.n; k++) {
            uint32_t count = background_count(background, needle.p + k);
            if (count < rarest) rarest = count;
        }
        if (rarest != UINT32_MAX && rarest > RARE) return true;
    }
    return false;
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

/* All needles: those of the signals, then the marks of trouble. */
static int gather(struct arena *arena, const struct kb *kb, const struct background *background,
                  struct needle **out) {
    int n = (int)COUNT_OF(troubles), at = 0;
    for (int i = 0; i < kb->n_signals; i++) n += kb->signals[i].n_needles;
    struct needle *needles = ARENA_ARRAY(arena, struct needle, n);
    for (int i = 0; i < kb->n_signals; i++) {
        const struct signal *signal = &kb->signals[i];
        if (signal->in == IN_WORDS) continue;
        enum needle_group group = is_pulse(signal, background) ? NEEDLE_PULSE
                                  : is_sensitive(signal)       ? NEEDLE_SENSITIVE
                                                               : NEEDLE_PLAIN;
        for (int k = 0; k < signal->n_needles; k++)
            if (signal->needles[k].n >= NEEDLE_MIN && !str_has(signal->needles[k], STR("\n")))
                needles[at++] = (struct needle){signal->needles[k], i, group};
    }
    for (size_t i = 0; i < COUNT_OF(troubles); i++)
        needles[at++] = (struct needle){troubles[i].text, (int)troubles[i].trouble, NEEDLE_TROUBLE};
    *out = needles;
    return at;
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

struct matcher *matcher_new(struct arena *arena, const struct kb *kb) {
    struct matcher *matcher = ARENA_NEW(arena, struct matcher);
    struct arena scratch = {0};
    struct background *background = background_new(&scratch);
    struct needle *needles;
    int n = gather(arena, kb, background, &needles);
    matcher->kb = kb;
    matcher->kernel = kernel_best();
    matcher->loud = needle_set_new(arena, needles, n, background,
                                   NEEDLE_PLAIN | NEEDLE_SENSITIVE | NEEDLE_TROUBLE);
    matcher->pulse = needle_set_new(arena, needles, n, background, NEEDLE_PULSE);
    admit_boxes(&matcher->loud->tables);
    matcher->programs = programs_new(arena, kb->n_signals);
    matcher->wordings = ARENA_ARRAY(arena, struct wording, kb->n_signals + 1);
    for (int i = 0; i < kb->n_signals; i++) {
        bool words = kb->signals[i].in == IN_WORDS;
        programs_set(matcher->programs, i, kb->signals[i].regex, words);
        if (words) matcher->wordings[matcher->n_wordings++] = wording_of(arena, kb, i);
    }
    arena_release(&scratch);
    return matcher;
}

void matcher_release(struct matcher *matcher) {
    if (matcher) programs_release(matcher->programs);
}

struct match_scratch *match_scratch_new(const struct matcher *matcher) {
    struct match_scratch *scratch = calloc(1, sizeof *scratch);
    size_t n = (size_t)matcher->kb->n_signals + 1;
    if (!scratch) base_out_of_memory();
    scratch->runner = runner_new();
    scratch->memo = memo_new();
    scratch->seen = calloc(n, sizeof *scratch->seen);
    scratch->found = calloc(n, sizeof *scratch->found);
    scratch->lower = malloc(LIMIT_TEXT);
    if (!scratch->seen || !scratch->found || !scratch->lower) base_out_of_memory();
    return scratch;
}

void match_scratch_release(struct match_scratch *scratch) {
    if (!scratch) return;
    runner_release(scratch->runner);
    memo_release(scratch->memo);
    free(scratch->seen);
    free(scratch->found);
    free(scratch->lower);
    free(scratch);
}

uint64_t match_limited(const struct match_scratch *scratch) {
    return scratch->limited;
}
