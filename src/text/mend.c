#include "base/utf8.h"
#include "text/chars.h"
#include "text/text.h"

/* What is looked at of one raw line.  A window of the scan is far shorter; only lines between
 * two windows of an open traceback can be longer. */
enum { MEND_INPUT = 64 * 1024, SEQUENCE_MAX = 4096, FORWARD_MAX = 64, RESET_REACH = 512 };

/* ---- escape sequences --------------------------------------------------------------- */

/* Length of an operating system command (title, hyperlink) or another string sequence from ESC on:
 * up to BEL or ESC \.  An unterminated one takes the introducer alone, so that no text is lost. */
static size_t string_sequence(struct str raw, size_t at) {
    size_t end = at + SEQUENCE_MAX < raw.n ? at + SEQUENCE_MAX : raw.n;
    for (size_t i = at + 2; i < end; i++) {
        if (raw.p[i] == '\a') return i + 1 - at;
        if (raw.p[i] == '\033') return i + 1 < raw.n && raw.p[i + 1] == '\\' ? i + 2 - at : i - at;
    }
    return 2;
}

/* Length of a control sequence whose parameters begin at `from`; *final is its last byte. */
static size_t control_sequence(struct str raw, size_t from, char *final, int *number) {
    size_t i = from;
    *final = 0;
    *number = 0;
    while (i < raw.n && i - from < 64 && raw.p[i] >= 0x20 && raw.p[i] <= 0x3F) {
        if (is_digit(raw.p[i]) && *number < 10000) *number = *number * 10 + raw.p[i] - '0';
        i++;
    }
    if (i < raw.n && raw.p[i] >= 0x40 && raw.p[i] <= 0x7E) *final = raw.p[i++];
    return i - from;
}

static void break_piece(struct buf *out) {
    if (out->n && out->p[out->n - 1] != '\n') buf_char(out, '\n');
}

/* A move of the cursor is kept as what a reader would see: a new piece, or spaces. */
static void apply_control(struct buf *out, char final, int number) {
    if (final == 'A' || final == 'E' || final == 'F' || final == 'H' || final == 'f' ||
        (final == 'G' && number <= 1) || (final == 'K' && number == 2))
        break_piece(out);
    if (final == 'C')
        for (int i = 0; i < (number ? number : 1) && i < FORWARD_MAX; i++) buf_char(out, ' ');
}

static size_t skip_escape(struct buf *out, struct str raw, size_t at) {
    char next = byte_at(raw, at + 1), final;
    int number;
    if (next == '[') {
        size_t length = 2 + control_sequence(raw, at + 2, &final, &number);
        apply_control(out, final, number);
        return length;
    }
    if (next == ']' || next == 'P' || next == 'X' || next == '^' || next == '_')
        return string_sequence(raw, at);
    if (next == '(' || next == ')' || next == '*' || next == '+' || next == '#' || next == '%')
        return at + 2 < raw.n ? 3 : raw.n - at;
    return next >= 0x30 && next <= 0x7E ? 2 : 1;
}

/* Colours that lost their ESC in a copy: "[36m", "[1;31m", and "^[[0m" as `cat -v` prints it. */
static size_t bare_colour(struct str raw, size_t at) {
    size_t i = at + 1;
    int value = 0, digits = 0;
    for (; i < raw.n && i - at < 16 && (is_digit(raw.p[i]) || raw.p[i] == ';'); i++) {
        if (raw.p[i] == ';') {
            value = digits = 0;
            continue;
        }
        value = value * 10 + raw.p[i] - '0';
        if (++digits > 3) return 0;
    }
    if (byte_at(raw, i) != 'm' || i == at + 1) return 0;
    bool colour = (value >= 30 && value <= 49) || (value >= 90 && value <= 107) || value == 0;
    bool compound = memchr(raw.p + at, ';', i - at) != NULL;
    return colour || compound ? i + 1 - at : 0;
}

/* "[1m" alone could be a minute: attributes count only where the line also resets them near by. */
static size_t bare_attribute(struct str raw, size_t at) {
    bool one =
        byte_at(raw, at + 1) >= '1' && byte_at(raw, at + 1) <= '9' && byte_at(raw, at + 2) == 'm';
    if (!one) return 0;
    size_t from = at > RESET_REACH ? at - RESET_REACH : 0;
    struct str near = str_sub(raw, from, at - from + RESET_REACH);
    return str_has(near, STR("[0m")) || str_has(near, STR("[22m")) ? 3 : 0;
}

static size_t visible_escape(struct str raw, size_t at) {
    if (raw.p[at] == '^' && byte_at(raw, at + 1) == '[' && byte_at(raw, at + 2) == '[') {
        char final;
        int number;
        size_t length = control_sequence(raw, at + 3, &final, &number);
        return final ? 3 + length : 0;
    }
    if (raw.p[at] != '[' || !is_digit(byte_at(raw, at + 1))) return 0;
    size_t length = bare_colour(raw, at);
    return length ? length : bare_attribute(raw, at);
}

/* ---- bytes -------------------------------------------------------------------------- */

static void take_back(struct buf *out) {
    if (!out->n || out->p[out->n - 1] == '\n') return;
    out->n--;
    while (out->n && ((unsigned char)out->p[out->n] & 0xC0) == 0x80) out->n--;
}

/* Characters that show nothing or turn the direction of text would let a line lie about itself. */
static bool code_is_invisible(uint32_t code) {
    return (code >= 0x80 && code < 0xA0) || code == 0xAD || (code >= 0x200B && code <= 0x200F) ||
           (code >= 0x202A && code <= 0x202E) || (code >= 0x2060 && code <= 0x2069) ||
           code == 0xFEFF || (code >= 0xFFF9 && code <= 0xFFFB) ||
           (code >= 0xE0000 && code < 0xE0080);
}

static size_t add_wide(struct buf *out, struct str raw, size_t at) {
    uint32_t code;
    int length = utf8_step(raw.p + at, raw.n - at, &code);
    if (!length) return buf_char(out, '?'), 1;
    if (code == 0xA0 || code == 0x2028 || code == 0x2029)
        buf_char(out, ' ');
    else if (!code_is_invisible(code))
        buf_add(out, raw.p + at, (size_t)length);
    return (size_t)length;
}

static size_t add_control(struct buf *out, struct str raw, size_t at) {
    char c = raw.p[at];
    if (c == '\033') return skip_escape(out, raw, at);
    if (c == '\b') take_back(out);
    if (c == '\t') buf_char(out, '\t');
    if (c == '\r' || c == '\n' || c == '\v' || c == '\f') break_piece(out);
    return 1;
}

/* Sixteen bytes at once, of which most lines have none that needs care. */
typedef uint8_t bytes16 __attribute__((vector_size(16)));
typedef int8_t signs16 __attribute__((vector_size(16)));

/* All ones in each byte that needs care. */
static void odd_bytes(const char *p, uint64_t odd[2]) {
    bytes16 v;
    memcpy(&v, p, sizeof v);
    v = (bytes16)(v < 0x20) | (bytes16)(v >= 0x7F) | (bytes16)(v == '[') | (bytes16)(v == '^');
    memcpy(odd, &v, sizeof v);
}

static bool is_plain_byte(char c) {
    unsigned char byte = (unsigned char)c;
    return byte >= 0x20 && byte < 0x7F && c != '[' && c != '^';
}

static size_t plain_run(struct str raw, size_t at) {
    size_t i = at;
    uint64_t odd[2];
    for (; i + 16 <= raw.n; i += 16) {
        odd_bytes(raw.p + i, odd);
        if (odd[0] | odd[1]) break;
    }
    while (i < raw.n && is_plain_byte(raw.p[i])) i++;
    return i - at;
}

/* ---- boxes -------------------------------------------------------------------------- */

/* Length of the box-drawing character at `at` (U+2500..U+257F is E2 94 80 .. E2 95 BF), else 0. */
static size_t box_at(struct str s, size_t at) {
    if (at + 3 > s.n || (unsigned char)s.p[at] != 0xE2) return 0;
    unsigned char middle = (unsigned char)s.p[at + 1];
    return middle == 0x94 || middle == 0x95 ? 3 : 0;
}

/* The upright strokes, which stand at both edges of a boxed line. */
static bool box_upright(struct str s, size_t at) {
    unsigned char middle = (unsigned char)s.p[at + 1], last = (unsigned char)s.p[at + 2];
    return (middle == 0x94 && (last == 0x82 || last == 0x83)) || (middle == 0x95 && last == 0x91);
}

static size_t strip_right(struct str piece, bool *boxed) {
    size_t n = piece.n;
    *boxed = false;
    while (n && is_blank(piece.p[n - 1])) n--;
    while (n >= 3 && box_at(piece, n - 3)) {
        *boxed = true;
        n -= 3;
        while (n && is_blank(piece.p[n - 1])) n--;
    }
    return *boxed ? n : piece.n;
}

/* Copies a piece of out down to `to` without the strokes at its edges: the first upright stroke (a
 * launcher's prefix may stand before it), horizontal runs, and what strip_right takes. */
static size_t unbox_piece(struct buf *out, size_t to, struct str piece) {
    bool boxed, opened = false;
    size_t n = strip_right(piece, &boxed), start = to;
    for (size_t i = 0; i < n;) {
        size_t box = box_at(piece, i);
        bool drop = box && (!opened || !box_upright(piece, i));
        if (drop) {
            if (box_upright(piece, i) && byte_at(piece, i + 3) == ' ') i++;
            opened = true;
            i += box;
            continue;
        }
        out->p[to++] = piece.p[i++];
    }
    while (to > start && is_blank(out->p[to - 1])) to--;
    return to;
}

static bool has_box(struct str s) {
    if (!s.n) return false; /* of controls alone nothing is left, not even room */
    const char *at = s.p, *end = s.p + s.n;
    while (at < end && (at = memchr(at, 0xE2, (size_t)(end - at))) != NULL) {
        if (box_at(s, (size_t)(at - s.p))) return true;
        at++;
    }
    return false;
}

static void unbox(struct buf *out) {
    size_t to = 0, at = 0;
    if (!has_box(buf_view(out))) return;
    while (at < out->n) {
        const char *end = memchr(out->p + at, '\n', out->n - at);
        size_t stop = end ? (size_t)(end - out->p) : out->n;
        struct str piece = {out->p + at, stop - at};
        if (has_box(piece)) {
            to = unbox_piece(out, to, piece);
        } else {
            memmove(out->p + to, piece.p, piece.n);
            to += piece.n;
        }
        if (end) out->p[to++] = '\n';
        at = stop + (end ? 1 : 0);
    }
    out->n = to;
}

/* ---- the whole line ----------------------------------------------------------------- */

static bool byte_needs_mending(struct str raw, size_t at) {
    unsigned char c = (unsigned char)raw.p[at];
    if ((c < 0x20 && c != '\t') || c >= 0x7F) return true;
    return (c == '[' || c == '^') && visible_escape(raw, at);
}

/* `odd`: all ones in each of sixteen bytes from `at` on that may need care. */
static bool some_need_mending(struct str raw, size_t at, const uint64_t odd[2]) {
    for (size_t half = 0; half < 2; half++)
        for (uint64_t bits = odd[half]; bits;) {
            size_t byte = (size_t)__builtin_ctzll(bits) / 8;
            if (byte_needs_mending(raw, at + 8 * half + byte)) return true;
            bits &= ~((uint64_t)0xff << 8 * byte);
        }
    return false;
}

/* The same of sixteen bytes of which the byte after each is known: most brackets need no care. */
static inline bytes16 odd_sixteen(const char *p) {
    bytes16 v, next;
    memcpy(&v, p, sizeof v);
    memcpy(&next, p + 1, sizeof next);
    bytes16 below = (bytes16)((signs16)v < 0x20); /* those beyond ASCII, too */
    bytes16 control = (below & (bytes16)(v != '\t')) | (bytes16)(v == 0x7F);
    bytes16 colour =
        (bytes16)(v == '[') & (bytes16)((signs16)next < ':') & (bytes16)((signs16)next > '/');
    bytes16 shown = (bytes16)(v == '^') & (bytes16)(next == '[');
    return control | colour | shown;
}

static bool sixteen_need_mending(struct str raw, size_t at) {
    bytes16 v = odd_sixteen(raw.p + at);
    uint64_t odd[2];
    memcpy(odd, &v, sizeof v);
    return (odd[0] | odd[1]) && some_need_mending(raw, at, odd);
}

bool mend_needed(struct str raw) {
    size_t i = 0;
    for (; i + 33 <= raw.n; i += 32) {
        bytes16 any = odd_sixteen(raw.p + i) | odd_sixteen(raw.p + i + 16);
        uint64_t odd[2];
        memcpy(odd, &any, sizeof any);
        if (!(odd[0] | odd[1])) continue;
        if (sixteen_need_mending(raw, i) || sixteen_need_mending(raw, i + 16)) return true;
    }
    for (; i + 17 <= raw.n; i += 16)
        if (sixteen_need_mending(raw, i)) return true;
    if (i && i < raw.n - 1) { /* some are looked at twice */
        i = raw.n - 17;
        if (sixteen_need_mending(raw, i)) return true;
        i += 16;
    }
    for (; i < raw.n; i++)
        if (byte_needs_mending(raw, i)) return true;
    return unlog_needed(raw);
}

/* The same in a text of many lines: LF needs no care, the beginning of a JSON line may. */
static void odd_bytes_in(const char *p, uint64_t odd[2]) {
    bytes16 v, next;
    memcpy(&v, p, sizeof v);
    memcpy(&next, p + 1, sizeof next);
    bytes16 wrapped = (bytes16)(v == '{') & (bytes16)(next == '"');
    v = (odd_sixteen(p) & (bytes16)(v != '\n')) | wrapped;
    memcpy(odd, &v, sizeof v);
}

static bool place_needs_mending(struct str text, size_t at) {
    /* most brackets hold a time: those of no colour and no attribute need not know their line */
    if (text.p[at] == '[' && byte_at(text, at + 2) != 'm' && !bare_colour(text, at)) return false;
    const char *before = at ? memrchr(text.p, '\n', at) : NULL;
    size_t start = before ? (size_t)(before - text.p) + 1 : 0;
    const char *end = memchr(text.p + at, '\n', text.n - at);
    struct str line = str_sub(text, start, (end ? (size_t)(end - text.p) : text.n) - start);
    if (text.p[at] == '{') return at == start && unlog_needed(line);
    return byte_needs_mending(line, at - start);
}

size_t mend_next(struct str text, size_t from) {
    uint64_t odd[2];
    size_t i = from;
    for (; i + 17 <= text.n; i += 16) {
        odd_bytes_in(text.p + i, odd);
        for (int half = 0; half < 2; half++)
            for (uint64_t bits = odd[half]; bits;) {
                size_t byte = (size_t)__builtin_ctzll(bits) / 8, at = i + 8 * (size_t)half + byte;
                if (place_needs_mending(text, at)) return at;
                bits &= ~((uint64_t)0xff << 8 * byte);
            }
    }
    for (; i < text.n; i++)
        if (text.p[i] != '\n' && place_needs_mending(text, i)) return i;
    return text.n;
}

static void mend_bytes(struct buf *out, struct str raw) {
    for (size_t i = 0; i < raw.n;) {
        size_t run = plain_run(raw, i);
        if (run) {
            buf_add(out, raw.p + i, run);
            i += run;
            continue;
        }
        unsigned char c = (unsigned char)raw.p[i];
        if (c == '[' || c == '^') {
            size_t length = visible_escape(raw, i);
            if (!length) buf_char(out, raw.p[i]);
            i += length ? length : 1;
        } else if (c >= 0x80) {
            i += add_wide(out, raw, i);
        } else {
            i += add_control(out, raw, i);
        }
    }
}

void mend_line(struct buf *out, struct str raw) {
    buf_clear(out);
    if (raw.n > MEND_INPUT) raw.n = MEND_INPUT;
    struct buf inner = {0};
    if (unlog_line(&inner, raw)) raw = buf_view(&inner);
    mend_bytes(out, raw);
    buf_release(&inner);
    while (out->n && out->p[out->n - 1] == '\n') out->n--;
    unbox(out);
}
