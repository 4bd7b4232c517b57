/* Environment variables, as `env`, `export -p`, Dockerfiles and PowerShell print and set them. */
#include "facts/lines.h"
#include "facts/pick.h"
#include "text/chars.h"

bool line_assignment(struct str line, struct str *name, struct str *value) {
    size_t n = 0;
    while (n < line.n && is_word(line.p[n])) n++;
    if (n == 0 || n >= line.n || line.p[n] != '=' || is_digit(line.p[0])) return false;
    if (n + 1 < line.n && line.p[n + 1] == '=') return false;
    *name = str_sub(line, 0, n);
    *value = str_sub(line, n + 1, line.n);
    return true;
}

/* Shell variables of scripts are lower or mixed case, environment variables rarely are. */
static bool looks_exported(struct str name) {
    static const char *const lower[] = {"http_proxy", "https_proxy", "no_proxy", "all_proxy"};
    if (STR_AMONG(name, lower)) return true;
    for (size_t i = 0; i < name.n; i++)
        if (is_lower(name.p[i])) return false;
    return name.n >= 2;
}

static void note_env(struct reading *reading, struct str name, struct str value) {
    note(reading, note_key_of(reading, "env.", name), pick_unquote(value));
}

static bool strip(struct str *line, const char *prefix) {
    if (!str_starts(*line, str_of(prefix))) return false;
    *line = str_trim(str_sub(*line, strlen(prefix), line->n));
    return true;
}

/* `export A=1 B=2; python x`: the assignments only. */
static void note_exports(struct reading *reading, struct str line) {
    struct str name, value;
    while (line_assignment(line, &name, &value)) {
        size_t n = 0;
        char quote = value.n && (value.p[0] == '"' || value.p[0] == '\'') ? value.p[0] : '\0';
        if (quote)
            for (n = 1; n < value.n && value.p[n] != quote;) n++;
        while (n < value.n && !is_space(value.p[n]) && value.p[n] != ';') n++;
        note_env(reading, name, str_sub(value, 0, n));
        line = str_sub(value, n, value.n);
        while (line.n && (is_space(line.p[0]) || line.p[0] == ';')) line = str_sub(line, 1, line.n);
        strip(&line, "export ");
    }
}

bool line_env(struct reading *reading, struct str line) {
    struct str name, value;
    line = str_trim(line);
    if (strip(&line, "export ") || strip(&line, "declare -x ")) {
        note_exports(reading, line);
        return true;
    }
    if (strip(&line, "$env:") && pick_pair(line, '=', &name, &value)) {
        note_env(reading, name, value);
        return true;
    }
    if (strip(&line, "ENV ")) {
        if (!line_assignment(line, &name, &value)) name = pick_word(line, &value);
        if (looks_exported(name)) note_env(reading, name, value);
        return true;
    }
    strip(&line, "set ");
    if (!line_assignment(line, &name, &value) || !looks_exported(name)) return false;
    if (value.n && is_space(value.p[0])) return false;
    note_env(reading, name, value);
    return true;
}
