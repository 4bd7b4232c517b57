/* The facts: of the job's machines as its files tell them, and of this one once it was probed. */
#include "ui/screen.h"

#include "report/phrase.h"

#include <stdlib.h>

enum { FACTS_MOST = 2000, KEY_COLUMNS = 36, GPUS_MOST = 64 };
enum { SHOW_FACT, SHOW_PROBE };

/* The facts in the order in which they are shown: made once, until others are known. */
struct machine {
    struct arena arena;
    const struct fact **facts;
    size_t n;
    VEC(const struct fact *) outcomes, gpus; /* of probes, and of GPUs by their numbers */
};

struct page {
    struct screen *screen;
    const struct evidence *evidence;
    const struct machine *machine;
    struct list list;
};

/* "gpu", of gpu.0.memory.used; all that is told of most packages is their version. */
static struct str group_of(struct str key) {
    if (str_ends(key, STR(".version"))) return STR("versions");
    const char *dot = key.n ? memchr(key.p, '.', key.n) : NULL;
    return dot ? str_sub(key, 0, (size_t)(dot - key.p)) : key;
}

static int compare_facts(const void *a, const void *b) {
    const struct fact *x = *(const struct fact *const *)a, *y = *(const struct fact *const *)b;
    int order = str_cmp(group_of(x->key), group_of(y->key));
    if (!order) order = str_cmp(x->key, y->key);
    if (!order) order = str_cmp(x->value, y->value);
    return order ? order : (x > y) - (x < y);
}

static bool is_outcome(const struct fact *fact) {
    return str_starts(fact->key, STR("probe."));
}

void machine_forget(struct screen *screen) {
    if (screen->machine) arena_release(&screen->machine->arena);
    free(screen->machine);
    screen->machine = NULL;
}

static const struct machine *machine_of(struct screen *screen) {
    const struct evidence *e = session_evidence(screen->session);
    struct machine *machine = screen->machine;
    if (machine) return machine;
    machine = screen->machine = heap_zeros(1, sizeof *machine);
    machine->facts = ARENA_ARRAY(&machine->arena, const struct fact *, e->facts.n + 1);
    for (size_t i = 0; i < e->facts.n; i++) {
        const struct fact *fact = &e->facts.v[i];
        if (str_starts(fact->key, STR("answer."))) continue;
        machine->facts[machine->n++] = fact;
        if (is_outcome(fact)) vec_push(&machine->arena, &machine->outcomes, fact);
        if (str_starts(fact->key, STR("gpu."))) vec_push(&machine->arena, &machine->gpus, fact);
    }
    if (machine->n) qsort(machine->facts, machine->n, sizeof *machine->facts, compare_facts);
    return machine;
}

/* Of a GPU by its number: "memory.used"; empty: nobody told. */
static struct str gpu_fact(const struct page *page, int number, const char *name) {
    struct str key = arena_printf(&page->screen->arena, "gpu.%d.%s", number, name);
    for (size_t i = 0; i < page->machine->gpus.n; i++)
        if (str_eq(page->machine->gpus.v[i]->key, key)) return page->machine->gpus.v[i]->value;
    return (struct str){0};
}

/* Memory of each GPU as bars, where a report of it was read. */
static void add_gpus(struct page *page) {
    struct arena *arena = &page->screen->arena;
    for (int i = 0; page->machine->gpus.n && i < GPUS_MOST; i++) {
        struct str used = gpu_fact(page, i, "memory.used");
        if (!used.n) continue;
        double a = strtod(arena_cstr(arena, used), NULL);
        double b = strtod(arena_cstr(arena, gpu_fact(page, i, "memory.total")), NULL);
        if (b <= 0) continue;
        struct str name = gpu_fact(page, i, "name");
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

/* "nvidia-smi.txt:14, on node02, 02:10:06" */
static struct str where_of(struct page *page, const struct fact *fact) {
    struct arena *arena = &page->screen->arena;
    struct str place = fact->from;
    struct origin origin = fact->origin;
    if (origin.source >= 0)
        place = arena_printf(arena, STR_FMT ":%u",
                             STR_ARG(page->evidence->sources.v[origin.source].path), origin.line);
    if (fact->machine.n) origin.host = fact->machine;
    if (fact->time != TIME_UNKNOWN) origin.time = fact->time;
    struct str who = phrase_who(arena, &origin);
    return arena_printf(arena, STR_FMT "%s" STR_FMT, STR_ARG(place), who.n && place.n ? ", " : "",
                        STR_ARG(who));
}

static bool passes(struct page *page, const struct fact *fact) {
    struct str words = buf_view(&page->screen->wanted);
    return !words.n || str_find_nocase(fact->key, words, 0) >= 0 ||
           str_find_nocase(fact->value, words, 0) >= 0;
}

/* "0.0" and "0", "True" and "true" say the same. */
static bool same_value(struct str a, struct str b) {
    double x, y;
    if (str_number(a, &x) && str_number(b, &y)) return x == y;
    return str_eq_nocase(a, b);
}

/* How many facts from i on say the same; another value of the same key is a node that differs, or
 * inputs that contradict each other. */
static size_t same_from(const struct fact **rows, size_t n, size_t i) {
    size_t same = 1;
    while (i + same < n && str_eq(rows[i + same]->key, rows[i]->key) &&
           same_value(rows[i + same]->value, rows[i]->value))
        same++;
    return same;
}

/* Key and value stand in columns where there is room, and behind them where it was told. */
static void add_fact(struct page *page, const struct fact *fact, size_t same, bool odd) {
    struct arena *arena = &page->screen->arena;
    bool wide = page->screen->cols >= 2 * KEY_COLUMNS && fact->key.n < KEY_COLUMNS;
    struct str value = arena_printf(arena, STR_FMT "%s" STR_FMT, STR_ARG(fact->value),
                                    fact->unit.n ? " " : "", STR_ARG(fact->unit));
    struct str more = same > 1 ? arena_printf(arena, " and %zu more", same - 1) : (struct str){0};
    struct str text = arena_printf(arena, STR_FMT "%s" STR_FMT "   (%s" STR_FMT STR_FMT ")",
                                   STR_ARG(wide ? (struct str){0} : fact->key), wide ? "" : " = ",
                                   STR_ARG(value), odd ? "told differently elsewhere; " : "",
                                   STR_ARG(where_of(page, fact)), STR_ARG(more));
    struct row row = {.indent = wide ? 4 + KEY_COLUMNS : 4,
                      .face = odd ? FACE_UNKNOWN : FACE_PLAIN,
                      .text = text,
                      .item = true,
                      .kind = SHOW_FACT,
                      .which = (int)(fact - page->evidence->facts.v)};
    if (wide) row.lead[0] = (struct span){4, odd ? FACE_UNKNOWN : FACE_DIM, fact->key};
    list_add(&page->list, row);
}

static void add_title(struct page *page, enum face face, struct str title) {
    list_gap(&page->list);
    list_add(&page->list, (struct row){.indent = 2, .face = face, .text = title});
}

static bool is_clash(const struct fact *fact) {
    return str_starts(fact->key, STR("clash."));
}

/* What cannot be true together, first of all. */
static void add_clashes(struct page *page) {
    bool any = false;
    for (size_t i = 0; i < page->evidence->facts.n; i++) {
        const struct fact *fact = &page->evidence->facts.v[i];
        if (!is_clash(fact) || !passes(page, fact)) continue;
        if (!any) add_title(page, FACE_FAILED, STR("contradictions"));
        any = true;
        list_add(&page->list, (struct row){.lead = {{2, FACE_FAILED, STR("!")}},
                                           .indent = 4,
                                           .text = arena_printf(
                                               &page->screen->arena, STR_FMT "   (" STR_FMT ")",
                                               STR_ARG(fact->value), STR_ARG(where_of(page, fact))),
                                           .item = true,
                                           .kind = SHOW_FACT,
                                           .which = (int)i});
    }
}

/* "ok" of the probe's children, or of the first that was not. */
static struct str outcome_of(const struct page *page, struct str id) {
    struct arena *arena = &page->screen->arena;
    struct str key = arena_printf(arena, "probe." STR_FMT, STR_ARG(id)), outcome = {0};
    struct str child = arena_printf(arena, STR_FMT ".", STR_ARG(key));
    for (size_t i = 0; i < page->machine->outcomes.n; i++) {
        const struct fact *fact = page->machine->outcomes.v[i];
        bool own = str_eq(fact->key, key) || str_starts(fact->key, child);
        if (own && !str_ends(fact->key, STR(".exit")) && (!outcome.n || str_eq(outcome, STR("ok"))))
            outcome = fact->value;
    }
    return outcome;
}

/* What this machine can be asked, and what became of it. */
static void add_probes(struct page *page) {
    if (buf_view(&page->screen->wanted).n) return;
    add_title(page, FACE_TITLE, STR("this machine can be asked"));
    for (int i = 0; i < n_probe_rows; i++) {
        const struct probe *probe = &probe_rows[i];
        struct str outcome = outcome_of(page, str_of(probe->id));
        if (probe->net || strcmp(probe->id, "ssh") == 0) continue; /* options of `probe` alone */
        bool ok = str_eq(outcome, STR("ok"));
        list_add(&page->list, (struct row){.lead = {{4, FACE_CODE, str_of(probe->id)},
                                                    {18, ok ? FACE_HEALTHY : FACE_DIM,
                                                     outcome.n ? outcome : STR("-")}},
                                           .indent = 30,
                                           .face = FACE_DIM,
                                           .text = str_of(probe->gives),
                                           .most = 1,
                                           .item = true,
                                           .kind = SHOW_PROBE,
                                           .which = i});
    }
}

static void add_facts(struct page *page) {
    size_t n = page->machine->n, same;
    const struct fact **rows = page->machine->facts;
    struct str group = {0};
    for (size_t i = 0; i < n && page->list.rows.n < FACTS_MOST; i += same) {
        same = same_from(rows, n, i);
        if (!passes(page, rows[i]) || is_clash(rows[i]) || is_outcome(rows[i])) continue;
        if (!str_eq(group, group_of(rows[i]->key))) {
            group = group_of(rows[i]->key);
            add_title(page, FACE_TITLE, group);
        }
        bool odd = (i > 0 && str_eq(rows[i - 1]->key, rows[i]->key)) ||
                   (i + same < n && str_eq(rows[i + same]->key, rows[i]->key));
        add_fact(page, rows[i], same, odd);
    }
}

static struct page build(struct screen *screen) {
    struct page page = {.screen = screen,
                        .evidence = session_evidence(screen->session),
                        .machine = machine_of(screen),
                        .list = {.arena = &screen->arena}};
    struct str words = buf_view(&screen->wanted);
    if (words.n)
        list_add(&page.list, (struct row){.indent = 2,
                                          .face = FACE_DIM,
                                          .text = arena_printf(&screen->arena, "only: " STR_FMT,
                                                               STR_ARG(words))});
    else
        add_gpus(&page);
    add_clashes(&page);
    add_facts(&page);
    if (!list_items(&page.list))
        list_add(&page.list, (struct row){.indent = 2,
                                          .face = FACE_DIM,
                                          .text = words.n ? STR("No fact holds these words.")
                                                          : STR("The inputs tell no facts.")});
    add_probes(&page);
    return page;
}

static void draw(struct screen *screen, struct grid *grid, struct area area) {
    struct page page = build(screen);
    screen_draw_list(screen, &page.list, grid, area);
}

void machine_find(struct screen *screen, struct str words) {
    buf_clear(&screen->wanted);
    buf_str(&screen->wanted, words);
    screen->selected[VIEW_MACHINE] = screen->scroll[VIEW_MACHINE] = 0;
}

/* The probe that a row stands for, or that told its fact; NULL: none. */
static const struct probe *probe_of(const struct page *page, const struct row *row) {
    if (!row) return NULL;
    if (row->kind == SHOW_PROBE) return &probe_rows[row->which];
    struct str id = page->evidence->facts.v[row->which].from;
    if (!str_starts(id, STR("probe "))) return NULL;
    id = str_sub(id, strlen("probe "), id.n);
    const char *dot = memchr(id.p, '.', id.n); /* one of several children: gone with its probe */
    return probe_find(dot ? str_sub(id, 0, (size_t)(dot - id.p)) : id);
}

static void ask(struct screen *screen, const struct probe *probe) {
    screen->probe_only = probe;
    screen->probe_wanted = true;
    if (probe)
        screen_say(screen, "Asking this machine: %s ...", probe->id);
    else
        screen_say(screen, "Asking this machine ...");
}

static void open_row(const struct page *page, const struct row *row) {
    const struct fact *fact = row->kind == SHOW_FACT ? &page->evidence->facts.v[row->which] : NULL;
    if (!fact)
        ask(page->screen, &probe_rows[row->which]);
    else if (fact->origin.source >= 0)
        log_view_open(page->screen, &fact->origin);
    else
        screen_say(page->screen, "This stands in no file.");
}

static void copy_row(const struct page *page, const struct row *row) {
    struct str key = row->lead[0].text;
    struct str text = key.n > 1 ? arena_printf(&page->screen->arena, STR_FMT " = " STR_FMT,
                                               STR_ARG(key), STR_ARG(row->text))
                                : row->text;
    screen_copy(page->screen, text, "the row");
}

static bool act(struct screen *screen, enum action action) {
    if (action == ACTION_SEARCH) return prompt_open(screen, PROMPT_FACT, (struct str){0}), true;
    if (action == ACTION_PROBE_ALL) return ask(screen, NULL), true;
    if (action != ACTION_OPEN && action != ACTION_PROBE && action != ACTION_COPY) return false;
    struct page page = build(screen);
    const struct row *row = list_item(&page.list, screen->selected[VIEW_MACHINE]);
    if (action == ACTION_PROBE)
        ask(screen, probe_of(&page, row));
    else if (row && action == ACTION_OPEN)
        open_row(&page, row);
    else if (row)
        copy_row(&page, row);
    return true;
}

const struct view view_machine = {VIEW_MACHINE, "m", "machine", draw, act};
