/* A stack machine over nodes; the tree is made at the end, when nothing can change any more. */
#include "facts/pickle.h"

enum op {
    OP_MARK = '(',
    OP_STOP = '.',
    OP_POP = '0',
    OP_POP_MARK = '1',
    OP_DUP = '2',
    OP_BINBYTES = 'B',
    OP_SHORT_BINBYTES = 'C',
    OP_BINFLOAT = 'G',
    OP_BININT = 'J',
    OP_BININT1 = 'K',
    OP_BININT2 = 'M',
    OP_NONE = 'N',
    OP_BINSTRING = 'T',
    OP_SHORT_BINSTRING = 'U',
    OP_BINUNICODE = 'X',
    OP_EMPTY_LIST = ']',
    OP_APPEND = 'a',
    OP_DICT = 'd',
    OP_APPENDS = 'e',
    OP_BINGET = 'h',
    OP_LONG_BINGET = 'j',
    OP_LIST = 'l',
    OP_BINPUT = 'q',
    OP_LONG_BINPUT = 'r',
    OP_SETITEM = 's',
    OP_TUPLE = 't',
    OP_SETITEMS = 'u',
    OP_EMPTY_DICT = '}',
    OP_EMPTY_TUPLE = ')',
    OP_PROTO = 0x80,
    OP_TUPLE1 = 0x85,
    OP_TUPLE2 = 0x86,
    OP_TUPLE3 = 0x87,
    OP_NEWTRUE = 0x88,
    OP_NEWFALSE = 0x89,
    OP_LONG1 = 0x8a,
    OP_LONG4 = 0x8b,
    OP_SHORT_BINUNICODE = 0x8c,
    OP_BINUNICODE8 = 0x8d,
    OP_BINBYTES8 = 0x8e,
    OP_EMPTY_SET = 0x8f,
    OP_ADDITEMS = 0x90,
    OP_FROZENSET = 0x91,
    OP_MEMOIZE = 0x94,
    OP_FRAME = 0x95,
    OP_BYTEARRAY8 = 0x96
};

/* Opcodes that import, call, or take something from outside the pickle. */
static const unsigned char acting[] = {'c',  'i',  'o',  'R',  'b',  'P',  'Q',
                                       0x81, 0x82, 0x83, 0x84, 0x92, 0x93, 0x97};

struct node {
    struct json_value value;
    VEC(struct node *) items; /* of a dict key, value, key, value ... */
    enum { NODE_OPEN, NODE_ENTERED, NODE_DONE } state;
    int height; /* once done */
    bool fixed; /* a tuple: nothing may be appended to it */
};

struct machine {
    struct arena *arena;  /* of the result */
    struct arena scratch; /* of everything else */
    struct str bytes;
    size_t at, n_values;
    VEC(struct node *) stack;
    VEC(size_t) marks;
    VEC(struct node *) memo;
    struct err *err;
};

static bool malformed(struct machine *m, const char *why) {
    return err_set(m->err, why, NULL, "cannot read the pickle at byte %zu", m->at);
}

static bool counted(struct machine *m, size_t n) {
    m->n_values += n;
    return m->n_values <= PICKLE_VALUES || malformed(m, "too many values");
}

/* ---- operands ------------------------------------------------------------------------------ */

static bool take(struct machine *m, uint64_t n, struct str *out) {
    if (n > m->bytes.n - m->at) return malformed(m, "truncated");
    *out = (struct str){m->bytes.p + m->at, (size_t)n};
    m->at += (size_t)n;
    return true;
}

static bool take_number(struct machine *m, int width, uint64_t *out) {
    struct str raw = {0};
    if (!take(m, (uint64_t)width, &raw)) return false;
    *out = 0;
    for (int i = width - 1; i >= 0; i--) *out = *out << 8 | (unsigned char)raw.p[i];
    return true;
}

/* ---- stack --------------------------------------------------------------------------------- */

static bool push(struct machine *m, struct node *node) {
    if (!counted(m, 1)) return false;
    vec_push(&m->scratch, &m->stack, node);
    return true;
}

static bool push_new(struct machine *m, enum json_type type, struct str text, double number) {
    struct node *node = ARENA_NEW(&m->scratch, struct node);
    node->value = (struct json_value){.type = type, .text = text, .number = number};
    return push(m, node);
}

/* Values above the last mark; without a mark all. */
static size_t depth_free(const struct machine *m) {
    return m->stack.n - (m->marks.n ? m->marks.v[m->marks.n - 1] : 0);
}

static bool last_mark(struct machine *m, size_t *from) {
    if (!m->marks.n) return malformed(m, "a mark is missing");
    *from = m->marks.v[--m->marks.n];
    return true;
}

/* Ends a run of items for the container below them. */
static bool fill(struct machine *m, enum json_type type, size_t from) {
    if (from == 0 || (m->marks.n && from <= m->marks.v[m->marks.n - 1]))
        return malformed(m, "nothing to fill");
    struct node *into = m->stack.v[from - 1];
    size_t n = m->stack.n - from;
    if (into->value.type != type || into->fixed) return malformed(m, "this cannot be filled");
    if (type == JSON_OBJECT && n % 2) return malformed(m, "a key without a value");
    if (!counted(m, n)) return false;
    for (size_t i = from; i < m->stack.n; i++) vec_push(&m->scratch, &into->items, m->stack.v[i]);
    m->stack.n = from;
    return true;
}

/* A container of the values from `from` on takes their place. */
static bool gather(struct machine *m, enum json_type type, size_t from, bool fixed) {
    struct node *node = ARENA_NEW(&m->scratch, struct node);
    node->value.type = type;
    size_t end = m->stack.n;
    if (type == JSON_OBJECT && (end - from) % 2) return malformed(m, "a key without a value");
    if (!counted(m, end - from)) return false;
    for (size_t i = from; i < end; i++) vec_push(&m->scratch, &node->items, m->stack.v[i]);
    node->fixed = fixed;
    m->stack.n = from;
    return push(m, node);
}

static bool gather_last(struct machine *m, size_t n) {
    if (depth_free(m) < n) return malformed(m, "the stack is empty");
    return gather(m, JSON_ARRAY, m->stack.n - n, true);
}

static bool memo_put(struct machine *m, uint64_t slot) {
    if (!depth_free(m)) return malformed(m, "the stack is empty");
    /* picklers number their memo without gaps */
    if (slot > m->memo.n) return malformed(m, "the memo has a gap");
    struct node *top = m->stack.v[m->stack.n - 1];
    if (slot < m->memo.n)
        m->memo.v[slot] = top;
    else
        vec_push(&m->scratch, &m->memo, top);
    return true;
}

static bool memo_get(struct machine *m, uint64_t slot) {
    if (slot >= m->memo.n) return malformed(m, "the memo has no such entry");
    return push(m, m->memo.v[slot]);
}

/* ---- one opcode ---------------------------------------------------------------------------- */

static bool push_float(struct machine *m) {
    uint64_t bits = 0;
    double value;
    struct str raw = {0};
    if (!take(m, 8, &raw)) return false;
    for (int i = 0; i < 8; i++) bits = bits << 8 | (unsigned char)raw.p[i];
    memcpy(&value, &bits, sizeof value);
    return push_new(m, JSON_NUMBER, (struct str){0}, value);
}

/* Two's complement, little endian; more than 16 bytes is no number of ours. */
static bool push_long(struct machine *m, uint64_t n) {
    struct str raw = {0};
    if (n > 16) return malformed(m, "an absurd number");
    if (!take(m, n, &raw)) return false;
    bool negative = n && (unsigned char)raw.p[n - 1] & 0x80;
    double value = 0;
    for (size_t i = (size_t)n; i-- > 0;) {
        unsigned char byte = (unsigned char)raw.p[i];
        value = value * 256 + (negative ? 255 - byte : byte);
    }
    return push_new(m, JSON_NUMBER, (struct str){0}, negative ? -value - 1 : value);
}

static bool push_text(struct machine *m, int width) {
    uint64_t n = 0;
    struct str text = {0};
    return take_number(m, width, &n) && take(m, n, &text) && push_new(m, JSON_STRING, text, 0);
}

static bool step_scalar(struct machine *m, unsigned char op, bool *known) {
    uint64_t n = 0;
    *known = true;
    switch (op) {
    case OP_NONE: return push_new(m, JSON_NULL, (struct str){0}, 0);
    case OP_NEWTRUE: return push_new(m, JSON_TRUE, (struct str){0}, 0);
    case OP_NEWFALSE: return push_new(m, JSON_FALSE, (struct str){0}, 0);
    case OP_BININT:
        return take_number(m, 4, &n) &&
               push_new(m, JSON_NUMBER, (struct str){0}, (int32_t)(uint32_t)n);
    case OP_BININT1:
        return take_number(m, 1, &n) && push_new(m, JSON_NUMBER, (struct str){0}, (double)n);
    case OP_BININT2:
        return take_number(m, 2, &n) && push_new(m, JSON_NUMBER, (struct str){0}, (double)n);
    case OP_LONG1: return take_number(m, 1, &n) && push_long(m, n);
    case OP_LONG4: return take_number(m, 4, &n) && push_long(m, n);
    case OP_BINFLOAT: return push_float(m);
    case OP_SHORT_BINUNICODE:
    case OP_SHORT_BINBYTES:
    case OP_SHORT_BINSTRING: return push_text(m, 1);
    case OP_BINUNICODE:
    case OP_BINBYTES:
    case OP_BINSTRING: return push_text(m, 4);
    case OP_BINUNICODE8:
    case OP_BINBYTES8:
    case OP_BYTEARRAY8: return push_text(m, 8);
    default: *known = false; return true;
    }
}

static bool step_container(struct machine *m, unsigned char op, bool *known) {
    size_t from = 0;
    *known = true;
    switch (op) {
    case OP_EMPTY_LIST:
    case OP_EMPTY_SET: return push_new(m, JSON_ARRAY, (struct str){0}, 0);
    case OP_EMPTY_DICT: return push_new(m, JSON_OBJECT, (struct str){0}, 0);
    case OP_EMPTY_TUPLE: return gather_last(m, 0);
    case OP_TUPLE1:
    case OP_TUPLE2:
    case OP_TUPLE3: return gather_last(m, (size_t)(op - OP_TUPLE1 + 1));
    case OP_TUPLE:
    case OP_FROZENSET: return last_mark(m, &from) && gather(m, JSON_ARRAY, from, true);
    case OP_LIST: return last_mark(m, &from) && gather(m, JSON_ARRAY, from, false);
    case OP_DICT: return last_mark(m, &from) && gather(m, JSON_OBJECT, from, false);
    case OP_APPENDS:
    case OP_ADDITEMS: return last_mark(m, &from) && fill(m, JSON_ARRAY, from);
    case OP_SETITEMS: return last_mark(m, &from) && fill(m, JSON_OBJECT, from);
    case OP_APPEND:
        return depth_free(m) < 2 ? malformed(m, "the stack is empty")
                                 : fill(m, JSON_ARRAY, m->stack.n - 1);
    case OP_SETITEM:
        return depth_free(m) < 3 ? malformed(m, "the stack is empty")
                                 : fill(m, JSON_OBJECT, m->stack.n - 2);
    default: *known = false; return true;
    }
}

static bool step_stack(struct machine *m, unsigned char op, bool *known) {
    uint64_t n = 0;
    size_t from = 0;
    *known = true;
    switch (op) {
    case OP_PROTO:
        if (!take_number(m, 1, &n)) return false;
        return (n >= 2 && n <= 5) || malformed(m, "an unknown protocol");
    case OP_FRAME: return take_number(m, 8, &n); /* how the bytes were cut, nothing else */
    case OP_MARK: vec_push(&m->scratch, &m->marks, m->stack.n); return counted(m, 1);
    case OP_POP:
        if (!depth_free(m)) return malformed(m, "the stack is empty");
        m->stack.n--;
        return true;
    case OP_POP_MARK:
        if (!last_mark(m, &from)) return false;
        m->stack.n = from;
        return true;
    case OP_DUP:
        return depth_free(m) ? push(m, m->stack.v[m->stack.n - 1])
                             : malformed(m, "the stack is empty");
    case OP_BINPUT: return take_number(m, 1, &n) && memo_put(m, n);
    case OP_LONG_BINPUT: return take_number(m, 4, &n) && memo_put(m, n);
    case OP_MEMOIZE: return memo_put(m, m->memo.n);
    case OP_BINGET: return take_number(m, 1, &n) && memo_get(m, n);
    case OP_LONG_BINGET: return take_number(m, 4, &n) && memo_get(m, n);
    default: *known = false; return true;
    }
}

static bool step(struct machine *m, unsigned char op) {
    bool known;
    if (!step_scalar(m, op, &known)) return false;
    if (known) return true;
    if (!step_container(m, op, &known)) return false;
    if (known) return true;
    if (!step_stack(m, op, &known)) return false;
    if (known) return true;
    return malformed(m, memchr(acting, op, sizeof acting) ? "it wants to import or call something"
                                                          : "an unknown opcode");
}

/* ---- the tree ------------------------------------------------------------------------------ */

static bool settle(struct machine *m, struct node *node, int depth);

static bool key_of(struct machine *m, const struct node *key, struct str *out) {
    if (key->value.type != JSON_STRING && key->value.type != JSON_NUMBER)
        return malformed(m, "a key that is neither text nor number");
    *out = json_scalar(m->arena, &key->value);
    return true;
}

/* The children become one array of values; each is a copy of its node, so that a node can stand in
 * several places. */
static bool settle_items(struct machine *m, struct node *node, int depth) {
    bool dict = node->value.type == JSON_OBJECT;
    size_t n = dict ? node->items.n / 2 : node->items.n;
    struct json_value *values = ARENA_ARRAY(m->arena, struct json_value, n + 1);
    for (size_t i = 0; i < n; i++) {
        struct node *item = node->items.v[dict ? 2 * i + 1 : i];
        if (!settle(m, item, depth + 1)) return false;
        if (item->height + 1 > node->height) node->height = item->height + 1;
        values[i] = item->value;
        if (dict && !key_of(m, node->items.v[2 * i], &values[i].key)) return false;
        values[i].next = i + 1 < n ? &values[i + 1] : NULL;
    }
    node->value.n = (int)n;
    node->value.first = n ? values : NULL;
    return true;
}

static bool settle(struct machine *m, struct node *node, int depth) {
    if (node->state == NODE_ENTERED) return malformed(m, "a value that contains itself");
    if (depth + node->height > PICKLE_DEPTH) return malformed(m, "nested too deeply");
    if (node->state == NODE_DONE) return true;
    node->state = NODE_ENTERED;
    if (!settle_items(m, node, depth)) return false;
    node->state = NODE_DONE;
    return true;
}

static bool run(struct machine *m, const struct json_value **root) {
    for (;;) {
        if (m->at >= m->bytes.n) return malformed(m, "truncated");
        unsigned char op = (unsigned char)m->bytes.p[m->at++];
        if (op == OP_STOP) break;
        if (!step(m, op)) return false;
    }
    if (!m->stack.n) return malformed(m, "it holds nothing");
    struct node *top = m->stack.v[m->stack.n - 1];
    if (!settle(m, top, 0)) return false;
    struct json_value *value = ARENA_NEW(m->arena, struct json_value);
    *value = top->value;
    *root = value;
    return true;
}

bool pickle_tell(struct str bytes) {
    return bytes.n > 2 && (unsigned char)bytes.p[0] == OP_PROTO && bytes.p[1] >= 2 &&
           bytes.p[1] <= 5;
}

bool pickle_read(struct arena *arena, struct str bytes, const struct json_value **root,
                 struct err *err) {
    struct machine m = {.arena = arena, .bytes = bytes, .err = err};
    *root = NULL;
    if (!pickle_tell(bytes)) return malformed(&m, "it is none of protocol 2 to 5");
    if (bytes.n > PICKLE_BYTES) return malformed(&m, "too large");
    bool ok = run(&m, root);
    arena_release(&m.scratch);
    return ok;
}
