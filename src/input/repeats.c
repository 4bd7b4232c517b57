/* Tracebacks that a source prints again and again.
 *
 * A job that logs an error and goes on prints the same traceback thousands of times, and reading
 * its frames costs more than all else.  So once some were read, one whose text was read before is
 * told by its hash: its lines are passed over up to the exception, which counts it.  Lines that
 * signals pointed at are visited all the same. */
#include "input/reader.h"

#include "text/chars.h"

enum {
    REPEATS_AFTER = 64,   /* tracebacks of a source that are read, whatever they say */
    TEXT_MOST = 32 * 1024 /* of one traceback that is hashed */
};

static uint64_t mix(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
    return hash ^ hash >> 29;
}

/* The high bit of each byte that is a digit. */
static uint64_t digits_of(uint64_t bytes) {
    uint64_t x = bytes ^ 0x3030303030303030u;
    return ~(((x & 0x7f7f7f7f7f7f7f7fu) + 0x7676767676767676u) | x) & 0x8080808080808080u;
}

/* The first bytes of s, the lowest first, and zeros behind its end. */
static uint64_t eight_bytes(struct str s) {
    uint64_t bytes = 0;
    if (s.n < 8) {
        for (size_t i = s.n; i-- > 0;) bytes = bytes << 8 | (unsigned char)s.p[i];
        return bytes;
    }
    memcpy(&bytes, s.p, 8);
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? bytes : __builtin_bswap64(bytes);
}

/* The index of the lowest byte whose high bit is set. */
static unsigned first_byte(uint64_t bits) {
    return (unsigned)__builtin_ctzll(bits) / 8;
}

/* A hash for which all numbers are one: line numbers, sizes and addresses differ. */
static uint64_t hash_line(uint64_t hash, struct str s) {
    size_t i = 0;
    while (i < s.n) {
        uint64_t bytes = eight_bytes(str_from(s, i)), digits = digits_of(bytes);
        if (!digits) {
            hash = mix(hash, bytes);
            i += 8;
            continue;
        }
        unsigned before = first_byte(digits); /* bytes before the number */
        hash = mix(hash, before ? bytes << (64 - 8 * before) | before : 0);
        i += before;
        while (i < s.n && is_digit(s.p[i])) i++;
    }
    return mix(hash, '\n');
}

/* How far behind a traceback's first line its exception stands, 0: not found.  Every line up to it
 * begins with the same prefix and is indented deeper. */
static size_t find_end(struct str behind, struct str prefix, uint64_t *hash) {
    struct str rest = str_sub(behind, 0, TEXT_MOST), line;
    *hash = 1;
    str_line(&rest, &line); /* what is left of the first line */
    while (str_line(&rest, &line)) {
        if (!str_starts(line, prefix) || line.n == prefix.n) return 0;
        size_t at = (size_t)(line.p - behind.p);
        bool deeper = is_blank(line.p[prefix.n]);
        *hash = hash_line(*hash, str_from(line, prefix.n));
        if (deeper) continue;
        bool whole = rest.n || at + line.n < behind.n; /* the end of a block may cut a line */
        return whole && !str_has(line, STR("Traceback (most")) ? at : 0;
    }
    return 0;
}

void repeats_head(struct reader *reader, struct str line, size_t body, struct str behind,
                  uint64_t offset, uint64_t lane) {
    struct repeats *repeats = &reader->repeats;
    size_t column = body;
    while (is_blank(byte_at(line, column))) column++;
    size_t far = find_end(behind, str_sub(line, 0, column), &repeats->hash);
    repeats->end = far ? offset + far : 0;
    repeats->known = false;
    if (!far || repeats->read < REPEATS_AFTER) return;
    const struct repeat *repeat = &repeats->all[repeats->hash % REPEATS];
    repeats->known =
        repeat->hash == repeats->hash && tracer_known(reader->tracer, lane, repeat->trace);
}

void repeats_exception(struct reader *reader, uint64_t offset, int trace) {
    struct repeats *repeats = &reader->repeats;
    if (offset != repeats->end) return;
    repeats->all[repeats->hash % REPEATS] = (struct repeat){repeats->hash, trace};
    repeats->read += repeats->read < REPEATS_AFTER;
    repeats->end = 0;
    repeats->known = false;
}
