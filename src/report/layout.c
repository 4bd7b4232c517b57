#include "report/layout.h"

#include <stdio.h>

static const char *const escapes[] = {"",         "\033[1m",  "\033[2m", "\033[31m",
                                      "\033[32m", "\033[33m", "\033[36m"};

/* Length of the UTF-8 character at p (1 for a stray byte) and its code point. */
static size_t decode(const char *p, size_t n, uint32_t *point) {
    const unsigned char *u = (const unsigned char *)p;
    size_t length = u[0] < 0x80                   ? 1
                    : u[0] >= 0xf0 && u[0] < 0xf5 ? 4
                    : u[0] >= 0xe0                ? 3
                    : u[0] >= 0xc2                ? 2
                                                  : 0;
    *point = '?';
    if (length == 0 || length > n || u[0] >= 0xf5) return 1;
    uint32_t value = length == 1 ? u[0] : u[0] & (0x7f >> length);
    for (size_t i = 1; i < length; i++) {
        if ((u[i] & 0xc0) != 0x80) return 1;
        value = value << 6 | (u[i] & 0x3f);
    }
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (value < least[length] || value > 0x10ffff || (value >= 0xd800 && value < 0xe000)) return 1;
    *point = value;
    return length;
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
        bool control = point < 0x20 || (point >= 0x7f && point < 0xa0) ||
                       (point >= 0x202a && point <= 0x202e) || (point >= 0x2066 && point <= 0x2069);
        if (text.p[i] == '\t')
            buf_char(out, ' ');
        else if (control || (length == 1 && (unsigned char)text.p[i] >= 0x80))
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
        if (text.p[i] == ' ') last_blank = i;
    }
    return text.n;
}

void layout_row(struct layout *layout, int indent, const char *label, enum style style,
                struct str text, struct str right) {
    int edge = right.n ? layout_columns(right) + 2 : 0;
    int room = layout->width - indent - edge > 12 ? layout->width - indent - edge : 12;
    buf_printf(layout->out, "%-*s", indent, label);
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
}

void layout_text(struct layout *layout, int indent, const char *label, enum style style,
                 struct str text) {
    layout_row(layout, indent, label, style, text, (struct str){0});
}
