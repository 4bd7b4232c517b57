#include "report/layout.h"

#include "base/utf8.h"

#include <stdio.h>

enum { BESIDE_MIN = 12 }; /* columns that text needs; with less, what stands beside it goes below */

static const char *const escapes[] = {"",         "\033[1m",  "\033[2m", "\033[31m",
                                      "\033[32m", "\033[33m", "\033[36m"};

/* Length of the character at p, its code point in *point; a stray byte is a '?' of length 1. */
static size_t decode(const char *p, size_t n, uint32_t *point) {
    int length = utf8_step(p, n, point);
    if (!length) *point = '?';
    return length ? (size_t)length : 1;
}

static int point_columns(uint32_t point) {
    if ((point >= 0x300 && point <= 0x36f) || (point >= 0x200b && point <= 0x200f)) return 0;
    bool wide = (point >= 0x1100 && point <= 0x115f) || (point >= 0x2e80 && point <= 0xa4cf) ||
                (point >= 0xac00 && point <= 0xd7a3) || (point >= 0xf900 && point <= 0xfaff) ||
                (point >= 0xfe30 && point <= 0xfe6f) || (point >= 0xff00 && point <= 0xff60) ||
                (point >= 0xffe0 && point <= 0xffe6) || (point >= 0x1f300 && point <= 0x1faff) ||
                (point >= 0x20000 && point <= 0x3fffd);
    return wide ? 2 : 1;
}

int layout_columns(struct str text) {
    int columns = 0;
    uint32_t point;
    for (size_t i = 0; i < text.n;
         i += decode(text.p + i, text.n - i, &point), columns += point_columns(point)) {
    }
    return columns;
}

void layout_clean(struct buf *out, struct str text) {
    uint32_t point;
    for (size_t i = 0, length; i < text.n; i += length) {
        length = decode(text.p + i, text.n - i, &point);
        if (text.p[i] == '\t')
            buf_char(out, ' ');
        else if (utf8_steers(point) || (length == 1 && (unsigned char)text.p[i] >= 0x80))
            buf_char(out, '?');
        else
            buf_add(out, text.p + i, length);
    }
}

void layout_span(struct layout *layout, enum style style, struct str text) {
    if (layout->colour && style != STYLE_PLAIN) buf_printf(layout->out, "%s", escapes[style]);
    layout_clean(layout->out, text);
    if (layout->colour && style != STYLE_PLAIN) buf_printf(layout->out, "\033[0m");
}

/* How many bytes of text fit into `room` columns, cut at a blank where there is one. */
static size_t line_cut(struct str text, int room) {
    size_t last_blank = 0;
    int columns = 0;
    uint32_t point;
    for (size_t i = 0, length; i < text.n; i += length) {
        if (text.p[i] == '\n') return i;
        length = decode(text.p + i, text.n - i, &point);
        columns += point_columns(point);
        if (columns > room) return last_blank ? last_blank : i ? i : length;
        if (text.p[i] == ' ' || text.p[i] == '\t') last_blank = i; /* a tab is shown as one */
    }
    return text.n;
}

/* The cursor stands at `indent`. */
static void row_body(struct layout *layout, int indent, enum style style, struct str text,
                     struct str right) {
    struct str below = {0};
    int edge = right.n ? layout_columns(right) + 2 : 0;
    if (right.n && layout->width - indent - edge < BESIDE_MIN) below = right, right.n = 0, edge = 0;
    int room =
        layout->width - indent - edge > BESIDE_MIN ? layout->width - indent - edge : BESIDE_MIN;
    text = str_trim(text);
    do {
        size_t cut = line_cut(text, room);
        struct str line = str_trim(str_sub(text, 0, cut));
        layout_span(layout, style, line);
        if (right.n) {
            buf_printf(layout->out, "%*s", room - layout_columns(line) + 2, "");
            layout_span(layout, STYLE_CYAN, right);
            right = (struct str){0};
        }
        buf_char(layout->out, '\n');
        text = str_trim(str_sub(text, cut, text.n));
        if (text.n) buf_printf(layout->out, "%*s", indent, "");
    } while (text.n);
    if (!below.n) return;
    buf_printf(layout->out, "%*s", indent, "");
    layout_span(layout, STYLE_CYAN, below);
    buf_char(layout->out, '\n');
}

void layout_row(struct layout *layout, int indent, const char *label, enum style style,
                struct str text, struct str right) {
    buf_printf(layout->out, "%-*s", indent, label);
    row_body(layout, indent, style, text, right);
}

void layout_title(struct layout *layout, enum style word_style, const char *word, struct str text) {
    layout_span(layout, word_style, str_of(word));
    buf_printf(layout->out, "  ");
    row_body(layout, (int)strlen(word) + 2, STYLE_BOLD, text, (struct str){0});
}

void layout_text(struct layout *layout, int indent, const char *label, enum style style,
                 struct str text) {
    layout_row(layout, indent, label, style, text, (struct str){0});
}
