#include "app/harvest.h"

#include <ctype.h>
#include <string.h>

enum { CALL_MAX = 8192, TEXT_MAX = 600, LEAST = 12 };

struct scan {
    struct arena *arena;
    struct str text;
    bool python;
    size_t at;
    int line;
};

static char peek(const struct scan *scan, size_t ahead) {
    return scan->at + ahead < scan->text.n ? scan->text.p[scan->at + ahead] : 0;
}

static void step(struct scan *scan, size_t n) {
    for (; n && scan->at < scan->text.n; n--)
        if (scan->text.p[scan->at++] == '\n') scan->line++;
}

static bool here(const struct scan *scan, const char *word) {
    size_t n = strlen(word);
    return scan->at + n <= scan->text.n && memcmp(scan->text.p + scan->at, word, n) == 0;
}

static bool word_before(const struct scan *scan) {
    char c = scan->at ? scan->text.p[scan->at - 1] : ' ';
    return isalnum((unsigned char)c) || c == '_';
}

/* ---- literals ------------------------------------------------------------------------------- */

/* What a format leaves to be filled in: {x}, %d, %(name)s, %5.2f. */
static size_t hole_length(struct str s, size_t i, bool braces) {
    if (s.p[i] == '{' && braces && i + 1 < s.n && s.p[i + 1] != '{') {
        int depth = 0;
        for (size_t j = i; j < s.n; j++) {
            depth += (s.p[j] == '{') - (s.p[j] == '}');
            if (!depth) return j + 1 - i;
        }
    }
    if (s.p[i] != '%') return 0;
    size_t j = i + 1;
    if (j < s.n && s.p[j] == '(')
        while (j < s.n && s.p[j - 1] != ')') j++;
    while (j < s.n && strchr("-+ #0123456789.lzh", s.p[j])) j++;
    return j < s.n && strchr("sdrfgxiuecp", s.p[j]) ? j + 1 - i : 0;
}

static void add_hole(struct buf *out) {
    if (out->n < 2 || memcmp(out->p + out->n - 2, "{}", 2) != 0) buf_printf(out, "{}");
}

static void add_text(struct buf *out, struct str s) {
    for (size_t i = 0; i < s.n; i++) {
        size_t hole = hole_length(s, i, true);
        if (hole) {
            add_hole(out);
            i += hole - 1;
        } else if (s.p[i] == '\\' && i + 1 < s.n) {
            char c = s.p[++i];
            if (c == 'n' || c == 't' || c == '\n')
                buf_char(out, ' ');
            else
                buf_char(out, c);
        } else if ((s.p[i] == '{' || s.p[i] == '}') && i + 1 < s.n && s.p[i + 1] == s.p[i])
            buf_char(out, s.p[i++]);
        else
            buf_char(out, s.p[i] == '\n' ? ' ' : s.p[i]);
    }
}

/* A string at the cursor, with its prefix; false: there is none. */
static bool take_string(struct scan *scan, struct buf *out) {
    size_t prefix = 0;
    while (scan->python && prefix < 2 && peek(scan, prefix) &&
           strchr("fFrRbBuU", peek(scan, prefix)))
        prefix++;
    char quote = peek(scan, prefix);
    if (quote != '"' && !(scan->python && quote == '\'')) return false;
    if (prefix && word_before(scan)) return false;
    step(scan, prefix);
    bool triple = scan->python && peek(scan, 1) == quote && peek(scan, 2) == quote;
    size_t mark = triple ? 3 : 1;
    step(scan, mark);
    size_t from = scan->at;
    while (scan->at < scan->text.n) {
        if (peek(scan, 0) == '\\')
            step(scan, 1);
        else if (peek(scan, 0) == quote &&
                 (!triple || (peek(scan, 1) == quote && peek(scan, 2) == quote)))
            break;
        else if (!triple && peek(scan, 0) == '\n')
            break; /* it does not end: no string */
        step(scan, 1);
    }
    if (out) add_text(out, str_sub(scan->text, from, scan->at - from));
    step(scan, mark);
    return true;
}

static bool skip_comment(struct scan *scan) {
    bool line = scan->python ? peek(scan, 0) == '#' : here(scan, "//");
    if (!line) return false;
    while (scan->at < scan->text.n && peek(scan, 0) != '\n') step(scan, 1);
    return true;
}

/* ---- calls ---------------------------------------------------------------------------------- */

/* The strings of a call's arguments from behind its bracket on, `skip` arguments left out.  What
 * stands between two strings is filled in at run time. */
static void take_arguments(struct scan *scan, int skip, struct buf *out) {
    size_t from = scan->at;
    int depth = 1, argument = 0;
    bool gap = false, strings = false;
    while (scan->at < scan->text.n && scan->at - from < CALL_MAX && depth > 0) {
        bool wanted =
            depth <= 2 && argument >= skip && !(scan->python && strings && argument > skip);
        struct buf one = {0};
        if (skip_comment(scan)) continue;
        if (take_string(scan, &one)) {
            if (wanted && gap && strings) add_hole(out);
            if (wanted) buf_str(out, buf_view(&one));
            if (wanted) strings = true;
            gap = false;
            buf_release(&one);
            continue;
        }
        char c = peek(scan, 0);
        depth += (c && strchr("([{", c) != NULL) - (c && strchr(")]}", c) != NULL);
        if (c == ',' && depth == 1) {
            argument++;
            gap |= !scan->python && argument <= skip ? false : gap;
        } else if (!isspace((unsigned char)c) && depth > 0 && c != ',')
            gap = true;
        step(scan, 1);
    }
    if (gap && strings && !scan->python) add_hole(out);
}

static struct str take_name(struct scan *scan) {
    size_t from = scan->at;
    while (isalnum((unsigned char)peek(scan, 0)) || peek(scan, 0) == '_' || peek(scan, 0) == '.' ||
           peek(scan, 0) == ':')
        step(scan, 1);
    return str_sub(scan->text, from, scan->at - from);
}

static void keep(struct scan *scan, int line, struct str type, struct buf *text, harvest *out) {
    struct str body = str_trim(str_sub(buf_view(text), 0, TEXT_MAX));
    size_t letters = 0;
    for (size_t i = 0; i < body.n; i++) letters += isalpha((unsigned char)body.p[i]) != 0;
    if (letters >= LEAST)
        vec_push(
            scan->arena, out,
            (struct harvested){line, arena_str(scan->arena, type), arena_str(scan->arena, body)});
    buf_clear(text);
}

/* `raise X(...)`, `throw std::X(...)` */
static void take_raise(struct scan *scan, size_t word, struct buf *text, harvest *out) {
    int line = scan->line;
    step(scan, word);
    while (peek(scan, 0) == ' ') step(scan, 1);
    struct str type = take_name(scan);
    while (peek(scan, 0) == ' ') step(scan, 1);
    if (!type.n || peek(scan, 0) != '(') return;
    step(scan, 1);
    take_arguments(scan, 0, text);
    keep(scan, line, scan->python ? type : (struct str){0}, text, out);
}

static void take_call(struct scan *scan, size_t word, int skip, struct buf *text, harvest *out) {
    int line = scan->line;
    step(scan, word);
    while (isspace((unsigned char)peek(scan, 0))) step(scan, 1);
    if (peek(scan, 0) != '(') return;
    step(scan, 1);
    take_arguments(scan, skip, text);
    keep(scan, line, (struct str){0}, text, out);
}

/* `assert condition, "..."`: to the end of the logical line. */
static void take_assert(struct scan *scan, struct buf *text, harvest *out) {
    int line = scan->line, depth = 0;
    bool message = false;
    step(scan, strlen("assert "));
    for (size_t from = scan->at; scan->at < scan->text.n && scan->at - from < CALL_MAX;) {
        if (skip_comment(scan)) continue;
        struct buf one = {0};
        if (take_string(scan, &one)) {
            if (message) buf_str(text, buf_view(&one));
            buf_release(&one);
            continue;
        }
        char c = peek(scan, 0);
        depth += (strchr("([{", c) && c) - (strchr(")]}", c) && c);
        if (c == ',' && depth == 0) message = true;
        if (c == '\\') step(scan, 1); /* the line goes on */
        if (c == '\n' && depth <= 0) break;
        step(scan, 1);
    }
    keep(scan, line, STR("AssertionError"), text, out);
}

static const struct {
    const char *word;
    int skip; /* arguments that are no message */
    bool python;
} calls[] = {{"logger.error", 0, true},
             {"logger.warning", 0, true},
             {"logger.critical", 0, true},
             {"logger.exception", 0, true},
             {"logging.error", 0, true},
             {"logging.warning", 0, true},
             {"log.error", 0, true},
             {"warnings.warn", 0, true},
             {"torch._check", 1, true},
             {"TORCH_CHECK", 1, false},
             {"TORCH_INTERNAL_ASSERT", 1, false},
             {"TORCH_CHECK_WITH", 2, false},
             {"C10_THROW_ERROR", 1, false},
             {"TORCH_WARN", 0, false},
             {"AT_ERROR", 0, false},
             {"WARN", 0, false},
             {"fprintf", 1, false}};

static bool take_known_call(struct scan *scan, struct buf *text, harvest *out) {
    for (size_t i = 0; i < COUNT_OF(calls); i++) {
        size_t n = strlen(calls[i].word);
        char behind = peek(scan, n);
        if (calls[i].python != scan->python || !here(scan, calls[i].word)) continue;
        if (behind != '(' && behind != ' ') continue;
        take_call(scan, n, calls[i].skip, text, out);
        return true;
    }
    return false;
}

void harvest_source(struct arena *arena, struct str source, bool python, harvest *out) {
    struct scan scan = {.arena = arena, .text = source, .python = python, .line = 1};
    struct buf text = {0};
    while (scan.at < source.n) {
        bool start = !word_before(&scan);
        if (skip_comment(&scan) || take_string(&scan, NULL)) continue;
        if (start && python && here(&scan, "raise "))
            take_raise(&scan, strlen("raise "), &text, out);
        else if (start && !python && here(&scan, "throw "))
            take_raise(&scan, strlen("throw "), &text, out);
        else if (start && python && here(&scan, "assert "))
            take_assert(&scan, &text, out);
        else if (!start || !take_known_call(&scan, &text, out))
            step(&scan, 1);
    }
    buf_release(&text);
}

struct str harvest_line(struct arena *arena, const struct harvested *row, struct str with) {
    struct buf out = {0};
    if (row->type.n) buf_printf(&out, STR_FMT ": ", STR_ARG(row->type));
    for (size_t i = 0; i < row->text.n; i++) {
        bool hole = row->text.p[i] == '{' && i + 1 < row->text.n && row->text.p[i + 1] == '}';
        if (hole) {
            buf_str(&out, with);
            i++;
        } else
            buf_char(&out, row->text.p[i]);
    }
    struct str line = arena_str(arena, buf_view(&out));
    buf_release(&out);
    return line;
}
