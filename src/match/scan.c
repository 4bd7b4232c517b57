/* The walk over a block: kernels tell where to look, this file finds the line around each place and
 * what really stands there.
 *
 * A chunk at a time the kernel turns bytes into bit masks; the walk visits the set bits in order.
 * Line starts and numbers are read off the newline masks only when a line turns out to matter.
 */
#include "match/open_line.h"

#include "model/evidence.h"

enum {
    CHUNK = 8192,
    CHUNK_WORDS = CHUNK / 64,
    PULSE_ALL = 256 * 1024,  /* blocks up to this give all their step lines */
    PULSE_EVERY = 64 * 1024, /* others the first of each such stretch */
    PULSE_STEP = 4096,       /* looked for in this much of it */
    PULSE_BACK = 64 * 1024,  /* how far from the end the last one is looked for */
    PULSE_TRIES = 256        /* lines that hold a needle and are no step line */
};

struct scan {
    struct offers offers;
    struct lanes lanes[CHUNK_WORDS];
    struct lanes pulse[CHUNK_WORDS]; /* only .hit is used */
    bool has_pulse;                  /* this chunk has bits in `pulse` */
    bool pulse_once;                 /* one step line is enough */
    size_t last_pulse; /* where the block's last step line has its needle, or SIZE_MAX */
    size_t base;       /* offset of the chunk */
    size_t cursor;     /* words of the chunk that the next two include */
    uint32_t lines;
    size_t line_start;
};

/* ---- kernels
 * --------------------------------------------------------------------------------------------- */

/* The last words of a block, copied to where kernels may read beyond them: `rest` is what is left
 * of the block, `words` at most 3. */
static void run_tail(const struct kernel *kernel, const struct kernel_tables *tables,
                     struct str rest, size_t words, struct lanes *out, size_t *lines) {
    uint8_t padded[256] = {0};
    size_t room = words * 64 + 3;
    memcpy(padded, rest.p, rest.n < room ? rest.n : room);
    *lines += kernel->run(tables, padded, words, out);
    uint64_t valid =
        rest.n % 64 && rest.n < words * 64 ? ((uint64_t)1 << rest.n % 64) - 1 : ~(uint64_t)0;
    out[words - 1].hit &= valid;
    out[words - 1].control &= valid;
}

/* Runs the kernel over at most `words` words from `at`, the last of them padded where the block
 * ends. Returns the words done. */
static size_t run_kernel(const struct matcher *matcher, const struct kernel_tables *tables,
                         struct str block, size_t at, size_t words, struct lanes *out,
                         size_t *lines) {
    const struct kernel *kernel = matcher->kernel;
    size_t left = block.n - at, have = (left + 63) / 64;
    size_t whole = left >= 67 ? (left - 3) / 64 : 0; /* kernels read 3 bytes beyond the last word */
    if (whole > words) whole = words;
    if (have > words) have = words;
    *lines = kernel->run(tables, (const uint8_t *)block.p + at, whole, out);
    if (have > whole)
        run_tail(kernel, tables, str_sub(block, at + whole * 64, left), have - whole, out + whole,
                 lines);
    return have;
}

/* ---- lines
 * ------------------------------------------------------------------------------------------------
 */

static uint32_t count_bits(uint64_t v) {
    v -= v >> 1 & 0x5555555555555555u;
    v = (v & 0x3333333333333333u) + (v >> 2 & 0x3333333333333333u);
    v = (v + (v >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return (uint32_t)(v * 0x0101010101010101u >> 56);
}

/* Offset after the last LF among the set bits of word w. */
static size_t after_last(const struct scan *scan, size_t w, uint64_t newlines) {
    return scan->base + w * 64 + 64 - (size_t)__builtin_clzll(newlines);
}

static void count_to(struct scan *scan, size_t words) {
    for (; scan->cursor < words; scan->cursor++) {
        uint64_t newlines = scan->lanes[scan->cursor].newline;
        if (!newlines) continue;
        scan->lines += count_bits(newlines);
        scan->line_start = after_last(scan, scan->cursor, newlines);
    }
}

/* Makes the line around `at` the open one. */
static void enter_line(struct scan *scan, size_t at) {
    struct open_line *line = &scan->offers.line;
    if (line->active && at < line->next) return;
    line_close(&scan->offers);
    size_t w = (at - scan->base) / 64;
    count_to(scan, w);
    uint64_t before = scan->lanes[w].newline & (((uint64_t)1 << (at - scan->base) % 64) - 1);
    size_t start = before ? after_last(scan, w, before) : scan->line_start;
    line_open(&scan->offers, start, at, scan->lines + count_bits(before));
}

/* ---- events
 * -----------------------------------------------------------------------------------------------
 */

static void on_control(struct scan *scan, size_t at) {
    struct str block = scan->offers.block;
    if (block.p[at] == '\r' && (at + 1 == block.n || block.p[at + 1] == '\n')) return;
    enter_line(scan, at);
}

static void on_trigger(struct scan *scan, const struct needle_set *set,
                       const struct trigger *trigger, size_t at) {
    for (uint32_t i = 0; i < trigger->refs; i++) {
        const struct needle_ref *ref = &set->refs[trigger->first + i];
        if (!needle_stands(set, ref, scan->offers.block, at)) continue;
        enter_line(scan, at);
        line_needle(&scan->offers, at - ref->offset, &set->needles[ref->needle]);
    }
}

static inline void on_hit(struct scan *scan, const struct needle_set *set, size_t at) {
    struct str block = scan->offers.block;
    const char *p = block.p + at;
    if (block.n - at >= 2 && (uint8_t)p[0] == 0xe2 && ((uint8_t)p[1] & 0xfe) == 0x94)
        enter_line(scan, at);
    if (block.n - at < NEEDLE_MIN) return;
    const struct trigger *trigger = trigger_find(set, trigger_load(p));
    if (trigger) on_trigger(scan, set, trigger, at);
}

static void on_pulse(struct scan *scan, size_t at) {
    const struct needle_set *set = scan->offers.matcher->pulse;
    if (scan->offers.block.n - at < NEEDLE_MIN) return;
    const struct trigger *trigger = trigger_find(set, trigger_load(scan->offers.block.p + at));
    if (!trigger) return;
    on_trigger(scan, set, trigger, at);
    const struct open_line *line = &scan->offers.line;
    if (scan->pulse_once && line->active && line->pulse_tried && line->speaks)
        scan->has_pulse = false;
}

/* ---- step lines
 * ------------------------------------------------------------------------------------------- */

/* True when the trigger at `at` belongs to a step line that a progress signal hits. */
static bool is_step_line(const struct scan *scan, size_t at) {
    const struct offers *offers = &scan->offers;
    struct str block = offers->block;
    size_t from = at > LIMIT_TEXT ? at - LIMIT_TEXT : 0;
    if (block.n - at < NEEDLE_MIN ||
        !trigger_find(offers->matcher->pulse, trigger_load(block.p + at)))
        return false;
    const char *before = memrchr(block.p + from, '\n', at - from);
    const char *after = memchr(block.p + at, '\n', block.n - at);
    size_t start = before ? (size_t)(before - block.p) + 1 : from;
    size_t end = after ? (size_t)(after - block.p) : block.n;
    if (end - start > LIMIT_TEXT) return false;
    return line_speaks(offers->matcher, offers->scratch, str_sub(block, start, end - start),
                       NEEDLE_PULSE);
}

/* The place of the last step line's trigger, looked for from the end of the block, or SIZE_MAX. */
static size_t find_last_pulse(struct scan *scan) {
    struct str block = scan->offers.block;
    size_t chunks = (block.n + CHUNK - 1) / CHUNK, lines;
    int tries = 0;
    for (size_t c = chunks; c-- > 0 && (chunks - c) * CHUNK <= PULSE_BACK;) {
        size_t words = run_kernel(scan->offers.matcher, &scan->offers.matcher->pulse->tables, block,
                                  c * CHUNK, CHUNK_WORDS, scan->pulse, &lines);
        while (words-- > 0)
            for (uint64_t hits = scan->pulse[words].hit; hits;) {
                unsigned bit = 63 - (unsigned)__builtin_clzll(hits);
                size_t at = c * CHUNK + words * 64 + bit;
                if (is_step_line(scan, at)) return at;
                if (++tries == PULSE_TRIES) return SIZE_MAX;
                hits &= ~((uint64_t)1 << bit);
            }
    }
    return SIZE_MAX;
}

/* Fills `pulse` where step lines are wanted in the chunk. */
static void find_pulses(struct scan *scan, size_t words) {
    const struct matcher *matcher = scan->offers.matcher;
    struct str block = scan->offers.block;
    size_t lines;
    bool all = block.n <= PULSE_ALL, first = scan->base % PULSE_EVERY == 0;
    bool last = scan->last_pulse - scan->base < words * 64; /* wraps where it lies before */
    scan->has_pulse = matcher->pulse->n_triggers && (all || first || last);
    if (!scan->has_pulse) return;
    scan->pulse_once = !all && !last;
    memset(scan->pulse, 0, sizeof scan->pulse);
    if (all || first) {
        size_t some = all || words < PULSE_STEP / 64 ? words : PULSE_STEP / 64;
        run_kernel(matcher, &matcher->pulse->tables, block, scan->base, some, scan->pulse, &lines);
    }
    if (last) {
        size_t at = scan->last_pulse - scan->base;
        scan->pulse[at / 64].hit |= (uint64_t)1 << at % 64;
    }
}

/* ---- the walk
 * ------------------------------------------------------------------------------------------------
 */

static void visit(struct scan *scan, size_t w) {
    const struct needle_set *loud = scan->offers.matcher->loud;
    struct lanes lanes = scan->lanes[w];
    uint64_t pulse = scan->has_pulse ? scan->pulse[w].hit : 0;
    for (uint64_t bits = lanes.hit | lanes.control | pulse; bits; bits &= bits - 1) {
        uint64_t bit = bits & -bits;
        size_t at = scan->base + w * 64 + (size_t)__builtin_ctzll(bits);
        if (lanes.control & bit) on_control(scan, at);
        if (lanes.hit & bit) on_hit(scan, loud, at);
        if ((pulse & bit) && scan->has_pulse) on_pulse(scan, at);
    }
}

static void finish_chunk(struct scan *scan, size_t words, size_t lines) {
    if (scan->cursor) {
        count_to(scan, words);
        return;
    }
    scan->lines += (uint32_t)lines;
    for (size_t w = words; lines && w-- > 0;)
        if (scan->lanes[w].newline) {
            scan->line_start = after_last(scan, w, scan->lanes[w].newline);
            return;
        }
}

uint32_t match_scan(const struct matcher *matcher, struct match_scratch *scratch, struct str block,
                    struct arena *arena, candidate_vec *out) {
    struct scan scan;
    scan.offers = (struct offers){matcher, scratch, block, arena, out, .stretch = 0};
    scan.lines = 0;
    scan.line_start = 0;
    scan.last_pulse = SIZE_MAX;
    if (block.n > PULSE_ALL && matcher->pulse->n_triggers) scan.last_pulse = find_last_pulse(&scan);
    for (scan.base = 0; scan.base < block.n; scan.base += CHUNK) {
        size_t lines;
        size_t words = run_kernel(matcher, &matcher->loud->tables, block, scan.base, CHUNK_WORDS,
                                  scan.lanes, &lines);
        scan.cursor = 0;
        find_pulses(&scan, words);
        for (size_t w = 0; w < words; w++)
            if (scan.lanes[w].hit | scan.lanes[w].control |
                (scan.has_pulse ? scan.pulse[w].hit : 0))
                visit(&scan, w);
        finish_chunk(&scan, words, lines);
    }
    line_close(&scan.offers);
    return scan.lines + (block.n && block.p[block.n - 1] != '\n');
}
