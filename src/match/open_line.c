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
        if (line->full) return;
        size_t start = at > line->start + LIMIT_TEXT / 2 ? at - LIMIT_TEXT / 2 : line->start;
        size_t end = line->end - start > LIMIT_TEXT ? start + LIMIT_TEXT : line->end;
        line->full = ++line->windows == WINDOWS_MAX;
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
    if (!line->cut && trouble_is_log(line_text(offers))) line_odd(offers, true);
    if (start >> STRETCH_BITS != offers->stretch) {
        offers->stretch = start >> STRETCH_BITS;
        offers->types = offers->words = 0;
        offers->scratch->share_round++;
    }
}

/* ---- what signals say -------------------------------------------------------------------- */

static void take_marks(struct open_line *line, unsigned marks) {
    line->trace |= (marks & MARK_TRACE) != 0;
    line->type |= (marks & MARK_TYPE) != 0;
    line->word |= (marks & MARK_WORD) != 0;
}

/* Mild signals have a share of each stretch; small blocks give all their lines. */
static struct share *share_of(struct offers *offers, int signal) {
    struct share *share = &offers->scratch->shares[signal];
    if (share->round != offers->scratch->share_round)
        *share = (struct share){offers->scratch->share_round, 0};
    return share;
}

static bool share_left(struct offers *offers, int signal) {
    return offers->block.n <= PULSE_ALL || share_of(offers, signal)->taken < MILD_MAX;
}

static void add_mild(struct open_line *line, uint16_t signal) {
    for (int i = 0; i < line->n_mild; i++)
        if (line->mild[i] == signal) return;
    if (line->n_mild == DECISION_IDS)
        line->speaks = true;
    else
        line->mild[line->n_mild++] = signal;
}

/* Takes what the decision says of one signal. */
static void take_signal(struct offers *offers, struct str text, const struct decision *decision,
                        int i) {
    struct open_line *line = &offers->line;
    int signal = decision->ids[i];
    bool pulse = offers->matcher->pulses[signal];
    bool mild = !pulse && signal_is_mild(offers->matcher, signal);
    if (mild && !share_left(offers, signal)) return;
    if (!decision_hits(offers->matcher, offers->scratch, decision, i, text)) return;
    if (mild)
        add_mild(line, (uint16_t)signal);
    else
        line->speaks = true;
}

/* Weighs the open line, or a piece of it mended, by the signals of step lines or by all others. */
static void weigh(struct offers *offers, struct str text, bool pulses) {
    struct open_line *line = &offers->line;
    const struct decision *decision = line_decide(offers->matcher, offers->scratch, text);
    if (!pulses) take_marks(line, decision->marks);
    line->mend |= (decision->marks & MARK_BOX) != 0;
    line->structural |= line->mend;
    line->speaks |= decision->more;
    for (int i = 0; i < decision->n && !line->speaks; i++)
        if (offers->matcher->pulses[decision->ids[i]] == pulses)
            take_signal(offers, text, decision, i);
}

void line_weigh(struct offers *offers) {
    struct open_line *line = &offers->line;
    if (line->weighed || line->cut || line->mend) return;
    line->weighed = true;
    weigh(offers, line_text(offers), false);
}

void line_weigh_pulse(struct offers *offers) {
    struct open_line *line = &offers->line;
    if (line->pulse_weighed || line->mend) return;
    line->pulse_weighed = true;
    if (line->cut) return;
    if (!line->speaks) weigh(offers, line_text(offers), true);
}

void line_needle(struct offers *offers, size_t at, const struct needle *needle) {
    if (!offers->line.cut) return;
    struct str text = line_text(offers);
    bool trouble = needle->group == NEEDLE_TROUBLE;
    if (!trouble ||
        trouble_mark(text, at - offers->line.start, needle->text, (enum trouble)needle->signal))
        push_window(offers, at, needle->text.n, trouble);
}

/* ---- mended lines ------------------------------------------------------------------------- */

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
        piece = str_sub(piece, 0, LIMIT_TEXT);
        weigh(offers, piece, false);
        if (!line->speaks && offers->block.n <= PULSE_ALL) weigh(offers, piece, true);
    }
}

static bool mild_speaks(struct offers *offers) {
    struct open_line *line = &offers->line;
    bool any = false;
    for (int i = 0; i < line->n_mild; i++)
        any |= share_of(offers, line->mild[i])->taken++ < MILD_MAX;
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
        if ((line->structural || line->full) && tail < line->end) push(offers, tail, line->end);
        return;
    }
    if (line->mend) judge_mended(offers);
    if (line->speaks || mild_speaks(offers) || line->trace ||
        (line->type && offers->types++ < TYPES_MAX) || (line->word && offers->words++ < WORDS_MAX))
        push(offers, line->start, line->end);
}
