/* Tracebacks that a source prints again and again.
 *
 * A job that logs an error and goes on prints the same traceback thousands of times, and reading
 * its frames costs more than all else.  So once some were read, one whose text was read before is
 * told by its hash: its lines are passed over up to the exception, which counts it.  Lines that
 * signals pointed at are visited all the same. */
#include "input/reader.h"

#include "text/chars.h"

enum {
    REPEATS_AFTER = 64,    /* tracebacks of a source that are read, whatever they say */
    TEXT_MOST = 32 * 1024, /* of one traceback that is hashed */
    PLACES = 4             /* where one may be remembered */
};

/* Whether a line that is not indented deeper ends the traceback. */
static bool is_end(struct str line) {
    return !str_has(line, STR("Traceback (most"));
}

/* How far behind a traceback's first line its exception stands, 0: not found.  Every line up to it
 * begins with the same prefix and is indented deeper. */
static size_t find_end(struct str behind, struct str prefix) {
    struct str text = str_sub(behind, 0, TEXT_MOST), line;
    const char *end = memchr(text.p, '\n', text.n); /* of what is left of the first line */
    while (end) {
        size_t start = (size_t)(end - text.p) + 1;
        struct str rest = str_from(text, start);
        if (!str_starts(rest, prefix) || rest.n == prefix.n) return 0;
        char next = rest.p[prefix.n];
        if (next == '\n' || next == '\r') return 0;
        end = memchr(rest.p, '\n', rest.n);
        if (is_blank(next)) continue;
        line = str_sub(rest, 0, end ? (size_t)(end - rest.p) : rest.n);
        bool whole = end || text.n < behind.n; /* a block's end may cut a line */
        return whole && is_end(line) ? start : 0;
    }
    return 0;
}

/* The hash of the lines behind a traceback's first up to the one that begins `far` behind it. */
static uint64_t hash_of(const struct reader *reader, struct match_scratch *scratch,
                        const struct visit *visit, size_t far) {
    uint64_t hash = 0;
    const struct candidate *head = visit->candidate, *end = visit->next;
    bool told = head && end && end->start == head->start + head->length + far;
    if (told && match_rolled(head, end, &hash)) return hash;
    struct str text = str_sub(visit->behind, 0, TEXT_MOST);
    const char *first = memchr(text.p, '\n', text.n);
    for (size_t at = (size_t)(first - text.p) + 1; at <= far;)
        hash = match_roll(reader->matcher, scratch, text, &at, hash);
    return hash;
}

/* Where a traceback of this text is remembered, or is to be: one of a few places. */
static struct repeat *place_of(struct repeats *repeats, uint64_t hash) {
    struct repeat *set = &repeats->all[hash % REPEATS / PLACES * PLACES];
    for (int i = 0; i < PLACES; i++)
        if (set[i].hash == hash || !set[i].hash) return &set[i];
    return &set[(hash >> 32) % PLACES];
}

/* find_end for a text that was read before: where the first line and the exception are candidates
 * with none between, the hash of the lines between them tells it. */
static size_t find_known_end(struct reader *reader, const struct visit *visit, struct str prefix) {
    const struct candidate *head = visit->candidate, *end = visit->next;
    uint64_t hash;
    if (!head || !end || !match_rolled(head, end, &hash)) return 0;
    size_t far = end->start - head->start - head->length;
    struct str line = str_sub(visit->behind, far, end->length);
    bool known = place_of(&reader->repeats, hash | 1)->hash == (hash | 1);
    bool outside = str_starts(line, prefix) && !is_blank(byte_at(line, prefix.n));
    return known && outside && is_end(line) ? far : 0;
}

void repeats_head(struct reader *reader, struct match_scratch *scratch, const struct visit *visit,
                  size_t body, uint64_t lane) {
    struct repeats *repeats = &reader->repeats;
    size_t column = body;
    while (is_blank(byte_at(visit->raw, column))) column++;
    struct str prefix = str_sub(visit->raw, 0, column);
    size_t far = find_known_end(reader, visit, prefix);
    if (!far) far = find_end(visit->behind, prefix);
    repeats->end = far ? visit->offset + visit->raw.n + far : 0;
    repeats->known = false;
    if (!far) return;
    repeats->hash = hash_of(reader, scratch, visit, far) | 1;
    if (repeats->read < REPEATS_AFTER) return;
    const struct repeat *repeat = place_of(repeats, repeats->hash);
    repeats->known =
        repeat->hash == repeats->hash && tracer_known(reader->tracer, lane, repeat->trace);
}

void repeats_exception(struct reader *reader, uint64_t offset, int trace) {
    struct repeats *repeats = &reader->repeats;
    if (offset != repeats->end) return;
    *place_of(repeats, repeats->hash) = (struct repeat){repeats->hash, trace};
    repeats->read += repeats->read < REPEATS_AFTER;
    repeats->end = 0;
    repeats->known = false;
}
