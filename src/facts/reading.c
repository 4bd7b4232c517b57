#include "facts/reading.h"

#include "text/chars.h"
#include "text/text.h"

#include <inttypes.h>
#include <stdio.h>

/* Length of the escape sequence at p: CSI, OSC, or ESC and one byte. */
static size_t escape_length(struct str s, size_t at) {
    size_t i = at + 1;
    if (i >= s.n) return 1;
    if (s.p[i] == '[') {
        for (i++; i < s.n && s.p[i] >= 0x20 && s.p[i] < 0x40;) i++;
        return i < s.n && s.p[i] != '\n' ? i + 1 - at : i - at;
    }
    if (s.p[i] == ']') {
        while (i < s.n && s.p[i] != '\a' && s.p[i] != '\n' && s.p[i] != '\x1b') i++;
        return i < s.n && s.p[i] == '\a' ? i + 1 - at : i - at;
    }
    return s.p[i] == '\n' ? 1 : 2;
}

typedef uint8_t bytes16 __attribute__((vector_size(16)));

/* All ones for a control byte but LF and TAB, DEL, and what begins a NBSP. */
static inline bytes16 unclean(const char *p) {
    bytes16 v;
    memcpy(&v, p, sizeof v);
    return ((bytes16)(v < 0x20) & (bytes16)(v != '\n') & (bytes16)(v != '\t')) |
           (bytes16)(v == 0x7F) | (bytes16)(v == 0xC2);
}

static bool all_clean(const char *p) {
    bytes16 odd = unclean(p) | unclean(p + 16) | unclean(p + 32) | unclean(p + 48);
    uint64_t half[2];
    memcpy(half, &odd, sizeof half);
    return (half[0] | half[1]) == 0;
}

static bool is_clean(struct str text) {
    size_t i = 0;
    while (i + 64 <= text.n && all_clean(text.p + i)) i += 64;
    for (; i < text.n; i++) {
        unsigned char c = (unsigned char)text.p[i];
        if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7F || c == 0xC2) return false;
    }
    return true;
}

/* Line numbers must survive, so LF stays and every other control byte goes; NBSP becomes a blank.
 */
static struct str clean(struct arena *arena, struct str text) {
    if (is_clean(text)) return text;
    char *out = arena_alloc(arena, text.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < text.n;) {
        unsigned char c = (unsigned char)text.p[i];
        if (c == 0x1B) {
            i += escape_length(text, i);
        } else if (c == 0xC2 && i + 1 < text.n && (unsigned char)text.p[i + 1] == 0xA0) {
            out[n++] = ' ';
            i += 2;
        } else {
            if ((c >= 0x20 && c != 0x7F) || c == '\n' || c == '\t') out[n++] = text.p[i];
            i++;
        }
    }
    return (struct str){out, n};
}

void reading_open(struct reading *reading, struct evidence *evidence, struct str text,
                  const struct origin *origin, const char *from) {
    struct arena scratch = {0};
    reading_open_mended(reading, evidence, clean(&scratch, text), origin, from);
    reading->scratch = scratch;
}

void reading_open_mended(struct reading *reading, struct evidence *evidence, struct str text,
                         const struct origin *origin, const char *from) {
    *reading = (struct reading){.evidence = evidence, .origin = *origin, .from = str_of(from)};
    reading->text = text;
    reading->machine = origin->host;
    reading->base_line = origin->line ? origin->line : 1;
    reading_rewind(reading);
}

void reading_close(struct reading *reading) {
    arena_release(&reading->scratch);
}

void reading_rewind(struct reading *reading) {
    reading->rest = reading->text;
    reading->origin.line = reading->base_line - 1;
}

bool reading_line(struct reading *reading, struct str *line) {
    if (!str_line(&reading->rest, line)) return false;
    reading->origin.line++;
    return true;
}

static bool says_none(struct str value) {
    static const struct str none[] = {STR("N/A"),    STR("[N/A]"),  STR("none"),
                                      STR("(null)"), STR("null"),   STR("-"),
                                      STR("n/a"),    STR("?"),      STR("unknown"),
                                      STR("<nil>"),  STR("<none>"), STR("[Not Supported]")};
    for (size_t i = 0; i < COUNT_OF(none); i++)
        if (str_eq_nocase(value, none[i])) return true;
    return false;
}

static bool seen_add(struct reading *reading, uint64_t hash) {
    hash |= 1; /* 0 marks a free place */
    if (reading->n_seen * 2 >= reading->cap_seen) {
        size_t cap = reading->cap_seen ? reading->cap_seen * 2 : 256;
        uint64_t *grown = ARENA_ARRAY(&reading->scratch, uint64_t, cap);
        for (size_t i = 0; i < reading->cap_seen; i++) {
            if (!reading->seen[i]) continue;
            size_t at = reading->seen[i] & (cap - 1);
            while (grown[at]) at = (at + 1) & (cap - 1);
            grown[at] = reading->seen[i];
        }
        reading->seen = grown;
        reading->cap_seen = cap;
    }
    size_t at = hash & (reading->cap_seen - 1);
    for (; reading->seen[at]; at = (at + 1) & (reading->cap_seen - 1))
        if (reading->seen[at] == hash) return false;
    reading->seen[at] = hash;
    reading->n_seen++;
    return true;
}

static uint64_t mix(uint64_t h) {
    h ^= h >> 32;
    h *= UINT64_C(0x9E3779B97F4A7C15);
    return h ^ h >> 29;
}

/* Values are cut, and cut on a whole character. */
static struct str bounded(struct str value) {
    if (value.n <= READING_VALUE) return value;
    size_t n = READING_VALUE;
    while (n > 0 && ((unsigned char)value.p[n] & 0xC0) == 0x80) n--;
    return str_sub(value, 0, n);
}

/* Lines come without control bytes, but a JSON string, or the name of a member, may unfold to some.
 */
static struct str one_line(struct arena *arena, struct str value) {
    size_t n = 0;
    while (n < value.n && (unsigned char)value.p[n] >= 0x20 && value.p[n] != 0x7F) n++;
    if (n == value.n) return value;
    char *copy = (char *)arena_str(arena, value).p;
    for (; n < value.n; n++)
        if ((unsigned char)copy[n] < 0x20 || copy[n] == 0x7F) copy[n] = ' ';
    return (struct str){copy, value.n};
}

/* env.HF_TOKEN, arg.wandb_api_key, ds.x.password: the last part of the key decides. */
static bool key_is_secret(struct str key) {
    size_t at = key.n;
    while (at > 0 && key.p[at - 1] != '.') at--;
    return at > 0 && fact_is_secret(str_sub(key, at, key.n));
}

void note_unit(struct reading *reading, struct str key, struct str value, struct str unit) {
    reading->n_notes++;
    key = one_line(&reading->scratch, key);
    unit = one_line(&reading->scratch, unit);
    value = str_trim(one_line(&reading->scratch, bounded(str_trim(value))));
    bool literal = str_starts(key, STR("env.")); /* an env value is what it is */
    if (!value.n || (!literal && says_none(value)) || reading->n_facts >= READING_FACTS) return;
    value = key_is_secret(key) ? STR("***") : mask_secrets(&reading->scratch, value);
    bool fresh = seen_add(reading, mix(str_hash(key)) ^ mix(str_hash(value)));
    if (!fresh) return;
    seen_add(reading, mix(str_hash(key)));
    reading->n_facts++;
    struct fact fact = {.key = key,
                        .value = value,
                        .unit = unit,
                        .machine = reading->machine,
                        .time = reading->origin.time,
                        .origin = reading->origin,
                        .from = reading->from};
    if (fact.origin.line < reading->base_line) fact.origin.line = reading->base_line;
    evidence_add_fact(reading->evidence, &fact);
}

void note(struct reading *reading, struct str key, struct str value) {
    note_unit(reading, key, value, (struct str){0});
}

void note_int(struct reading *reading, struct str key, int64_t value) {
    char text[32];
    snprintf(text, sizeof text, "%" PRId64, value);
    note(reading, key, str_of(text));
}

void note_gib(struct reading *reading, struct str key, double gib) {
    char text[40];
    snprintf(text, sizeof text, "%.2f", gib);
    note_unit(reading, key, str_of(text), STR("GiB"));
}

struct str note_key(struct reading *reading, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    struct str key = arena_vprintf(&reading->scratch, format, ap);
    va_end(ap);
    return key;
}

struct str note_key_of(struct reading *reading, const char *prefix, struct str name) {
    name = str_sub(name, 0, READING_NAME);
    struct str key = arena_printf(&reading->scratch, "%s" STR_FMT, prefix, STR_ARG(name));
    char *p = (char *)key.p;
    for (size_t i = 0; i < key.n; i++)
        if (!is_alnum(p[i]) && !strchr("._-", p[i])) p[i] = '_';
    return key;
}

bool note_has(const struct reading *reading, struct str key) {
    uint64_t hash = mix(str_hash(key)) | 1;
    if (!reading->cap_seen) return false;
    for (size_t at = hash & (reading->cap_seen - 1); reading->seen[at];
         at = (at + 1) & (reading->cap_seen - 1))
        if (reading->seen[at] == hash) return true;
    return false;
}

void note_document(struct reading *reading, const char *format, struct str text) {
    reading->n_notes++;
    struct arena *arena = &reading->evidence->arena;
    struct document document = {.source = reading->origin.source,
                                .format = arena_str(arena, str_of(format)),
                                .text = arena_str(arena, str_sub(text, 0, LIMIT_DOCUMENT))};
    vec_push(arena, &reading->evidence->documents, document);
}
