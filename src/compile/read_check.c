/* Checks before a launch: kb/shared/preflight.yaml. */
#include "compile/book.h"

struct check_fields {
    struct str id, level, says, at, entry, fix, advice;
    const struct node *when;
};
#define F(field) offsetof(struct check_fields, field)
static const struct field check_table[] = {
    {"id", FIELD_TEXT, F(id), true},       {"level", FIELD_TEXT, F(level), true},
    {"says", FIELD_TEXT, F(says), true},   {"at", FIELD_TEXT, F(at), true},
    {"entry", FIELD_TEXT, F(entry), true}, {"fix", FIELD_TEXT, F(fix), true},
    {"do", FIELD_TEXT, F(advice), false},  {"if", FIELD_NODE, F(when), true},
};
#undef F

static void read_one(struct book *book, const struct node *map) {
    static const char *const levels[] = {"error", "warning"};
    struct check_fields f = {.when = NULL};
    struct place at = place_of(book, map);
    book->owner = STR("check");
    if (!fields_read(book, map, "a check", check_table, (int)COUNT_OF(check_table), &f)) return;
    book->owner = f.id;
    id_check(book, at, f.id, "check");
    for (size_t i = 0; i < book->checks.n; i++)
        if (str_eq(book->checks.v[i].id, f.id))
            book_error(book, at, f.id, "the check id is already used");
    int level = word_read(book, at, f.level, levels, 2, "level");
    struct check check = {.id = f.id,
                          .says = f.says,
                          .key = f.at,
                          .failure = f.entry,
                          .fix = f.fix,
                          .advice = f.advice,
                          .error = level == 0,
                          .when = read_condition(book, f.when, false)};
    if (!check.when) return;
    vec_push(book->arena, &book->checks, check);
    vec_push(book->arena, &book->check_places, at);
}

void read_checks(struct book *book, const struct node *list) {
    if (list_missing(book, list, "checks")) return;
    for (int i = 0; i < list->n; i++) read_one(book, list->items[i]);
}
