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

static uint64_t mix(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
    return hash ^ hash >> 29;
}

/* How far behind a traceback's first line its exception stands, 0: not found.  Every line up to it
 * begins with the same prefix and is indented deeper. */
static size_t find_end(const struct reader *reader, struct match_scratch *scratch,
                       struct str behind, struct str prefix, uint64_t *hash) {
    struct str text = str_sub(behind, 0, TEXT_MOST), line;
    const char *first = memchr(text.p, '\n', text.n); /* what is left of the first line ends */
    size_t at = first ? (size_t)(first - text.p) + 1 : text.n;
    *hash = 1;
    while (at + prefix.n < text.n && memcmp(text.p + at, prefix.p, prefix.n) == 0) {
        size_t start = at;
        char next = text.p[at + prefix.n];
        if (next == '\n' || next == '\r') return 0;
        *hash = mix(*hash, match_loosely(reader->matcher, scratch, text, &at));
        if (is_blank(next)) continue;
        line = str_sub(text, start, at - start);
        bool whole = at < behind.n || text.p[at - 1] == '\n'; /* a block's end may cut a line */
        return whole && !str_has(line, STR("Traceback (most")) ? start : 0;
    }
    return 0;
}

/* Where a traceback of this text is remembered, or is to be: one of a few places. */
static struct repeat *place_of(struct repeats *repeats, uint64_t hash) {
    struct repeat *set = &repeats->all[hash % REPEATS / PLACES * PLACES];
    for (int i = 0; i < PLACES; i++)
        if (set[i].hash == hash || !set[i].hash) return &set[i];
    return &set[(hash >> 32) % PLACES];
}

void repeats_head(struct reader *reader, struct match_scratch *scratch, struct str line,
                  size_t body, struct str behind, uint64_t offset, uint64_t lane) {
    struct repeats *repeats = &reader->repeats;
    size_t column = body;
    while (is_blank(byte_at(line, column))) column++;
    size_t far = find_end(reader, scratch, behind, str_sub(line, 0, column), &repeats->hash);
    repeats->end = far ? offset + far : 0;
    repeats->known = false;
    if (!far || repeats->read < REPEATS_AFTER) return;
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
