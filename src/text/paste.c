/* What mails, issue trackers and terminals do to a text that is pasted into a file.  Each repair
 * needs a sign that the whole text was treated so; a log that merely holds a '>' stays as it is. */
#include <stdlib.h>

#include "text/chars.h"
#include "text/paste_entities.h"
#include "text/text.h"

enum { LONGEST = 16384 /* a joined line */, ALIKE = 8 };

struct row {
    struct str text;
    uint32_t number; /* physical, 1-based */
};

struct paste {
    struct arena *arena;
    struct row *rows;
    size_t n;
    bool changed;
};

static bool is_blank_row(const struct row *row) {
    return str_trim(row->text).n == 0;
}

static size_t full_rows(const struct paste *paste) {
    size_t n = 0;
    for (size_t i = 0; i < paste->n; i++) n += !is_blank_row(&paste->rows[i]);
    return n;
}

/* ---- line ends ---------------------------------------------------------------------- */

/* A progress bar without a line end looks alike but holds a percentage. */
bool text_is_mac(struct str text) {
    size_t returns = 0;
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] == '\n') return false;
        returns += text.p[i] == '\r';
    }
    bool bar = str_has(text, STR("%|")) || str_has(text, STR("it/s")) || str_has(text, STR("s/it"));
    return returns >= 2 && !bar;
}

static void split_rows(struct paste *paste, struct str text, char end) {
    size_t cap = 1;
    for (size_t i = 0; i < text.n; i++) cap += text.p[i] == end;
    paste->rows = ARENA_ARRAY(paste->arena, struct row, cap);
    struct str line;
    while (text.n && str_split(&text, end, &line)) {
        if (end == '\n' && line.n && line.p[line.n - 1] == '\r') line.n--;
        paste->rows[paste->n] = (struct row){line, (uint32_t)paste->n + 1};
        paste->n++;
    }
}

/* ---- quotes, fences, tags, indentation ---------------------------------------------- */

static size_t quote_length(struct str line) {
    size_t i = 0;
    while (i < 3 && byte_at(line, i) == ' ') i++;
    if (byte_at(line, i) != '>' || byte_at(line, i + 1) == '>') return 0;
    return byte_at(line, i + 1) == ' ' ? i + 2 : i + 1 == line.n ? i + 1 : 0;
}

static bool unquote(struct paste *paste) {
    size_t quoted = 0, full = full_rows(paste);
    for (size_t i = 0; i < paste->n; i++)
        quoted += quote_length(paste->rows[i].text) > 0 && !is_blank_row(&paste->rows[i]);
    if (quoted < 2 || quoted * 2 < full) return false;
    for (size_t i = 0; i < paste->n; i++)
        paste->rows[i].text = str_from(paste->rows[i].text, quote_length(paste->rows[i].text));
    return paste->changed = true;
}

static bool is_fence(struct str line) {
    struct str s = str_trim(line);
    bool fence = str_starts(s, STR("```")) || str_starts(s, STR("~~~"));
    return fence && s.n < 24 && !memchr(s.p + 3, '`', s.n - 3) && !memchr(s.p, ' ', s.n);
}

static bool is_tag(struct str line) {
    static const char *const tags[] = {"<details>", "</details>", "<pre>", "</pre>", "<code>",
                                       "</code>",   "<p>",        "</p>",  "<br>",   "</summary>"};
    struct str s = str_trim(line);
    for (size_t i = 0; i < COUNT_OF(tags); i++)
        if (str_eq_nocase(s, str_of(tags[i]))) return true;
    return str_starts(s, STR("<summary>")) && s.n < 120;
}

static void drop_fences(struct paste *paste) {
    for (size_t i = 0; i < paste->n; i++) {
        struct row *row = &paste->rows[i];
        if (!is_fence(row->text) && !is_tag(row->text)) continue;
        row->text = (struct str){0};
        paste->changed = true;
    }
}

static void unindent(struct paste *paste) {
    size_t common = SIZE_MAX, full = 0;
    for (size_t i = 0; i < paste->n && common; i++) {
        if (is_blank_row(&paste->rows[i])) continue;
        size_t lead = 0;
        while (byte_at(paste->rows[i].text, lead) == ' ') lead++;
        if (lead < common) common = lead;
        full++;
    }
    if (full < 2 || !common || common == SIZE_MAX) return;
    for (size_t i = 0; i < paste->n; i++)
        paste->rows[i].text = str_from(paste->rows[i].text, common);
    paste->changed = true;
}

static void decode_entities(struct paste *paste) {
    struct buf out = {0};
    for (size_t i = 0; i < paste->n; i++) {
        struct row *row = &paste->rows[i];
        if (!memchr(row->text.p ? row->text.p : "", '&', row->text.n)) continue;
        buf_clear(&out);
        if (!entities_decode(&out, row->text)) continue;
        row->text = arena_str(paste->arena, buf_view(&out));
        paste->changed = true;
    }
    buf_release(&out);
}

/* ---- hard wraps --------------------------------------------------------------------- */

static size_t columns(struct str line) {
    size_t n = 0;
    for (size_t i = 0; i < line.n; i++) n += ((unsigned char)line.p[i] & 0xC0) != 0x80;
    return n;
}

/* Rulers and table edges have a common width without being wrapped. */
static bool is_ruler(struct str line) {
    size_t letters = 0;
    for (size_t i = 0; i < line.n; i++) letters += is_alpha(line.p[i]);
    return letters * 4 < line.n;
}

/* A line that begins something: it does not go on with the one before. */
static bool begins(struct str line) {
    struct str body;
    struct frame frame;
    struct place place = locate_line(line, NULL);
    return place.body > 0 || !line.n || is_blank(line.p[0]) || frame_read(line, &frame) ||
           exception_read(line, true, &body) || str_starts(line, STR("Traceback")) ||
           is_ruler(line);
}

/* Both begin with the same word, or with the same signs around their numbers: rows of one kind
 * ("iter 100: loss ...", "3: [12:00:01]"), as wide as each other by their format. */
static bool begin_alike(struct str a, struct str b) {
    size_t n = 0, same = 0;
    while (same < a.n && same < b.n &&
           (a.p[same] == b.p[same] || (is_digit(a.p[same]) && is_digit(b.p[same]))))
        same++;
    if (same >= ALIKE) return true;
    while (n < a.n && n < b.n && is_alpha(a.p[n]) && a.p[n] == b.p[n]) n++;
    return n >= 3 && !is_alpha(byte_at(a, n)) && byte_at(a, n) == byte_at(b, n);
}

/* The width at which a terminal broke this text, 0 if none did: no line is longer, several
 * different ones are exactly as long, and most of those go on in the next. */
static size_t wrap_width(const struct paste *paste) {
    size_t widest = 0, exact = 0, going_on = 0;
    for (size_t i = 0; i < paste->n; i++) {
        size_t n = columns(paste->rows[i].text);
        if (n > widest) widest = n;
    }
    struct str before = {0};
    if (widest < 40 || widest > 300) return 0;
    for (size_t i = 0; i + 1 < paste->n; i++) {
        if (columns(paste->rows[i].text) != widest || is_ruler(paste->rows[i].text)) continue;
        if (str_eq(paste->rows[i].text, before)) continue; /* every rank printed it */
        before = paste->rows[i].text;
        exact++;
        going_on += !begins(paste->rows[i + 1].text) &&
                    !begin_alike(paste->rows[i].text, paste->rows[i + 1].text);
    }
    return exact >= 3 && going_on * 4 >= exact * 3 ? widest : 0;
}

static void join(struct paste *paste, size_t to, struct str more, const char *between) {
    struct buf out = {0};
    buf_str(&out, paste->rows[to].text);
    buf_str(&out, str_of(between));
    buf_str(&out, more);
    paste->rows[to].text = arena_str(paste->arena, buf_view(&out));
    buf_release(&out);
    paste->changed = true;
}

static void unwrap(struct paste *paste) {
    size_t width = wrap_width(paste), kept = 0;
    if (!width) return;
    bool open = false;
    for (size_t i = 0; i < paste->n; i++) {
        struct row row = paste->rows[i];
        bool full = columns(row.text) == width && !is_ruler(row.text);
        if (open && !begins(row.text) && paste->rows[kept - 1].text.n < LONGEST)
            join(paste, kept - 1, row.text, "");
        else
            paste->rows[kept++] = row;
        open = full;
    }
    paste->n = kept;
}

/* rich breaks the message below its box at words, at the width of the box: a line goes on in the
 * next when that one's first word had no room in it. */
static size_t word_columns(struct str line) {
    size_t n = 0;
    while (n < line.n && line.p[n] != ' ') n++;
    return columns(str_sub(line, 0, n));
}

static void join_below_boxes(struct paste *paste) {
    enum { OUTSIDE, BOTTOM, MESSAGE } where = OUTSIDE;
    size_t kept = 0, width = 0;
    for (size_t i = 0; i < paste->n; i++) {
        struct row row = paste->rows[i];
        struct str last = i ? paste->rows[i - 1].text : (struct str){0}, line = str_trim(row.text);
        bool goes_on = where == MESSAGE && line.n && !begins(row.text) && columns(last) <= width &&
                       columns(last) + 1 + word_columns(row.text) > width &&
                       paste->rows[kept - 1].text.n < LONGEST;
        if (goes_on) {
            join(paste, kept - 1, row.text, last.n && last.p[last.n - 1] == ' ' ? "" : " ");
            continue;
        }
        bool bottom = str_starts(line, STR("\xE2\x95\xB0")) && str_ends(line, STR("\xE2\x95\xAF"));
        if (bottom) width = columns(line);
        where = bottom ? BOTTOM : where == BOTTOM ? MESSAGE : OUTSIDE;
        paste->rows[kept++] = row;
    }
    paste->n = kept;
}

/* A frame that was broken at a space: 'File "x.py", line 3,' and 'in forward' below it. */
static void join_frames(struct paste *paste) {
    size_t kept = 0;
    for (size_t i = 0; i < paste->n; i++) {
        struct row row = paste->rows[i];
        struct str next = i + 1 < paste->n ? str_trim(paste->rows[i + 1].text) : (struct str){0};
        struct str line = str_trim(row.text);
        bool comma = str_starts(line, STR("File \"")) && str_ends(line, STR(","));
        bool broken = comma && (str_has(line, STR(", line ")) ? str_starts(next, STR("in "))
                                                              : str_starts(next, STR("line ")));
        paste->rows[kept++] = row;
        if (!broken) continue;
        join(paste, kept - 1, next, " ");
        i++;
    }
    paste->n = kept;
}

/* ---- the whole ---------------------------------------------------------------------- */

static struct str rows_text(struct paste *paste, uint32_t **line_of) {
    size_t bytes = 0;
    for (size_t i = 0; i < paste->n; i++) bytes += paste->rows[i].text.n + 1;
    char *text = arena_alloc(paste->arena, bytes + 1);
    size_t at = 0;
    *line_of = ARENA_ARRAY(paste->arena, uint32_t, paste->n + 1);
    for (size_t i = 0; i < paste->n; i++) {
        struct str line = paste->rows[i].text;
        if (line.n) memcpy(text + at, line.p, line.n);
        at += line.n;
        text[at++] = '\n';
        (*line_of)[i] = paste->rows[i].number;
    }
    return (struct str){text, at};
}

struct str mend_paste(struct arena *arena, struct str text, uint32_t **line_of, size_t *n_lines) {
    struct paste paste = {.arena = arena};
    int wide = utf16_tell(text);
    struct str given = text;
    if (wide) {
        struct buf out = {0};
        utf16_add(&out, text, wide == 2);
        given = arena_str(arena, buf_view(&out));
        buf_release(&out);
    }
    if (str_starts(given, STR("\xEF\xBB\xBF"))) given = str_from(given, 3);
    bool mac = text_is_mac(given);
    split_rows(&paste, given, mac ? '\r' : '\n');
    paste.changed = wide || mac || given.n != text.n;
    for (int level = 0; level < 4 && unquote(&paste); level++) {
    }
    drop_fences(&paste);
    decode_entities(&paste);
    unindent(&paste);
    unwrap(&paste);
    join_below_boxes(&paste);
    join_frames(&paste);
    *line_of = NULL;
    *n_lines = 0;
    if (!paste.changed) return text;
    *n_lines = paste.n;
    return rows_text(&paste, line_of);
}
