#include "think/unified.h"

enum { CONTEXT = 3, CELLS_MAX = 1 << 20 };

struct lines {
    struct str *v; /* with their line ends */
    int n;
};

/* One line of the script: ' ' both, '-' before, '+' after. */
struct step {
    char sign;
    int before, after; /* how many lines of each came before it */
    struct str text;
};
struct script {
    struct step *v;
    int n;
};

static struct lines split(struct arena *arena, struct str text) {
    struct lines lines = {0};
    int most = 1;
    for (size_t i = 0; i < text.n; i++) most += text.p[i] == '\n';
    lines.v = ARENA_ARRAY(arena, struct str, most);
    for (size_t at = 0; at < text.n;) {
        const char *end = memchr(text.p + at, '\n', text.n - at);
        size_t next = end ? (size_t)(end - text.p) + 1 : text.n;
        lines.v[lines.n++] = str_sub(text, at, next - at);
        at = next;
    }
    return lines;
}

static void push(struct script *script, char sign, int before, int after, struct str text) {
    script->v[script->n++] = (struct step){sign, before, after, text};
}

/* longest[i * (m + 1) + j]: of the common lines of a from i on and b from j on. */
static int *longest_common(struct arena *arena, const struct str *a, int n, const struct str *b,
                           int m) {
    int *longest = ARENA_ARRAY(arena, int, (n + 1) * (m + 1));
    for (int i = n - 1; i >= 0; i--)
        for (int j = m - 1; j >= 0; j--) {
            int *cell = &longest[i * (m + 1) + j];
            int down = longest[(i + 1) * (m + 1) + j], right = longest[i * (m + 1) + j + 1];
            if (str_eq(a[i], b[j]))
                *cell = longest[(i + 1) * (m + 1) + j + 1] + 1;
            else
                *cell = down >= right ? down : right;
        }
    return longest;
}

/* The middle, where the texts differ: from line `skip` on n lines of a and m of b. */
static void middle(struct arena *arena, struct script *script, const struct str *a, int n,
                   const struct str *b, int m, int skip) {
    bool small = (int64_t)(n + 1) * (m + 1) <= CELLS_MAX;
    const int *longest = small ? longest_common(arena, a, n, b, m) : NULL;
    int i = 0, j = 0;
    while (i < n || j < m) {
        bool drop = i < n && (j == m || !small ||
                              longest[(i + 1) * (m + 1) + j] >= longest[i * (m + 1) + j + 1]);
        if (i < n && j < m && small && str_eq(a[i], b[j])) {
            push(script, ' ', skip + i, skip + j, a[i]);
            i++, j++;
        } else if (drop) {
            push(script, '-', skip + i, skip + j, a[i]);
            i++;
        } else {
            push(script, '+', skip + i, skip + j, b[j]);
            j++;
        }
    }
}

static struct script script_of(struct arena *arena, struct lines a, struct lines b) {
    struct script script = {ARENA_ARRAY(arena, struct step, a.n + b.n + 1), 0};
    int head = 0, tail = 0, least = a.n < b.n ? a.n : b.n;
    while (head < least && str_eq(a.v[head], b.v[head])) head++;
    while (tail < least - head && str_eq(a.v[a.n - 1 - tail], b.v[b.n - 1 - tail])) tail++;
    for (int i = 0; i < head; i++) push(&script, ' ', i, i, a.v[i]);
    middle(arena, &script, a.v + head, a.n - head - tail, b.v + head, b.n - head - tail, head);
    for (int i = tail; i > 0; i--) push(&script, ' ', a.n - i, b.n - i, a.v[a.n - i]);
    return script;
}

/* The end of the hunk that begins at `from`: more than two contexts of equal lines end it. */
static int hunk_end(const struct script *script, int from) {
    int last = from;
    for (int i = from; i < script->n && i - last <= 2 * CONTEXT + 1; i++)
        if (script->v[i].sign != ' ') last = i;
    return last + 1 + CONTEXT < script->n ? last + 1 + CONTEXT : script->n;
}

static struct str add(struct arena *arena, struct str out, struct str text) {
    return arena_printf(arena, STR_FMT STR_FMT, STR_ARG(out), STR_ARG(text));
}

static struct str add_hunk(struct arena *arena, struct str out, const struct script *script,
                           int from, int to) {
    int before = 0, after = 0;
    for (int i = from; i < to; i++) {
        before += script->v[i].sign != '+';
        after += script->v[i].sign != '-';
    }
    const struct step *first = &script->v[from];
    out = add(arena, out,
              arena_printf(arena, "@@ -%d,%d +%d,%d @@\n", first->before + (before > 0), before,
                           first->after + (after > 0), after));
    for (int i = from; i < to; i++) {
        const struct step *step = &script->v[i];
        bool ended = str_ends(step->text, STR("\n"));
        out = add(arena, out,
                  arena_printf(arena, "%c" STR_FMT "%s", step->sign, STR_ARG(step->text),
                               ended ? "" : "\n\\ No newline at end of file\n"));
    }
    return out;
}

struct str unified_diff(struct arena *arena, struct str path, struct str before, struct str after) {
    if (str_eq(before, after)) return (struct str){0};
    struct script script = script_of(arena, split(arena, before), split(arena, after));
    bool relative = !str_starts(path, STR("/"));
    struct str out =
        arena_printf(arena, "--- %s" STR_FMT "\n+++ %s" STR_FMT "\n", relative ? "a/" : "",
                     STR_ARG(path), relative ? "b/" : "", STR_ARG(path));
    for (int i = 0; i < script.n; i++) {
        if (script.v[i].sign == ' ') continue;
        int from = i > CONTEXT ? i - CONTEXT : 0, to = hunk_end(&script, i);
        out = add_hunk(arena, out, &script, from, to);
        i = to - 1;
    }
    return out;
}
