#include "think/leaning.h"

#include "model/leaning.h"
#include "text/chars.h"

#include <math.h>
#include <string.h>

enum {
    EXCERPT_LINES = 100,
    KNOWN_LEAST = 10, /* fewer words that are known say nothing */
    WORD_LEAST = 2,
    PART_LEAST = 3,
    WORD_MOST = 40,    /* letters that count */
    WORDS_MOST = 4096, /* distinct words of an input */
    SLOTS = 4 * WORDS_MOST,
    TRACES_MOST = 32, /* whose messages count */
    TOLD_MOST = 4,    /* words that are told as a reason, ... */
    TOLD_LETTERS = 4  /* ... each of at least so many letters */
};
/* Nothing is less likely than this: few words are known of rare codes.  Measured, with what counts
 * beside it (lead.c), on cases that neither had been written on. */
static const double LIKELY_LEAST = 0.01;

/* ---- words --------------------------------------------------------------------------------------
 */

/* The distinct words met so far. */
struct vocabulary {
    uint64_t slots[SLOTS]; /* their hashes, 0: free */
    int n;
};

static bool is_new(struct vocabulary *vocabulary, struct str word) {
    uint64_t hash = str_hash(word) | 1;
    size_t slot = hash >> 32 & (SLOTS - 1);
    while (vocabulary->slots[slot] && vocabulary->slots[slot] != hash)
        slot = (slot + 1) & (SLOTS - 1);
    if (vocabulary->slots[slot] || vocabulary->n == WORDS_MOST) return false;
    vocabulary->slots[slot] = hash;
    return ++vocabulary->n;
}

/* The next word, in small letters, each number in it as one 0; what was said by an exception is
 * marked, as it decides.  False at the end. */
static bool word_next(struct str *text, bool raised, char room[WORD_MOST + 1], struct str *word) {
    for (;;) {
        size_t n = 0, letters = 0;
        while (text->n && (!is_word(*text->p) || is_digit(*text->p))) *text = str_from(*text, 1);
        if (!text->n) return false;
        if (raised) room[n++] = '!';
        for (bool number = false; text->n && is_word(*text->p); *text = str_from(*text, 1)) {
            bool digit = is_digit(*text->p);
            if (letters < WORD_MOST - 1 && !(digit && number)) {
                room[n++] = digit ? '0' : to_lower(*text->p);
                letters++;
            }
            number = digit;
        }
        *word = (struct str){room, n};
        if (letters >= WORD_LEAST) return true;
    }
}

struct word_visit {
    void (*found)(void *ctx, struct str word);
    void *ctx;
    struct vocabulary *vocabulary;
};

static void visit_word(const struct word_visit *visit, struct str word) {
    if (is_new(visit->vocabulary, word)) visit->found(visit->ctx, word);
}

/* "all_gather_into_tensor" is also _gather and _tensor. */
static void visit_parts(const struct word_visit *visit, struct str word) {
    char room[WORD_MOST + 2] = "_";
    struct str rest = word, part;
    while (str_split(&rest, '_', &part)) {
        if (part.n < PART_LEAST || part.n == word.n) continue;
        memcpy(room + 1, part.p, part.n);
        visit_word(visit, (struct str){room, part.n + 1});
    }
}

static void visit_text(const struct word_visit *visit, struct str text, bool raised) {
    char room[WORD_MOST + 1];
    struct str word;
    while (word_next(&text, raised, room, &word)) {
        visit_word(visit, word);
        if (!raised) visit_parts(visit, word);
    }
}

static void visit_words(const struct view *view, const struct word_visit *visit) {
    const struct evidence *evidence = view->evidence;
    int traces = 0;
    for (size_t i = 0; i < evidence->documents.n; i++) {
        const struct document *document = &evidence->documents.v[i];
        if (document_is_words(document) && view->chosen[document->source] >= 0 &&
            !view->foreign[document->source])
            visit_text(visit, document->text, false);
    }
    for (size_t i = 0; i < evidence->traces.n && traces < TRACES_MOST; i++) {
        const struct trace *trace = &evidence->traces.v[i];
        if (!view_holds(view, &trace->end) || view->foreign[trace->end.source]) continue;
        visit_text(visit, trace->type, true);
        visit_text(visit, trace->message, true);
        traces++;
    }
}

void words_visit(const struct kb *kb, const struct evidence *evidence,
                 void (*found)(void *ctx, struct str word), void *ctx) {
    struct arena room = {0};
    const struct think_options options = {0};
    const struct view *view = view_new(kb, evidence, &options, &room, &room);
    struct word_visit visit = {found, ctx, ARENA_NEW(&room, struct vocabulary)};
    visit_words(view, &visit);
    arena_release(&room);
}

/* ---- what they say ------------------------------------------------------------------------------
 */

struct leaning {
    double likely[LEANING_CLASSES]; /* the probability, a little more than none */
};

struct sums {
    const struct kb *kb;
    int tenths[LEANING_CLASSES], known;
};

static int classes_of(const struct kb *kb) {
    return kb->n_symptoms + kb->n_roots;
}

static void add_word(void *ctx, struct str word) {
    struct sums *sums = ctx;
    sums->known += leanings_add(sums->kb->leanings, classes_of(sums->kb), word, sums->tenths);
}

/* Of the classes from `begin` to `end`, one of which is right. */
static void reckon(const struct sums *sums, const int *bias, int begin, int end,
                   struct leaning *leaning) {
    double total = 0, most = -1e9, length = sqrt(sums->known);
    for (int pass = 0; pass < 3; pass++)
        for (int c = begin; c < end; c++) {
            double nats = (bias[c] + (sums->tenths[c] - bias[c]) / length) / LEANING_TENTH;
            if (pass == 0 && nats > most) most = nats;
            if (pass == 1) total += exp(nats - most);
            if (pass == 2) leaning->likely[c] = exp(nats - most) / total + LIKELY_LEAST;
        }
}

/* The words of a whole log tell what a job did, not what it died of: what is known was learned from
 * the pieces that people show. */
static bool is_excerpt(const struct view *view) {
    for (size_t i = 0; i < view->evidence->sources.n; i++)
        if (view->chosen[i] >= 0 && view->evidence->sources.v[i].lines > EXCERPT_LINES)
            return false;
    return true;
}

const struct leaning *leaning_take(const struct view *view) {
    const struct kb *kb = view->kb;
    int bias[LEANING_CLASSES];
    if (!kb->leanings.n || !is_excerpt(view)) return NULL;
    struct sums sums = {.kb = kb};
    leanings_begin(kb->leanings, classes_of(kb), sums.tenths);
    leanings_begin(kb->leanings, classes_of(kb), bias);
    struct word_visit visit = {add_word, &sums, ARENA_NEW(view->room, struct vocabulary)};
    visit_words(view, &visit);
    if (sums.known < KNOWN_LEAST) return NULL;
    struct leaning *leaning = ARENA_NEW(view->room, struct leaning);
    reckon(&sums, bias, 0, kb->n_symptoms, leaning);
    reckon(&sums, bias, kb->n_symptoms, classes_of(kb), leaning);
    return leaning;
}

struct telling {
    const struct kb *kb;
    int symptom, root; /* classes */
    struct arena *arena;
    struct str words[TOLD_MOST]; /* the most telling first */
    int tenths[TOLD_MOST], n;
};

static void tell_word(void *ctx, struct str word) {
    struct telling *telling = ctx;
    int leans[LEANING_CLASSES] = {0};
    /* the same word of an exception, a part of one, or one of every text */
    if (!is_alpha(word.p[0]) || word.n < TOLD_LETTERS) return;
    leanings_add(telling->kb->leanings, classes_of(telling->kb), word, leans);
    int tenths = leans[telling->symptom] + leans[telling->root], at = 0;
    while (at < telling->n && telling->tenths[at] >= tenths) at++;
    if (tenths <= 0 || at == TOLD_MOST) return;
    if (telling->n < TOLD_MOST) telling->n++;
    for (int i = telling->n - 1; i > at; i--) {
        telling->words[i] = telling->words[i - 1];
        telling->tenths[i] = telling->tenths[i - 1];
    }
    telling->words[at] = arena_str(telling->arena, word);
    telling->tenths[at] = tenths;
}

struct str leaning_tell(const struct view *view, int symptom, int root) {
    struct telling telling = {.kb = view->kb,
                              .symptom = symptom,
                              .root = view->kb->n_symptoms + root,
                              .arena = view->room};
    struct word_visit visit = {tell_word, &telling, ARENA_NEW(view->room, struct vocabulary)};
    struct str told = {0};
    visit_words(view, &visit);
    for (int i = 0; i < telling.n; i++)
        told = arena_printf(view->arena, STR_FMT "%s" STR_FMT, STR_ARG(told), i ? ", " : "",
                            STR_ARG(telling.words[i]));
    return told;
}

/* ---- what it is worth ---------------------------------------------------------------------------
 */

double leaning_likely(const struct view *view, int symptom, int root) {
    if (!view->leaning || symptom < 0 || root < 0) return 1;
    const double *likely = view->leaning->likely;
    return likely[symptom] * likely[view->kb->n_symptoms + root];
}
