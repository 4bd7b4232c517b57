/* Expressions as people write them: a long one as a list of alternatives, and what comes again and
 * again in a file under a name, `%{release}`. */
#include "compile/book.h"

#include <string.h>

static bool part_find(const struct book *book, struct str name, struct str *value) {
    for (int i = 0; i < book->parts.n; i += 2)
        if (str_eq(book->parts.v[i], name)) return *value = book->parts.v[i + 1], true;
    return false;
}

/* Each part becomes a group of its own, so that its alternatives stay within it. */
static struct str put_parts(struct book *book, struct place at, struct str text) {
    struct buf out = {0};
    ptrdiff_t opens;
    while ((opens = str_find(text, STR("%{"), 0)) >= 0) {
        struct str name = str_sub(text, (size_t)opens + 2, text.n), value = {0};
        ptrdiff_t closes = str_find(name, STR("}"), 0);
        name = str_sub(name, 0, closes < 0 ? name.n : (size_t)closes);
        if (!part_find(book, name, &value))
            book_error(book, at, book->owner,
                       "'%%{" STR_FMT "}': 'parts' of this file has no such name", STR_ARG(name));
        buf_printf(&out, STR_FMT "(?:" STR_FMT ")", STR_ARG(str_sub(text, 0, (size_t)opens)),
                   STR_ARG(value));
        text = str_sub(text, (size_t)opens + 2 + name.n + 1, text.n);
    }
    if (!out.n) return text;
    buf_add(&out, text.p, text.n);
    text = arena_str(book->arena, buf_view(&out));
    buf_release(&out);
    return text;
}

void read_parts(struct book *book, const struct node *map) {
    struct strs pairs = pairs_read(book, map, "parts");
    book->parts = (struct strs){pairs.v, 0};
    for (; book->parts.n < pairs.n; book->parts.n += 2) { /* a part may hold those above it */
        struct str *value = &pairs.v[book->parts.n + 1];
        *value =
            put_parts(book, (struct place){book->path, map->key_lines[book->parts.n / 2]}, *value);
    }
}

struct str expression_of(struct book *book, struct place at, const struct node *map,
                         struct strs alternatives) {
    struct str whole = {0};
    for (int i = 0; i < alternatives.n; i++) {
        struct place line = place_field(at, map, "regex", alternatives.n > 1 ? i : -1);
        struct str one = put_parts(book, line, alternatives.v[i]);
        whole =
            i ? arena_printf(book->arena, STR_FMT "|" STR_FMT, STR_ARG(whole), STR_ARG(one)) : one;
    }
    return whole;
}
