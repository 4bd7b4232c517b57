#include "facts/shell.h"

#include "facts/pick.h"

#include <ctype.h>

static struct str variable(const struct shell *shell, struct str name) {
    for (int i = shell ? shell->n_variables : 0; i-- > 0;)
        if (str_eq(shell->variables[i].name, name)) return shell->variables[i].value;
    return (struct str){0};
}

/* The variable at `$`; *n is what it takes in the text. Unknown ones stay as they are. */
static struct str expand_at(const struct shell *shell, struct str text, size_t at, size_t *n) {
    struct str rest = str_sub(text, at + 1, text.n), name, fallback = {0};
    size_t length = 0;
    if (rest.n && rest.p[0] == '{') {
        ptrdiff_t end = str_find(rest, STR("}"), 0);
        if (end < 0) return (struct str){0};
        name = str_sub(rest, 1, (size_t)end - 1);
        struct str inside = name;
        if (pick_after(inside, STR(":-"), &fallback) || pick_after(inside, STR(":="), &fallback))
            name = str_sub(inside, 0, (size_t)(fallback.p - inside.p) - 2);
        *n = (size_t)end + 2;
    } else {
        while (length < rest.n && pick_is_word(rest.p[length])) length++;
        name = str_sub(rest, 0, length);
        *n = length + 1;
    }
    struct str value = variable(shell, name);
    return value.p ? value : fallback;
}

static struct str expand(struct arena *arena, const struct shell *shell, struct str text,
                         size_t limit) {
    if (!text.n || !memchr(text.p, '$', text.n)) return arena_str(arena, text);
    struct buf out = {.limit = limit};
    for (size_t i = 0; i < text.n;) {
        size_t n = 0;
        struct str value = text.p[i] == '$' ? expand_at(shell, text, i, &n) : (struct str){0};
        if (value.p) {
            buf_str(&out, value);
            i += n;
        } else {
            buf_char(&out, text.p[i++]);
        }
    }
    struct str result = arena_str(arena, buf_view(&out));
    buf_release(&out);
    return result;
}

struct str shell_expand(struct arena *arena, const struct shell *shell, struct str text) {
    return expand(arena, shell, text, COMMAND_TEXT);
}

void shell_set(struct shell *shell, struct arena *arena, struct str name, struct str value) {
    if (shell->n_sets++ > COMMAND_SETS) return;
    struct str text = expand(arena, shell, pick_unquote(value), COMMAND_VALUE);
    for (int i = 0; i < shell->n_variables; i++)
        if (str_eq(shell->variables[i].name, name)) {
            shell->variables[i].value = text;
            return;
        }
    if (shell->n_variables == COMMAND_VARIABLES) return;
    shell->variables[shell->n_variables].name = arena_str(arena, name);
    shell->variables[shell->n_variables++].value = text;
}

/* Length of a separator at s[at], 0 if there is none. */
static size_t separator(struct str s, size_t at) {
    struct str rest = str_sub(s, at, 2);
    if (str_eq(rest, STR("&&")) || str_eq(rest, STR("||"))) return 2;
    if (s.p[at] == ';' || s.p[at] == '|' || s.p[at] == '\n') return 1;
    bool redirect = at > 0 && s.p[at - 1] == '>';
    bool before_redirect = at + 1 < s.n && s.p[at + 1] == '>';
    return s.p[at] == '&' && !redirect && !before_redirect ? 1 : 0;
}

/* One word: quotes are taken off, a backslash keeps the byte behind it, $(...) and A=(...) stay
 * whole. */
static size_t take_word(struct str s, size_t at, char *out, size_t *n) {
    char quote = '\0';
    int depth = 0;
    for (*n = 0; at < s.n; at++) {
        char c = s.p[at];
        bool opens = c == '(' && (depth > 0 || (at > 0 && strchr("$=", s.p[at - 1])));
        if (quote ? c == quote : (c == '\'' || c == '"' || c == '`')) {
            if (c == '`') out[(*n)++] = c;
            quote = quote ? '\0' : c;
            continue;
        }
        if (!quote && depth == 0 && (isspace((unsigned char)c) || separator(s, at))) break;
        if (!quote) depth += opens ? 1 : depth > 0 && c == ')' ? -1 : 0;
        if (!quote && c == '\\' && at + 1 < s.n) c = s.p[++at];
        out[(*n)++] = c;
    }
    return at;
}

bool shell_command(struct arena *arena, struct str *rest, struct shell_words *words) {
    size_t at = 0;
    struct str s = *rest;
    words->n = 0;
    if (!s.n) return false;
    char *room = arena_alloc(arena, s.n + 1); /* all words together are no longer than the text */
    while (at < s.n) {
        size_t skip = separator(s, at);
        if (skip) {
            at += skip;
            if (words->n) break;
        } else if (isspace((unsigned char)s.p[at])) {
            at++;
        } else if (s.p[at] == '#') {
            at = s.n; /* a comment ends the line */
        } else {
            size_t n, start = at;
            at = take_word(s, at, room, &n);
            if (at == start) at++;
            if (words->n < (int)COUNT_OF(words->v)) words->v[words->n++] = (struct str){room, n};
            room += n;
        }
    }
    *rest = str_sub(s, at, s.n);
    return words->n > 0;
}
