#include "input/traits.h"

#include <stdlib.h>

#include "input/laps.h"
#include "input/reader.h"
#include "text/chars.h"
#include "text/masked.h"

enum { SETS = 256, WAYS = 4, TEXT_BYTES = 256 * 1024 };

struct entry {
    uint32_t text, length; /* of the masked line in `text` */
    struct traits traits;
};

struct traits_memo {
    uint64_t hashes[SETS][WAYS]; /* 0: free */
    struct entry entries[SETS][WAYS];
    struct traits spare; /* of a line that is too long to be kept */
    uint32_t used;
    char masked[LIMIT_TEXT + MASKED_BEYOND];
    char text[TEXT_BYTES];
};

struct traits_memo *traits_new(void) {
    struct traits_memo *memo = calloc(1, sizeof *memo);
    if (!memo) base_out_of_memory();
    return memo;
}

void traits_release(struct traits_memo *memo) {
    free(memo);
}

/* ---- what a line is like ------------------------------------------------------------ */

static bool looks_kernel(struct str piece, const struct grams *grams) {
    return grams_has(grams, piece, STR("NVRM:")) || grams_has(grams, piece, STR("kernel:")) ||
           grams_has(grams, piece, STR("oom-kill")) ||
           grams_has(grams, piece, STR("Out of memory: Kill")) ||
           grams_has(grams, piece, STR("Memory cgroup out of memory"));
}

/* Command lines, exports and configuration rows that a log printed. */
static bool looks_config(struct str body, const struct grams *grams) {
    struct str s = str_trim(body);
    char c = byte_at(s, 0);
    return c == '{' || c == '"' || c == '\'' || str_starts(s, STR("+ ")) ||
           str_starts(s, STR("$ ")) || str_starts(s, STR("export ")) ||
           str_starts(s, STR("#SBATCH")) || str_starts(s, STR("--")) ||
           grams_has(grams, s, STR(" --")) || grams_has(grams, s, STR("cmd = ")) ||
           (s.n && s.p[s.n - 1] == '\\');
}

/* Step lines name a step, an iteration, a loss, or are a bar. */
static bool may_be_step(struct str piece, const struct grams *grams) {
    static const struct str marks[] = {{"step", 4}, {"Step", 4}, {"iter", 4},
                                       {"Iter", 4}, {"loss", 4}, {"Loss", 4},
                                       {"%|", 2},   {"STEP", 4}, {"LOSS", 4}};
    for (size_t i = 0; i < COUNT_OF(marks); i++)
        if (grams_has(grams, piece, marks[i])) return true;
    return false;
}

static void find(struct traits *traits, struct str piece, const struct place *place) {
    const struct grams *grams = &traits->grams;
    struct str body = str_from(piece, place->body);
    traits->body = place->body;
    traits->severity = place->severity;
    traits->kernel = looks_kernel(piece, grams);
    traits->config = looks_config(body, grams);
    traits->step = may_be_step(piece, grams);
    traits->pause = stall_pauses(body, grams);
    traits->timers = laps_timed(body, grams);
    traits->meeting = meeting_may(body, grams);
    traits->untraced = tracer_passes(body, grams);
    traits->dull = standout_dull(body, grams, place->severity);
    traits->open = !secrets_may(grams);
    traits->words = (struct track_words){0};
}

/* ---- keeping ------------------------------------------------------------------------ */

static size_t padded(size_t n) {
    return (n + MASKED_BEYOND - 1) / MASKED_BEYOND * MASKED_BEYOND;
}

/* The line's entry, or the one to make for it: then it is of length 0. */
static struct entry *entry_of(struct traits_memo *memo, struct str masked, uint64_t hash) {
    size_t set = hash >> 32 & (SETS - 1);
    int way = 0;
    for (; way < WAYS && memo->hashes[set][way]; way++) {
        struct entry *entry = &memo->entries[set][way];
        if (memo->hashes[set][way] == hash && entry->length == masked.n &&
            masked_same(memo->text + entry->text, masked.p, masked.n))
            return entry;
    }
    if (memo->used + padded(masked.n) > TEXT_BYTES) {
        memset(memo->hashes, 0, sizeof memo->hashes);
        memo->used = 0;
        way = 0;
    }
    if (way == WAYS) way = (int)(hash >> 62);
    struct entry *entry = &memo->entries[set][way];
    entry->text = memo->used;
    entry->length = 0;
    memcpy(memo->text + memo->used, masked.p, padded(masked.n));
    memo->used += (uint32_t)padded(masked.n);
    memo->hashes[set][way] = hash;
    return entry;
}

struct traits *traits_of(struct traits_memo *memo, struct str piece, const struct place *place) {
    if (!piece.n || piece.n > LIMIT_TEXT) {
        grams_make(&memo->spare.grams, piece);
        find(&memo->spare, piece, place);
        return &memo->spare;
    }
    uint64_t hash = masked_copy(piece, false, memo->masked) | 1;
    struct str masked = {memo->masked, piece.n};
    struct entry *entry = entry_of(memo, masked, hash);
    struct traits *traits = &entry->traits;
    bool known =
        entry->length && traits->body == place->body && traits->severity == place->severity;
    if (known) return traits;
    grams_make(&traits->grams, masked);
    find(traits, piece, place);
    entry->length = (uint32_t)piece.n;
    return traits;
}
