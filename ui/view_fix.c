/* The fix: steps, commands to copy, settings to change, how to see that it worked. */
#include "ui/screen.h"

/* A row of the list: a title, a step, a command ... */
struct item {
    enum face face;
    int indent;
    struct str text;
};

static void add(struct screen *screen, struct item *items, int *n, enum face face, int indent,
                struct str text) {
    if (text.n && *n < 255) items[(*n)++] = (struct item){face, indent, text};
    (void)screen;
}

static void add_fix(struct screen *screen, struct item *items, int *n, const struct fix *fix,
                    struct str diff, int number) {
    struct arena *arena = &screen->arena;
    struct str title = arena_printf(arena, "%d. " STR_FMT " (%s)", number, STR_ARG(fix->title),
                                    fix_kind_names[fix->kind]);
    add(screen, items, n, FACE_TITLE, 2, title);
    for (int i = 0; i < fix->n_steps; i++) add(screen, items, n, FACE_PLAIN, 5, fix->steps[i]);
    for (int i = 0; i < fix->patch.n_sets; i++)
        add(screen, items, n, FACE_CODE, 5,
            arena_printf(arena, STR_FMT ": " STR_FMT, STR_ARG(fix->patch.sets[2 * i]),
                         STR_ARG(fix->patch.sets[2 * i + 1])));
    for (int i = 0; i < fix->n_commands; i++) add(screen, items, n, FACE_CODE, 5, fix->commands[i]);
    for (struct str line; diff.n && str_line(&diff, &line);)
        add(screen, items, n, FACE_CODE, 5, line);
    if (fix->cost.n)
        add(screen, items, n, FACE_DIM, 5,
            arena_printf(arena, "costs: " STR_FMT, STR_ARG(fix->cost)));
    if (fix->verify.n)
        add(screen, items, n, FACE_DIM, 5,
            arena_printf(arena, "worked if: " STR_FMT, STR_ARG(fix->verify)));
}

static int items_of(struct screen *screen, struct item **items) {
    const struct diagnosis *diagnosis = session_diagnosis(screen->session);
    int n = 0;
    *items = ARENA_ARRAY(&screen->arena, struct item, 256);
    if (!diagnosis->n_findings) return 0;
    const struct finding *best = &diagnosis->findings[0];
    for (int i = 0; i < best->n_fixes; i++)
        add_fix(screen, *items, &n, &best->fixes[i], best->diffs[i], i + 1);
    if (best->failure < 0) return n;
    const struct failure *failure = &session_kb(screen->session)->failures[best->failure];
    for (int i = 0; i < failure->n_dead_ends; i++)
        add(screen, *items, &n, FACE_DIM, 2,
            arena_printf(&screen->arena, "does not help: " STR_FMT,
                         STR_ARG(failure->dead_ends[i])));
    return n;
}

static void draw(struct screen *screen, struct grid *grid, struct area area) {
    struct item *items;
    int n = screen->n_items = items_of(screen, &items), selected = screen->selected[VIEW_FIX];
    if (!n) grid_text(grid, area, 1, 2, FACE_DIM, STR("There is nothing to fix here."));
    int from = selected > area.rows - 6 ? selected - (area.rows - 6) : 0;
    for (int i = from, row = 1; i < n && row < area.rows; i++)
        row += grid_wrap(grid, area, row, items[i].indent,
                         i == selected ? FACE_SELECTED : items[i].face, items[i].text);
}

static bool act(struct screen *screen, enum action action) {
    struct item *items;
    int n = items_of(screen, &items), at = screen->selected[VIEW_FIX];
    if ((action != ACTION_COPY && action != ACTION_OPEN) || at >= n) return false;
    buf_clear(&screen->copied);
    buf_str(&screen->copied, items[at].text);
    screen->copy_wanted = true;
    screen_say(screen, "Copied.");
    return true;
}

const struct view view_fix = {VIEW_FIX, "fix", "what to do", draw, act};
