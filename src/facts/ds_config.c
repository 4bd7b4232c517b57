#include "facts/ds_config.h"

#include "facts/pick.h"
#include "facts/printed.h"
#include "facts/readers.h"

#include <stdlib.h>

enum { CONFIG_DEPTH = 12 };

/* ---- where a key stands: the parser keeps no lines ------------------------------------ */

struct key_line {
    uint64_t path; /* hash of "zero_optimization.stage" */
    uint32_t line;
};
struct key_lines {
    VEC(struct key_line) v;
};

/* The end of the string that begins at `at`. */
static size_t string_end(struct str text, size_t at) {
    char quote = text.p[at];
    for (at++; at < text.n && text.p[at] != quote; at++) at += text.p[at] == '\\';
    return at;
}

static bool skip_comment(struct str text, size_t *at) {
    bool line = text.p[*at] == '#' || str_starts(str_sub(text, *at, 2), STR("//"));
    if (!line && !str_starts(str_sub(text, *at, 2), STR("/*"))) return false;
    ptrdiff_t end = str_find(text, line ? STR("\n") : STR("*/"), *at);
    *at = end < 0 ? text.n : (size_t)end - (line ? 1 : 0);
    return true;
}

static void find_lines(struct arena *arena, struct str text, struct key_lines *lines) {
    struct str open[CONFIG_DEPTH + 2] = {{0}}, key = {0};
    int depth = 0;
    uint32_t line = 1;
    for (size_t i = 0, counted = 0; i < text.n; i++) {
        if (skip_comment(text, &i) || i >= text.n) continue;
        char c = text.p[i];
        if (c == '"' || c == '\'') {
            size_t end = string_end(text, i);
            struct str name = str_sub(str_sub(text, i + 1, end - i - 1), 0, READING_NAME);
            struct str behind = str_trim(str_sub(text, end + 1, 64));
            for (; counted < i; counted++) line += text.p[counted] == '\n';
            i = end;
            if (!behind.n || behind.p[0] != ':' || depth > CONFIG_DEPTH) continue;
            key = arena_printf(arena, STR_FMT "%s" STR_FMT, STR_ARG(open[depth]),
                               open[depth].n ? "." : "", STR_ARG(name));
            vec_push(arena, &lines->v, (struct key_line){str_hash(key), line});
        } else if (c == '{') {
            if (++depth <= CONFIG_DEPTH) open[depth] = depth > 1 ? key : (struct str){0};
        } else if (c == '}' && depth > 0) {
            depth--;
        }
    }
}

static int by_path(const void *a, const void *b) {
    const struct key_line *x = a, *y = b;
    if (x->path != y->path) return x->path < y->path ? -1 : 1;
    return (x->line > y->line) - (x->line < y->line);
}

/* 0: the key is nowhere.  The lines are sorted by path. */
static uint32_t line_of(const struct key_lines *lines, struct str path) {
    struct key_line wanted = {.path = str_hash(path)};
    size_t low = 0, high = lines->v.n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (lines->v.v[middle].path < wanted.path)
            low = middle + 1;
        else
            high = middle;
    }
    return low < lines->v.n && lines->v.v[low].path == wanted.path ? lines->v.v[low].line : 0;
}

/* ---- the tree ------------------------------------------------------------------------- */

static void note_array(struct reading *reading, struct str key, const struct json_value *value) {
    struct buf joined = {.limit = READING_VALUE};
    bool scalars = value->n <= 16;
    for (const struct json_value *item = value->first; item; item = item->next) {
        if (item->type == JSON_ARRAY || item->type == JSON_OBJECT) scalars = false;
        if (joined.n) buf_char(&joined, ',');
        buf_str(&joined, json_scalar(&reading->scratch, item));
    }
    note_int(reading, note_key(reading, STR_FMT ".count", STR_ARG(key)), value->n);
    if (scalars) note(reading, key, buf_view(&joined));
    buf_release(&joined);
}

static void note_tree(struct reading *reading, struct str key, const struct json_value *value,
                      int depth) {
    if (value->type == JSON_ARRAY) {
        note_array(reading, key, value);
    } else if (value->type != JSON_OBJECT) {
        note(reading, key, json_scalar(&reading->scratch, value));
    } else {
        note(reading, key, value->n ? STR("set") : STR("empty"));
        for (const struct json_value *member = value->first; member && depth < CONFIG_DEPTH;
             member = member->next) {
            struct str part = note_key_of(reading, "", member->key);
            note_tree(reading, note_key(reading, STR_FMT "." STR_FMT, STR_ARG(key), STR_ARG(part)),
                      member, depth + 1);
        }
    }
}

void config_note_tree(struct reading *reading, struct str prefix, const struct json_value *value) {
    if (!value || value->type != JSON_OBJECT) return;
    for (const struct json_value *member = value->first; member; member = member->next) {
        struct str part = note_key_of(reading, "", member->key);
        note_tree(reading, note_key(reading, STR_FMT STR_FMT, STR_ARG(prefix), STR_ARG(part)),
                  member, 0);
    }
}

/* Gives the facts of this reading the line of their key. */
static void set_lines(struct reading *reading, size_t from, struct str text, struct str outer) {
    struct key_lines lines = {{0}};
    find_lines(&reading->scratch, text, &lines);
    if (lines.v.n) qsort(lines.v.v, lines.v.n, sizeof *lines.v.v, by_path);
    for (size_t i = from; i < reading->evidence->facts.n; i++) {
        struct fact *fact = &reading->evidence->facts.v[i];
        if (!str_starts(fact->key, STR("ds."))) continue;
        struct str path = str_sub(fact->key, 3, fact->key.n);
        if (outer.n) path = note_key(reading, STR_FMT "." STR_FMT, STR_ARG(outer), STR_ARG(path));
        uint32_t line = line_of(&lines, path);
        if (line) fact->origin.line = reading->base_line + line - 1;
    }
}

/* Names at the top of DeepSpeed's configuration: its own, and those that trainers share. */
static const char *const own_keys[] = {"zero_optimization",
                                       "train_micro_batch_size_per_gpu",
                                       "zero_allow_untested_optimizer",
                                       "steps_per_print",
                                       "wall_clock_breakdown",
                                       "prescale_gradients",
                                       "flops_profiler",
                                       "aio",
                                       "compression_training",
                                       "data_efficiency",
                                       "communication_data_type",
                                       "zero_force_ds_cpu_optimizer",
                                       "comms_logger",
                                       "inference_all_reduce",
                                       "tensorboard"};
static const char *const shared_keys[] = {"train_batch_size",  "gradient_accumulation_steps",
                                          "gradient_clipping", "activation_checkpointing",
                                          "autotuning",        "tensor_parallel",
                                          "optimizer",         "scheduler"};

/* Is it there as a name, in quotes and with a colon behind? */
static bool has_name(struct str head, struct str key, struct str *behind) {
    for (size_t from = 0;;) {
        ptrdiff_t at = str_find(head, key, from);
        if (at < 0) return false;
        size_t end = (size_t)at + key.n;
        *behind = str_trim(str_sub(head, end + 1, 40));
        bool quoted =
            at > 0 && strchr("\"'", head.p[at - 1]) && end < head.n && strchr("\"'", head.p[end]);
        if (quoted && behind->n && behind->p[0] == ':') return true;
        from = end;
    }
}

static int count_keys(struct str head, const char *const *keys, size_t n) {
    struct str behind;
    int found = 0;
    for (size_t i = 0; i < n; i++) found += has_name(head, str_of(keys[i]), &behind);
    return found;
}

/* `"fp16": {`: trainers have a truth value there. */
static bool is_section(struct str head, struct str key) {
    struct str behind;
    if (!has_name(head, key, &behind)) return false;
    behind = str_trim(str_sub(behind, 1, behind.n));
    return behind.n && behind.p[0] == '{';
}

static int recognize(struct str head, struct str name) {
    struct str text = str_trim(head);
    ptrdiff_t brace = str_find(text, STR("{"), 0);
    bool json = (brace >= 0 && brace < 80) || str_starts(text, STR("//")) ||
                str_starts(text, STR("/*")) || str_starts(text, STR("#"));
    bool log_like = str_has(text, STR("[INFO]")) || str_has(text, STR("Traceback"));
    if (!json || log_like) return 0;
    int own = count_keys(head, own_keys, COUNT_OF(own_keys)) + is_section(head, STR("fp16")) +
              is_section(head, STR("bf16"));
    int shared = count_keys(head, shared_keys, COUNT_OF(shared_keys));
    bool named = str_find_nocase(name, STR("ds_"), 0) >= 0 ||
                 str_find_nocase(name, STR("deepspeed"), 0) >= 0 ||
                 str_find_nocase(name, STR("zero"), 0) >= 0;
    if (own && own + shared >= 2) return 94;
    if (own) return named ? 90 : 60;
    return named && str_starts(text, STR("{")) ? 70 : 0;
}

static const struct json_value *parse(struct reading *reading, struct str text) {
    struct err err;
    const struct json_value *value = json_parse_relaxed(&reading->scratch, text, &err);
    struct str inner = printed_braces(text); /* of Python code: "ds_config = {...}" */
    if (inner.n && (!value || value->type != JSON_OBJECT))
        value = json_parse_relaxed(&reading->scratch, inner, &err);
    if (!value)
        note(reading, STR("ds_config.error"), note_key(reading, "%s: %s", err.what, err.detail));
    return value;
}

/* True batch arithmetic is checked by knowledge; here only what the file says. */
static void read_ds_config(struct evidence *evidence, struct str text,
                           const struct origin *origin) {
    struct reading reading;
    reading_open(&reading, evidence, text, origin, "ds_config");
    reading.origin.line = reading.base_line;
    const struct json_value *root = parse(&reading, text);
    const struct json_value *nested = json_get(root, STR("deepspeed_config"));
    if (!nested) nested = json_get(root, STR("deepspeed"));
    bool inner = nested && nested->type == JSON_OBJECT;
    size_t from = evidence->facts.n;
    config_note_tree(&reading, STR("ds."), inner ? nested : root);
    set_lines(&reading, from, reading.text, inner ? nested->key : (struct str){0});
    note(&reading, STR("ds_config"), STR("present"));
    note_document(&reading, "ds_config", text);
    reading_close(&reading);
}

const struct fact_reader reader_ds_config = {.id = "ds_config",
                                             .about = "DeepSpeed's configuration (JSON)",
                                             .kind = KIND_CONFIG,
                                             .recognize = recognize,
                                             .read = read_ds_config};
