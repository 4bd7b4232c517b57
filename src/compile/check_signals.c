/* Each signal by itself: does its expression do what its samples say? */
#include "compile/book.h"
#include "match/match.h"
#include "match/syntax.h"
#include "model/evidence.h"

enum { STEP_LIMIT = 100000, GROWN_SAMPLES = 2, SHOWN = 90, HOT = 2000 };

/* A sample as a complaint can show it. */
static struct str shown(struct book *book, struct str line) {
    struct str copy = arena_str(book->arena, str_sub(line, 0, SHOWN));
    char *p = (char *)(uintptr_t)copy.p;
    for (size_t i = 0; i < copy.n; i++)
        if ((unsigned char)p[i] < ' ') p[i] = ' ';
    return line.n > SHOWN ? arena_printf(book->arena, STR_FMT "...", STR_ARG(copy)) : copy;
}

/* Prose is matched on whole paragraphs, folded. */
static struct str folded(struct book *book, struct str line) {
    struct str copy = arena_str(book->arena, line);
    char *p = (char *)(uintptr_t)copy.p;
    for (size_t i = 0; i < copy.n; i++)
        if (p[i] == '\n') p[i] = ' ';
    return copy;
}

/* Nobody reads, or reviews, a line of so many alternatives. */
static void check_length(struct book *book, const struct read_signal *row,
                         const struct syntax *syntax) {
    enum { LONG = 400 };
    const struct node *node = node_get(row->node, "regex");
    if (node->kind == NODE_SCALAR && node->text.n > LONG && syntax->alternatives > 1)
        book_warn(book, place_field(row->at, row->node, "regex", -1), row->row.id,
                  "the regex has %zu bytes in one line; write its %d alternatives as a list",
                  node->text.n, syntax->alternatives);
}

static bool check_regex(struct book *book, const struct read_signal *row) {
    const struct signal *signal = &row->row;
    struct place at = place_field(row->at, row->node, "regex", -1);
    struct err err = {0};
    struct syntax syntax = {0};
    if (!regex_check(signal->regex, signal->in == IN_WORDS, &err)) {
        const char *hint = err.hint;
        if (!hint[0] && strstr(err.detail, "no \\n"))
            hint = "leave \\n out: . and [^'] never cross a line end";
        book_error(book, at, signal->id, "regex: %s: %s%s%s", err.what, err.detail,
                   hint[0] ? "; " : "", hint);
        return false;
    }
    if (!syntax_read(signal->regex, &syntax, &err)) return true; /* regex_check has spoken */
    if (signal->n_groups > 0 && signal->n_groups != syntax.groups)
        book_error(book, place_field(row->at, row->node, "groups", -1), signal->id,
                   "the regex has %d groups, but 'groups' names %d; write (?:...) for a group "
                   "whose text is not kept",
                   syntax.groups, signal->n_groups);
    check_length(book, row, &syntax);
    return true;
}

static void check_match(struct book *book, const struct read_signal *row, int i) {
    const struct signal *signal = &row->row;
    struct place at = place_field(row->at, row->node, "match", i);
    struct str line = row->match.v[i];
    bool words = signal->in == IN_WORDS;
    struct match match;
    if (words)
        line = folded(book, line);
    else if (str_has(line, STR("\n")))
        book_error(book, at, signal->id, "a sample is one line; give each line of the log its own");
    if (line.n > LIMIT_TEXT)
        book_error(book, at, signal->id, "the sample is longer than %d bytes", (int)LIMIT_TEXT);
    int result = regex_try(signal->regex, words, line, STEP_LIMIT, &match);
    if (result < 0)
        book_error(book, at, signal->id,
                   "the regex needs more than %d steps on this sample; use bounded repeats such "
                   "as [^']{1,200} instead of .*",
                   (int)STEP_LIMIT);
    else if (result == 0)
        book_error(book, at, signal->id, "the regex does not match this 'match' line: " STR_FMT,
                   STR_ARG(shown(book, line)));
    if (!holds_needle(signal, line))
        book_error(book, at, signal->id, "none of the needles is in this 'match' line: " STR_FMT,
                   STR_ARG(shown(book, line)));
}

static void check_reject(struct book *book, const struct read_signal *row, int i) {
    const struct signal *signal = &row->row;
    struct place at = place_field(row->at, row->node, "reject", i);
    bool words = signal->in == IN_WORDS;
    struct str line = words ? folded(book, row->reject.v[i]) : row->reject.v[i];
    struct match match;
    int result = regex_try(signal->regex, words, line, STEP_LIMIT, &match);
    if (result > 0 && holds_needle(signal, line))
        book_error(book, at, signal->id,
                   "the regex matches this 'reject' line, at \"" STR_FMT "\": " STR_FMT,
                   STR_ARG(shown(book, str_sub(line, match.start, match.end - match.start))),
                   STR_ARG(shown(book, line)));
    else if (result < 0)
        book_error(book, at, signal->id, "the regex needs more than %d steps on this sample",
                   (int)STEP_LIMIT);
}

/* ---- how an expression behaves on long lines that almost match ------------------------------ */

/* `head`, then `piece` again and again, then a byte that nothing expects and `tail`: LIMIT_TEXT in
 * all. */
static struct str grown(char *room, struct str head, struct str piece, struct str tail) {
    size_t n = head.n, end = LIMIT_TEXT - tail.n - 1;
    memcpy(room, head.p ? head.p : "", n);
    while (piece.n > 0 && n < end) {
        size_t part = piece.n < end - n ? piece.n : end - n;
        memcpy(room + n, piece.p, part);
        n += part;
    }
    room[n++] = '\x01';
    memcpy(room + n, tail.p, tail.n);
    return (struct str){room, n + tail.n};
}

/* What costs steps is what almost matches: a part of a sample again and again, or a part and then
 * filling.  The end of the sample stands at the end, or PCRE2 would see at once that it is missing.
 */
static bool too_slow(const struct signal *signal, struct str sample) {
    char room[LIMIT_TEXT];
    struct match match;
    sample = str_sub(sample, 0, LIMIT_TEXT / 4);
    struct str half = str_sub(sample, 0, sample.n / 2), most = str_sub(sample, 0, sample.n * 3 / 4);
    struct str tail = str_sub(sample, sample.n * 3 / 4, sample.n);
    const struct str heads[] = {{0}, {0}, most, half};
    const struct str pieces[] = {most, half, STR("a"), STR("0 /a.b:")};
    for (size_t i = 0; i < COUNT_OF(pieces); i++) {
        struct str line = grown(room, heads[i], pieces[i], tail);
        if (regex_try(signal->regex, signal->in == IN_WORDS, line, STEP_LIMIT, &match) < 0)
            return true;
    }
    return false;
}

static void check_steps(struct book *book, const struct read_signal *row) {
    for (int i = 0; i < row->match.n && i < GROWN_SAMPLES; i++) {
        if (!too_slow(&row->row, row->match.v[i])) continue;
        book_error(book, place_field(row->at, row->node, "regex", -1), row->row.id,
                   "the regex needs more than %d steps on a line of 4 KiB that looks like its "
                   "samples; use bounded repeats such as [^']{1,200} instead of .* and do not "
                   "nest repeats",
                   (int)STEP_LIMIT);
        return;
    }
}

static void check_signal(struct book *book, const struct read_signal *row) {
    const struct signal *signal = &row->row;
    check_needles(book, row);
    if (row->match.n < 2)
        book_error(book, place_field(row->at, row->node, "match", -1), signal->id,
                   "at least two 'match' lines are needed (one with a prefix such as '[rank3]: '), "
                   "here are %d",
                   row->match.n);
    if (row->reject.n < 2)
        book_error(book, place_field(row->at, row->node, "reject", -1), signal->id,
                   "at least two 'reject' lines are needed (a near miss, and a healthy or advice "
                   "line), here are %d",
                   row->reject.n);
    if (!check_regex(book, row)) return;
    int errors = book->n_errors;
    for (int i = 0; i < row->match.n; i++) check_match(book, row, i);
    for (int i = 0; i < row->reject.n; i++) check_reject(book, row, i);
    if (book->n_errors == errors) check_steps(book, row);
}

void check_signals(struct book *book) {
    for (size_t i = 0; i < book->signals.n; i++) check_signal(book, &book->signals.v[i]);
}

/* ---- heat ----------------------------------------------------------------------------------- */

/* What stands in many healthy lines makes the scan stop at each of them.  Signals of progress are
 * sampled, so they may be hot. */
void check_heat(struct book *book) {
    struct arena scratch = {0};
    struct matcher *matcher = matcher_new(&scratch, &book->kb);
    for (int i = 0; i < book->kb.n_signals; i++) {
        const struct signal *signal = &book->kb.signals[i];
        uint32_t heat = match_heat(matcher, i);
        if (signal->in == IN_WORDS || signal->role == ROLE_PROGRESS || heat <= HOT) continue;
        book_warn(
            book, book->signals.v[i].at, signal->id,
            "hot: what it is looked for by stands in about %u of a million healthy lines, and "
            "each is looked at; find a rarer needle, or an expression that holds one",
            heat);
    }
    matcher_release(matcher);
    arena_release(&scratch);
}
