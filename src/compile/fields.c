#include "compile/book.h"

static const char *kind_word(const struct node *node) {
    static const char *const words[] = {"a single text", "a list", "a map (key: value)"};
    return words[node->kind];
}

bool text_read(struct book *book, const struct node *node, const char *what, struct str *text) {
    *text = (struct str){0};
    if (node_is_null(node)) return false;
    if (node->kind != NODE_SCALAR) {
        book_error(book, place_of(book, node), book->owner,
                   "'%s' must be one text, but this is %s; put quotes around a text that holds "
                   "': ', or begins with '[', '{' or '*'",
                   what, kind_word(node));
        return false;
    }
    *text = node->text;
    while (text->n > 0 && text->p[text->n - 1] == '\n') text->n--; /* of a block scalar */
    for (size_t i = 0; i < text->n; i++) {
        unsigned char c = (unsigned char)text->p[i];
        if ((c >= ' ' || c == '\n' || c == '\t') && c != 127) continue;
        book_error(book, place_of(book, node), book->owner,
                   "'%s' holds the control byte 0x%02x; write the text without it", what, c);
        return false;
    }
    return true;
}

bool texts_read(struct book *book, const struct node *node, const char *what, struct strs *texts) {
    *texts = (struct strs){0};
    if (node_is_null(node)) return false;
    int n = node->kind == NODE_LIST ? node->n : 1;
    texts->v = ARENA_ARRAY(book->arena, struct str, n);
    for (int i = 0; i < n; i++) {
        const struct node *item = node->kind == NODE_LIST ? node->items[i] : node;
        struct str text;
        if (node_is_null(item)) {
            book_error(book, place_of(book, item), book->owner, "an item of '%s' is empty", what);
        } else if (text_read(book, item, what, &text)) {
            if (text.n == 0)
                book_error(book, place_of(book, item), book->owner, "an item of '%s' is empty",
                           what);
            else
                texts->v[texts->n++] = text;
        }
    }
    return true;
}

bool int_read(struct book *book, const struct node *node, const char *what, int low, int high,
              int *value) {
    int64_t number = 0;
    struct str text = node && node->kind == NODE_SCALAR ? node->text : (struct str){0};
    if (text.n > 1 && text.p[0] == '+') text = str_sub(text, 1, text.n);
    if (str_int(text, &number) && number >= low && number <= high) {
        *value = (int)number;
        return true;
    }
    book_error(book, place_of(book, node), book->owner,
               "'%s' must be a whole number from %d to %d, not '" STR_FMT "'", what, low, high,
               STR_ARG(text));
    return false;
}

static bool bool_read(struct book *book, const struct node *node, const char *what, bool *value) {
    bool yes = node->kind == NODE_SCALAR && str_eq(node->text, STR("true"));
    bool no = node->kind == NODE_SCALAR && str_eq(node->text, STR("false"));
    *value = yes;
    if (!yes && !no)
        book_error(book, place_of(book, node), book->owner, "'%s' must be true or false", what);
    return yes || no;
}

static void field_store(struct book *book, const struct field *field, const struct node *node,
                        void *into) {
    char *at = (char *)into + field->offset;
    switch (field->kind) {
    case FIELD_TEXT: text_read(book, node, field->key, (struct str *)(void *)at); break;
    case FIELD_TEXTS: texts_read(book, node, field->key, (struct strs *)(void *)at); break;
    case FIELD_INT:
        if (!node_is_null(node))
            int_read(book, node, field->key, -1000000, 1000000, (int *)(void *)at);
        break;
    case FIELD_BOOL:
        if (!node_is_null(node)) bool_read(book, node, field->key, (bool *)(void *)at);
        break;
    case FIELD_NODE: *(const struct node **)(void *)at = node; break;
    }
}

static void unknown_key(struct book *book, const struct node *map, int i, const char *what,
                        const struct field *fields, int n) {
    const char *words[32] = {0};
    int n_words = 0;
    for (int k = 0; k < n && n_words < (int)COUNT_OF(words); k++) words[n_words++] = fields[k].key;
    const char *meant = nearest_word(map->keys[i], words, n_words);
    struct buf known = {0};
    for (int k = 0; k < n_words; k++) buf_printf(&known, "%s%s", k ? ", " : "", words[k]);
    struct place at = {book->path, map->key_lines[i]};
    if (meant)
        book_error(book, at, book->owner, "unknown key '" STR_FMT "' in %s: did you mean '%s'?",
                   STR_ARG(map->keys[i]), what, meant);
    else
        book_error(book, at, book->owner, "unknown key '" STR_FMT "' in %s; it may hold: " STR_FMT,
                   STR_ARG(map->keys[i]), what, STR_ARG(buf_view(&known)));
    buf_release(&known);
}

/* A row that cannot be used without this key; says so once, at the row. */
static bool required_missing(struct book *book, const struct node *map, const char *what,
                             const struct field *field) {
    const struct node *node = node_get(map, field->key);
    if (!field->required) return false;
    if (!node) {
        book_error(book, place_of(book, map), book->owner, "%s needs '%s'", what, field->key);
        return true;
    }
    bool empty = node->kind == NODE_SCALAR && str_trim(node->text).n == 0;
    empty = empty || (node->kind != NODE_SCALAR && node->n == 0);
    if (!empty) return false;
    book_error(book, place_of(book, node), book->owner, "'%s' of %s is empty", field->key, what);
    return true;
}

bool fields_read(struct book *book, const struct node *map, const char *what,
                 const struct field *fields, int n, void *into) {
    if (!map || map->kind != NODE_MAP) {
        book_error(book, place_of(book, map), book->owner,
                   "%s must be a map (key: value), but this is %s", what,
                   map ? kind_word(map) : "nothing");
        return false;
    }
    bool good = true;
    for (int i = 0; i < map->n; i++) {
        int k = 0;
        while (k < n && !str_eq(map->keys[i], str_of(fields[k].key))) k++;
        if (k < n)
            field_store(book, &fields[k], map->items[i], into);
        else
            unknown_key(book, map, i, what, fields, n);
    }
    for (int k = 0; k < n; k++)
        if (required_missing(book, map, what, &fields[k])) good = false;
    return good;
}

struct strs pairs_read(struct book *book, const struct node *node, const char *what) {
    struct strs pairs = {0};
    if (node_is_null(node)) return pairs;
    if (node->kind != NODE_MAP) {
        book_error(book, place_of(book, node), book->owner,
                   "'%s' must be a map (key: value), but this is %s", what, kind_word(node));
        return pairs;
    }
    pairs.v = ARENA_ARRAY(book->arena, struct str, node->n * 2);
    for (int i = 0; i < node->n; i++) {
        struct str key = node->keys[i], value = {0};
        if (key.n == 0 || str_has(key, STR("=")) || str_has(key, STR(" ")))
            book_error(book, (struct place){book->path, node->key_lines[i]}, book->owner,
                       "the key '" STR_FMT "' in '%s' must not be empty or hold '=' or a space",
                       STR_ARG(key), what);
        if (!node_is_null(node->items[i]) && !text_read(book, node->items[i], what, &value))
            continue;
        pairs.v[pairs.n++] = key;
        pairs.v[pairs.n++] = value;
    }
    return pairs;
}

int word_read(struct book *book, struct place at, struct str word, const char *const *words, int n,
              const char *what) {
    for (int i = 0; i < n; i++)
        if (words[i] && str_eq(word, str_of(words[i]))) return i;
    struct buf known = {0};
    for (int i = 0; i < n; i++)
        if (words[i]) buf_printf(&known, "%s%s", known.n ? ", " : "", words[i]);
    book_error(book, at, book->owner, "'" STR_FMT "' is no %s; use one of: " STR_FMT, STR_ARG(word),
               what, STR_ARG(buf_view(&known)));
    buf_release(&known);
    return -1;
}

bool id_check(struct book *book, struct place at, struct str id, const char *what) {
    bool good = id.n > 0 && id.n <= 80;
    for (size_t i = 0; i < id.n; i++) {
        char c = id.p[i];
        good = good && ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-');
    }
    if (!good)
        book_error(book, at, book->owner,
                   "the id '" STR_FMT
                   "' of %s must consist of small letters, digits and '-', at most 80 of them",
                   STR_ARG(id), what);
    return good;
}

bool list_missing(struct book *book, const struct node *node, const char *what) {
    if (node_is_null(node)) return true;
    if (node->kind == NODE_LIST) return false;
    book_error(book, place_of(book, node), book->owner,
               "'%s' must be a list (lines that begin with '- '), but this is %s", what,
               kind_word(node));
    return true;
}
