/* json.h - JSON out as a stream, JSON in as a tree.
 *
 * The writer appends to a struct buf and keeps commas, colons and indentation right; whatever bytes
 * it is given, what it writes is valid UTF-8 without control bytes.  The parser (cJSON inside, seen
 * nowhere else) gives a read-only tree in an arena.  Knows nothing of reports or configurations.
 */
#ifndef FAULTLINE_JSON_H
#define FAULTLINE_JSON_H

#include "base/base.h"

/* ---- writing -------------------------------------------------------------------------- */

enum { JSON_DEPTH = 64 }; /* deepest nesting that can be written; deeper is a bug and asserts */

/* One document being written.  Start it with json_start; needs no release. */
struct json {
    struct buf *out; /* borrowed */
    bool pretty;     /* one member a line, two blanks a level; else everything on one line */
    int depth;
    uint64_t objects; /* bit d: level d is an object, else an array */
    uint64_t filled;  /* bit d: level d holds a value already */
    bool after_key;
};

void json_start(struct json *json, struct buf *out, bool pretty);
void json_begin_object(struct json *json);
void json_begin_array(struct json *json);
void json_end(struct json *json); /* ends the innermost object or array */
void json_key(struct json *json, const char *key);
void json_key_str(struct json *json, struct str key);
/* Invalid UTF-8 becomes U+FFFD; control characters (also U+007F to U+009F) are written as \uXXXX.
 */
void json_string(struct json *json, struct str value);
/* As json_string, but the empty slice is null: absent knowledge is never "". */
void json_string_or_null(struct json *json, struct str value);
/* A key with such a text; with a number. */
void json_member(struct json *json, const char *key, struct str value);
void json_member_int(struct json *json, const char *key, int64_t value);
void json_int(struct json *json, int64_t value);
void json_number(struct json *json, double value); /* the shortest exact form; nan and inf: null */
void json_bool(struct json *json, bool value);
void json_null(struct json *json);

/* ---- reading -------------------------------------------------------------------------- */

enum json_type {
    JSON_NULL,
    JSON_FALSE,
    JSON_TRUE,
    JSON_NUMBER,
    JSON_STRING,
    JSON_ARRAY,
    JSON_OBJECT
};

struct json_value {
    enum json_type type;
    struct str key;                        /* in an object: the name of this member */
    struct str text;                       /* of a string */
    double number;                         /* of a number */
    int n;                                 /* children of an array or object */
    const struct json_value *first, *next; /* first child, next sibling */
};

/* The tree of one JSON document (white space may follow it), or NULL with err filled. */
const struct json_value *json_parse(struct arena *arena, struct str text, struct err *err);
/* The same for what people write: comments (#, //, slash-star), trailing commas, single quotes,
 * True, False, None, bare words and 1_000 are understood.  Strict JSON gives the same tree. */
const struct json_value *json_parse_relaxed(struct arena *arena, struct str text, struct err *err);
/* The member of an object, or NULL (also when object is NULL or none). */
const struct json_value *json_get(const struct json_value *object, struct str key);
/* A scalar as plain text: "true", "0.5", the string itself; containers and null give empty. */
struct str json_scalar(struct arena *arena, const struct json_value *value);
/* A number as the shortest text that reads back the same: "500000000", "1e-05". */
struct str json_number_text(struct arena *arena, double number);

#endif
