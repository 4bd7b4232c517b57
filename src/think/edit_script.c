/* Variables and directives of a shell script, line by line. */
#include "think/edit.h"

struct line {
    size_t from, end; /* end: before its line end */
};

static bool next_line(struct str s, size_t *at, struct line *line) {
    if (*at >= s.n) return false;
    const char *end = memchr(s.p + *at, '\n', s.n - *at);
    *line = (struct line){*at, end ? (size_t)(end - s.p) : s.n};
    *at = line->end + (end != NULL);
    if (line->end > line->from && s.p[line->end - 1] == '\r') line->end--;
    return true;
}

static struct str text_of(struct str s, struct line line) {
    return str_sub(s, line.from, line.end - line.from);
}

/* The line with its line end. */
static struct str without(struct arena *arena, struct str s, struct line line) {
    const char *end = memchr(s.p + line.end, '\n', s.n - line.end);
    return edit_splice(arena, s, line.from, end ? (size_t)(end - s.p) + 1 : s.n, (struct str){0});
}

static struct str shell_value(struct arena *arena, struct str value) {
    for (size_t i = 0; i < value.n; i++)
        if (memchr(" ;&|<>()'*?", value.p[i], 11))
            return arena_printf(arena, "\"" STR_FMT "\"", STR_ARG(value));
    return value;
}

/* "export NAME=..." or "NAME=..." and nothing else on the line. */
static bool assigns(struct str line, struct str name) {
    line = str_trim(line);
    if (str_starts(line, STR("export "))) line = str_trim(str_sub(line, 7, line.n));
    if (!str_starts(line, name) || line.n <= name.n || line.p[name.n] != '=') return false;
    struct str value = str_sub(line, name.n + 1, line.n);
    bool quoted = value.n && (value.p[0] == '"' || value.p[0] == '\'');
    return quoted || (str_find(value, STR(" "), 0) < 0 && str_find(value, STR(";"), 0) < 0);
}

static bool launches(struct str line) {
    static const char words[][20] = {
        "deepspeed ", "torchrun ", "accelerate launch", "srun ",       "mpirun ",   "mpiexec ",
        "jsrun ",     "python ",   "python3 ",          "colossalai ", "vllm serve"};
    line = str_trim(line);
    if (!line.n || line.p[0] == '#') return false;
    for (size_t i = 0; i < COUNT_OF(words); i++) {
        ptrdiff_t at = str_find(line, str_of(words[i]), 0);
        if (at == 0 || (at > 0 && (line.p[at - 1] == ' ' || line.p[at - 1] == '/'))) return true;
    }
    return false;
}

bool edit_environment(struct arena *arena, struct str *text, struct str name, struct str value) {
    struct str s = *text;
    struct line line, launch = {0};
    bool found = false, open = false;
    for (size_t at = 0; next_line(s, &at, &line);) {
        struct str row = text_of(s, line);
        if (assigns(row, name)) {
            size_t sign = line.from + (size_t)str_find(row, STR("="), 0);
            *text = value.n ? edit_splice(arena, s, sign + 1, line.end, shell_value(arena, value))
                            : without(arena, s, line);
            return true;
        }
        /* a line that goes on is one command: what comes before it is put before its beginning */
        if (!found && !open) launch = line;
        found |= launches(row);
        open = str_ends(row, STR("\\"));
    }
    if (!value.n) return true;
    if (!found) return false;
    struct str set = arena_printf(arena, "export " STR_FMT "=" STR_FMT "\n", STR_ARG(name),
                                  STR_ARG(shell_value(arena, value)));
    *text = edit_splice(arena, s, launch.from, launch.from, set);
    return true;
}

/* Where the value of "#SBATCH --name=value" or "#SBATCH --name value" begins, 0: another line. */
static size_t directive_value(struct str row, struct str name) {
    struct str rest = str_trim(row);
    if (!str_starts(rest, STR("#SBATCH"))) return 0;
    ptrdiff_t at = str_find(row, name, 7);
    size_t end = at > 0 ? (size_t)at + name.n : 0;
    bool whole = at > 2 && row.p[at - 1] == '-' && row.p[at - 2] == '-';
    if (!whole || end >= row.n || (row.p[end] != '=' && row.p[end] != ' ')) return 0;
    return end + 1;
}

bool edit_directive(struct arena *arena, struct str *text, struct str name, struct str value) {
    struct str s = *text;
    struct line line;
    size_t behind = 0;
    while (str_starts(name, STR("-"))) name = str_sub(name, 1, name.n);
    for (size_t at = 0; next_line(s, &at, &line);) {
        struct str row = text_of(s, line);
        size_t from = directive_value(row, name);
        if (from) {
            size_t end = from;
            while (end < row.n && row.p[end] != ' ') end++;
            *text = value.n ? edit_splice(arena, s, line.from + from, line.from + end, value)
                            : without(arena, s, line);
            return true;
        }
        if (str_starts(str_trim(row), STR("#SBATCH"))) behind = at;
    }
    if (!value.n || !behind || s.p[behind - 1] != '\n') return !value.n;
    *text = edit_splice(
        arena, s, behind, behind,
        arena_printf(arena, "#SBATCH --" STR_FMT "=" STR_FMT "\n", STR_ARG(name), STR_ARG(value)));
    return true;
}
