/* The fix: steps, commands to copy, settings to change, how to see that it
 * worked. */
#include "ui/screen.h"

enum { SHOW_TITLE, SHOW_TEXT };

struct page {
    struct screen *screen;
    struct list list;
    const struct finding *finding;
};

/* What was ticked off, as it stands in the screen: pairs of finding and item. */
struct tick {
    uint16_t finding, item;
};

static ptrdiff_t tick_find(const struct screen *screen, int item) {
    struct tick tick;
    for (size_t at = 0; at + sizeof tick <= screen->ticked.n; at += sizeof tick) {
        memcpy(&tick, screen->ticked.p + at, sizeof tick);
        if (tick.finding == screen->finding && tick.item == item) return (ptrdiff_t)at;
    }
    return -1;
}

static void tick_turn(struct screen *screen, int item) {
    struct tick tick = {(uint16_t)screen->finding, (uint16_t)item}, last;
    ptrdiff_t at = tick_find(screen, item);
    if (at < 0) {
        buf_add(&screen->ticked, &tick, sizeof tick);
        return;
    }
    screen->ticked.n -= sizeof last;
    memcpy(&last, screen->ticked.p + screen->ticked.n, sizeof last);
    if ((size_t)at < screen->ticked.n) memcpy(screen->ticked.p + at, &last, sizeof last);
}

static void add(struct page *page, enum face face, int indent, const char *before, struct str text,
                int kind, int which) {
    if (!text.n) return;
    struct row row = {.lead = {{indent, FACE_DIM, str_of(before)}},
                      .indent = indent + (int)strlen(before),
                      .face = face,
                      .text = text,
                      .item = true,
                      .kind = kind,
                      .which = which};
    if (tick_find(page->screen, list_items(&page->list)) >= 0) {
        row.lead[1] = (struct span){1, FACE_HEALTHY, STR("x")};
        row.face = FACE_DIM;
    }
    list_add(&page->list, row);
}

static enum face face_of_diff(struct str line) {
    if (str_starts(line, STR("---")) || str_starts(line, STR("+++")) || str_starts(line, STR("@@")))
        return FACE_DIM;
    return str_starts(line, STR("-"))   ? FACE_MARK
           : str_starts(line, STR("+")) ? FACE_HEALTHY
                                        : FACE_PLAIN;
}

/* Its indentation is a part of it. */
static void add_diff_line(struct page *page, struct str line, int index) {
    size_t blanks = line.n > 0;
    while (blanks > 0 && blanks < line.n && line.p[blanks] == ' ') blanks++;
    const char *before = arena_cstr(&page->screen->arena, str_sub(line, 0, blanks));
    enum face face = face_of_diff(line);
    add(page, face, 6, before, str_sub(line, blanks, line.n), SHOW_TEXT, index);
    if (line.n > blanks) page->list.rows.v[page->list.rows.n - 1].lead[0].face = face;
}

static void add_fix(struct page *page, int index) {
    const struct fix *fix = &page->finding->fixes[index];
    struct str diff = page->finding->diffs[index];
    struct arena *arena = &page->screen->arena;
    struct str number = arena_printf(arena, "%d. ", index + 1);
    list_gap(&page->list);
    add(page, FACE_TITLE, 3, arena_cstr(arena, number),
        arena_printf(arena, STR_FMT " (%s)", STR_ARG(fix->title), fix_kind_names[fix->kind]),
        SHOW_TITLE, index);
    for (int i = 0; i < fix->n_steps; i++)
        add(page, FACE_PLAIN, 6, "- ", fix->steps[i], SHOW_TEXT, index);
    for (int i = 0; i < fix->patch.n_sets && !diff.n; i++)
        add(page, FACE_CODE, 6, "",
            arena_printf(arena, STR_FMT "%s" STR_FMT ": " STR_FMT, STR_ARG(fix->patch.file),
                         fix->patch.file.n ? ": " : "", STR_ARG(fix->patch.sets[2 * i]),
                         STR_ARG(fix->patch.sets[2 * i + 1])),
            SHOW_TEXT, index);
    for (int i = 0; i < fix->n_commands; i++)
        add(page, FACE_CODE, 6, "$ ", fix->commands[i], SHOW_TEXT, index);
    for (struct str line; diff.n && str_line(&diff, &line);) add_diff_line(page, line, index);
    add(page, FACE_DIM, 6, "cost: ", fix->cost, SHOW_TEXT, index);
    add(page, FACE_DIM, 6, "worked if: ", fix->verify, SHOW_TEXT, index);
    add(page, FACE_DIM, 6, "undo: ", fix->undo, SHOW_TEXT, index);
}

static void add_dead_ends(struct page *page) {
    if (page->finding->failure < 0) return;
    const struct failure *failure =
        &session_kb(page->screen->session)->failures[page->finding->failure];
    if (failure->n_dead_ends) list_gap(&page->list);
    for (int i = 0; i < failure->n_dead_ends; i++)
        add(page, FACE_DIM, 3, "does not help: ", failure->dead_ends[i], SHOW_TEXT, -1);
}

/* Where nobody wrote a fix down, what solved most issues of this kind. */
static void add_patterns(struct page *page) {
    const struct kb *kb = session_kb(page->screen->session);
    list_gap(&page->list);
    for (int i = 0; i < page->finding->n_patterns; i++) {
        const struct code *pattern = &kb->patterns[page->finding->patterns[i]];
        struct str text = arena_printf(&page->screen->arena, STR_FMT "  " STR_FMT,
                                       STR_ARG(pattern->id), STR_ARG(pattern->name));
        add(page, FACE_TITLE, 3, "", text, SHOW_TEXT, -1);
        add(page, FACE_PLAIN, 6, "", pattern->about, SHOW_TEXT, -1);
        add(page, FACE_DIM, 6, "for example: ", pattern->examples, SHOW_TEXT, -1);
    }
}

static struct page build(struct screen *screen) {
    const struct diagnosis *diagnosis = session_diagnosis(screen->session);
    struct page page = {.screen = screen, .list = {.arena = &screen->arena}};
    if (screen->finding >= diagnosis->n_findings) screen->finding = 0;
    if (!diagnosis->n_findings) {
        list_add(&page.list, (struct row){.indent = 2,
                                          .face = FACE_DIM,
                                          .text = STR("There is nothing to fix: no failure was "
                                                      "found.")});
        return page;
    }
    page.finding = &diagnosis->findings[screen->finding];
    list_add(&page.list,
             screen_cause(screen, session_diagnosis(screen->session), screen->finding, -1));
    for (int i = 0; i < page.finding->n_fixes; i++) add_fix(&page, i);
    if (!page.finding->n_fixes) add_patterns(&page);
    add_dead_ends(&page);
    return page;
}

static void draw(struct screen *screen, struct grid *grid, struct area area) {
    struct page page = build(screen);
    screen_draw_list(screen, &page.list, grid, area);
}

/* At a title all commands of the fix and its diff, as lines. */
static void copy_row(struct page *page, const struct row *row) {
    struct screen *screen = page->screen;
    const struct fix *fix = row->kind == SHOW_TITLE ? &page->finding->fixes[row->which] : NULL;
    struct str diff = fix ? page->finding->diffs[row->which] : (struct str){0};
    if (!fix || (!fix->n_commands && !diff.n)) {
        screen_copy(screen, row->text, "this row");
        return;
    }
    struct str all = {0};
    for (int i = 0; i < fix->n_commands; i++)
        all = arena_printf(&screen->arena, STR_FMT STR_FMT "\n", STR_ARG(all),
                           STR_ARG(fix->commands[i]));
    if (diff.n) all = arena_printf(&screen->arena, STR_FMT STR_FMT, STR_ARG(all), STR_ARG(diff));
    const char *what = fix->n_commands == 1 ? "its command" : "its commands";
    if (diff.n) what = fix->n_commands ? "its commands and diff" : "its diff";
    screen_copy(screen, all, what);
}

static bool act(struct screen *screen, enum action action) {
    if (action != ACTION_COPY && action != ACTION_TICK) return false;
    struct page page = build(screen);
    const struct row *row = list_item(&page.list, screen->selected[VIEW_FIX]);
    if (row && action == ACTION_COPY) copy_row(&page, row);
    if (row && action == ACTION_TICK) {
        tick_turn(screen, screen->selected[VIEW_FIX]);
        screen->selected[VIEW_FIX]++; /* on to the next step; drawing brings it into range */
    }
    return true;
}

const struct view view_fix = {VIEW_FIX, "f", "fix", draw, act};
