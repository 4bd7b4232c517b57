#include "match/syntax.h"

#include "text/chars.h"

/* The walk keeps only what the rules need: where it is, how deep, and whether the last item may
 * carry a quantifier. */
struct walk {
    struct str regex;
    size_t i;
    int depth;
    bool quantifiable; /* the last item may be repeated */
    bool negated;      /* inside [^...] */
    struct syntax *out;
    struct err *err;
};

static int peek(const struct walk *w, size_t ahead) {
    return w->i + ahead < w->regex.n ? (unsigned char)w->regex.p[w->i + ahead] : -1;
}

static bool refuse(struct walk *w, const char *why, const char *hint) {
    return err_set(w->err, why, hint, "the expression is refused at byte %zu", w->i + 1);
}

static int hex_value(int c) {
    if (is_digit(c)) return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static void literal(struct walk *w, int c) {
    if (is_digit(c)) w->out->digit_blind = false;
    w->quantifiable = true;
}

/* Reads the escape at w->i.  *c receives the byte it stands for, or -1 for a class such as \d. */
static bool read_escape(struct walk *w, bool in_class, int *c) {
    int e = peek(w, 1);
    *c = -1;
    if (e < 0) return refuse(w, "it ends with a backslash", NULL);
    if (e == 'x') {
        int high = hex_value(peek(w, 2)), low = hex_value(peek(w, 3));
        if (high < 0 || low < 0)
            return refuse(w, "\\x takes two hexadecimal digits", "write \\x1b");
        *c = high * 16 + low;
        w->i += 4;
    } else if (strchr("dDwWsS", e)) {
        w->i += 2;
    } else if (strchr("\\.+*?()|[]{}^$#&-~", e)) {
        *c = e;
        w->i += 2;
    } else if (e == 't' || e == 'r' || e == 'f') {
        *c = e == 't' ? '\t' : e == 'r' ? '\r' : '\f';
        w->i += 2;
    } else if (!in_class && (e == 'b' || e == 'B')) {
        w->i += 2;
    } else if (e == 'n' && w->negated) {
        w->i += 2; /* idle, as no line holds one, but ripgrep takes it */
        *c = '\n';
        return true;
    } else if (e == 'n') {
        return refuse(w, "a line holds no \\n", NULL);
    } else if (is_digit(e)) {
        return refuse(w, "back-references are not shared with ripgrep", NULL);
    } else if ((e >= 'a' && e <= 'z') || (e >= 'A' && e <= 'Z')) {
        return refuse(w, "this escape is not shared by PCRE2 and ripgrep",
                      "the shared ones are \\d \\w \\s \\D \\W \\S \\b \\B \\t \\r \\f \\xHH");
    } else {
        return refuse(w, "ripgrep refuses a backslash before this character",
                      "write the character itself");
    }
    if (*c == '\n') return refuse(w, "a line holds no \\n", NULL);
    if (*c == 0) return refuse(w, "NUL is not matched", NULL);
    return true;
}

/* Which of 0-9 and a-f a class holds, as bits. */
enum { DECIMAL = 0x03ff, SMALL = 0xfc00, HEX = DECIMAL | SMALL };

struct class_walk {
    unsigned held;
    int first;    /* the byte that may begin a range, -1 after a class escape or a range */
    bool any;     /* something was read */
    bool escaped; /* the last item was a class escape */
};

static void class_hold(struct class_walk *k, int low, int high) {
    for (int bit = 0; bit < 16; bit++) {
        int c = "0123456789abcdef"[bit];
        if (low <= c && c <= high) k->held |= 1u << bit;
    }
}

/* Reads [:name:] inside a class. */
static bool read_posix(struct walk *w, struct class_walk *k) {
    static const char *const small[] = {"alpha", "lower"}, *const none[] = {"blank", "cntrl",
                                                                            "punct", "space",
                                                                            "upper"};
    ptrdiff_t end = str_find(w->regex, STR(":]"), w->i + 2);
    if (end < 0) return refuse(w, "'[' inside a class starts a nested one in ripgrep", "write \\[");
    struct str name = str_sub(w->regex, w->i + 2, (size_t)end - w->i - 2);
    unsigned held = str_eq(name, STR("digit")) ? DECIMAL : HEX;
    for (size_t i = 0; i < COUNT_OF(small); i++)
        if (str_eq(name, str_of(small[i]))) held = SMALL;
    for (size_t i = 0; i < COUNT_OF(none); i++)
        if (str_eq(name, str_of(none[i]))) held = 0;
    k->held |= held;
    w->i = (size_t)end + 2;
    return true;
}

static bool class_item(struct walk *w, struct class_walk *k) {
    int c = peek(w, 0);
    k->escaped = false;
    if (c < 0) return refuse(w, "a class is not closed", NULL);
    if (c >= 0x80) return refuse(w, "bytes beyond ASCII cannot stand in a class", NULL);
    if (c < 0x20 && c != '\t') return refuse(w, "a control byte", "write \\xHH");
    if (c == '[' && peek(w, 1) == ':') {
        k->first = -1;
        k->escaped = true;
        return read_posix(w, k);
    }
    if (c == '[')
        return refuse(w, "'[' inside a class starts a nested one in ripgrep", "write \\[");
    if ((c == '&' || c == '~' || c == '-') && peek(w, 1) == c)
        return refuse(w, "'&&', '--' and '~~' are set operators in ripgrep",
                      "write it once, or \\-");
    if (c == '\\') {
        int set = peek(w, 1);
        if (!read_escape(w, true, &c)) return false;
        k->escaped = strchr("dDwWsS", set) != NULL;
        k->held |= set == 'd' ? DECIMAL : set == 'D' ? SMALL : set == 'w' || set == 'S' ? HEX : 0u;
    } else {
        w->i++;
    }
    k->first = c;
    return true;
}

static bool class_range(struct walk *w, struct class_walk *k) {
    int low = k->first;
    if (peek(w, 0) != '-' || peek(w, 1) == ']') {
        class_hold(k, low, low);
        return true;
    }
    if (k->escaped || low < 0)
        return refuse(w, "'-' after a class such as \\w is an error in ripgrep",
                      "put it last or write \\-");
    if (peek(w, 1) == '-') return true; /* class_item refuses "--" */
    w->i++;
    if (!class_item(w, k)) return false;
    if (k->escaped || k->first < low) return refuse(w, "a range that runs backwards", NULL);
    class_hold(k, low, k->first);
    return true;
}

/* *held: which of the hexadecimal digits the class takes. */
static bool read_class(struct walk *w, unsigned *held) {
    struct class_walk k = {0};
    w->i++;
    w->negated = peek(w, 0) == '^';
    if (w->negated) w->i++;
    while (peek(w, 0) != ']' || !k.any) {
        if (!class_item(w, &k) || !class_range(w, &k)) return false;
        k.any = true;
        if (w->i >= w->regex.n) return refuse(w, "a class is not closed", NULL);
    }
    w->i++;
    *held = w->negated ? HEX & ~k.held : k.held;
    w->negated = false;
    unsigned digits = *held & DECIMAL;
    if (digits && digits != DECIMAL) w->out->digit_blind = false;
    w->quantifiable = true;
    return true;
}

/* Reads {n}, {n,} or {n,m}. */
static bool read_braces(struct walk *w) {
    size_t i = w->i + 1, start = i;
    while (i < w->regex.n && is_digit(w->regex.p[i])) i++;
    bool ok = i > start;
    if (ok && i < w->regex.n && w->regex.p[i] == ',') {
        i++;
        while (i < w->regex.n && is_digit(w->regex.p[i])) i++;
    }
    if (!ok || i >= w->regex.n || w->regex.p[i] != '}')
        return refuse(w, "'{' that repeats nothing is an error in ripgrep", "write \\{");
    w->i = i + 1;
    return true;
}

static bool read_quantifier(struct walk *w) {
    if (!w->quantifiable) return refuse(w, "a repetition that follows nothing to repeat", NULL);
    if (peek(w, 0) == '{') {
        if (!read_braces(w)) return false;
    } else {
        w->i++;
    }
    if (peek(w, 0) == '+')
        return refuse(w, "possessive repetition is not shared with ripgrep", "drop the second '+'");
    if (peek(w, 0) == '?') w->i++;
    w->quantifiable = false;
    return true;
}

static bool open_group(struct walk *w) {
    if (peek(w, 1) == '*')
        return refuse(w, "verbs such as (*SKIP) are not shared with ripgrep", NULL);
    w->depth++;
    w->quantifiable = false;
    if (peek(w, 1) != '?') {
        w->i++;
        if (++w->out->groups > SYNTAX_GROUPS)
            return refuse(w, "more than 8 groups", "use (?:...) where nothing is kept");
        return true;
    }
    if (peek(w, 2) == ':') {
        w->i += 3;
        return true;
    }
    int c = peek(w, 2), d = peek(w, 3);
    if (c == '=' || c == '!' || (c == '<' && (d == '=' || d == '!')))
        return refuse(w, "look-around is not shared with ripgrep", NULL);
    if (c == 'P' || c == '<' || c == '\'')
        return refuse(w, "groups are plain here; their names stand in `groups`", "write (...)");
    if (c == '>') return refuse(w, "atomic groups are not shared with ripgrep", NULL);
    if (c == '(') return refuse(w, "conditional groups are not shared with ripgrep", NULL);
    if (c == 'R' || c == '&' || is_digit(c) || c == '+')
        return refuse(w, "recursion is not shared with ripgrep", NULL);
    if (c == 'C') return refuse(w, "callouts are not allowed", NULL);
    return refuse(w, "flags and comments inside the expression are not allowed", NULL);
}

static bool read_literal(struct walk *w) {
    int c = peek(w, 0), next = peek(w, 1);
    if (c == '\n') return refuse(w, "a line break", NULL);
    if (c == 0) return refuse(w, "a NUL", NULL);
    if (c >= 0x80 && next >= 0 && strchr("*+?{", next))
        return refuse(w, "a character beyond ASCII cannot be repeated by itself", "write (?:...)");
    literal(w, c);
    w->i++;
    return true;
}

static bool read_item(struct walk *w) {
    int c = peek(w, 0), byte;
    unsigned held;
    switch (c) {
    case '\\':
        w->quantifiable = !(peek(w, 1) == 'b' || peek(w, 1) == 'B');
        if (!read_escape(w, false, &byte)) return false;
        if (is_digit(byte)) w->out->digit_blind = false;
        return true;
    case '[': return read_class(w, &held);
    case '(': return open_group(w);
    case ')':
        if (w->depth-- == 0) return refuse(w, "')' closes nothing", "write \\)");
        w->quantifiable = true;
        w->i++;
        return true;
    case '|':
        w->out->alternatives += w->depth == 0;
        w->quantifiable = false;
        w->i++;
        return true;
    case '*':
    case '+':
    case '?':
    case '{': return read_quantifier(w);
    case '^':
    case '$':
        return refuse(w, "no anchors: prefixes, colours and torn lines are normal",
                      "write \\^ or \\$ for the character");
    case '.':
        w->quantifiable = true;
        w->i++;
        return true;
    default: return read_literal(w);
    }
}

bool syntax_read(struct str regex, struct syntax *syntax, struct err *err) {
    struct walk w = {.regex = regex, .out = syntax, .err = err};
    *syntax = (struct syntax){.digit_blind = true, .alternatives = 1};
    if (regex.n == 0) return err_set(err, NULL, NULL, "the expression is empty");
    while (w.i < regex.n)
        if (!read_item(&w)) return false;
    if (w.depth) return refuse(&w, "a group is not closed", NULL);
    return true;
}

/* Digits elsewhere than in repetitions are literals, members of classes, ends of ranges, or
 * hexadecimal. */
bool syntax_plainly_blind(struct str regex) {
    bool braces = false, class = false;
    for (size_t i = 0; i < regex.n; i++) {
        char c = regex.p[i];
        if (c == '\\') {
            if (++i < regex.n && regex.p[i] == 'x') return false;
        } else if (class) {
            class = c != ']';
            if (is_digit(c)) return false;
        } else if (c == '[') {
            class = true;
            if (i + 1 < regex.n && regex.p[i + 1] == '^') i++;
            if (i + 1 < regex.n && regex.p[i + 1] == ']') i++;
        } else if (c == '{' || c == '}') {
            braces = c == '{';
        } else if (is_digit(c) && !braces) {
            return false;
        }
    }
    return true;
}

/* ---- for masked lines --------------------------------------------------------------------- */

/* Length of the class that begins at regex[at]; *some: it takes bytes that masking changes, but not
 * `any`. */
static size_t class_length(struct str regex, size_t at, char any, bool *some) {
    struct syntax syntax;
    struct err err;
    struct walk w = {.regex = regex, .i = at, .out = &syntax, .err = &err};
    unsigned held = 0;
    if (!read_class(&w, &held)) return regex.n - at;
    *some = held && !(held >> (any - '0') & 1);
    return w.i - at;
}

/* The byte that an item, of n bytes, stands for; -1 where that is not one alone. */
static int item_byte(const char *p, size_t n) {
    if (n == 4) return hex_value(p[2]) * 16 + hex_value(p[3]);
    if (n == 3) return -1;
    if (n == 2) return strchr("dDwWsSbB", p[1]) ? -1 : (unsigned char)p[1];
    return strchr(".*+?(){}|", *p) ? -1 : (unsigned char)*p;
}

/* Whether no small letter before `behind` can be a hexadecimal digit: other letters follow. */
static bool goes_on(struct str behind) {
    char next = byte_at(behind, 0), then = byte_at(behind, 1);
    return is_word(next) && !is_hex(next) && then != '*' && then != '?' && then != '{';
}

struct str syntax_relax(struct arena *arena, struct str regex, char any) {
    struct buf out = {0};
    bool braces = false, outside = false, some; /* outside: what stands before is in no number */
    for (size_t i = 0, n; i < regex.n; i += n) {
        const char *p = regex.p + i;
        n = *p != '\\' ? 1 : i + 1 < regex.n && p[1] == 'x' ? 4 : 2;
        if (n > regex.n - i) n = 1;
        if (*p == '(' && byte_at(regex, i + 1) == '?') n = 3; /* "(?:" */
        if (*p == '{' || *p == '}') braces = *p == '{';
        int byte = braces ? -1 : item_byte(p, n);
        some = n == 2 && p[1] == 'D';
        if (*p == '[') n = class_length(regex, i, any, &some), byte = -1;
        bool hex = byte >= 0 && is_hex((char)byte);
        if (some)
            buf_printf(&out, "(?:" STR_FMT "|%c)", STR_ARG(str_sub(regex, i, n)), any);
        else if (hex && is_digit((char)byte))
            buf_printf(&out, byte == any ? "%c" : "[%c%c]", any, byte);
        else if (hex && !outside && !goes_on(str_from(regex, i + n)))
            buf_printf(&out, "[%c0]", byte);
        else
            buf_add(&out, p, n);
        outside = hex ? outside : byte >= 0 && byte != 'x';
    }
    struct str relaxed = arena_str(arena, buf_view(&out));
    buf_release(&out);
    return relaxed;
}
