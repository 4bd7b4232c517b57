/* Needles: what the compiler proves for signals that name none, and what is wrong with those that
 * authors name. */
#include "compile/book.h"
#include "match/literal.h"
#include "match/match.h"

void prove_needles(struct book *book) {
    struct prover *prover = NULL;
    for (size_t i = 0; i < book->signals.n; i++) {
        struct signal *signal = &book->signals.v[i].row;
        if (signal->in == IN_WORDS || signal->n_needles > 0) continue;
        if (!prover) prover = prover_new(book->arena);
        signal->n_needles = prover_needles(prover, signal->regex, &signal->needles);
    }
}

bool needles_are_found(const struct signal *signal) {
    struct arena scratch = {0};
    struct str *found;
    bool same = prover_needles(prover_new(&scratch), signal->regex, &found) == signal->n_needles;
    for (int i = 0; same && i < signal->n_needles; i++) same = str_eq(found[i], signal->needles[i]);
    arena_release(&scratch);
    return same;
}

bool holds_needle(const struct signal *signal, struct str line) {
    for (int i = 0; i < signal->n_needles; i++) {
        ptrdiff_t at = signal->in == IN_WORDS ? str_find_nocase(line, signal->needles[i], 0)
                                              : str_find(line, signal->needles[i], 0);
        if (at >= 0) return true;
    }
    return signal->n_needles == 0;
}

/* So that strings which hold a needle are proved wherever they can be. */
static uint64_t cost_without_needle(void *ctx, struct str literal) {
    const struct signal *const *signal = ctx;
    return holds_needle(*signal, literal) ? 0 : 1;
}

/* A branch of the expression in which no needle stands matches only where one stands elsewhere in
 * the line. */
static void check_branches(struct book *book, const struct signal *signal, struct place at) {
    struct literals proved = {0};
    literals_of(book->arena, signal->regex, cost_without_needle, &signal, &proved);
    for (int i = 0; i < proved.n; i++) {
        if (holds_needle(signal, proved.v[i])) continue;
        book_warn(book, at, signal->id,
                  "no needle is in '" STR_FMT "', which a branch of the expression holds: that "
                  "matches only where a needle stands elsewhere in the line; leave 'needle' "
                  "out, or add one for it",
                  STR_ARG(proved.v[i]));
        return;
    }
}

void check_needles(struct book *book, const struct read_signal *row) {
    const struct signal *signal = &row->row;
    struct place at = place_field(row->at, row->node, "needle", -1);
    if (signal->in == IN_WORDS) return;
    if (signal->n_needles == 0)
        book_error(book, at, signal->id,
                   "the signal needs a 'needle', a piece of text of %d or more bytes that every "
                   "matching line holds: its expression proves none",
                   (int)LITERAL_MIN);
    for (int i = 0; i < signal->n_needles; i++)
        if (signal->needles[i].n < LITERAL_MIN)
            book_error(book, place_field(row->at, row->node, "needle", i), signal->id,
                       "the needle '" STR_FMT "' is too short: at least %d bytes, as every line "
                       "of a log is searched for it",
                       STR_ARG(signal->needles[i]), (int)LITERAL_MIN);
    check_branches(book, signal, at);
}
