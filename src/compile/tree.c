#include "compile/tree.h"

#include <yaml.h>

enum { DEPTH_LIMIT = 32, NODE_LIMIT = 500000, KEY_LIMIT = 2000 };

struct parse {
    yaml_parser_t yaml;
    struct arena *arena;
    struct err *err;
    int *line;
    int depth, nodes;
};

typedef VEC(struct node *) node_vec;

static bool refuse(struct parse *parse, yaml_mark_t mark, const char *why, const char *hint) {
    *parse->line = (int)mark.line + 1;
    return err_set(parse->err, why, hint, "this is not YAML that the compiler understands");
}

static bool next_event(struct parse *parse, yaml_event_t *event) {
    if (yaml_parser_parse(&parse->yaml, event)) return true;
    yaml_parser_t *yaml = &parse->yaml;
    *parse->line = (int)yaml->problem_mark.line + 1;
    return err_set(parse->err, yaml->problem ? yaml->problem : "unknown problem",
                   "look for a missing quote, a tab, or text with ': ' or ' #' that needs quotes",
                   "this is not valid YAML%s%s", yaml->context ? " " : "",
                   yaml->context ? yaml->context : "");
}

static bool read_node(struct parse *parse, yaml_event_t *event, struct node **out);

static struct node *node_new(struct parse *parse, enum node_kind kind, yaml_mark_t mark) {
    struct node *node = ARENA_NEW(parse->arena, struct node);
    node->kind = kind;
    node->line = (int)mark.line + 1;
    return node;
}

static bool read_scalar(struct parse *parse, const yaml_event_t *event, struct node **out) {
    struct node *node = node_new(parse, NODE_SCALAR, event->start_mark);
    struct str text = {(const char *)event->data.scalar.value, event->data.scalar.length};
    if (event->data.scalar.anchor || event->data.scalar.tag)
        return refuse(parse, event->start_mark, "anchors (&) and tags (!) are not used here",
                      "put the text in quotes");
    if (text.n > 0 && memchr(text.p, 0, text.n))
        return refuse(parse, event->start_mark, "a text holds a NUL byte", NULL);
    node->plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    node->text = arena_str(parse->arena, text);
    *out = node;
    return true;
}

static bool read_list(struct parse *parse, yaml_mark_t mark, struct node **out) {
    struct node *node = node_new(parse, NODE_LIST, mark);
    node_vec items = {0};
    for (;;) {
        yaml_event_t event;
        struct node *item;
        if (!next_event(parse, &event)) return false;
        bool end = event.type == YAML_SEQUENCE_END_EVENT;
        bool good = end || read_node(parse, &event, &item);
        yaml_event_delete(&event);
        if (!good) return false;
        if (end) break;
        vec_push(parse->arena, &items, item);
    }
    node->items = items.v;
    node->n = (int)items.n;
    *out = node;
    return true;
}

static bool read_map(struct parse *parse, yaml_mark_t mark, struct node **out) {
    struct node *node = node_new(parse, NODE_MAP, mark);
    node_vec items = {0};
    VEC(struct str) keys = {0};
    VEC(int) lines = {0};
    struct node *key = NULL;
    for (;;) {
        yaml_event_t event;
        struct node *item;
        if (!next_event(parse, &event)) return false;
        bool end = event.type == YAML_MAPPING_END_EVENT;
        bool good = end || read_node(parse, &event, &item);
        if (good && !end && !key && item->kind != NODE_SCALAR)
            good = refuse(parse, event.start_mark, "a key must be a plain word",
                          "{{name}} at the start of a text needs quotes around it");
        if (good && keys.n > KEY_LIMIT)
            good = refuse(parse, mark, "a map with thousands of keys", NULL);
        yaml_event_delete(&event);
        if (!good) return false;
        if (end) break;
        if (!key) {
            key = item;
            continue;
        }
        vec_push(parse->arena, &keys, key->text);
        vec_push(parse->arena, &lines, key->line);
        vec_push(parse->arena, &items, item);
        key = NULL;
    }
    node->keys = keys.v;
    node->key_lines = lines.v;
    node->items = items.v;
    node->n = (int)items.n;
    *out = node;
    return true;
}

/* Reads the node that `event` begins; the caller deletes the event. */
static bool read_node(struct parse *parse, yaml_event_t *event, struct node **out) {
    yaml_mark_t mark = event->start_mark;
    bool good;
    if (++parse->nodes > NODE_LIMIT) return refuse(parse, mark, "the file is too large", NULL);
    if (parse->depth >= DEPTH_LIMIT) return refuse(parse, mark, "nested too deeply", NULL);
    parse->depth++;
    switch (event->type) {
    case YAML_SCALAR_EVENT: good = read_scalar(parse, event, out); break;
    case YAML_SEQUENCE_START_EVENT:
        good = event->data.sequence_start.anchor || event->data.sequence_start.tag
                   ? refuse(parse, mark, "anchors (&) and tags (!) are not used here", NULL)
                   : read_list(parse, mark, out);
        break;
    case YAML_MAPPING_START_EVENT:
        good = event->data.mapping_start.anchor || event->data.mapping_start.tag
                   ? refuse(parse, mark, "anchors (&) and tags (!) are not used here", NULL)
                   : read_map(parse, mark, out);
        break;
    case YAML_ALIAS_EVENT:
        good = refuse(parse, mark, "aliases (*) are not used here",
                      "a text that begins with * needs quotes");
        break;
    default: good = refuse(parse, mark, "unexpected structure", NULL); break;
    }
    parse->depth--;
    return good;
}

/* The stream's frame: one document, its root, nothing after it. */
static bool read_document(struct parse *parse, const struct node **root) {
    *root = NULL;
    for (;;) {
        yaml_event_t event;
        struct node *node = NULL;
        bool good = true, end = false;
        if (!next_event(parse, &event)) return false;
        switch (event.type) {
        case YAML_STREAM_START_EVENT:
        case YAML_DOCUMENT_START_EVENT:
        case YAML_DOCUMENT_END_EVENT: break;
        case YAML_STREAM_END_EVENT: end = true; break;
        default:
            good = *root ? refuse(parse, event.start_mark, "a second document in one file",
                                  "give it a file of its own")
                         : read_node(parse, &event, &node);
            break;
        }
        yaml_event_delete(&event);
        if (!good) return false;
        if (node) *root = node;
        if (end) return true;
    }
}

bool tree_read(struct str yaml, struct arena *arena, const struct node **root, int *line,
               struct err *err) {
    struct parse parse = {.arena = arena, .err = err, .line = line};
    *line = 1;
    if (!yaml_parser_initialize(&parse.yaml)) base_out_of_memory();
    yaml_parser_set_encoding(&parse.yaml, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parse.yaml, (const unsigned char *)(yaml.p ? yaml.p : ""),
                                 yaml.n);
    bool good = read_document(&parse, root);
    yaml_parser_delete(&parse.yaml);
    return good;
}

const struct node *node_get(const struct node *map, const char *key) {
    if (!map || map->kind != NODE_MAP) return NULL;
    for (int i = 0; i < map->n; i++)
        if (str_eq(map->keys[i], str_of(key))) return map->items[i];
    return NULL;
}

bool node_is_null(const struct node *node) {
    if (!node) return true;
    if (node->kind != NODE_SCALAR || !node->plain) return false;
    return node->text.n == 0 || str_eq(node->text, STR("~")) || str_eq(node->text, STR("null"));
}
