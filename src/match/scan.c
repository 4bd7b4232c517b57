/* The walk over a block: kernels tell where to look, this file finds the line around each place and
 * what really stands there.
 *
 * A chunk at a time the kernel turns bytes into bit masks; the walk visits the set bits in order.
 * Line starts and numbers are read off the newline masks only when a line turns out to matter.
 */
#include "match/open_line.h"

#include "model/evidence.h"

enum {
    CHUNK = KERNEL_WORDS * 64,
    PULSE_EVERY =
        64 * 1024, /* larger blocks give the first in the first chunk of each such stretch */
    PULSE_BACK = 64 * 1024, /* how far from the end the last one is looked for */
    PULSE_TRIES = 256       /* places that hold a needle and are in no step line */
};

struct scan {
    struct offers offers;
    struct lanes lanes[KERNEL_WORDS];
    struct lanes spare[KERNEL_WORDS];
    uint64_t pulse[KERNEL_WORDS]; /* bits of bytes, where has_pulse */
    bool has_pulse, pulse_once;   /* this chunk is searched for step lines; one is enough */
    size_t last_pulse;            /* where the last step line's needle is, or SIZE_MAX */
    size_t base;                  /* offset of the chunk */
    size_t cursor;                /* words of the chunk that the next two include */
    uint32_t lines;
    size_t line_start;
};

/* ---- lines ------------------------------------------------------------------------------- */

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

/* ---- events ------------------------------------------------------------------------------ */

static void on_control(struct scan *scan, size_t at) {
    struct str block = scan->offers.block;
    if (block.p[at] == '\r' && (at + 1 == block.n || block.p[at + 1] == '\n')) return;
    enter_line(scan, at);
    line_odd(&scan->offers, block.p[at] != '\r');
}

static void on_needle(void *ctx, size_t at, size_t start, const struct needle *needle) {
    struct scan *scan = ctx;
    (void)at;
    line_needle(&scan->offers, start, needle);
}

/* Where a needle may begin (hit) or lie around (pair): a line is weighed as a whole, one that is
 * too long gives windows around its needles. */
static void on_place(struct scan *scan, size_t at, bool pair) {
    const struct needle_set *loud = scan->offers.matcher->loud;
    struct str block = scan->offers.block;
    enter_line(scan, at);
    if (!scan->offers.line.cut)
        line_weigh(&scan->offers);
    else if (pair)
        needles_at_pair(loud, block, at, on_needle, scan);
    else
        needles_at_hit(loud, block, at, on_needle, scan);
}

static inline void on_hit(struct scan *scan, size_t at) {
    struct str block = scan->offers.block;
    const char *p = block.p + at;
    if (block.n - at >= 2 && (uint8_t)p[0] == 0xe2 && ((uint8_t)p[1] & 0xfe) == 0x94) {
        enter_line(scan, at);
        line_odd(&scan->offers, true);
    }
    if (block.n - at >= NEEDLE_MIN && needle_may_hit(scan->offers.matcher->loud, block, at))
        on_place(scan, at, false);
}

static inline void on_pair(struct scan *scan, size_t at) {
    struct str block = scan->offers.block;
    if (block.n - at < 8 || needle_may_pair(scan->offers.matcher->loud, block, at))
        on_place(scan, at, true);
}

/* True where needles tell nothing new: the open line holds `at`, and was weighed or will be by its
 * mended text, or has all its windows. */
static inline bool is_settled(const struct scan *scan, size_t at) {
    const struct open_line *line = &scan->offers.line;
    if (!line->active || at >= line->next) return false;
    return line->cut ? line->full && at >= line->window_end : line->weighed || line->mend;
}

static void on_pulse(struct scan *scan, size_t at) {
    struct open_line *line = &scan->offers.line;
    if (line->cut && is_settled(scan, at)) return;
    enter_line(scan, at);
    if (line->cut)
        needles_at_pair(scan->offers.matcher->pulse, scan->offers.block, at, on_needle, scan);
    line_weigh_pulse(&scan->offers);
    if (scan->pulse_once && line->pulse_weighed && line->speaks) scan->has_pulse = false;
}

/* ---- step lines -------------------------------------------------------------------------- */

/* Places in the words from `at` where the needle of a step line may stand, as bits of bytes. */
static void pulse_bits(struct scan *scan, size_t at, size_t words) {
    const struct matcher *matcher = scan->offers.matcher;
    struct lanes *lanes = scan->spare;
    size_t lines;
    words = kernel_over(matcher->kernel, &matcher->pulse->tables, scan->offers.block, at, words,
                        lanes, &lines);
    memset(scan->pulse, 0, sizeof scan->pulse);
    for (size_t w = 0; w < words; w++)
        if (lanes[w].hit | lanes[w].pair)
            scan->pulse[w] = lanes[w].hit | lanes_pair_bytes(&lanes[w]);
}

static void needle_stands(void *ctx, size_t at, size_t start, const struct needle *needle) {
    (void)at;
    (void)start;
    (void)needle;
    *(bool *)ctx = true;
}

/* True when a step line's needle stands around `at` and a progress signal hits the line. */
static bool is_step_line(const struct scan *scan, size_t at) {
    const struct offers *offers = &scan->offers;
    struct str block = offers->block;
    size_t from = at > LIMIT_TEXT ? at - LIMIT_TEXT : 0;
    bool stands = false;
    needles_at_pair(offers->matcher->pulse, block, at, needle_stands, &stands);
    if (!stands) return false;
    const char *before = memrchr(block.p + from, '\n', at - from);
    const char *after = memchr(block.p + at, '\n', block.n - at);
    size_t start = before ? (size_t)(before - block.p) + 1 : from;
    size_t end = after ? (size_t)(after - block.p) : block.n;
    if (end - start > LIMIT_TEXT) return false;
    struct str line = str_sub(block, start, end - start);
    const struct decision *decision = line_decide(offers->matcher, offers->scratch, line);
    for (int i = 0; i < decision->n; i++)
        if (offers->matcher->pulses[decision->ids[i]] &&
            decision_hits(offers->matcher, offers->scratch, decision, i, line))
            return true;
    return decision->more;
}

/* Where the needle of the block's last step line is, looked for from the end, or SIZE_MAX. */
static size_t find_last_pulse(struct scan *scan) {
    size_t chunks = (scan->offers.block.n + CHUNK - 1) / CHUNK;
    int tries = 0;
    for (size_t c = chunks; c-- > 0 && (chunks - c) * CHUNK <= PULSE_BACK;) {
        pulse_bits(scan, c * CHUNK, KERNEL_WORDS);
        for (size_t w = KERNEL_WORDS; w-- > 0;)
            for (uint64_t bits = scan->pulse[w]; bits;) {
                unsigned bit = 63 - (unsigned)__builtin_clzll(bits);
                size_t at = c * CHUNK + w * 64 + bit;
                if (is_step_line(scan, at)) return at;
                if (++tries == PULSE_TRIES) return SIZE_MAX;
                bits &= ~((uint64_t)1 << bit);
            }
    }
    return SIZE_MAX;
}

/* Fills `pulse` where step lines are wanted in the chunk. */
static void find_pulses(struct scan *scan, size_t words) {
    bool all = scan->offers.block.n <= PULSE_ALL, first = scan->base % PULSE_EVERY == 0;
    bool last = scan->last_pulse - scan->base < words * 64; /* wraps where it lies before */
    scan->has_pulse = !scan->offers.matcher->pulse->empty && (all || first || last);
    if (!scan->has_pulse) return;
    scan->pulse_once = !all && !last;
    if (all || first)
        pulse_bits(scan, scan->base, words);
    else
        memset(scan->pulse, 0, sizeof scan->pulse);
    if (last) {
        size_t at = scan->last_pulse - scan->base;
        scan->pulse[at / 64] |= (uint64_t)1 << at % 64;
    }
}

/* ---- the walk ---------------------------------------------------------------------------- */

/* The bits of word w that lie behind the open line where that is settled, else all. */
static inline uint64_t unsettled(const struct scan *scan, size_t w) {
    size_t at = scan->base + w * 64;
    if (!is_settled(scan, at)) return ~(uint64_t)0;
    size_t left = scan->offers.line.next - at;
    return left < 64 ? ~(uint64_t)0 << left : 0;
}

static void visit(struct scan *scan, size_t w) {
    const struct lanes *lanes = &scan->lanes[w];
    uint64_t pair = lanes->pair ? lanes_pair_bytes(lanes) : 0;
    uint64_t pulse = scan->has_pulse ? scan->pulse[w] : 0;
    uint64_t loud = (pair | lanes->hit) & unsettled(scan, w), bit;
    for (uint64_t other = lanes->control | pulse; (loud | other) != 0; other &= ~bit) {
        bit = (loud | other) & -(loud | other);
        size_t at = scan->base + w * 64 + (size_t)__builtin_ctzll(bit);
        if (lanes->control & bit) on_control(scan, at);
        if ((pair & bit & loud) && !is_settled(scan, at)) on_pair(scan, at);
        if ((lanes->hit & bit & loud) && !is_settled(scan, at)) on_hit(scan, at);
        if ((pulse & bit) && scan->has_pulse) on_pulse(scan, at);
        loud &= ~bit;
        if (loud && is_settled(scan, at)) loud &= unsettled(scan, w);
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

static void scan_chunk(struct scan *scan) {
    const struct matcher *matcher = scan->offers.matcher;
    size_t lines;
    size_t words = kernel_over(matcher->kernel, &matcher->loud->tables, scan->offers.block,
                               scan->base, KERNEL_WORDS, scan->lanes, &lines);
    scan->cursor = 0;
    find_pulses(scan, words);
    for (size_t w = 0; w < words; w++)
        if (lanes_busy(&scan->lanes[w]) || (scan->has_pulse && scan->pulse[w])) visit(scan, w);
    finish_chunk(scan, words, lines);
}

uint32_t match_scan(const struct matcher *matcher, struct match_scratch *scratch, struct str block,
                    struct arena *arena, candidate_vec *out) {
    struct scan scan;
    scan.offers = (struct offers){matcher, scratch, block, arena, out, .stretch = 0};
    scan.lines = 0;
    scratch->share_round++;
    scan.line_start = 0;
    scan.last_pulse = SIZE_MAX;
    if (block.n > PULSE_ALL && !matcher->pulse->empty) scan.last_pulse = find_last_pulse(&scan);
    for (scan.base = 0; scan.base < block.n; scan.base += CHUNK) scan_chunk(&scan);
    line_close(&scan.offers);
    return scan.lines + (block.n && block.p[block.n - 1] != '\n');
}
