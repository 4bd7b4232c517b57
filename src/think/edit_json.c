/* Members of a JSON text by path.  A small scanner that knows strings and brackets; a text with
 * comments or anything else that is no JSON is left alone. */
#include "think/edit.h"

struct member {
    size_t key, key_end, value, value_end; /* offsets; key_end behind the closing quote */
};
struct object {
    size_t open, close; /* of its brackets */
    struct member first, last, found;
    int n;
    bool has;
};

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static size_t skip_blank(struct str s, size_t at) {
    while (at < s.n && is_blank(s.p[at])) at++;
    return at;
}

/* Behind the closing quote; 0: the string does not end. */
static size_t string_end(struct str s, size_t at) {
    for (at++; at < s.n && s.p[at] != '"'; at++)
        if (s.p[at] == '\\') at++;
    return at < s.n ? at + 1 : 0;
}

/* Behind the value at `at`; 0: it is none. */
static size_t value_end(struct str s, size_t at) {
    if (at >= s.n) return 0;
    if (s.p[at] == '"') return string_end(s, at);
    if (s.p[at] == '{' || s.p[at] == '[') {
        int depth = 0;
        while (at < s.n) {
            char c = s.p[at];
            if (c == '/' || c == '#') return 0; /* a comment */
            depth += (c == '{' || c == '[') - (c == '}' || c == ']');
            at = c == '"' ? string_end(s, at) : at + 1;
            if (!at || depth == 0) return at;
        }
        return 0;
    }
    size_t from = at;
    while (at < s.n && !is_blank(s.p[at]) && !memchr(",}]#/", s.p[at], 5)) at++;
    return at > from ? at : 0;
}

/* Reads the members of the object at `open` and finds the one with the key. */
static bool object_read(struct str s, size_t open, struct str key, struct object *object) {
    *object = (struct object){.open = open};
    if (open >= s.n || s.p[open] != '{') return false;
    size_t at = skip_blank(s, open + 1);
    while (at < s.n && s.p[at] == '"') {
        struct member member = {.key = at, .key_end = string_end(s, at)};
        if (!member.key_end) return false;
        at = skip_blank(s, member.key_end);
        if (at >= s.n || s.p[at] != ':') return false;
        member.value = skip_blank(s, at + 1);
        member.value_end = value_end(s, member.value);
        if (!member.value_end) return false;
        if (!object->n++) object->first = member;
        object->last = member;
        if (str_eq(str_sub(s, member.key + 1, member.key_end - member.key - 2), key)) {
            object->found = member;
            object->has = true;
        }
        at = skip_blank(s, member.value_end);
        if (at < s.n && s.p[at] == ',')
            at = skip_blank(s, at + 1);
        else
            break;
    }
    object->close = at;
    return at < s.n && s.p[at] == '}';
}

struct str edit_splice(struct arena *arena, struct str s, size_t from, size_t to, struct str with) {
    struct str tail = str_sub(s, to, s.n);
    return arena_printf(arena, STR_FMT STR_FMT STR_FMT, (int)from, s.p, STR_ARG(with),
                        STR_ARG(tail));
}

/* A value as JSON: numbers, words and containers as they are, the rest in quotes. */
static struct str token_of(struct arena *arena, struct str value) {
    double number;
    bool plain = str_number(value, &number) || str_eq(value, STR("true")) ||
                 str_eq(value, STR("false")) || str_eq(value, STR("null")) ||
                 str_starts(value, STR("{")) || str_starts(value, STR("["));
    if (plain) return value;
    return arena_printf(arena, "\"" STR_FMT "\"", STR_ARG(value));
}

/* "a.b": 1 -> "a": {"b": 1} */
static struct str nested(struct arena *arena, struct str path, struct str token) {
    struct str key = {0}, rest = path;
    str_split(&rest, '.', &key);
    if (!rest.n)
        return arena_printf(arena, "\"" STR_FMT "\": " STR_FMT, STR_ARG(key), STR_ARG(token));
    struct str inner = nested(arena, rest, token);
    return arena_printf(arena, "\"" STR_FMT "\": {" STR_FMT "}", STR_ARG(key), STR_ARG(inner));
}

/* What stands between an opening bracket and the first member: a line end and the indentation. */
static struct str insert(struct arena *arena, struct str s, const struct object *object,
                         struct str member) {
    if (!object->n) return edit_splice(arena, s, object->open + 1, object->close, member);
    struct str gap = str_sub(s, object->open + 1, object->first.key - object->open - 1);
    if (!memchr(gap.p, '\n', gap.n)) gap = STR(" ");
    struct str with = arena_printf(arena, "," STR_FMT STR_FMT, STR_ARG(gap), STR_ARG(member));
    return edit_splice(arena, s, object->last.value_end, object->last.value_end, with);
}

/* With the comma and the blanks before it, or behind it where it is the first. */
static struct str removed(struct arena *arena, struct str s, const struct object *object) {
    size_t from = object->found.key, to = object->found.value_end;
    if (object->found.key == object->first.key) {
        size_t next = skip_blank(s, to);
        if (next < s.n && s.p[next] == ',') to = skip_blank(s, next + 1);
    } else {
        while (from > object->open && s.p[from - 1] != ',') from--;
        from--;
    }
    return edit_splice(arena, s, from, to, (struct str){0});
}

bool edit_json(struct arena *arena, struct str *text, struct str path, struct str value) {
    struct str s = *text, key = {0}, rest = path, whole = path;
    struct object object;
    size_t at = skip_blank(s, 0);
    for (;;) {
        whole = rest;
        str_split(&rest, '.', &key);
        if (!object_read(s, at, key, &object)) return false;
        if (!object.has || !rest.n) break;
        at = object.found.value;
        if (s.p[at] != '{') return false;
    }
    if (!value.n) {
        if (object.has) *text = removed(arena, s, &object);
        return true;
    }
    struct str token = token_of(arena, value);
    if (object.has)
        *text = edit_splice(arena, s, object.found.value, object.found.value_end, token);
    else
        *text = insert(arena, s, &object, nested(arena, whole, token));
    return true;
}
