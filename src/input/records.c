/* Records that go on below their first line.
 *
 * Some loggers write a traceback to the right below the line it is told with: it is as grave as
 * that line calls itself.
 */
#include "input/reader.h"
#include "text/chars.h"

/* A record that calls itself a warning, and may go on below, to the right. */
static bool is_warned(struct str line, const struct place *place) {
    return place->severity == SEVERITY_WARNING && place->body > 0 && !is_blank(byte_at(line, 0));
}

static bool warned_above(const struct reader *reader, struct str before) {
    if (before.n < 2) return reader->warned;
    const char *start = memrchr(before.p, '\n', before.n - 1);
    size_t from = start ? (size_t)(start - before.p) + 1 : 0;
    struct str line = str_sub(before, from, before.n - 1 - from);
    struct place place = locate_line(line, &reader->custom);
    return is_warned(line, &place);
}

bool record_warns(struct reader *reader, enum trace_line kind, struct str piece, struct str before,
                  const struct place *place) {
    bool right = is_blank(byte_at(str_from(piece, place->body), 0));
    if (kind == TRACE_HEAD) reader->warned = right && warned_above(reader, before);
    if (kind == TRACE_NONE) reader->warned = is_warned(piece, place);
    return kind != TRACE_NONE && right && reader->warned && !place->severity;
}
