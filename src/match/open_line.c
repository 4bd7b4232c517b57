#include "match/open_line.h"

#include "model/evidence.h"
#include "text/text.h"

enum {
    STRETCH_BITS = 18,
    TYPES_MAX = 512, /* lines of a stretch offered for an exception's name alone */
    WORDS_MAX = 64,  /* and for a word of trouble alone */
    WINDOWS_MAX = 64 /* of one long line */
};

struct str line_text(const struct offers *offers) {
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
                                  .trouble = line->trace || line->type || line->word,
                                  .rolled = offers->rolled,
                                  .roll = offers->roll};
    if (line->decision && !line->structural) {
        struct decision *kept = ARENA_NEW(offers->arena, struct decision);
        *kept = *line->decision;
        candidate.decision = kept;
    }
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

/* What is bounded in each stretch counts anew. */
void stretch_enter(struct offers *offers, size_t start) {
    if (start >> STRETCH_BITS == offers->stretch) return;
    offers->stretch = start >> STRETCH_BITS;
    offers->types = offers->words = 0;
    offers->scratch->share_round++;
}

void line_open(struct offers *offers, size_t start, size_t n, size_t next, uint32_t number) {
    struct open_line *line = &offers->line;
    *line = (struct open_line){
        .active = true, .start = start, .end = start + n, .next = next, .number = number};
    line->cut = n > LIMIT_TEXT;
    if (line->cut) tell_structural(line, line_text(offers));
    if (line->structural) {
        line->window_end = start + LIMIT_TEXT;
        push(offers, start, line->window_end);
    }
    if (!line->cut && trouble_is_log(line_text(offers))) line_odd(offers, true);
    stretch_enter(offers, start);
}

/* ---- what signals say -------------------------------------------------------------------- */

static void take_marks(struct open_line *line, unsigned marks) {
    line->trace |= (marks & MARK_TRACE) != 0;
    line->type |= (marks & MARK_TYPE) != 0;
    line->word |= (marks & MARK_WORD) != 0;
    line->mend |= (marks & MARK_MEND) != 0;
    line->structural |= (marks & (MARK_MEND | MARK_CR)) != 0;
}

/* Mild signals have a share of each stretch; small blocks give all their lines. */
static struct share *share_of(struct offers *offers, int signal) {
    struct share *share = &offers->scratch->shares[signal];
    if (share->round != offers->scratch->share_round)
        *share = (struct share){offers->scratch->share_round, 0};
    return share;
}

static bool share_left(struct offers *offers, int signal) {
    return offers->block.n <= STEPS_ALL || share_of(offers, signal)->taken < offers->mild;
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
    bool mild = !pulse && offers->matcher->milds[signal];
    if (mild && !share_left(offers, signal)) return;
    if (!decision_hits(offers->matcher, offers->scratch, decision, i, text)) return;
    if (mild)
        add_mild(line, (uint16_t)signal);
    else
        line->speaks = true;
}

/* Whether a signal that a line at hand may be offered for hits it; a mild one that has no share
 * left is not asked, and leaves *asked as it is. */
static bool some_hits(struct offers *offers, struct str text, const struct decision *decision,
                      bool steps, bool *asked) {
    const struct matcher *matcher = offers->matcher;
    for (int i = 0; i < decision->n; i++) {
        int signal = decision->ids[i];
        bool wanted =
            matcher->pulses[signal] ? steps : !matcher->milds[signal] || share_left(offers, signal);
        *asked |= wanted;
        if (wanted && decision_hits(matcher, offers->scratch, decision, i, text)) return true;
    }
    return false;
}

bool line_matters(struct offers *offers, struct str text, const struct decision *decision,
                  bool steps, bool *mute) {
    bool asked = false;
    *mute = false;
    if (decision->about & ABOUT_TROUBLE) return true;
    stretch_enter(offers, (size_t)(text.p - offers->block.p));
    bool matters = some_hits(offers, text, decision, steps, &asked);
    *mute = !asked;
    return matters || (asked && trouble_is_log(text));
}

/* What is known of the open line's text, or of a piece of it mended. */
static void weigh(struct offers *offers, struct str text, const struct decision *decision,
                  bool steps) {
    struct open_line *line = &offers->line;
    if (!steps) take_marks(line, decision->marks);
    line->speaks |= decision->more;
    for (int i = 0; i < decision->n && !line->speaks; i++)
        if (offers->matcher->pulses[decision->ids[i]] == steps)
            take_signal(offers, text, decision, i);
}

void line_take(struct offers *offers, const struct decision *decision, bool steps) {
    struct open_line *line = &offers->line;
    line->decision = decision;
    if (!line->mend) weigh(offers, line_text(offers), decision, steps);
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
        const struct decision *decision =
            line_decide(offers->matcher, offers->scratch, piece, false);
        weigh(offers, piece, decision, false);
        if (!line->speaks && offers->block.n <= STEPS_ALL) weigh(offers, piece, decision, true);
    }
}

static bool mild_speaks(struct offers *offers) {
    struct open_line *line = &offers->line;
    bool any = false;
    for (int i = 0; i < line->n_mild; i++)
        any |= share_of(offers, line->mild[i])->taken++ < offers->mild;
    return any || (line->n_mild && offers->block.n <= STEPS_ALL);
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
