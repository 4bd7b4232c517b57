#include "base/json.h"

#include "base/utf8.h"

#include <assert.h>
#include <cjson/cJSON.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- writing -------------------------------------------------------------------------- */

void json_start(struct json *json, struct buf *out, bool pretty) {
    *json = (struct json){.out = out, .pretty = pretty};
}

static uint64_t level_bit(const struct json *json) {
    return UINT64_C(1) << json->depth;
}

static void new_line(struct json *json) {
    if (!json->pretty) return;
    buf_char(json->out, '\n');
    for (int i = 0; i < json->depth; i++) buf_str(json->out, STR("  "));
}

/* What stands between the value before and the one to come. */
static void before_value(struct json *json) {
    if (json->after_key) {
        json->after_key = false;
        return;
    }
    if (json->depth == 0) return;
    if (json->filled & level_bit(json)) buf_char(json->out, ',');
    json->filled |= level_bit(json);
    new_line(json);
}

static void begin(struct json *json, char bracket, bool object) {
    before_value(json);
    assert(json->depth + 1 < JSON_DEPTH);
    buf_char(json->out, bracket);
    json->depth++;
    json->filled &= ~level_bit(json);
    if (object)
        json->objects |= level_bit(json);
    else
        json->objects &= ~level_bit(json);
}

void json_begin_object(struct json *json) {
    begin(json, '{', true);
}

void json_begin_array(struct json *json) {
    begin(json, '[', false);
}

void json_end(struct json *json) {
    assert(json->depth > 0 && !json->after_key);
    bool object = json->objects & level_bit(json);
    bool filled = json->filled & level_bit(json);
    json->depth--;
    if (filled) new_line(json);
    buf_char(json->out, object ? '}' : ']');
    if (json->depth == 0 && json->pretty) buf_char(json->out, '\n');
}

static void escape_code(struct buf *out, uint32_t code) {
    switch (code) {
    case '"': buf_str(out, STR("\\\"")); break;
    case '\\': buf_str(out, STR("\\\\")); break;
    case '\n': buf_str(out, STR("\\n")); break;
    case '\t': buf_str(out, STR("\\t")); break;
    case '\r': buf_str(out, STR("\\r")); break;
    default: buf_printf(out, "\\u%04x", (unsigned)code);
    }
}

static void write_string(struct buf *out, struct str s) {
    buf_char(out, '"');
    for (size_t i = 0, plain = 0; i <= s.n;) {
        uint32_t code = 0;
        int length = i < s.n ? utf8_step(s.p + i, s.n - i, &code) : 0;
        bool special = length == 0 || code < 0x20 || (code >= 0x7F && code < 0xA0) || code == '"' ||
                       code == '\\';
        if (special) {
            if (i > plain) buf_add(out, s.p + plain, i - plain);
            if (i == s.n) break;
            if (length == 0)
                buf_str(out, STR("\xEF\xBF\xBD"));
            else
                escape_code(out, code);
            plain = i + (size_t)(length ? length : 1);
        }
        i += (size_t)(length ? length : 1);
    }
    buf_char(out, '"');
}

void json_key_str(struct json *json, struct str key) {
    assert(json->depth > 0 && (json->objects & level_bit(json)) && !json->after_key);
    before_value(json);
    write_string(json->out, key);
    buf_str(json->out, json->pretty ? STR(": ") : STR(":"));
    json->after_key = true;
}

void json_key(struct json *json, const char *key) {
    json_key_str(json, str_of(key));
}

void json_string(struct json *json, struct str value) {
    before_value(json);
    write_string(json->out, value);
}

void json_string_or_null(struct json *json, struct str value) {
    if (value.n)
        json_string(json, value);
    else
        json_null(json);
}

void json_member(struct json *json, const char *key, struct str value) {
    json_key(json, key);
    json_string_or_null(json, value);
}

void json_int(struct json *json, int64_t value) {
    before_value(json);
    buf_printf(json->out, "%" PRId64, value);
}

void json_member_int(struct json *json, const char *key, int64_t value) {
    json_key(json, key);
    json_int(json, value);
}

static void format_number(char *text, size_t room, double value) {
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, room, "%.*g", digits, value);
        if (strtod(text, NULL) == value) break;
    }
    /* Whole numbers read better without an exponent: 5e8 is a bucket size to nobody. */
    if (value == floor(value) && fabs(value) < 1e15) snprintf(text, room, "%.0f", value + 0.0);
}

void json_number(struct json *json, double value) {
    char text[40];
    before_value(json);
    if (!isfinite(value)) {
        buf_str(json->out, STR("null"));
        return;
    }
    format_number(text, sizeof text, value);
    buf_str(json->out, str_of(text));
}

void json_bool(struct json *json, bool value) {
    before_value(json);
    buf_str(json->out, value ? STR("true") : STR("false"));
}

void json_null(struct json *json) {
    before_value(json);
    buf_str(json->out, STR("null"));
}

/* ---- reading -------------------------------------------------------------------------- */

static enum json_type type_of(const cJSON *item) {
    if (cJSON_IsString(item)) return JSON_STRING;
    if (cJSON_IsNumber(item)) return JSON_NUMBER;
    if (cJSON_IsArray(item)) return JSON_ARRAY;
    if (cJSON_IsObject(item)) return JSON_OBJECT;
    if (cJSON_IsBool(item)) return cJSON_IsTrue(item) ? JSON_TRUE : JSON_FALSE;
    return JSON_NULL;
}

/* cJSON bounds the nesting (CJSON_NESTING_LIMIT), so the recursion is bounded too. */
static struct json_value *copy_tree(struct arena *arena, const cJSON *item) {
    struct json_value *value = ARENA_NEW(arena, struct json_value);
    value->type = type_of(item);
    if (item->string) value->key = arena_str(arena, str_of(item->string));
    if (value->type == JSON_STRING) value->text = arena_str(arena, str_of(item->valuestring));
    if (value->type == JSON_NUMBER) value->number = item->valuedouble;
    struct json_value *last = NULL;
    for (const cJSON *child = item->child; child; child = child->next) {
        struct json_value *copy = copy_tree(arena, child);
        if (last)
            last->next = copy;
        else
            value->first = copy;
        last = copy;
        value->n++;
    }
    return value;
}

/* cJSON would take `{} trailing` for a document. */
static bool only_space(const char *from, const char *to) {
    for (; from < to; from++)
        if (*from && !strchr(" \t\r\n", *from)) return false;
    return true;
}

const struct json_value *json_parse(struct arena *arena, struct str text, struct err *err) {
    const char *end = NULL;
    cJSON *root = text.n ? cJSON_ParseWithLengthOpts(text.p, text.n, &end, false) : NULL;
    if (!root || !only_space(end, text.p + text.n)) {
        size_t line = 1;
        for (const char *p = text.p; end && p < end; p++) line += *p == '\n';
        char where[64];
        snprintf(where, sizeof where, "line %zu", line);
        cJSON_Delete(root);
        err_set(err, where, NULL, "not valid JSON");
        return NULL;
    }
    const struct json_value *value = copy_tree(arena, root);
    cJSON_Delete(root);
    return value;
}

const struct json_value *json_get(const struct json_value *object, struct str key) {
    if (!object || object->type != JSON_OBJECT) return NULL;
    for (const struct json_value *member = object->first; member; member = member->next)
        if (str_eq(member->key, key)) return member;
    return NULL;
}

struct str json_number_text(struct arena *arena, double number) {
    char text[40];
    if (!isfinite(number)) return (struct str){0};
    format_number(text, sizeof text, number);
    return arena_str(arena, str_of(text));
}

struct str json_scalar(struct arena *arena, const struct json_value *value) {
    switch (value ? value->type : JSON_NULL) {
    case JSON_STRING: return value->text;
    case JSON_NUMBER: return json_number_text(arena, value->number);
    case JSON_TRUE: return STR("true");
    case JSON_FALSE: return STR("false");
    default: return (struct str){0};
    }
}
