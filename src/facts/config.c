/* Any other JSON or YAML-like dictionary that configures a job: trainer arguments, a model's
 * config.json, GPT-NeoX files.  A document is kept; leaves become facts under `model.`, `arg.` or
 * `config.`. */
#include "facts/ds_config.h"
#include "facts/pick.h"
#include "facts/readers.h"

static bool is_config_name(struct str name) {
    return str_ends(name, STR(".json")) || str_ends(name, STR(".yml")) ||
           str_ends(name, STR(".yaml"));
}

static bool has_key(const struct json_value *root, const char *key) {
    return json_get(root, str_of(key)) != NULL;
}

/* What the dictionary is for, by names that only one kind has. */
static const char *prefix_of(const struct json_value *root) {
    if (has_key(root, "architectures") || has_key(root, "model_type") ||
        has_key(root, "num_hidden_layers"))
        return "model.";
    if (has_key(root, "per_device_train_batch_size") || has_key(root, "output_dir") ||
        has_key(root, "num_train_epochs") || has_key(root, "learning_rate"))
        return "arg.";
    return "config.";
}

static const struct json_value *parse(struct arena *arena, struct str text) {
    struct err err;
    const struct json_value *value = json_parse_relaxed(arena, text, &err);
    return value && value->type == JSON_OBJECT && value->n > 0 ? value : NULL;
}

static int recognize(struct str head, struct str name) {
    struct str rest = head, line = {0}, text = str_trim(head);
    if (!is_config_name(name) && !(text.n > 2 && text.p[0] == '{' && text.p[text.n - 1] == '}'))
        return 0;
    while (str_line(&rest, &line)) { /* comments may stand in front of the dictionary */
        line = str_trim(line);
        if (line.n && line.p[0] != '#' && !str_starts(line, STR("//"))) break;
    }
    if (!line.n || line.p[0] != '{' || head.n < 8) return 0;
    struct arena arena = {0};
    bool whole = parse(&arena, head) != NULL;
    arena_release(&arena);
    /* Longer than the head: the beginning and the name must do. */
    return whole ? 56 : head.n >= FACTS_HEAD && is_config_name(name) ? 52 : 0;
}

static void read_config(struct evidence *evidence, struct str text, const struct origin *origin) {
    struct reading reading;
    reading_open(&reading, evidence, text, origin, "config");
    const struct json_value *root = parse(&reading.scratch, str_sub(text, 0, LIMIT_DOCUMENT));
    if (root) {
        config_note_tree(&reading, str_of(prefix_of(root)), root);
        /* GPT-NeoX and others carry DeepSpeed's settings among their own. */
        const struct json_value *zero = json_get(root, STR("zero_optimization"));
        if (zero) config_note_tree(&reading, STR("ds."), root);
    }
    note_document(&reading, "config", text);
    reading_close(&reading);
}

const struct fact_reader reader_config = {.id = "config",
                                          .about = "other configurations in JSON",
                                          .kind = KIND_CONFIG,
                                          .recognize = recognize,
                                          .read = read_config};
