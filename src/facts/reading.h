/* reading.h - one text being read by one reader: its lines, and the facts that come of them.
 *
 * Gives lines without escape sequences and control bytes, keeps their numbers, and turns key and
 * value into facts with origin, unit and machine.  Facts are bounded (READING_FACTS a text, values
 * cut), secrets are masked here and nowhere else, and saying the same twice adds nothing.
 */
#ifndef FAULTLINE_READING_H
#define FAULTLINE_READING_H

#include "facts/facts.h"

enum {
    READING_FACTS = 20000, /* of one text */
    READING_VALUE = 1024,  /* bytes of a value */
    READING_NAME = 128     /* bytes of a name that becomes a part of a key */
};

struct reading {
    struct evidence *evidence;
    struct origin origin; /* of the line being read */
    struct arena scratch; /* dies with the reading */
    struct str text;      /* the whole text, cleaned */
    struct str rest;      /* what lies behind the line being read */
    struct str machine;   /* set it where the text names its host */
    struct str from;
    uint32_t base_line; /* of the first line of the text */
    uint64_t *seen;     /* open hash set of key and value */
    size_t n_seen, cap_seen;
    size_t n_facts, n_notes; /* added; and asked for, whether they were new or not */
};

void reading_open(struct reading *reading, struct evidence *evidence, struct str text,
                  const struct origin *origin, const char *from);
/* The same for lines that were mended: no control byte is left in them. */
void reading_open_mended(struct reading *reading, struct evidence *evidence, struct str text,
                         const struct origin *origin, const char *from);
void reading_close(struct reading *reading);
bool reading_line(struct reading *reading, struct str *line);
void reading_rewind(struct reading *reading);

/* Adds a fact; an empty value, or one that says that there is none ("N/A"), adds nothing. */
void note(struct reading *reading, struct str key, struct str value);
void note_unit(struct reading *reading, struct str key, struct str value, struct str unit);
void note_int(struct reading *reading, struct str key, int64_t value);
void note_gib(struct reading *reading, struct str key, double gib); /* two decimals, unit GiB */
/* A key built in the scratch arena. */
struct str note_key(struct reading *reading, const char *format, ...) PRINTF_LIKE(2, 3);
/* `prefix` + name, its characters reduced to what keys hold ([A-Za-z0-9._-]). */
struct str note_key_of(struct reading *reading, const char *prefix, struct str name);
/* True when this reading noted a fact with this key. */
bool note_has(const struct reading *reading, struct str key);
/* Keeps the text (up to LIMIT_DOCUMENT bytes, as it is) as a document of this format. */
void note_document(struct reading *reading, const char *format, struct str text);

#endif
