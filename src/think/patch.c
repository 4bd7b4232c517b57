#include "think/patch.h"

#include "think/edit.h"
#include "think/unified.h"

enum edit { EDIT_NONE, EDIT_JSON, EDIT_ENVIRONMENT, EDIT_DIRECTIVE };

static enum edit edit_of(struct str file, struct str format) {
    bool script = str_eq(format, STR("script")) || str_eq(format, STR("sbatch"));
    if (str_eq(file, STR("ds_config")) && str_eq(format, STR("ds_config"))) return EDIT_JSON;
    if (str_eq(file, STR("env")) && script) return EDIT_ENVIRONMENT;
    if (str_eq(file, STR("sbatch")) && str_eq(format, STR("sbatch"))) return EDIT_DIRECTIVE;
    return EDIT_NONE;
}

static bool edit_text(struct arena *arena, enum edit edit, struct str *text, struct str path,
                      struct str value) {
    switch (edit) {
    case EDIT_JSON: return edit_json(arena, text, path, value);
    case EDIT_ENVIRONMENT: return edit_environment(arena, text, path, value);
    case EDIT_DIRECTIVE: return edit_directive(arena, text, path, value);
    default: return false;
    }
}

/* A file of its own, whole: not a configuration that a log printed. */
static bool is_file(const struct view *view, const struct document *document) {
    const struct source *source = &view->evidence->sources.v[document->source];
    return (source->kind == KIND_CONFIG || source->kind == KIND_SCRIPT) &&
           document->text.n < LIMIT_DOCUMENT && source->path.n && !str_eq(source->path, STR("-"));
}

/* Placeholders that nothing filled, "<path of the model>", and values for the user to choose. */
static bool is_open(struct str value) {
    return str_find(value, STR("<"), 0) >= 0 || str_find(value, STR("{{"), 0) >= 0 ||
           str_starts(value, STR("/path/"));
}

static bool apply(const struct view *view, const struct patch *patch, enum edit edit,
                  struct str *text) {
    bool changed = false;
    for (int i = 0; i < patch->n_sets; i++) {
        struct str path = patch->sets[2 * i], value = patch->sets[2 * i + 1];
        if (is_open(value) || !edit_text(view->arena, edit, text, path, value)) return false;
        changed = true;
    }
    return changed;
}

/* A diff shows the lines around a change as they are: with one of these words none is shown. */
static bool tells_secrets(struct str diff) {
    static const char words[][12] = {"token",      "secret", "passw",   "passphrase",
                                     "apikey",     "_key",   "api-key", "akia",
                                     "credential", "cookie", "webhook"};
    ptrdiff_t scheme = str_find(diff, STR("://"), 0);
    if (scheme >= 0 && str_find(diff, STR("@"), (size_t)scheme) >= 0) return true; /* a login */
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (str_find_nocase(diff, str_of(words[i]), 0) >= 0) return true;
    return false;
}

struct str patch_diff(const struct view *view, const struct patch *patch) {
    const struct evidence *evidence = view->evidence;
    for (size_t i = 0; patch->n_sets && i < evidence->documents.n; i++) {
        const struct document *document = &evidence->documents.v[i];
        enum edit edit = edit_of(patch->file, document->format);
        if (edit == EDIT_NONE || !is_file(view, document)) continue;
        struct str text = document->text;
        if (!apply(view, patch, edit, &text)) continue;
        struct str diff = unified_diff(view->arena, evidence->sources.v[document->source].path,
                                       document->text, text);
        if (diff.n && !tells_secrets(diff)) return diff;
    }
    return (struct str){0};
}
