#include "match/literal.h"

enum { DEPTH_MAX = 24 };

/* What a part of an expression says about the text it matches. */
struct part {
    bool exact;  /* the text is one of `texts` */
    bool proved; /* the text holds one of `best` */
    struct literals texts, best;
    uint64_t cost; /* of best */
};

struct reader {
    struct arena *arena;
    struct str regex;
    size_t i;
    int depth;
    uint64_t (*cost)(void *ctx, struct str literal);
    void *ctx;
};

static int peek(const struct reader *r) {
    return r->i < r->regex.n ? (unsigned char)r->regex.p[r->i] : -1;
}

/* ---- sets of strings --------------------------------------------------------------------- */

static const struct str empty_text;
static const struct literals nothing_but_empty = {1, (struct str *)&empty_text};

static struct literals one_literal(struct arena *arena, const char *p, size_t n) {
    struct literals one = {1, ARENA_NEW(arena, struct str)};
    *one.v = (struct str){p, n};
    return one;
}

static struct str joined(struct arena *arena, struct str x, struct str y) {
    if (!x.n || !y.n) return x.n ? x : y;
    if (x.p + x.n == y.p) return (struct str){x.p, x.n + y.n}; /* neighbours in the expression */
    char *p = arena_alloc(arena, x.n + y.n);
    memcpy(p, x.p, x.n);
    memcpy(p + x.n, y.p, y.n);
    return (struct str){p, x.n + y.n};
}

/* All of a followed by each of b; false when there would be too many or too long ones. */
static bool literals_cross(struct arena *arena, struct literals *a, const struct literals *b) {
    if (a->n * b->n > LITERALS_MAX) return false;
    struct literals out = {0, ARENA_ARRAY(arena, struct str, a->n * b->n)};
    for (int i = 0; i < a->n; i++)
        for (int j = 0; j < b->n; j++) {
            if (a->v[i].n + b->v[j].n > LITERAL_LONGEST) return false;
            out.v[out.n++] = joined(arena, a->v[i], b->v[j]);
        }
    *a = out;
    return true;
}

static bool literals_join(struct arena *arena, struct literals *a, const struct literals *b) {
    if (a->n + b->n > LITERALS_MAX) return false;
    struct literals out = {a->n + b->n, ARENA_ARRAY(arena, struct str, a->n + b->n)};
    for (int i = 0; i < out.n; i++) out.v[i] = i < a->n ? a->v[i] : b->v[i - a->n];
    *a = out;
    return true;
}

/* Takes a set as the proof if it is one and cheaper than what there is. */
static void prove(const struct reader *r, struct part *part, const struct literals *set) {
    uint64_t cost = 0;
    for (int i = 0; i < set->n; i++) {
        if (set->v[i].n < LITERAL_MIN) return;
        cost += r->cost(r->ctx, set->v[i]);
    }
    if (set->n == 0 || (part->proved && cost >= part->cost)) return;
    part->proved = true;
    part->cost = cost;
    part->best = *set;
}

/* ---- items ------------------------------------------------------------------------------- */

static struct part read_alternatives(struct reader *r);

static struct part one_byte(struct reader *r, char byte) {
    char *p = arena_alloc(r->arena, 1);
    *p = byte;
    return (struct part){.exact = true, .texts = one_literal(r->arena, p, 1)};
}

static int hex(char c) {
    return c <= '9' ? c - '0' : (c | 32) - 'a' + 10;
}

static struct part read_escape(struct reader *r) {
    char c = r->i + 1 < r->regex.n ? r->regex.p[r->i + 1] : 0;
    r->i += 2;
    if (strchr("dDwWsS", c)) return (struct part){0};
    if (c == 'b' || c == 'B') return (struct part){.exact = true, .texts = nothing_but_empty};
    if (c == 'x' && r->i + 2 <= r->regex.n) {
        r->i += 2;
        return one_byte(r, (char)(hex(r->regex.p[r->i - 2]) * 16 + hex(r->regex.p[r->i - 1])));
    }
    return one_byte(r, c == 't' ? '\t' : c == 'r' ? '\r' : c == 'n' ? '\n' : c == 'f' ? '\f' : c);
}

/* [Ll] and the like are alternatives; any other class is unknown text. */
static struct part read_class(struct reader *r) {
    struct part part = {.exact = true};
    size_t start = ++r->i;
    while (r->i < r->regex.n && (r->regex.p[r->i] != ']' || r->i == start)) {
        char c = r->regex.p[r->i];
        if (c == '\\' || c == '[' || c == '-' || c == '^' || part.texts.n == 4) part.exact = false;
        if (part.exact) {
            struct part byte = one_byte(r, c);
            literals_join(r->arena, &part.texts, &byte.texts);
        }
        if (c == '[' && r->i + 1 < r->regex.n && r->regex.p[r->i + 1] == ':') {
            ptrdiff_t end = str_find(r->regex, STR(":]"), r->i);
            r->i = end < 0 ? r->regex.n : (size_t)end + 2;
        } else {
            r->i += c == '\\' ? 2 : 1;
        }
        if (r->i == start + 1 && c == '^' && peek(r) == ']') r->i++;
    }
    r->i++;
    return part;
}

static struct part read_group(struct reader *r) {
    r->i++;
    if (str_starts(str_sub(r->regex, r->i, 2), STR("?:"))) r->i += 2;
    r->depth++;
    struct part part = read_alternatives(r);
    r->depth--;
    r->i++; /* ')' */
    return part;
}

static struct part read_item(struct reader *r) {
    int c = peek(r);
    if (c == '\\') return read_escape(r);
    if (c == '[') return read_class(r);
    if (c == '(') return read_group(r);
    r->i++;
    return c == '.' ? (struct part){0} : one_byte(r, (char)c);
}

/* ---- repetition -------------------------------------------------------------------------- */

struct times {
    int least, most; /* most -1: without end */
};

static int read_number(struct reader *r) {
    int n = 0;
    while (peek(r) >= '0' && peek(r) <= '9') {
        n = n < 10000 ? n * 10 + peek(r) - '0' : n;
        r->i++;
    }
    return n;
}

static struct times read_times(struct reader *r) {
    struct times times = {1, 1};
    int c = peek(r);
    if (c == '*' || c == '+' || c == '?') {
        times = c == '*'   ? (struct times){0, -1}
                : c == '+' ? (struct times){1, -1}
                           : (struct times){0, 1};
        r->i++;
    } else if (c == '{') {
        r->i++;
        times.least = times.most = read_number(r);
        if (peek(r) == ',') {
            r->i++;
            times.most = peek(r) == '}' ? -1 : read_number(r);
        }
        r->i++;
    } else {
        return times;
    }
    if (peek(r) == '?') r->i++;
    return times;
}

/* ---- sequences --------------------------------------------------------------------------- */

/* A sequence being read: `texts` of out is what the end of it is known to be. */
static void break_off(struct reader *r, struct part *out, const struct literals *from) {
    prove(r, out, &out->texts);
    out->texts = *from;
    out->exact = false;
}

static void append_once(struct reader *r, struct part *out, const struct part *item) {
    if (item->exact) {
        if (!literals_cross(r->arena, &out->texts, &item->texts)) break_off(r, out, &item->texts);
        return;
    }
    break_off(r, out, &nothing_but_empty);
    if (item->proved) prove(r, out, &item->best);
}

static void append(struct reader *r, struct part *out, struct part *item, struct times times) {
    if (times.least == 0) {
        struct literals with_none = nothing_but_empty;
        if (times.most == 1 && item->exact && literals_join(r->arena, &with_none, &item->texts) &&
            literals_cross(r->arena, &out->texts, &with_none))
            return;
        break_off(r, out, &nothing_but_empty);
        return;
    }
    for (int i = 0; i < times.least && i < 4; i++) append_once(r, out, item);
    if (times.least == times.most && times.least <= 4) return;
    /* more may follow: what was read ends here, and what follows begins after one more of the same
     */
    break_off(r, out, item->exact ? &item->texts : &nothing_but_empty);
}

/* Literal bytes up to the next one that is special or repeated, in one go. */
static bool read_run(struct reader *r, struct part *out) {
    size_t n = 0;
    for (; r->i + n < r->regex.n && n < LITERAL_LONGEST; n++)
        if (strchr("\\[](){}.*+?|^$", r->regex.p[r->i + n])) break;
    if (r->i + n < r->regex.n && n > 0 && strchr("*+?{", r->regex.p[r->i + n])) n--;
    if (n == 0) return false;
    struct part run = {.exact = true, .texts = one_literal(r->arena, r->regex.p + r->i, n)};
    r->i += n;
    append_once(r, out, &run);
    return true;
}

static struct part read_sequence(struct reader *r) {
    struct part out = {.exact = true, .texts = nothing_but_empty};
    while (peek(r) >= 0 && peek(r) != '|' && peek(r) != ')') {
        if (read_run(r, &out)) continue;
        struct part item = read_item(r);
        struct times times = read_times(r);
        append(r, &out, &item, times);
    }
    prove(r, &out, &out.texts);
    return out;
}

static struct part read_alternatives(struct reader *r) {
    if (r->depth > DEPTH_MAX) {
        r->i = r->regex.n;
        return (struct part){0};
    }
    struct part all = read_sequence(r);
    while (peek(r) == '|') {
        r->i++;
        struct part next = read_sequence(r);
        all.exact = all.exact && next.exact && literals_join(r->arena, &all.texts, &next.texts);
        all.proved = all.proved && next.proved && literals_join(r->arena, &all.best, &next.best);
        all.cost += next.cost;
    }
    return all;
}

bool literals_of(struct arena *arena, struct str regex,
                 uint64_t (*cost)(void *ctx, struct str literal), void *ctx, struct literals *out) {
    struct reader r = {.arena = arena, .regex = regex, .cost = cost, .ctx = ctx};
    struct part part = read_alternatives(&r);
    if (!part.proved || r.i < regex.n || r.depth) return false;
    *out = part.best;
    return true;
}
