/* Conditions: YAML structure to flat prefix nodes. */
#include "compile/book.h"

typedef VEC(struct cond) cond_vec;

struct condition_reader {
    struct book *book;
    cond_vec nodes;
    VEC(int) lines; /* of each node */
    int depth;
};

static bool read_one(struct condition_reader *reader, const struct node *node);

static bool refuse(struct condition_reader *reader, const struct node *node, const char *why) {
    book_error(reader->book, place_of(reader->book, node), reader->book->owner, "%s", why);
    return false;
}

static int push(struct condition_reader *reader, enum cond_op op, const struct node *node) {
    struct cond cond = {.op = op, .signal = -1, .size = 1};
    vec_push(reader->book->arena, &reader->nodes, cond);
    vec_push(reader->book->arena, &reader->lines, node->line);
    return (int)reader->nodes.n - 1;
}

static bool key_check(struct condition_reader *reader, const struct node *node, struct str key) {
    bool bad = str_has(key, STR(" ")) || str_has(key, STR("\n")) || str_has(key, STR("\t"));
    if (key.n > 0 && !bad) return true;
    return refuse(reader, node, "the name of a fact is empty or holds a space");
}

/* {seen: ID} and {known: KEY} */
static bool read_word(struct condition_reader *reader, enum cond_op op, const struct node *node) {
    struct str word;
    if (node->kind != NODE_SCALAR)
        return refuse(reader, node,
                      "'seen' and 'known' take one name; for several write "
                      "any: [{seen: a}, {seen: b}]");
    if (!text_read(reader->book, node, cond_names[op], &word)) return false;
    if (!key_check(reader, node, word)) return false;
    int at = push(reader, op, node);
    reader->nodes.v[at].key = word;
    return true;
}

/* {differs: [KEY, KEY]} and {covers: [KEY, KEY OR SIZE, ...]} */
static bool read_facts(struct condition_reader *reader, enum cond_op op, const struct node *node) {
    struct strs keys;
    if (!texts_read(reader->book, node, cond_names[op], &keys)) return false;
    if (op == COND_DIFFERS && keys.n != 2)
        return refuse(reader, node, "'differs' takes two facts: differs: [a.x, b.x]");
    if (op == COND_COVERS && keys.n < 2)
        return refuse(reader, node,
                      "'covers' takes a fact and what it covers: covers: [a, b, 2 GiB]");
    for (int i = 0; i < keys.n; i++) {
        double gib;
        bool size = op == COND_COVERS && i > 0 && str_gib(keys.v[i], 'B', &gib);
        if (!size && !key_check(reader, node, keys.v[i])) return false;
    }
    int at = push(reader, op, node);
    reader->nodes.v[at].key = keys.v[0];
    reader->nodes.v[at].values = keys.v + 1;
    reader->nodes.v[at].n_values = keys.n - 1;
    return true;
}

/* {is: {KEY: value}} and its kin */
static bool read_compare(struct condition_reader *reader, enum cond_op op,
                         const struct node *node) {
    struct strs values;
    if (node->kind != NODE_MAP || node->n != 1)
        return refuse(reader, node,
                      "a comparison takes one fact: {is: {torch.version: 2.1}}; for several "
                      "write all: [{is: ...}, {is: ...}]");
    if (!key_check(reader, node, node->keys[0])) return false;
    bool blank = node->items[0]->kind == NODE_SCALAR && node->items[0]->text.n == 0;
    if (blank || node_is_null(node->items[0]))
        return refuse(reader, node->items[0],
                      "the value is empty, and a fact without a value is not known: {known: KEY} "
                      "asks whether a fact has any value");
    if (!texts_read(reader->book, node->items[0], cond_names[op], &values) || values.n == 0)
        return refuse(reader, node, "a comparison needs a value");
    for (int i = 0; i < values.n; i++)
        if (str_has(values.v[i], STR("\n")) || str_has(values.v[i], STR("\t")))
            return refuse(reader, node, "a value must not hold a line end or a tab");
    if (op >= COND_BELOW && values.n != 1)
        return refuse(reader, node, "'below', 'above' and 'at_least' take one value");
    int at = push(reader, op, node);
    reader->nodes.v[at].key = node->keys[0];
    reader->nodes.v[at].values = values.v;
    reader->nodes.v[at].n_values = values.n;
    return true;
}

/* {all: [..]}, {any: [..]}, {not: ..} */
static bool read_group(struct condition_reader *reader, enum cond_op op, const struct node *node) {
    int at = push(reader, op, node);
    bool list = node->kind == NODE_LIST;
    if (op != COND_NOT && !list)
        return refuse(reader, node, "'all' and 'any' take a list: any: [{seen: a}, {seen: b}]");
    if (op == COND_NOT && list) return refuse(reader, node, "'not' takes one condition, no list");
    int n = list ? node->n : 1;
    if (n == 0) return refuse(reader, node, "'all' and 'any' need at least one condition");
    for (int i = 0; i < n; i++)
        if (!read_one(reader, list ? node->items[i] : node)) return false;
    reader->nodes.v[at].n_args = n;
    reader->nodes.v[at].size = (int)reader->nodes.n - at;
    return true;
}

static bool read_one(struct condition_reader *reader, const struct node *node) {
    if (node->kind != NODE_MAP || node->n != 1)
        return refuse(reader, node,
                      "a condition has one operator: {seen: x}, {is: {key: value}} ...; to join "
                      "several write all: [{seen: x}, {is: {key: value}}]");
    if (reader->depth >= 8) return refuse(reader, node, "the condition is nested too deeply");
    int op = word_read(reader->book, (struct place){reader->book->path, node->key_lines[0]},
                       node->keys[0], cond_names, COND_COUNT, "condition");
    if (op < 0) return false;
    reader->depth++;
    bool good;
    switch ((enum cond_op)op) {
    case COND_SEEN:
    case COND_KNOWN: good = read_word(reader, (enum cond_op)op, node->items[0]); break;
    case COND_DIFFERS:
    case COND_COVERS: good = read_facts(reader, (enum cond_op)op, node->items[0]); break;
    case COND_ALL:
    case COND_ANY:
    case COND_NOT: good = read_group(reader, (enum cond_op)op, node->items[0]); break;
    default: good = read_compare(reader, (enum cond_op)op, node->items[0]); break;
    }
    reader->depth--;
    return good;
}

const struct cond *read_condition(struct book *book, const struct node *node, bool clue) {
    struct condition_reader reader = {.book = book};
    if (node_is_null(node) || !read_one(&reader, node)) return NULL;
    for (size_t i = 0; i < reader.nodes.n; i++) {
        struct cond *cond = &reader.nodes.v[i];
        if (cond->op >= COND_ALL) continue;
        struct reference reference = {.cond = cond,
                                      .at = {book->path, reader.lines.v[i]},
                                      .owner = book->owner,
                                      .failure = book->failure,
                                      .clue = clue};
        vec_push(book->arena, &book->references, reference);
    }
    return reader.nodes.v;
}
