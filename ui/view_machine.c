/* The facts: of the job's machines as its files tell them, and of this one once it was probed. */
#include "ui/screen.h"

#include <stdlib.h>

enum { FACTS_MOST = 2000 };

struct page {
    struct screen *screen;
    const struct evidence *evidence;
    struct list list;
};

/* "gpu", of gpu.0.memory.used */
static struct str group_of(struct str key) {
    const char *dot = key.n ? memchr(key.p, '.', key.n) : NULL;
    return dot ? str_sub(key, 0, (size_t)(dot - key.p)) : key;
}

static int compare_facts(const void *a, const void *b) {
    const struct fact *x = *(const struct fact *const *)a, *y = *(const struct fact *const *)b;
    int order = str_cmp(x->key, y->key);
    if (!order) order = str_cmp(x->value, y->value);
    return order ? order : (x > y) - (x < y);
}

static const struct fact **facts_sorted(struct page *page, size_t *n) {
    const struct evidence *e = page->evidence;
    const struct fact **rows =
        ARENA_ARRAY(&page->screen->arena, const struct fact *, e->facts.n + 1);
    *n = 0;
    for (size_t i = 0; i < e->facts.n; i++)
        if (!str_starts(e->facts.v[i].key, STR("answer."))) rows[(*n)++] = &e->facts.v[i];
    if (*n) qsort(rows, *n, sizeof *rows, compare_facts);
    return rows;
}

/* Memory of each GPU as bars, where a report of it was read. */
static void add_gpus(struct page *page) {
    struct arena *arena = &page->screen->arena;
    for (int i = 0; i < 64; i++) {
        struct str used =
            evidence_fact(page->evidence, arena_printf(arena, "gpu.%d.memory.used", i));
        struct str total =
            evidence_fact(page->evidence, arena_printf(arena, "gpu.%d.memory.total", i));
        double a = strtod(arena_cstr(arena, used), NULL),
               b = strtod(arena_cstr(arena, total), NULL);
        if (!used.n || b <= 0) continue;
        struct str name = evidence_fact(page->evidence, arena_printf(arena, "gpu.%d.name", i));
        list_add(&page->list,
                 (struct row){.bar = 8,
                              .share = a / b,
                              .lead = {{12, FACE_BOLD, arena_printf(arena, "GPU %d", i)}},
                              .indent = 20,
                              .text = arena_printf(arena, "%.0f %% of memory used  " STR_FMT,
                                                   100 * a / b, STR_ARG(name))});
    }
    list_gap(&page->list);
}

static struct str where_of(struct page *page, const struct fact *fact) {
    struct arena *arena = &page->screen->arena;
    struct str place = fact->from;
    if (fact->origin.source >= 0)
        place = arena_printf(arena, STR_FMT ":%u",
                             STR_ARG(page->evidence->sources.v[fact->origin.source].path),
                             fact->origin.line);
    return fact->machine.n
               ? arena_printf(arena, STR_FMT " on " STR_FMT, STR_ARG(place), STR_ARG(fact->machine))
               : place;
}

static bool passes(struct page *page, const struct fact *fact) {
    struct str words = buf_view(&page->screen->wanted);
    return !words.n || str_find_nocase(fact->key, words, 0) >= 0 ||
           str_find_nocase(fact->value, words, 0) >= 0;
}

/* How many facts from i on say the same; another value of the same key is a node that differs, or
 * inputs that contradict each other. */
static size_t same_from(const struct fact **rows, size_t n, size_t i) {
    size_t same = 1;
    while (i + same < n && str_eq(rows[i + same]->key, rows[i]->key) &&
           str_eq(rows[i + same]->value, rows[i]->value))
        same++;
    return same;
}

static void add_fact(struct page *page, const struct fact *fact, size_t same, bool odd) {
    struct arena *arena = &page->screen->arena;
    struct str text =
        arena_printf(arena, STR_FMT " = " STR_FMT "%s" STR_FMT "   (%s" STR_FMT, STR_ARG(fact->key),
                     STR_ARG(fact->value), fact->unit.n ? " " : "", STR_ARG(fact->unit),
                     odd ? "told differently elsewhere; " : "", STR_ARG(where_of(page, fact)));
    text = same > 1 ? arena_printf(arena, STR_FMT " and %zu more)", STR_ARG(text), same - 1)
                    : arena_printf(arena, STR_FMT ")", STR_ARG(text));
    list_add(&page->list, (struct row){.indent = 4,
                                       .face = odd ? FACE_UNKNOWN : FACE_PLAIN,
                                       .text = text,
                                       .item = true,
                                       .which = (int)(fact - page->evidence->facts.v)});
}

static void add_facts(struct page *page) {
    size_t n, same;
    const struct fact **rows = facts_sorted(page, &n);
    struct str group = {0};
    for (size_t i = 0; i < n && page->list.rows.n < FACTS_MOST; i += same) {
        same = same_from(rows, n, i);
        if (!passes(page, rows[i])) continue;
        if (!str_eq(group, group_of(rows[i]->key))) {
            group = group_of(rows[i]->key);
            list_gap(&page->list);
            list_add(&page->list, (struct row){.indent = 2, .face = FACE_TITLE, .text = group});
        }
        bool odd = (i > 0 && str_eq(rows[i - 1]->key, rows[i]->key)) ||
                   (i + same < n && str_eq(rows[i + same]->key, rows[i]->key));
        add_fact(page, rows[i], same, odd);
    }
}

static struct page build(struct screen *screen) {
    struct page page = {.screen = screen,
                        .evidence = session_evidence(screen->session),
                        .list = {.arena = &screen->arena}};
    struct str words = buf_view(&screen->wanted);
    if (words.n)
        list_add(&page.list, (struct row){.indent = 2,
                                          .face = FACE_DIM,
                                          .text = arena_printf(&screen->arena, "only: " STR_FMT,
                                                               STR_ARG(words))});
    else
        add_gpus(&page);
    add_facts(&page);
    if (!list_items(&page.list))
        list_add(&page.list,
                 (struct row){.indent = 2,
                              .face = FACE_DIM,
                              .text = STR("No fact is known here. p probes this machine.")});
    return page;
}

static void draw(struct screen *screen, struct grid *grid, struct area area) {
    struct page page = build(screen);
    if (area.rows > 12) area.row++, area.rows--;
    list_draw(&page.list, grid, area, &screen->selected[VIEW_MACHINE],
              &screen->scroll[VIEW_MACHINE]);
}

void machine_find(struct screen *screen, struct str words) {
    buf_clear(&screen->wanted);
    buf_str(&screen->wanted, words);
    screen->selected[VIEW_MACHINE] = screen->scroll[VIEW_MACHINE] = 0;
}

static bool act(struct screen *screen, enum action action) {
    struct page page = build(screen);
    const struct row *row = list_item(&page.list, screen->selected[VIEW_MACHINE]);
    const struct fact *fact = row ? &page.evidence->facts.v[row->which] : NULL;
    switch (action) {
    case ACTION_OPEN:
        if (fact && fact->origin.source >= 0)
            log_view_open(screen, &fact->origin);
        else if (fact)
            screen_say(screen, "This stands in no file.");
        return true;
    case ACTION_SEARCH: prompt_open(screen, PROMPT_FACT, (struct str){0}); return true;
    case ACTION_PROBE: screen->probe_wanted = true; return true;
    case ACTION_COPY:
        if (row) screen_copy(screen, row->text, "the fact");
        return true;
    default: return false;
    }
}

const struct view view_machine = {VIEW_MACHINE, "m", "machine", draw, act};
