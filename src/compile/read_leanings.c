/* What words lean to: kb/shared/leanings.yaml, as `faultline kb learn` writes it. */
#include "compile/book.h"

static const char leaning_row_form[] = "pairs of a symptom or root cause and tenths of a nat from "
                                       "-127 to 127, such as '4.3 12 R4.5 -8'";

/* The class of a code, or -1. */
static int class_of(const struct kb *kb, struct str code) {
    int symptom = kb_symptom(kb, code), root = symptom < 0 ? kb_root(kb, code) : -1;
    return root < 0 ? symptom : kb->n_symptoms + root;
}

static bool leans_read(struct book *book, struct str text, int8_t leans[LEANING_CLASSES]) {
    struct str code, figure;
    while (str_split(&text, ' ', &code)) {
        int class = class_of(&book->kb, code);
        int64_t value;
        if (class < 0 || class >= LEANING_CLASSES || !str_split(&text, ' ', &figure) ||
            !str_int(figure, &value) || value < -127 || value > 127)
            return false;
        leans[class] = (int8_t)value;
    }
    return true;
}

/* The row of the word * is what each code begins with. */
void read_leanings(struct book *book, const struct node *list) {
    struct kb *kb = &book->kb;
    struct leaning_row bias = {.word = {0}};
    book->owner = STR("leanings");
    if (list_missing(book, list, "leanings")) return;
    struct leaning_row *rows = ARENA_ARRAY(book->arena, struct leaning_row, list->n + 1);
    int n = 0;
    for (int i = 0; i < list->n; i++) {
        struct str text, word;
        if (!text_read(book, list->items[i], "leanings", &text)) continue;
        str_split(&text, ' ', &word);
        struct leaning_row *row = str_eq(word, STR("*")) ? &bias : &rows[n++];
        row->word = word;
        if (!word.n || !leans_read(book, text, row->leans))
            book_error(book, place_of(book, list->items[i]), book->owner,
                       "a leaning is a word and %s", leaning_row_form);
    }
    kb->leanings = leanings_pack(rows, n, bias.leans, kb->n_symptoms + kb->n_roots, book->arena);
}
