#include "match/open_line.h"

#include "model/evidence.h"

enum {
    STRETCH_BITS = 18,
    TYPES_MAX = 512, /* lines of a stretch offered for an exception's name alone */
    WORDS_MAX = 64,  /* and for a word of trouble alone */
    WINDOWS_MAX = 64 /* of one long line */
};

static bool is_word_byte(int c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

static struct str line_text(const struct offers *offers) {
    return str_sub(offers->block, offers->line.start, offers->line.end - offers->line.start);
}

/* ---- what kind of line ------------------------------------------------------------------- */

static bool has_control(struct str s) {
    for (size_t i = 0; i < s.n; i++)
        if ((unsigned char)s.p[i] < 0x20 && s.p[i] != '\t') return true;
    return false;
}

static bool has_box(struct str s) {
    for (size_t i = 0; i + 1 < s.n; i++)
        if ((unsigned char)s.p[i] == 0xe2 && ((unsigned char)s.p[i + 1] & 0xfe) == 0x94)
            return true;
    return false;
}

/* Eight bytes at a time: nearly all lines are plain ASCII. */
static void tell_structural(struct open_line *line, struct str s) {
    const uint64_t ones = 0x0101010101010101u;
    uint64_t high = 0, low = 0;
    for (size_t i = 0; i < s.n; i += 8) {
        uint64_t v = 0x20 * ones;
        memcpy(&v, s.p + i, s.n - i < 8 ? s.n - i : 8);
        high |= v;
        low |= (v - 0x20 * ones) & ~v;
    }
    high &= 0x80 * ones;
    low &= 0x80 * ones;
    line->structural = (low && has_control(s)) || (high && has_box(s));
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
    tell_structural(line, line_text(offers));
    line->cut = line->end - start > LIMIT_TEXT;
    if (line->cut && line->structural) {
        line->window_end = start + LIMIT_TEXT;
        push(offers, start, line->window_end);
    }
    if (start >> STRETCH_BITS != offers->stretch) {
        offers->stretch = start >> STRETCH_BITS;
        offers->types = offers->words = 0;
    }
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
    if (line->structural || line->speaks || line->trace ||
        (line->type && offers->types++ < TYPES_MAX) || (line->word && offers->words++ < WORDS_MAX))
        push(offers, line->start, line->end);
}

/* ---- needles ----------------------------------------------------------------------------- */

/* Whether "Error" and the like end the name of an exception: "torch.cuda.OutOfMemoryError: ..." */
static bool is_type(struct str s, size_t at, struct str name) {
    size_t after = at + name.n;
    bool error = str_eq(name, STR("Error"));
    if (error && (at == 0 || !is_word_byte((unsigned char)s.p[at - 1]))) return false;
    if (after < s.n && s.p[after] == ':') return true;
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

/* Marks the open line where the needle really is a mark of trouble. */
static bool mark_trouble(struct offers *offers, size_t at, const struct needle *needle) {
    struct open_line *line = &offers->line;
    struct str text = line_text(offers);
    size_t in_line = at - line->start;
    bool trace = needle->signal == TROUBLE_TRACE, type = false, word = false;
    if (needle->signal == TROUBLE_TYPE) type = is_type(text, in_line, needle->text);
    if (needle->signal == TROUBLE_WORD) word = is_word(text, in_line, needle->text);
    if (!line->cut) {
        line->trace |= trace;
        line->type |= type;
        line->word |= word;
    }
    return trace || type || word;
}

/* Whether a signal of the plain needles hits the line, remembered for lines like it. */
static bool plain_speaks(struct offers *offers) {
    struct str text = line_text(offers);
    int known = memo_find(offers->scratch->memo, text);
    if (known >= 0) return known;
    bool speaks = line_speaks(offers->matcher, offers->scratch, text, NEEDLE_PLAIN);
    memo_store(offers->scratch->memo, text, speaks);
    return speaks;
}

static bool still(bool *tried) {
    bool first = !*tried;
    *tried = true;
    return first;
}

void line_needle(struct offers *offers, size_t at, const struct needle *needle) {
    struct open_line *line = &offers->line;
    bool trouble = needle->group == NEEDLE_TROUBLE;
    if (trouble && !mark_trouble(offers, at, needle)) return;
    if (line->cut) {
        push_window(offers, at, needle->text.n, trouble);
        return;
    }
    if (trouble || line->speaks) return;
    if (line->structural) return;
    if (needle->group == NEEDLE_PLAIN && still(&line->plain_tried))
        line->speaks = plain_speaks(offers);
    else if (needle->group == NEEDLE_SENSITIVE && still(&line->sensitive_tried))
        line->speaks =
            line_speaks(offers->matcher, offers->scratch, line_text(offers), NEEDLE_SENSITIVE);
    else if (needle->group == NEEDLE_PULSE && still(&line->pulse_tried))
        line->speaks =
            line_speaks(offers->matcher, offers->scratch, line_text(offers), NEEDLE_PULSE);
}
