#include "input/traits.h"

#include "input/laps.h"
#include "input/reader.h"
#include "text/chars.h"

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
    static const struct str marks[] = {STR("step"), STR("Step"), STR("iter"),
                                       STR("Iter"), STR("loss"), STR("Loss"),
                                       STR("%|"),   STR("STEP"), STR("LOSS")};
    for (size_t i = 0; i < COUNT_OF(marks); i++)
        if (grams_has(grams, piece, marks[i])) return true;
    return false;
}

/* What hangs on the digits of hexadecimal numbers: "acc" may stand among them. */
static void forget_digits(struct traits *traits) {
    traits->hashed = false;
    traits->words = (struct track_words){0};
    traits->open = UNASKED;
}

static void find(struct traits *traits, struct str piece, const struct place *place) {
    const struct grams *grams = &traits->grams;
    struct str body = str_from(piece, place->body);
    traits->body = place->body;
    traits->severity = place->severity;
    traits->kernel = looks_kernel(piece, grams);
    traits->config = looks_config(body, grams);
    traits->step = may_be_step(piece, grams);
    traits->timers = laps_timed(body, grams);
    traits->meeting = meeting_may(body, grams);
    traits->tells = tracer_tells(body, grams);
    traits->pause = traits->dull = UNASKED;
    forget_digits(traits);
}

struct traits *traits_of(struct alike *alike, struct str piece, bool beyond,
                         const struct place *place) {
    bool known;
    struct traits *traits = alike_of(alike, piece, beyond, &known);
    known = known && traits->body == place->body && traits->severity == place->severity;
    if (!known) find(traits, piece, place);
    if (alike_addresses(alike)) forget_digits(traits);
    return traits;
}

static enum answer answer(bool yes) {
    return yes ? YES : NO;
}

bool traits_pause(struct traits *traits, struct str body) {
    if (traits->pause == UNASKED) traits->pause = answer(stall_pauses(body, &traits->grams));
    return traits->pause == YES;
}

bool traits_dull(struct traits *traits, struct str body) {
    if (traits->dull == UNASKED)
        traits->dull = answer(standout_dull(body, &traits->grams, traits->severity));
    return traits->dull == YES;
}

bool traits_open(struct traits *traits, struct str line) {
    if (traits->open == UNASKED) traits->open = answer(!secrets_may(&traits->grams, line));
    return traits->open == YES;
}

uint64_t traits_opening(struct traits *traits, struct str body) {
    if (!traits->hashed) traits->opening = opening_hash(body);
    traits->hashed = true;
    return traits->opening;
}
