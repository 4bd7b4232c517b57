#include "facts/printed.h"

#include "base/json.h"
#include "facts/pick.h"
#include "text/chars.h"

/* Differs from rank to rank and says nothing of the job. */
static bool is_of_one_rank(struct str name) {
    static const char *const names[] = {"local_rank",    "rank",        "device",
                                        "device_id",     "global_rank", "local_process_index",
                                        "process_index", "run_name"};
    return STR_AMONG(name, names);
}

/* End of the value at `at`: the next comma outside brackets and quotes. */
static size_t value_end(struct str s, size_t at) {
    int depth = 0;
    char quote = '\0';
    for (; at < s.n; at++) {
        char c = s.p[at];
        if (quote) {
            if (c == '\\')
                at++;
            else if (c == quote)
                quote = '\0';
        } else if (c == '\'' || c == '"')
            quote = c;
        else if (strchr("([{<", c))
            depth++;
        else if (strchr(")]}>", c)) {
            if (depth-- == 0) return at;
        } else if (c == ',' && depth == 0)
            return at;
    }
    return at < s.n ? at : s.n;
}

static bool is_name(struct str name) {
    if (!name.n || name.n > 80 || is_digit(name.p[0])) return false;
    for (size_t i = 0; i < name.n; i++)
        if (!is_word(name.p[i])) return false;
    return true;
}

bool printed_pairs(struct reading *reading, struct str text) {
    bool any = false;
    for (size_t at = 0; at < text.n;) {
        const char *equals = memchr(text.p + at, '=', text.n - at);
        if (!equals) break;
        size_t sign = (size_t)(equals - text.p);
        struct str name = str_trim(str_sub(text, at, sign - at));
        size_t end = value_end(text, sign + 1);
        struct str value = str_trim(str_sub(text, sign + 1, end - sign - 1));
        if (is_name(name) && value.n && value.n < 300) {
            any = true;
            if (!is_of_one_rank(name))
                note(reading, note_key_of(reading, "arg.", name), pick_unquote(value));
        }
        at = end + 1;
    }
    return any;
}

struct str printed_braces(struct str text) {
    ptrdiff_t start = str_find(text, STR("{"), 0);
    int depth = 0;
    for (size_t i = start < 0 ? text.n : (size_t)start; i < text.n; i++) {
        depth += text.p[i] == '{';
        depth -= text.p[i] == '}';
        if (depth == 0) return str_sub(text, (size_t)start, i + 1 - (size_t)start);
    }
    return (struct str){0};
}

static int base64_value(char c) {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' || c == '-' ? 62 : c == '/' || c == '_' ? 63 : -1;
}

static struct str base64_decode(struct arena *arena, struct str text) {
    char *out = arena_alloc(arena, text.n + 1);
    size_t n = 0;
    uint32_t bits = 0;
    int held = 0;
    for (size_t i = 0; i < text.n; i++) {
        int value = base64_value(text.p[i]);
        if (value < 0) break;
        bits = bits << 6 | (uint32_t)value;
        held += 6;
        if (held < 8) continue;
        held -= 8;
        out[n++] = (char)(bits >> held & 0xFF);
    }
    return (struct str){out, n};
}

void printed_world_info(struct reading *reading, struct str base64) {
    struct err err;
    struct str text = base64_decode(&reading->scratch, str_sub(base64, 0, 65536));
    const struct json_value *hosts = json_parse(&reading->scratch, text, &err);
    int world = 0;
    if (!hosts || hosts->type != JSON_OBJECT || hosts->n == 0) return;
    for (const struct json_value *host = hosts->first; host; host = host->next)
        if (host->type == JSON_ARRAY) world += host->n;
    note_int(reading, STR("nodes.count"), hosts->n);
    if (world) note_int(reading, STR("job.world_size"), world);
}
