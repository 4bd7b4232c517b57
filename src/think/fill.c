#include "think/fill.h"

#include "think/distribution.h"

static struct str lookup(struct str name, const struct scope *scope) {
    const struct fact *row;
    struct str key = arena_printf(scope->view->arena, "cap." STR_FMT, STR_ARG(name));
    struct str value = scope_fact(scope, key, &row);
    return value.n ? value : scope_fact(scope, name, &row);
}

static struct str reckon(struct arena *arena, struct str value, struct str filter) {
    int64_t number;
    if (!str_int(value, &number)) return value;
    if (str_eq(filter, STR("half")))
        number = number > 1 ? number / 2 : number;
    else if (str_eq(filter, STR("double")))
        number = number < INT32_MAX ? number * 2 : number;
    else
        return value;
    return arena_printf(arena, "%lld", (long long)number);
}

/* Where a value is put. */
enum where_put { IN_PROSE, IN_COMMAND, IN_QUOTES };

/* A value as its place can take it; empty where it cannot. */
static struct str as_put(struct arena *arena, struct str value, enum where_put where) {
    if (where == IN_PROSE) return value;
    struct str word = str_shell(arena, value);
    bool plain = word.n == value.n;
    if (value.n && value.p[0] == '-') return (struct str){0}; /* it would be an option */
    for (size_t i = 0; i < value.n; i++)
        if ((unsigned char)value.p[i] < ' ') return (struct str){0};
    return where == IN_COMMAND || plain ? word : (struct str){0};
}

/* What is not known, as a command can hold it: a shell takes "<node>" for a file to read. */
static struct str in_capitals(struct arena *arena, struct str name) {
    struct str word = {0};
    while (str_split(&name, '.', &word)) {
    }
    char *p = arena_alloc(arena, word.n + 1);
    for (size_t i = 0; i < word.n; i++) {
        char c = word.p[i];
        p[i] = (char)(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
    }
    return (struct str){p, word.n};
}

static struct str placeholder(struct str inside, const struct scope *scope, enum where_put where) {
    struct arena *arena = scope->view->arena;
    struct str rest = inside, name = {0}, filter = {0};
    str_split(&rest, '|', &name);
    filter = str_trim(rest);
    name = str_trim(name);
    bool package = str_eq(filter, STR("package"));
    struct str value = lookup(name, scope);
    if (package) value = distribution_of_module(value);
    value = as_put(arena, value, where);
    if (value.n) return reckon(arena, value, filter);
    if (package) return STR("PACKAGE");
    bool reckons = str_eq(filter, STR("half")) || str_eq(filter, STR("double"));
    if (filter.n && !reckons) return filter;
    return where == IN_PROSE ? arena_printf(arena, "<" STR_FMT ">", STR_ARG(name))
                             : in_capitals(arena, name);
}

static struct str join(struct arena *arena, struct str a, struct str b, struct str c) {
    return arena_printf(arena, STR_FMT STR_FMT STR_FMT, STR_ARG(a), STR_ARG(b), STR_ARG(c));
}

/* Whether a command's quote is open behind `text`. */
static bool is_quoted(struct str text) {
    char open = 0;
    for (size_t i = 0; i < text.n; i++) {
        char c = text.p[i];
        if (c == '\\' && open != '\'')
            i++;
        else if ((c == '"' || c == '\'') && (!open || open == c))
            open = open ? 0 : c;
    }
    return open != 0;
}

static struct str fill(struct str text, const struct scope *scope, bool command) {
    size_t from = 0;
    for (int guard = 0; guard < 32; guard++) {
        ptrdiff_t open = str_find(text, STR("{{"), from);
        ptrdiff_t close = open < 0 ? -1 : str_find(text, STR("}}"), (size_t)open);
        if (close < 0) break;
        struct str before = str_sub(text, 0, (size_t)open);
        enum where_put where = !command ? IN_PROSE : is_quoted(before) ? IN_QUOTES : IN_COMMAND;
        struct str value =
            placeholder(str_sub(text, (size_t)open + 2, (size_t)(close - open) - 2), scope, where);
        text = join(scope->view->arena, before, value, str_sub(text, (size_t)close + 2, text.n));
        from = before.n + value.n; /* what was filled in is never filled again */
    }
    return text;
}

struct str fill_text(struct str text, const struct scope *scope) {
    return fill(text, scope, false);
}

static struct str *fill_all(const struct str *texts, int n, const struct scope *scope,
                            bool command) {
    struct str *filled = ARENA_ARRAY(scope->view->arena, struct str, n + 1);
    for (int i = 0; i < n; i++) filled[i] = fill(texts[i], scope, command);
    return filled;
}

/* "<ds.stage>": nothing but a fact that is not known.  "<path of the model>" is for the user. */
static bool is_unknown_fact(struct str value) {
    return value.n > 2 && value.p[0] == '<' && value.p[value.n - 1] == '>' &&
           str_find(value, STR("."), 0) > 0 && str_find(value, STR(" "), 0) < 0;
}

/* Whole or not at all: one that hangs on a fact that is not known says nothing. */
static struct patch fill_patch(const struct patch *patch, const struct scope *scope) {
    struct patch filled = *patch;
    filled.sets = fill_all(patch->sets, 2 * patch->n_sets, scope, false);
    for (int i = 0; i < patch->n_sets; i++)
        if (is_unknown_fact(filled.sets[2 * i + 1])) filled.n_sets = 0;
    return filled;
}

struct fix fill_fix(const struct fix *fix, const struct scope *scope) {
    struct fix filled = *fix;
    filled.title = fill_text(fix->title, scope);
    filled.cost = fill_text(fix->cost, scope);
    filled.verify = fill_text(fix->verify, scope);
    filled.undo = fill_text(fix->undo, scope);
    filled.steps = fill_all(fix->steps, fix->n_steps, scope, false);
    filled.commands = fill_all(fix->commands, fix->n_commands, scope, true);
    filled.patch = fill_patch(&fix->patch, scope);
    return filled;
}
