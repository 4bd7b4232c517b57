/* Container engines and collectors wrap every line:
 * {"log":"text\n","stream":"stderr","time":"..."},
 * {"message":"text","kubernetes":{"pod_name":"worker-3"},"@timestamp":"..."}.  Unwrapped, the time
 * and the pod stand before the text, where locate looks for them, and before each of its lines. */
#include "base/utf8.h"
#include "text/chars.h"
#include "text/text.h"

enum { KEY_MAX = 24, TIME_MAX = 48, NAME_MAX = 96 };

/* What of a record counts; slices are raw, escapes and all. */
struct record {
    struct str text, time, pod, level, rank;
    bool wrapped; /* some member beside the text says that it is a record */
};

static size_t skip_blank(struct str s, size_t at) {
    while (is_blank(byte_at(s, at))) at++;
    return at;
}

/* The end of the string whose text begins at s[at]: its quote, or s.n where it is cut off. */
static size_t string_end(struct str s, size_t at) {
    while (at < s.n && s.p[at] != '"') at += s.p[at] == '\\' ? 2 : 1;
    return at < s.n ? at : s.n;
}

/* Text and level count at the top; whose they are stands deeper ("kubernetes", "labels"). */
static void take_member(struct record *record, struct str key, struct str value, bool top) {
    static const char *const texts[] = {"log", "message", "msg", "textPayload"},
                             *const times[] = {"time", "timestamp", "@timestamp", "asctime", "ts"},
                             *const pods[] = {"pod_name", "podName", "pod"},
                             *const levels[] = {"level", "levelname"},
                             *const marks[] = {"stream", "severity", "container_name", "logger"};
    if (key.n > KEY_MAX) return;
    if (top && !record->text.p && STR_AMONG(key, texts)) record->text = value;
    if (top && STR_AMONG(key, times) && value.n < TIME_MAX) record->time = value;
    if (STR_AMONG(key, pods) && value.n < NAME_MAX) record->pod = value;
    if (top && STR_AMONG(key, levels) && value.n < KEY_MAX) record->level = value;
    record->wrapped |= record->time.n || record->pod.n || record->level.n || STR_AMONG(key, marks);
}

/* "rank": 3, which Python's loggers add. */
static void take_number(struct record *record, struct str key, struct str rest) {
    struct str digits = str_digits(rest);
    bool rank = str_eq(key, STR("rank")) || str_eq(key, STR("global_rank"));
    if (rank && digits.n && digits.n < 7) record->rank = digits;
}

static bool record_read(struct str raw, struct record *record) {
    *record = (struct record){.wrapped = str_starts(raw, STR("{\"log\":\""))};
    if (!str_starts(raw, STR("{\""))) return false;
    for (size_t at = 0, depth = 0; at < raw.n;) {
        char c = raw.p[at];
        if (c == '{' || c == '[') depth++;
        if ((c == '}' || c == ']') && depth) depth--;
        if (c != '"') {
            at++;
            continue;
        }
        size_t end = string_end(raw, at + 1), colon = skip_blank(raw, end + 1);
        struct str key = str_sub(raw, at + 1, end - at - 1);
        at = end + 1;
        if (byte_at(raw, colon) != ':') continue;
        size_t value = skip_blank(raw, colon + 1);
        at = value;
        if (byte_at(raw, value) != '"') {
            if (depth == 1) take_number(record, key, str_from(raw, value));
            continue;
        }
        end = string_end(raw, value + 1);
        take_member(record, key, str_sub(raw, value + 1, end - value - 1), depth == 1);
        at = end + 1;
    }
    return record->text.p && record->wrapped;
}

bool unlog_needed(struct str raw) {
    struct record record;
    return record_read(raw, &record);
}

static uint32_t hex4(struct str s, size_t at) {
    uint32_t value = 0;
    for (size_t i = 0; i < 4; i++) {
        char c = to_lower(byte_at(s, at + i));
        bool letter = c >= 'a' && c <= 'f';
        if (!is_digit(c) && !letter) return 0xFFFD;
        value = value << 4 | (uint32_t)(letter ? c - 'a' + 10 : c - '0');
    }
    return value;
}

/* Appends the escape at s[at] == '\\' and returns its length. */
static size_t add_escape(struct buf *out, struct str s, size_t at) {
    char c = byte_at(s, at + 1);
    if (c != 'u') {
        char plain = c == 'n'   ? '\n'
                     : c == 't' ? '\t'
                     : c == 'r' ? '\r'
                     : c == 'b' ? '\b'
                     : c == 'f' ? '\f'
                                : c;
        buf_char(out, plain);
        return 2;
    }
    uint32_t code = hex4(s, at + 2);
    bool pair =
        code >= 0xD800 && code < 0xDC00 && byte_at(s, at + 6) == '\\' && byte_at(s, at + 7) == 'u';
    if (pair) {
        uint32_t low = hex4(s, at + 8);
        if (low >= 0xDC00 && low < 0xE000) {
            utf8_add(out, 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00));
            return 12;
        }
    }
    utf8_add(out, code);
    return 6;
}

/* What stands before each line of the text. */
static void add_prefix(struct buf *out, const struct record *record) {
    if (record->time.n) {
        buf_str(out, record->time);
        buf_char(out, ' ');
    }
    if (record->pod.n) buf_printf(out, "[pod/" STR_FMT "] ", STR_ARG(record->pod));
    if (record->rank.n) buf_printf(out, "[rank" STR_FMT "]: ", STR_ARG(record->rank));
}

static void add_level(struct buf *out, struct str level) {
    static const char *const levels[] = {"WARNING", "WARN", "INFO", "DEBUG"};
    for (size_t i = 0; i < COUNT_OF(levels); i++)
        if (str_eq_nocase(level, str_of(levels[i]))) buf_printf(out, "%s ", levels[i]);
}

bool unlog_line(struct buf *out, struct str raw) {
    struct record record;
    if (!record_read(raw, &record)) return false;
    struct str text = record.text;
    while (str_ends(text, STR("\\n")) || str_ends(text, STR("\\r"))) text.n -= 2;
    add_prefix(out, &record);
    add_level(out, record.level);
    for (size_t i = 0; i < text.n;) {
        if (text.p[i] != '\\') {
            buf_char(out, text.p[i++]);
            continue;
        }
        bool line = byte_at(text, i + 1) == 'n';
        i += add_escape(out, text, i);
        if (line) add_prefix(out, &record);
    }
    return true;
}
