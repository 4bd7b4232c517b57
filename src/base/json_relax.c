/* Turns what people write into JSON: one pass, token by token, then the strict parser decides. */
#include "base/json.h"

#include <ctype.h>

struct relax {
    struct str in;
    size_t at;
    struct buf out;
    bool comma; /* a comma was read and not yet written: it is dropped before a closing bracket */
};

static char peek(const struct relax *relax, size_t ahead) {
    return relax->at + ahead < relax->in.n ? relax->in.p[relax->at + ahead] : '\0';
}

static void flush_comma(struct relax *relax) {
    if (relax->comma) buf_char(&relax->out, ',');
    relax->comma = false;
}

static void skip_line(struct relax *relax) {
    while (relax->at < relax->in.n && relax->in.p[relax->at] != '\n') relax->at++;
}

static void skip_block(struct relax *relax) {
    ptrdiff_t end = str_find(relax->in, STR("*/"), relax->at + 2);
    relax->at = end < 0 ? relax->in.n : (size_t)end + 2;
}

/* A string in either quotes; Python's \' and \x41 are no JSON and are rewritten. */
static void copy_string(struct relax *relax) {
    char quote = peek(relax, 0);
    buf_char(&relax->out, '"');
    for (relax->at++; relax->at < relax->in.n && peek(relax, 0) != quote; relax->at++) {
        char c = peek(relax, 0);
        if (c == '\\' && peek(relax, 1)) {
            char next = peek(relax, 1);
            relax->at++;
            if (next == '\'') {
                buf_char(&relax->out, '\'');
            } else if (strchr("\"\\/bfnrtu", next)) {
                buf_char(&relax->out, '\\');
                buf_char(&relax->out, next);
            } else {
                buf_str(&relax->out, STR("\\\\"));
                buf_char(&relax->out, next);
            }
        } else if (c == '"') {
            buf_str(&relax->out, STR("\\\""));
        } else {
            buf_char(&relax->out, c);
        }
    }
    relax->at++;
    buf_char(&relax->out, '"');
}

static bool copy_number(struct relax *relax, struct str word) {
    char digits[64];
    size_t n = 0;
    double value;
    if (word.n && word.p[0] == '+') word = str_sub(word, 1, word.n);
    for (size_t i = 0; i < word.n && n < sizeof digits; i++)
        if (word.p[i] != '_') digits[n++] = word.p[i];
    if (n == sizeof digits || !str_number((struct str){digits, n}, &value)) return false;
    /* cJSON takes ".5" and "5." less kindly than people do. */
    if (digits[0] == '.') buf_char(&relax->out, '0');
    buf_add(&relax->out, digits, n);
    return true;
}

static void copy_word(struct relax *relax) {
    size_t start = relax->at;
    while (relax->at < relax->in.n && !strchr(" \t\r\n,:{}[]()\"'", relax->in.p[relax->at]))
        relax->at++;
    if (relax->at == start) relax->at++; /* a lone bracket of a kind JSON lacks */
    struct str word = str_sub(relax->in, start, relax->at - start);
    if (str_eq_nocase(word, STR("true")))
        buf_str(&relax->out, STR("true"));
    else if (str_eq_nocase(word, STR("false")))
        buf_str(&relax->out, STR("false"));
    else if (str_eq(word, STR("None")) || str_eq(word, STR("null")) ||
             str_eq_nocase(word, STR("nan")))
        buf_str(&relax->out, STR("null"));
    else if (!copy_number(relax, word)) {
        struct json json;
        json_start(&json, &relax->out, false);
        json_string(&json, word);
    }
}

static void relax_token(struct relax *relax) {
    char c = peek(relax, 0);
    if (isspace((unsigned char)c) || c == '\0') {
        relax->at++;
    } else if (c == '#' || (c == '/' && peek(relax, 1) == '/')) {
        skip_line(relax);
    } else if (c == '/' && peek(relax, 1) == '*') {
        skip_block(relax);
    } else if (c == ',') {
        relax->comma = true;
        relax->at++;
    } else if (c == '}' || c == ']' || c == ')') {
        relax->comma = false;
        buf_char(&relax->out, c == ')' ? ']' : c);
        relax->at++;
    } else {
        flush_comma(relax);
        if (c == '"' || c == '\'') {
            copy_string(relax);
        } else if (c == '{' || c == '[' || c == '(' || c == ':') {
            buf_char(&relax->out, c == '(' ? '[' : c);
            relax->at++;
        } else {
            copy_word(relax);
        }
    }
}

const struct json_value *json_parse_relaxed(struct arena *arena, struct str text, struct err *err) {
    const struct json_value *strict = json_parse(arena, text, err);
    if (strict) return strict;
    struct relax relax = {.in = text, .out = {.limit = text.n * 2 + 64}};
    if (str_starts(text, STR("\xEF\xBB\xBF"))) relax.at = 3;
    while (relax.at < text.n) relax_token(&relax);
    const struct json_value *value = json_parse(arena, buf_view(&relax.out), err);
    buf_release(&relax.out);
    return value;
}
