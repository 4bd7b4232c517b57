/* What comes back from `faultline ask`: the sections of a block of commands, each read by the
 * reader of its format. */
#include "facts/reply.h"

#include "facts/readers.h"
#include "facts/reading.h"

struct mark {
    struct str name, reader, rest; /* rest: what stands behind the name */
};

/* Quotes of mails and white space before a mark are of no account. */
static bool mark_read(struct str line, struct mark *mark) {
    line = str_trim(line);
    while (line.n && (line.p[0] == '>' || line.p[0] == ' ')) line = str_sub(line, 1, line.n);
    if (!str_starts(line, STR(REPLY_MARK))) return false;
    struct str rest = str_sub(line, sizeof REPLY_MARK - 1, line.n);
    if (str_ends(rest, STR("####"))) rest.n -= 4;
    *mark = (struct mark){.rest = str_trim(rest)};
    rest = mark->rest;
    str_split(&rest, ' ', &mark->name);
    mark->rest = str_trim(rest);
    str_split(&rest, ' ', &mark->reader);
    return mark->name.n > 0;
}

static const struct fact_reader *reader_of(const struct mark *mark, struct str text) {
    for (int i = 0; i < n_fact_readers; i++)
        if (str_eq(str_of(fact_readers[i]->id), mark->reader)) return fact_readers[i];
    return facts_recognize(text, mark->name);
}

/* "oom-growth = yes   # a comment" */
static void read_answers(struct evidence *evidence, struct str text, const struct origin *origin) {
    struct reading reading;
    struct str line;
    reading_open(&reading, evidence, text, origin, "answer");
    while (reading_line(&reading, &line)) {
        struct str value = line, key = {0}, choice = {0};
        if (str_starts(str_trim(line), STR("#")) || str_find(line, STR("="), 0) < 0) continue;
        str_split(&value, '=', &key);
        str_split(&value, '#', &choice);
        choice = str_trim(choice);
        if (!choice.n || str_starts(choice, STR("?"))) continue;
        note(&reading, note_key_of(&reading, "answer.", str_trim(key)), choice);
    }
    reading_close(&reading);
}

static void read_section(struct evidence *evidence, const struct mark *mark, struct str text,
                         const struct origin *origin) {
    if (!str_trim(text).n) return;
    if (str_eq(mark->name, STR("questions"))) {
        read_answers(evidence, text, origin);
        return;
    }
    const struct fact_reader *reader = reader_of(mark, text);
    size_t before = evidence->facts.n;
    if (reader && reader != &reader_reply) reader->read(evidence, text, origin);
    for (size_t i = before; i < evidence->facts.n; i++) {
        struct fact *fact = &evidence->facts.v[i];
        if (fact_is_state(fact->key)) /* read after the end: nothing about the moment of failure */
            fact->key = arena_printf(&evidence->arena, "now." STR_FMT, STR_ARG(fact->key));
    }
}

/* "begin HOST TIME": the machine that speaks from here on. */
static void begin(const struct mark *mark, struct origin *origin) {
    struct str rest = mark->rest, host = {0};
    str_split(&rest, ' ', &host);
    if (host.n) origin->host = host;
}

static void read_reply(struct evidence *evidence, struct str text, const struct origin *origin) {
    struct origin here = *origin;
    struct mark mark = {0}, next;
    struct str rest = text, line;
    const char *from = text.p;
    uint32_t number = origin->line ? origin->line : 1, first = number;
    while (str_line(&rest, &line)) {
        if (mark_read(line, &next)) {
            here.line = first;
            if (mark.name.n)
                read_section(evidence, &mark, (struct str){from, (size_t)(line.p - from)}, &here);
            if (str_eq(next.name, STR("begin"))) begin(&next, &here);
            mark = next;
            from = rest.p;
            first = number + 1;
        }
        number++;
    }
    here.line = first;
    if (mark.name.n && from)
        read_section(evidence, &mark, (struct str){from, (size_t)(text.p + text.n - from)}, &here);
}

static int recognize(struct str head, struct str name) {
    struct str line;
    struct mark mark;
    (void)name;
    if (!str_has(head, STR(REPLY_MARK))) return 0;
    for (int lines = 0; lines < 400 && str_line(&head, &line); lines++)
        if (mark_read(line, &mark) && str_eq(mark.name, STR("begin"))) return 100;
    return 0;
}

/* Its kernel lines are looked at as such, whatever stands around them. */
const struct fact_reader reader_reply = {.id = "reply",
                                         .about = "what comes back from faultline ask",
                                         .kind = KIND_KERNEL,
                                         .recognize = recognize,
                                         .read = read_reply};
