#include "think/fits.h"

#include "think/fill.h"

enum {
    FITS_DECIBANS = 14,     /* of the cause that is said to be it */
    FITS_LIKE_DECIBANS = 6, /* ... of others with its code */
    FAILS_DECIBANS = -14,   /* of the cause that is said not to be it: a look may miss */
    FAILS_LIKE_DECIBANS = -6,
    ASKED_MOST = 4 /* one cause after the other is no way to find one */
};
static const double least_share = 0.05;

static const char mark[] = "fits.";
static const struct {
    char id[8], text[64];
} choices[FITS_CHOICES] = {
    {"fits", "yes: I looked and it is so, or its fix helped"},
    {"no", "no: I looked and it is not so, or its fix did not help"},
};

static int choice_of(struct str id) {
    for (int i = 0; i < FITS_CHOICES; i++)
        if (str_eq(str_of(choices[i].id), id)) return i;
    return -1;
}

static const struct failure *failure_of(const struct lead *lead) {
    return lead->candidate->scope.failure;
}

/* fits.ENTRY.CAUSE; ids hold no dots. */
static struct str id_of(struct arena *arena, const struct lead *lead) {
    const struct failure *failure = failure_of(lead);
    return arena_printf(arena, "%s" STR_FMT "." STR_FMT, mark, STR_ARG(failure->id),
                        STR_ARG(failure->causes[lead->cause].id));
}

static bool is_ours(struct str id) {
    return str_starts(id, str_of(mark));
}

/* ---- by ids --------------------------------------------------------------------------------- */

static bool find(const struct kb *kb, struct str id, int *failure, int *cause) {
    struct str rest = str_sub(id, sizeof mark - 1, id.n), entry = {0};
    if (!is_ours(id) || !str_split(&rest, '.', &entry)) return false;
    *failure = kb_failure(kb, entry);
    for (int c = 0; *failure >= 0 && c < kb->failures[*failure].n_causes; c++) {
        *cause = c;
        if (str_eq(kb->failures[*failure].causes[c].id, rest)) return true;
    }
    return false;
}

const struct cause *fits_cause(const struct kb *kb, struct str question) {
    int failure, cause;
    return find(kb, question, &failure, &cause) ? &kb->failures[failure].causes[cause] : NULL;
}

bool fits_takes(const struct kb *kb, struct str question, struct str choice) {
    if (!fits_cause(kb, question)) return false;
    return choice_of(choice) >= 0 || str_eq(choice, STR("unknown"));
}

struct str fits_ask_text(const struct cause *cause, struct arena *arena) {
    return arena_printf(arena, "Is it this: " STR_FMT "?", STR_ARG(cause->why));
}

struct str fits_choice_text(struct str choice) {
    int index = choice_of(choice);
    return index >= 0 ? str_of(choices[index].text) : choice;
}

/* ---- what the answers say ------------------------------------------------------------------- */

struct str fits_answer(const struct view *view, const struct lead *lead, struct str *question) {
    if (lead->cause < 0) return (struct str){0};
    *question = id_of(view->arena, lead);
    struct str choice = view_answer(view, *question);
    return choice_of(choice) >= 0 ? choice : (struct str){0};
}

static int move(int failure, int cause, const struct failure *row, int choice,
                const struct lead *lead) {
    int stage = lead->candidate->stage;
    if (lead->cause < 0) return 0;
    if (lead->candidate->failure == failure && lead->cause == cause)
        return choice == 0 ? FITS_DECIBANS : FAILS_DECIBANS;
    int root = row->causes[cause].root[stage];
    if (root < 0 || failure_of(lead)->causes[lead->cause].root[stage] != root) return 0;
    return choice == 0 ? FITS_LIKE_DECIBANS : FAILS_LIKE_DECIBANS;
}

int fits_move(const struct view *view, const struct lead *asked, int choice,
              const struct lead *lead) {
    int failure = asked->candidate->failure;
    return move(failure, asked->cause, &view->kb->failures[failure], choice, lead);
}

static struct str key_at(const struct view *view, int i) {
    return i < view->n_answers ? view->answers[i]->key : view->supposed_key;
}

/* The i-th answer, the supposed one behind the given ones; false behind the last.  Of several to
 * one question only the last one has a choice. */
static bool answer_at(const struct view *view, int i, struct str *id, struct str *choice) {
    struct str key = i <= view->n_answers ? key_at(view, i) : (struct str){0};
    if (!key.n) return false;
    *id = answer_question(key);
    *choice = view_answer(view, *id);
    for (int later = i + 1; later <= view->n_answers; later++)
        if (str_eq(key_at(view, later), key)) *choice = (struct str){0};
    return true;
}

int fits_weigh(const struct view *view, const struct lead *lead) {
    int sum = 0, failure, cause;
    struct str id, choice;
    for (int i = 0; answer_at(view, i, &id, &choice); i++)
        if (choice_of(choice) >= 0 && find(view->kb, id, &failure, &cause))
            sum += move(failure, cause, &view->kb->failures[failure], choice_of(choice), lead);
    return sum;
}

bool fits_answered(const struct view *view) {
    struct str id, choice;
    for (int i = 0; answer_at(view, i, &id, &choice); i++)
        if (is_ours(id) && choice_of(choice) >= 0) return true;
    return false;
}

/* ---- the question --------------------------------------------------------------------------- */

int fits_lead(const struct view *view, const struct lead *leads, int n) {
    int asked = 0;
    struct str id, choice;
    for (int i = 0; answer_at(view, i, &id, &choice); i++) asked += is_ours(id);
    for (int i = 0; asked < ASKED_MOST && i < n && leads[i].share >= least_share; i++) {
        if (leads[i].cause < 0 || failure_of(&leads[i])->study) continue;
        if (lead_root(view, &leads[i]) < 0)
            continue; /* that nothing is told is no cause to look for */
        if (!view_answer(view, id_of(view->arena, &leads[i])).n) return i;
    }
    return -1;
}

/* The fix that tells whether it is this cause: one made to test it, else the one to try first. */
static const struct fix *fix_to_try(const struct failure *failure, const struct cause *cause) {
    const struct fix *first = NULL;
    for (int i = 0; i < cause->n_fixes; i++) {
        const struct fix *fix = &failure->fixes[cause->fixes[i]];
        if (fix->kind == FIX_TEST) return fix;
        if (!first) first = fix;
    }
    return first ? first : failure->n_fixes ? &failure->fixes[0] : NULL;
}

static struct str how_text(struct arena *arena, const struct lead *lead) {
    const struct fix *row = fix_to_try(failure_of(lead), &failure_of(lead)->causes[lead->cause]);
    if (!row) return (struct str){0};
    struct fix fix = fill_fix(row, &lead->candidate->scope);
    struct str text = fix.title;
    if (fix.n_commands)
        text = arena_printf(arena, STR_FMT ": " STR_FMT, STR_ARG(text), STR_ARG(fix.commands[0]));
    if (!fix.verify.n) return text;
    return arena_printf(arena, STR_FMT "; it was this if then " STR_FMT, STR_ARG(text),
                        STR_ARG(fix.verify));
}

void fits_ask(const struct view *view, const struct lead *lead, struct walk_step *step) {
    struct cause cause = failure_of(lead)->causes[lead->cause];
    cause.why = fill_text(cause.why, &lead->candidate->scope);
    step->id = id_of(view->arena, lead);
    step->ask = fits_ask_text(&cause, view->arena);
    step->why = STR("it leads so far; to rule it out lets all others rise");
    step->how = how_text(view->arena, lead);
    step->cost = FITS_COST;
    step->choices = ARENA_ARRAY(view->arena, struct walk_choice, FITS_CHOICES);
    for (; step->n_choices < FITS_CHOICES; step->n_choices++)
        step->choices[step->n_choices] =
            (struct walk_choice){.id = str_of(choices[step->n_choices].id),
                                 .text = str_of(choices[step->n_choices].text)};
}
