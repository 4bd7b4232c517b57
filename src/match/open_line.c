#include "match/open_line.h"

#include "model/evidence.h"
#include "text/text.h"

enum {
    STRETCH_BITS = 18,
    TYPES_MAX = 512, /* lines of a stretch offered for an exception's name alone */
    WORDS_MAX = 64,  /* and for a word of trouble alone */
    MILD_MAX = 32,   /* and for each mild signal */
    WINDOWS_MAX = 64 /* of one long line */
};

static bool is_word_byte(int c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

static struct str line_text(const struct offers *offers) {
    return str_sub(offers->block, offers->line.start, offers->line.end - offers->line.start);
}

/* ---- what kind of line ------------------------------------------------------------------- */

/* For lines of which the first window must be pushed at once; of others the walk tells. */
static void tell_structural(struct open_line *line, struct str s) {
    for (size_t i = 0; i < s.n && !line->structural; i++) {
        unsigned char c = (unsigned char)s.p[i], next = i + 1 < s.n ? (unsigned char)s.p[i + 1] : 0;
        line->structural = (c < 0x20 && c != '\t') || (c == 0xe2 && (next & 0xfe) == 0x94);
    }
}

/* ---- offering ---------------------------------------------------------------------------- */

static void push(struct offers *offers, size_t start, size_t end) {
    const struct open_line *line = &offers->line;
    struct candidate candidate = {.start = (uint32_t)start,
                                  .length = (uint32_t)(end - start),
                                  .line = line->number,
                                  .structural = line->structural,
                                  .trouble = line->trace || line->type || line->word};
    vec_push(offers->arena, offers->out, candidate);
}

/* A window of a long line around [at, at + n). */
static void push_window(struct offers *offers, size_t at, size_t n, bool trouble) {
    struct open_line *line = &offers->line;
    if (at + n > line->window_end) {
        if (line->windows >= WINDOWS_MAX) return;
        size_t start = at > line->start + LIMIT_TEXT / 2 ? at - LIMIT_TEXT / 2 : line->start;
        size_t end = line->end - start > LIMIT_TEXT ? start + LIMIT_TEXT : line->end;
        line->windows++;
        line->window_end = end;
        push(offers, start, end);
    }
    if (trouble) offers->out->v[offers->out->n - 1].trouble = true;
}

void line_open(struct offers *offers, size_t start, size_t at, uint32_t number) {
    struct str block = offers->block;
    struct open_line *line = &offers->line;
    const char *lf = memchr(block.p + at, '\n', block.n - at);
    size_t end = lf ? (size_t)(lf - block.p) : block.n;
    *line = (struct open_line){.active = true, .start = start, .number = number};
    line->next = lf ? end + 1 : end;
    line->end = end > start && block.p[end - 1] == '\r' ? end - 1 : end;
    line->cut = line->end - start > LIMIT_TEXT;
    if (line->cut) tell_structural(line, line_text(offers));
    if (line->structural) {
        line->window_end = start + LIMIT_TEXT;
        push(offers, start, line->window_end);
    }
    if (start >> STRETCH_BITS != offers->stretch) {
        offers->stretch = start >> STRETCH_BITS;
        offers->types = offers->words = 0;
        offers->scratch->share_round++;
    }
}

/* ---- needles ----------------------------------------------------------------------------- */

/* Whether "Error" and the like end the name of an exception: "torch.cuda.OutOfMemoryError: ..." */
static bool is_type(struct str s, size_t at, struct str name) {
    size_t after = at + name.n;
    bool error = str_eq(name, STR("Error"));
    if (error && (at == 0 || !is_word_byte((unsigned char)s.p[at - 1]))) return false;
    if (after < s.n && (s.p[after] == ':' || s.p[after] == '\r')) return true;
    struct str rest = str_sub(s, after, s.n - after);
    if (rest.n < 8 && str_trim(rest).n == 0) return true;
    return str_eq(name, STR("Exception")) &&
           (str_starts(rest, STR(" in ")) || str_starts(rest, STR(" ignored in")));
}

static bool is_word(struct str s, size_t at, struct str word) {
    size_t after = at + word.n;
    if (at > 0 && is_word_byte((unsigned char)s.p[at - 1])) return false;
    return !is_word_byte((unsigned char)word.p[word.n - 1]) || after == s.n ||
           !is_word_byte((unsigned char)s.p[after]);
}

/* Marks the open line where the needle really is a mark of trouble in the text. */
static bool mark_trouble(struct open_line *line, struct str text, size_t at,
                         const struct needle *needle) {
    bool trace = needle->signal == TROUBLE_TRACE, type = false, word = false;
    if (needle->signal == TROUBLE_TYPE) type = is_type(text, at, needle->text);
    if (needle->signal == TROUBLE_WORD) word = is_word(text, at, needle->text);
    if (!line->cut) {
        line->trace |= trace;
        line->type |= type;
        line->word |= word;
    }
    return trace || type || word;
}

static void add_mild(struct open_line *line, uint16_t signal) {
    for (int i = 0; i < line->n_mild; i++)
        if (line->mild[i] == signal) return;
    if (line->n_mild == DECISION_IDS)
        line->speaks = true;
    else
        line->mild[line->n_mild++] = signal;
}

/* What the signals say whose verdict is, or is nearly, the same for lines like it. */
static void weigh_plain(struct offers *offers, struct str text) {
    struct match_scratch *scratch = offers->scratch;
    struct open_line *line = &offers->line;
    const struct decision *known = memo_find(scratch->memo, text);
    struct decision decision = known ? *known : line_decide(offers->matcher, scratch, text);
    if (!known) memo_store(scratch->memo, text, &decision);
    line->speaks |= decision.speaks;
    for (int i = 0; i < decision.n_mild; i++) add_mild(line, decision.ids[i]);
    for (int i = 0; i < decision.n_maybe && !line->speaks; i++) {
        uint16_t signal = decision.ids[decision.n_mild + i];
        if (line_try(offers->matcher, scratch, signal, text, decision.at[i], NULL) == PROGRAM_MISS)
            continue;
        if (signal_is_mild(offers->matcher, signal))
            add_mild(line, signal);
        else
            line->speaks = true;
    }
}

static bool still(bool *tried) {
    bool first = !*tried;
    *tried = true;
    return first;
}

/* A needle stands at `at` in the text, which is the open line or a piece of it mended. */
static void weigh(struct offers *offers, struct str text, size_t at, const struct needle *needle) {
    struct open_line *line = &offers->line;
    if (needle->group == NEEDLE_TROUBLE)
        mark_trouble(line, text, at, needle);
    else if (line->speaks)
        return;
    else if (needle->group == NEEDLE_PULSE && still(&line->pulse_tried))
        line->speaks = line_speaks(offers->matcher, offers->scratch, text, NEEDLE_PULSE);
    else if (needle->group == NEEDLE_SENSITIVE && still(&line->sensitive_tried))
        line->speaks = line_speaks(offers->matcher, offers->scratch, text, NEEDLE_SENSITIVE);
    else if (needle->group & (NEEDLE_PLAIN | NEEDLE_RELAXED) && still(&line->plain_tried))
        weigh_plain(offers, text);
}

void line_needle(struct offers *offers, size_t at, const struct needle *needle) {
    struct open_line *line = &offers->line;
    struct str text = line_text(offers);
    bool trouble = needle->group == NEEDLE_TROUBLE;
    if (trouble && needle->signal == TROUBLE_LOG) {
        if (at == line->start) line->structural = line->mend = true;
    } else if (line->cut) {
        if (!trouble || mark_trouble(line, text, at - line->start, needle))
            push_window(offers, at, needle->text.n, trouble);
    } else if (!line->mend) {
        weigh(offers, text, at - line->start, needle);
    }
}

/* ---- mended lines ------------------------------------------------------------------------- */

struct judging {
    struct offers *offers;
    struct str text;
};

static void judge(void *ctx, size_t at, size_t start, const struct needle *needle) {
    struct judging *judging = ctx;
    (void)at;
    if (needle->signal != TROUBLE_LOG || needle->group != NEEDLE_TROUBLE)
        weigh(judging->offers, judging->text, start, needle);
}

/* A line whose raw bytes say little, because colours may cut a needle in two, is judged by what
 * mending makes of it. Its step lines are not sampled. */
static void judge_mended(struct offers *offers) {
    struct open_line *line = &offers->line;
    struct buf *mended = &offers->scratch->mended;
    line->speaks = line->trace = line->type = line->word = false;
    line->n_mild = 0;
    mend_line(mended, line_text(offers));
    struct str rest = buf_view(mended), piece;
    while (str_split(&rest, '\n', &piece)) {
        struct judging judging = {offers, piece};
        line->plain_tried = line->sensitive_tried = line->pulse_tried = false;
        needles_in(offers->matcher->kernel, offers->matcher->loud, piece, judge, &judging);
        if (!line->speaks && !offers->matcher->pulse->empty && offers->block.n <= PULSE_ALL)
            needles_in(offers->matcher->kernel, offers->matcher->pulse, piece, judge, &judging);
    }
}

/* Mild signals have a share of each stretch; small blocks give all their lines. */
static bool mild_speaks(struct offers *offers) {
    struct open_line *line = &offers->line;
    bool any = false;
    for (int i = 0; i < line->n_mild; i++) {
        struct share *share = &offers->scratch->shares[line->mild[i]];
        if (share->round != offers->scratch->share_round)
            *share = (struct share){offers->scratch->share_round, 0};
        any |= share->taken++ < MILD_MAX;
    }
    return any || (line->n_mild && offers->block.n <= PULSE_ALL);
}

void line_odd(struct offers *offers, bool mend) {
    offers->line.structural = true;
    offers->line.mend |= mend;
}

void line_close(struct offers *offers) {
    struct open_line *line = &offers->line;
    if (!line->active) return;
    line->active = false;
    if (line->cut) {
        size_t tail = line->end - LIMIT_TEXT;
        if (tail < line->window_end) tail = line->window_end;
        if (line->structural && tail < line->end) push(offers, tail, line->end);
        return;
    }
    if (line->mend) judge_mended(offers);
    if (line->speaks || mild_speaks(offers) || line->trace ||
        (line->type && offers->types++ < TYPES_MAX) || (line->word && offers->words++ < WORDS_MAX))
        push(offers, line->start, line->end);
}
