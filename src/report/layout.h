/* layout.h - text in a column: wrapping, styles, safe output.  Private to report/. */
#ifndef FAULTLINE_LAYOUT_H
#define FAULTLINE_LAYOUT_H

#include "base/base.h"

enum style { STYLE_PLAIN, STYLE_BOLD, STYLE_DIM, STYLE_RED, STYLE_GREEN, STYLE_YELLOW, STYLE_CYAN };

/* Where the lines go and how wide they may be. */
struct layout {
    struct buf *out;
    int width;
    bool colour;
};

/* A paragraph whose first line begins with `label` (padded to `indent`), wrapped at words; words
 * longer than a line are broken.  Control bytes are written as '?', so nothing from a log reaches a
 * terminal raw. */
void layout_text(struct layout *layout, int indent, const char *label, enum style style,
                 struct str text);
/* The same with `right` at the right edge of the first line; the text keeps clear of it.  Where
 * that leaves the text no room, it stands in a line below. */
void layout_row(struct layout *layout, int indent, const char *label, enum style style,
                struct str text, struct str right);
/* A title: a word in its own style, two blanks, and bold text that is wrapped beside the word. */
void layout_title(struct layout *layout, enum style word_style, const char *word, struct str text);
/* Display columns of UTF-8 text, wide characters counted as two. */
int layout_columns(struct str text);
/* Appends text as valid UTF-8 without control characters, C1 and direction marks ('?'); tabs become
 * blanks. */
void layout_clean(struct buf *out, struct str text);
/* Text in a style, without a line end. */
void layout_span(struct layout *layout, enum style style, struct str text);

#endif
