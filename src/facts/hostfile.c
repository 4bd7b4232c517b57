/* Host files of deepspeed, colossalai and MPI: `node-0 slots=8`, or plain names. */
#include "base/json.h"
#include "facts/pick.h"
#include "facts/readers.h"
#include "facts/reading.h"
#include "text/chars.h"

static bool is_host(struct str word) {
    if (!word.n || word.n > 255 || !is_alnum(word.p[0])) return false;
    for (size_t i = 0; i < word.n; i++)
        if (!is_alnum(word.p[i]) && !strchr(".-_:*", word.p[i])) return false;
    return true;
}

/* "node-0 slots=8", "node-0:8", "10.0.0.1 slots=8 max_slots=8" */
static bool host_line(struct str line, struct str *host, int *slots) {
    struct str rest, value;
    *host = pick_word(pick_until(line, STR("#")), &rest);
    *slots = 0;
    if (!is_host(*host)) return false;
    if (!rest.n) return true;
    if (!pick_after(rest, STR("slots"), &value)) return false;
    value = str_trim(value);
    if (!value.n || value.p[0] != '=') return false;
    return pick_int(str_trim(str_sub(value, 1, value.n)), slots);
}

static int recognize(struct str head, struct str name) {
    struct str rest = head, line, host;
    int hosts = 0, with_slots = 0, other = 0, slots;
    bool named = str_find_nocase(name, STR("host"), 0) >= 0 ||
                 str_find_nocase(name, STR("nodelist"), 0) >= 0 ||
                 str_find_nocase(name, STR("machines"), 0) >= 0;
    while (str_line(&rest, &line) && hosts + other < 400) {
        line = str_trim(line);
        if (!line.n || line.p[0] == '#' || str_eq_nocase(line, STR("hostfile:"))) continue;
        if (host_line(line, &host, &slots))
            hosts++, with_slots += slots > 0;
        else
            other++;
    }
    if (str_has(head, STR("\"hostname\"")) && str_has(head, STR("\"slots\""))) return 85;
    if (with_slots && with_slots >= other) return 95;
    return named && hosts && !other ? 80 : 0;
}

static void note_host(struct reading *reading, struct str host, int slots) {
    struct str key = note_key_of(reading, "host.", host);
    size_t before = reading->n_facts;
    note(reading, STR("hostfile.host"), host);
    /* a value that is noted a second time adds nothing */
    if (reading->n_facts == before && before < READING_FACTS)
        note(reading, STR("hostfile.duplicate"), host);
    if (slots) note_int(reading, note_key(reading, STR_FMT ".slots", STR_ARG(key)), slots);
}

/* A snapshot of a host file as JSON: entries of hostname and slots. */
static bool read_json(struct reading *reading, struct str text, int *hosts, int64_t *slots) {
    struct err err;
    if (!str_starts(str_trim(text), STR("{"))) return false;
    const struct json_value *entries =
        json_get(json_parse(&reading->scratch, text, &err), STR("entries"));
    for (const struct json_value *row = entries ? entries->first : NULL; row; row = row->next) {
        const struct json_value *name = json_get(row, STR("hostname")),
                                *count = json_get(row, STR("slots"));
        if (!name || name->type != JSON_STRING) continue;
        int n = count && count->type == JSON_NUMBER && count->number > 0 && count->number < 1e6
                    ? (int)count->number
                    : 0;
        note_host(reading, name->text, n);
        ++*hosts;
        *slots += n;
    }
    return entries != NULL;
}

/* Some hosts say how many slots they have. */
static bool any_slots(struct reading *reading) {
    struct str line, host;
    int n = 0;
    while (!n && reading_line(reading, &line))
        if (str_starts(str_trim(line), STR("#")) || !host_line(line, &host, &n)) n = 0;
    reading_rewind(reading);
    return n > 0;
}

static void read_hostfile(struct evidence *evidence, struct str text, const struct origin *origin) {
    struct reading reading;
    struct str line, host;
    int hosts = 0, n;
    int64_t slots = 0;
    reading_open(&reading, evidence, text, origin, "hostfile");
    bool json = read_json(&reading, text, &hosts, &slots);
    bool slotted = any_slots(&reading);
    while (!json && reading_line(&reading, &line)) {
        if (str_starts(str_trim(line), STR("#"))) continue;
        if (host_line(line, &host, &n)) {
            note_host(&reading, host, n);
            if (slotted && !n) note(&reading, STR("hostfile.without_slots"), host);
            hosts++;
            slots += n;
        } else if (str_trim(line).n && !str_eq_nocase(str_trim(line), STR("hostfile:"))) {
            note(&reading, STR("hostfile.bad_line"), line);
        }
    }
    if (hosts) {
        note_int(&reading, STR("hostfile.hosts"), hosts);
        note_int(&reading, STR("nodes.count"), hosts);
    }
    if (slots) note_int(&reading, STR("hostfile.slots"), slots);
    note_document(&reading, "hostfile", text);
    reading_close(&reading);
}

const struct fact_reader reader_hostfile = {.id = "hostfile",
                                            .about = "host files with slots",
                                            .kind = KIND_CONFIG,
                                            .recognize = recognize,
                                            .read = read_hostfile};
