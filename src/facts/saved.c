/* What `faultline probe --format json` wrote, here or on another machine. */
#include "base/json.h"
#include "facts/readers.h"
#include "facts/reading.h"
#include "text/text.h"

static void read_saved(struct evidence *evidence, struct str text, const struct origin *origin) {
    struct reading reading;
    struct err err;
    reading_open(&reading, evidence, text, origin, "facts");
    reading.origin.line = reading.base_line;
    const struct json_value *root = json_parse(&reading.scratch, text, &err);
    const struct json_value *facts = json_get(root, STR("facts")),
                            *origins = json_get(root, STR("origins"));
    const struct json_value *machine = json_get(root, STR("machine"));
    for (const struct json_value *fact = facts ? facts->first : NULL; fact; fact = fact->next) {
        const struct json_value *about = json_get(origins, fact->key);
        const struct json_value *host = json_get(about, STR("machine")),
                                *unit = json_get(about, STR("unit")),
                                *time = json_get(about, STR("time"));
        if (!host) host = machine;
        reading.machine = host && host->type == JSON_STRING ? host->text : origin->host;
        struct place place = locate_line(time ? time->text : (struct str){0}, NULL);
        reading.origin.time = place.time == TIME_UNKNOWN ? origin->time : place.time;
        /* read by hand, at a time of its own: what it says of a state is about that time */
        struct str key = fact_is_state(fact->key)
                             ? note_key(&reading, "now." STR_FMT, STR_ARG(fact->key))
                             : fact->key;
        note_unit(&reading, key, json_scalar(&reading.scratch, fact),
                  unit && unit->type == JSON_STRING ? unit->text : (struct str){0});
    }
    reading_close(&reading);
}

static int recognize(struct str head, struct str name) {
    (void)name;
    return str_has(str_sub(head, 0, 200), STR("\"faultline.facts/")) ? 99 : 0;
}

const struct fact_reader reader_saved = {.id = "facts",
                                         .about = "faultline probe --format json",
                                         .kind = KIND_ENV,
                                         .recognize = recognize,
                                         .read = read_saved};
