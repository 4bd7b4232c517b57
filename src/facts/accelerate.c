/* Accelerate's configuration (YAML, JSON) and the trainer's fsdp_config: leaves under
 * `accelerate.`. */
#include "base/json.h"
#include "facts/ds_config.h"
#include "facts/pick.h"
#include "facts/readers.h"

enum { YAML_DEPTH = 8 };

/* A value without comment and quotes; "null" and "" say nothing. */
static struct str scalar(struct str value) {
    value = str_trim(value);
    if (value.n && (value.p[0] == '"' || value.p[0] == '\'')) {
        const char *end = value.n > 1 ? memchr(value.p + 1, value.p[0], value.n - 1) : NULL;
        if (end) return str_sub(value, 1, (size_t)(end - value.p) - 1);
    }
    return str_trim(pick_until(value, STR(" #")));
}

/* The subset of YAML that `accelerate config` writes: maps by indentation, plain scalars. */
static void read_yaml(struct reading *reading) {
    struct {
        size_t indent;
        struct str path;
    } open[YAML_DEPTH + 1] = {{0, STR("accelerate.")}};
    int depth = 0;
    struct str line, name, value;
    while (reading_line(reading, &line)) {
        size_t indent = pick_indent(line);
        struct str body = str_trim(line);
        if (!body.n || body.p[0] == '#' || body.p[0] == '-' || !pick_pair(body, ':', &name, &value))
            continue;
        while (depth > 0 && indent < open[depth].indent) depth--;
        struct str part = note_key_of(reading, "", pick_unquote(name));
        struct str key =
            note_key(reading, STR_FMT STR_FMT, STR_ARG(open[depth].path), STR_ARG(part));
        value = scalar(value);
        if (value.n) {
            note(reading, key, value);
        } else if (depth < YAML_DEPTH) {
            open[depth + 1].path = note_key(reading, STR_FMT ".", STR_ARG(key));
            open[depth + 1].indent = indent + 1;
            depth++;
        }
    }
}

static void note_summary(struct reading *reading) {
    const struct evidence *evidence = reading->evidence;
    struct str nodes = evidence_fact(evidence, STR("accelerate.num_machines"));
    if (note_has(reading, STR("accelerate.num_machines"))) note(reading, STR("nodes.count"), nodes);
}

static bool is_json(struct str text) {
    text = str_trim(text);
    return text.n && text.p[0] == '{';
}

static void read_accelerate(struct evidence *evidence, struct str text,
                            const struct origin *origin) {
    struct reading reading;
    struct err err;
    reading_open(&reading, evidence, text, origin, "accelerate");
    if (is_json(text)) {
        reading.origin.line = reading.base_line;
        config_note_tree(&reading, STR("accelerate."),
                         json_parse_relaxed(&reading.scratch, text, &err));
    } else {
        read_yaml(&reading);
    }
    note_summary(&reading);
    note_document(&reading, "accelerate", text);
    reading_close(&reading);
}

static int recognize(struct str head, struct str name) {
    (void)name;
    struct str text = str_trim(head);
    if (is_json(text)) {
        if (str_has(head, STR("\"per_device_train_batch_size\""))) return 0; /* a trainer's */
        bool own = str_has(head, STR("\"distributed_type\"")) ||
                   str_has(head, STR("\"fsdp_config\"")) || str_has(head, STR("\"fsdp\""));
        return own && head.n < FACTS_HEAD ? 88 : 0;
    }
    static const char *const keys[] = {
        "distributed_type:", "compute_environment:", "fsdp_config:",     "deepspeed_config:",
        "num_machines:",     "num_processes:",       "mixed_precision:", "machine_rank:"};
    int found = 0;
    for (size_t i = 0; i < COUNT_OF(keys); i++) {
        ptrdiff_t at = str_find(head, str_of(keys[i]), 0);
        found += at == 0 || (at > 0 && head.p[at - 1] == '\n');
    }
    return found >= 3 ? 92 : found >= 2 ? 80 : 0;
}

const struct fact_reader reader_accelerate = {.id = "accelerate",
                                              .about = "accelerate config and fsdp_config",
                                              .kind = KIND_CONFIG,
                                              .recognize = recognize,
                                              .read = read_accelerate};
