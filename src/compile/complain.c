#include "compile/book.h"

static void complain(struct book *book, struct place at, struct str id, bool fatal,
                     const char *format, va_list ap) {
    struct complaint complaint = {.path = at.path, .id = id, .line = at.line, .fatal = fatal};
    complaint.text = arena_vprintf(book->arena, format, ap);
    vec_push(book->arena, &book->complaints, complaint);
    if (fatal) book->n_errors++;
}

void book_error(struct book *book, struct place at, struct str id, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    complain(book, at, id, true, format, ap);
    va_end(ap);
}

void book_warn(struct book *book, struct place at, struct str id, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    complain(book, at, id, false, format, ap);
    va_end(ap);
}

struct place place_of(const struct book *book, const struct node *node) {
    return (struct place){book->path, node ? node->line : 1};
}

struct place place_field(struct place at, const struct node *map, const char *key, int i) {
    const struct node *node = node_get(map, key);
    if (!node) return at;
    at.line = node->line;
    if (node->kind == NODE_LIST && i >= 0 && i < node->n) at.line = node->items[i]->line;
    return at;
}

const char *nearest_word(struct str word, const char *const *words, int n) {
    const char *best = NULL;
    int best_distance = word.n < 4 ? 2 : 3; /* one less is still a typing error */
    for (int i = 0; i < n; i++) {
        int distance = str_distance(word, str_of(words[i]));
        if (distance >= best_distance) continue;
        best = words[i];
        best_distance = distance;
    }
    return best;
}
