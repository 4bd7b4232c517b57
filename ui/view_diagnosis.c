/* The diagnosis: what failed, where, what only follows from it, why, what to
 * do. */
#include "ui/bars.h"
#include "ui/screen.h"

#include "report/course.h"
#include "report/phrase.h"

enum { CAUSES_SHOWN = 5, REASONS_SHOWN = 6, OTHERS_SHOWN = 5, LAST_SHOWN = 4, TROUBLE_SHOWN = 5 };

enum {
    SHOW_PLACE,
    SHOW_CAUSE,
    SHOW_REASON,
    SHOW_FIX,
    SHOW_ASK,
    SHOW_FOLLOW,
    SHOW_OTHER,
    SHOW_LAST,
    SHOW_NEAR,
    SHOW_HANG
};

/* Everything that is drawn from. */
struct page {
    struct screen *screen;
    const struct kb *kb;
    const struct evidence *evidence;
    const struct diagnosis *diagnosis;
    struct list list;
    bool early; /* not all is read: who is silent, and what nobody explained, is not known yet */
};

static struct page page_of(struct screen *screen) {
    return (struct page){.screen = screen,
                         .early = screen->reading,
                         .kb = session_kb(screen->session),
                         .evidence = session_evidence(screen->session),
                         .diagnosis = session_diagnosis(screen->session),
                         .list = {.arena = &screen->arena}};
}

static struct str place_of(const struct page *page, const struct origin *origin) {
    return phrase_place(&page->screen->arena, page->evidence, origin);
}

static void add(struct page *page, const char *label, enum face face, struct str text) {
    if (text.n) list_add(&page->list, screen_row(page->screen, label, face, text));
}

static void add_item(struct page *page, const char *label, enum face face, struct str text,
                     int kind, int which, int detail) {
    struct row row = screen_row(page->screen, label, face, text);
    row.item = true;
    row.kind = kind;
    row.which = which;
    row.detail = detail;
    if (kind == SHOW_PLACE) row.most = page->screen->rows < 30 ? 2 : 4;
    if (kind == SHOW_REASON || kind == SHOW_OTHER || kind == SHOW_LAST || kind == SHOW_HANG)
        row.most = 2;
    if (text.n) list_add(&page->list, row);
}

struct row screen_cause(struct screen *screen, const struct diagnosis *diagnosis, int index,
                        int kind) {
    const struct kb *kb = session_kb(screen->session);
    const struct finding *finding = &diagnosis->findings[index];
    struct arena *arena = &screen->arena;
    bool wide = screen->cols >= 60;
    int at = wide ? 11 : 1;
    struct str code = finding->root >= 0 ? kb->roots[finding->root].id : STR("?");
    struct str text = phrase_rival(arena, kb, diagnosis, finding);
    return (struct row){
        .bar = wide ? 8 : 0,
        .share = finding->confidence,
        .lead = {{at, FACE_BOLD, arena_printf(arena, "%3.0f %%", 100 * finding->confidence)},
                 {at + 6, FACE_CODE, code}},
        .indent = at + 12,
        .text = text,
        .item = kind >= 0,
        .kind = kind,
        .which = index};
}

/* ---- the parts, from top to bottom ---------------------------------------------------------- */

static void add_head(struct page *page) {
    static const struct {
        const char *word;
        enum face face;
    } heads[] = {{"UNKNOWN", FACE_UNKNOWN}, {"HEALTHY", FACE_HEALTHY}, {"FAILED", FACE_FAILED}};
    const struct diagnosis *d = page->diagnosis;
    struct arena *arena = &page->screen->arena;
    struct str title = d->n_findings ? d->findings[0].title : d->summary;
    if (page->early && !d->n_findings) title = STR("no failure so far");
    struct row row = screen_row(page->screen, "", FACE_BOLD, title);
    if (!page->early || d->n_findings)
        row.lead[0] = (struct span){page->screen->cols < 60 ? 1 : 2, heads[d->verdict].face,
                                    str_of(heads[d->verdict].word)};
    list_add(&page->list, row);
    if (!d->n_findings) return;
    struct str who = phrase_when(arena, &d->first_fault);
    struct str stage = phrase_stage(d->findings[0].stage);
    if (who.n) who = arena_printf(arena, STR_FMT ", ", STR_ARG(who));
    add(page, "", FACE_PLAIN,
        arena_printf(arena, STR_FMT STR_FMT "%s", STR_ARG(who), STR_ARG(stage),
                     page->early ? ", so far" : ""));
}

/* Who did not come to the collective that the others wait in, and what he did last. */
static void add_hang(struct page *page) {
    const struct rollcall *call = page->diagnosis->rollcall;
    if (!call) return;
    if (!page->diagnosis->first_fault.called) add(page, "hang", FACE_UNKNOWN, call->text);
    for (int i = 0; i < call->n_last && i < LAST_SHOWN; i++)
        add_item(page, "", FACE_DIM,
                 arena_printf(&page->screen->arena, "rank %d, last: " STR_FMT, call->last[i].rank,
                              STR_ARG(call->last[i].what)),
                 SHOW_HANG, i, 0);
}

static void add_saw(struct page *page) {
    const struct diagnosis *d = page->diagnosis;
    if (!d->first_fault.known) return;
    list_gap(&page->list);
    add_item(page, "saw", FACE_MARK, phrase_fault(d), SHOW_PLACE, 0, 0);
    add(page, "", FACE_DIM, place_of(page, &d->first_fault.origin));
    add(page, "in", FACE_PLAIN, phrase_frame(&page->screen->arena, &d->first_fault));
    add_item(page, "then", FACE_DIM, phrase_follows(&page->screen->arena, d), SHOW_FOLLOW, 0, 0);
    if (!page->early) {
        add(page, "ranks", FACE_UNKNOWN, phrase_ranks(d));
        add(page, "", FACE_DIM, phrase_last(&page->screen->arena, page->evidence, d));
        add_hang(page);
    }
    if (!d->n_findings) return;
    const struct code *symptom = &page->kb->symptoms[d->findings[0].symptom];
    add(page, "what", FACE_PLAIN,
        arena_printf(&page->screen->arena, STR_FMT "  " STR_FMT, STR_ARG(symptom->id),
                     STR_ARG(symptom->name)));
}

static void add_reason(struct page *page, int finding, int index) {
    const struct reason *reason = &page->diagnosis->findings[finding].reasons[index];
    struct str said = phrase_reason(&page->screen->arena, page->kb, reason);
    struct str place = place_of(page, &reason->origin);
    if (place.n)
        said =
            arena_printf(&page->screen->arena, STR_FMT "  " STR_FMT, STR_ARG(place), STR_ARG(said));
    add_item(page, "", FACE_DIM, said, SHOW_REASON, finding, index);
    page->list.rows.v[page->list.rows.n - 1].indent = page->screen->cols < 60 ? 13 : 23;
}

/* Causes of the fault that matters first; other faults under a line of their
 * own. */
static void add_causes(struct page *page) {
    const struct diagnosis *d = page->diagnosis;
    for (int i = 0, shown = 0; i < d->n_findings; i++) {
        const struct finding *finding = &d->findings[i];
        bool same = i > 0 && finding->fault == d->findings[i - 1].fault;
        shown = same ? shown + 1 : 1;
        if (shown > CAUSES_SHOWN || (i > 0 && phrase_is_minor(finding))) continue;
        if (i == 0 || finding->fault != d->findings[i - 1].fault) list_gap(&page->list);
        if (i > 0 && finding->fault != d->findings[i - 1].fault)
            add(page, "also", FACE_BOLD, finding->title);
        list_add(&page->list, screen_cause(page->screen, page->diagnosis, i, SHOW_CAUSE));
        /* the deciding reason is the fault itself, which stands above */
        for (int k = 0, n = 0; i == 0 && k < 2 * finding->n_reasons && n < REASONS_SHOWN; k++) {
            int r = k % finding->n_reasons;
            const struct reason *reason = &finding->reasons[r];
            if (reason->beside != (k >= finding->n_reasons)) continue; /* behind what weighs */
            if (reason->weight <= 0 && reason->kind != REASON_ANSWER && !reason->beside) continue;
            if (r == finding->deciding || phrase_repeats(d, &finding->reasons[r])) continue;
            add_reason(page, i, r);
            n++;
        }
    }
}

static void add_advice(struct page *page) {
    const struct diagnosis *d = page->diagnosis;
    struct arena *arena = &page->screen->arena;
    list_gap(&page->list);
    if (d->n_findings && d->findings[0].n_fixes)
        add_item(page, "do", FACE_BOLD, d->findings[0].fixes[0].title, SHOW_FIX, 0, 0);
    else if (d->n_findings && d->findings[0].n_patterns) {
        const struct code *pattern = &page->kb->patterns[d->findings[0].patterns[0]];
        add_item(page, "do", FACE_BOLD, pattern->name, SHOW_FIX, 0, 0);
    }
    if (page->early) return;
    if (d->verdict == VERDICT_FAILED)
        add_item(page, "run", FACE_PLAIN, phrase_restart(arena, &d->restart), SHOW_FIX, 0, 0);
    if (d->next.id.n)
        add_item(page, "ask", FACE_PLAIN, phrase_ask(page->kb, &d->next), SHOW_ASK, 0, 0);
}

/* What nobody knows is shown where the diagnosis is weak. */
static void add_others(struct page *page) {
    const struct diagnosis *d = page->diagnosis;
    struct arena *arena = &page->screen->arena;
    bool weak = phrase_is_weak(d);
    if (weak) list_gap(&page->list);
    for (int i = 0; weak && i < d->n_unexplained && i < OTHERS_SHOWN; i++) {
        const struct standout *row = &d->unexplained[i];
        add_item(page, i ? "" : "odd", FACE_PLAIN,
                 arena_printf(arena, STR_FMT "  " STR_FMT, STR_ARG(place_of(page, &row->origin)),
                              STR_ARG(row->text)),
                 SHOW_OTHER, i, 0);
    }
}

/* What the knowledge has that is near to it; opened, the entry itself. */
static void add_nearest(struct page *page) {
    const struct diagnosis *d = page->diagnosis;
    if (d->n_nearest) list_gap(&page->list);
    for (int i = 0; i < d->n_nearest; i++)
        add_item(page, i ? "" : "near", FACE_PLAIN,
                 phrase_near(&page->screen->arena, &page->kb->failures[d->nearest[i]]), SHOW_NEAR,
                 d->nearest[i], 0);
}

/* Where no failure was found, the last words of the logs. */
static void add_last(struct page *page) {
    int n = 0;
    if (page->diagnosis->n_findings) return;
    for (size_t i = 0; i < page->evidence->sources.n && n < LAST_SHOWN; i++) {
        const struct source *source = &page->evidence->sources.v[i];
        if (source->kind != KIND_LOG || !source->last_line.n) continue;
        if (!n) list_gap(&page->list);
        add_item(page, n++ ? "" : "last", FACE_DIM,
                 arena_printf(&page->screen->arena, STR_FMT ":%llu  " STR_FMT,
                              STR_ARG(source->path), (unsigned long long)source->last_line_no,
                              STR_ARG(source->last_line)),
                 SHOW_LAST, (int)i, 0);
    }
}

/* What helps where nothing was found: not an oracle's silence. */
static void add_hint(struct page *page) {
    const struct diagnosis *d = page->diagnosis;
    if (d->verdict != VERDICT_UNKNOWN) return;
    list_gap(&page->list);
    add(page, "try", FACE_PLAIN,
        arena_printf(&page->screen->arena, "paste more of the log here, or leave and " STR_FMT,
                     STR_ARG(phrase_unknown())));
}

static const char *const kind_words[KIND_COUNT] = {
    [KIND_LOG] = "log",
    [KIND_WORDS] = "description",
    [KIND_KERNEL] = "kernel log",
    [KIND_CONFIG] = "configuration",
    [KIND_SCRIPT] = "script",
    [KIND_ENV] = "environment dump",
    [KIND_GPU] = "GPU report",
    [KIND_SCHEDULER] = "scheduler report",
    [KIND_NETWORK] = "network report",
    [KIND_STACKS] = "stack dump",
    [KIND_FLIGHT] = "flight recording",
    [KIND_OTHER] = "other file",
    [KIND_EMPTY] = "empty file",
};

/* What could not be read, and what helps; of many the first ones. */
static void add_trouble(struct page *page, const char *label) {
    struct str rest = buf_view(&page->screen->trouble), line;
    int n = 0;
    while (str_line(&rest, &line)) {
        bool hint = str_starts(line, STR("\t"));
        n += !hint;
        if (n > TROUBLE_SHOWN) continue;
        bool last = !rest.n || n == TROUBLE_SHOWN;
        if (!hint)
            add(page, n == 1 ? label : "", FACE_UNKNOWN, line);
        else if (last || !str_has(rest, line)) /* the same hint once, behind the last */
            add(page, label[0] ? "do" : "", FACE_PLAIN, str_sub(line, 1, line.n));
    }
    if (n > TROUBLE_SHOWN)
        add(page, "", FACE_UNKNOWN,
            arena_printf(&page->screen->arena, "and %d more", n - TROUBLE_SHOWN));
}

/* True after telling why, where nothing at all could be read. */
static bool add_unread(struct page *page) {
    for (size_t i = 0; i < page->evidence->sources.n; i++)
        if (page->evidence->sources.v[i].bytes) return false;
    if (!page->screen->trouble.n) return false;
    list_gap(&page->list);
    add_trouble(page, "why");
    list_gap(&page->list);
    add(page, "or", FACE_PLAIN, STR("paste the log here"));
    return true;
}

/* "4 logs, 1 configuration": what there was to read. */
static void add_inputs(struct page *page) {
    int counts[KIND_COUNT] = {0};
    struct arena *arena = &page->screen->arena;
    struct str text = {0};
    bool none = page->screen->pasted && !page->screen->paste.n; /* all was told by a person */
    for (size_t i = 0; !none && i < page->evidence->sources.n; i++)
        counts[page->evidence->sources.v[i].kind]++;
    for (int k = 0; k < KIND_COUNT; k++)
        if (counts[k])
            text = arena_printf(arena, STR_FMT "%s%d %s%s", STR_ARG(text), text.n ? ", " : "",
                                counts[k], kind_words[k], counts[k] > 1 ? "s" : "");
    list_gap(&page->list);
    add(page, "read", FACE_DIM, text.n ? text : STR("nothing"));
    if (page->screen->stopped)
        add(page, "", FACE_UNKNOWN,
            arena_printf(arena, "you stopped after " STR_FMT ": what follows is not known",
                         STR_ARG(bars_bytes_read(page->screen))));
    add_trouble(page, "");
}

/* How the steps went, where there were enough of them. */
static void add_course(struct page *page) {
    struct arena *arena = &page->screen->arena;
    const struct course *course = page->diagnosis->course;
    struct course_row rows[COURSE_ROWS];
    int n = course_rows(arena, page->evidence, course, false, rows);
    if (n) {
        list_gap(&page->list);
        add(page, "steps", FACE_PLAIN, course_head(arena, page->evidence, course));
    }
    for (int i = 0; i < n; i++)
        add(page, rows[i].name, FACE_CODE,
            arena_printf(arena, STR_FMT "  " STR_FMT, STR_ARG(rows[i].line),
                         STR_ARG(rows[i].figures)));
    for (int i = 0; n && i < course->n_told; i++) add(page, "", FACE_UNKNOWN, course->told[i]);
}

static struct page build(struct screen *screen) {
    struct page page = page_of(screen);
    add_head(&page);
    if (add_unread(&page)) return page;
    add_saw(&page);
    add_causes(&page);
    add_advice(&page);
    if (page.early) return page;
    add_course(&page);
    add_others(&page);
    add_nearest(&page);
    add_last(&page);
    add_hint(&page);
    add_inputs(&page);
    return page;
}

static void draw(struct screen *screen, struct grid *grid, struct area area) {
    struct page page = build(screen);
    screen_draw_list(screen, &page.list, grid, area);
}

/* ---- acting --------------------------------------------------------------------------------- */

/* The last line of a source. */
static struct origin last_of(const struct page *page, int source) {
    struct origin origin = {.source = -1, .rank = -1};
    if (source < 0 || (size_t)source >= page->evidence->sources.n) return origin;
    origin.source = source;
    origin.line = (uint32_t)page->evidence->sources.v[source].last_line_no;
    return origin;
}

/* The place and the words a row stands for. */
static struct origin origin_of(const struct page *page, const struct row *row, struct str *text) {
    const struct diagnosis *d = page->diagnosis;
    const struct reason *reason;
    *text = row->text;
    switch (row->kind) {
    case SHOW_PLACE: *text = phrase_fault(d); return d->first_fault.origin;
    case SHOW_REASON:
        reason = &d->findings[row->which].reasons[row->detail];
        *text = reason->text;
        return reason->origin;
    case SHOW_FOLLOW: return d->secondary[row->which].first;
    case SHOW_OTHER:
        *text = d->unexplained[row->which].text;
        return d->unexplained[row->which].origin;
    case SHOW_LAST: return last_of(page, row->which);
    case SHOW_HANG: return last_of(page, d->rollcall->last[row->which].source);
    default: return (struct origin){.source = -1};
    }
}

static void open_row(struct page *page, const struct row *row) {
    struct screen *screen = page->screen;
    struct str text;
    if (row->kind == SHOW_CAUSE || row->kind == SHOW_FIX) {
        screen->finding = row->which;
        screen->selected[VIEW_FIX] = 0;
        screen->view = VIEW_FIX;
        return;
    }
    if (row->kind == SHOW_ASK) {
        screen->view = VIEW_WALK;
        return;
    }
    if (row->kind == SHOW_NEAR) {
        knowledge_open(screen, page->kb->failures[row->which].id);
        return;
    }
    struct origin origin = origin_of(page, row, &text);
    if (origin.source >= 0)
        log_view_open(screen, &origin);
    else
        screen_say(screen, "This stands in no file.");
}

int diagnosis_selected(struct screen *screen) {
    struct page page = build(screen);
    const struct row *row = list_item(&page.list, screen->selected[VIEW_DIAGNOSIS]);
    return row && (row->kind == SHOW_CAUSE || row->kind == SHOW_REASON) ? row->which : 0;
}

/* Rows come and go while more is read: the selected one is found again by its words, the top stays
 * the top. */
void diagnosis_renumber(struct screen *screen, struct session *before) {
    struct session *now = screen->session;
    struct finding shown = {.failure = -1};
    int *selected = &screen->selected[VIEW_DIAGNOSIS], at = 0;
    const struct diagnosis *d = session_diagnosis(before);
    if (screen->finding < d->n_findings) shown = d->findings[screen->finding];
    screen->session = before;
    struct page page = build(screen);
    const struct row *was = list_item(&page.list, *selected), *row = NULL;
    screen->session = now;
    page = build(screen);
    while (was && (row = list_item(&page.list, at)) &&
           (row->kind != was->kind || !str_eq(row->text, was->text)))
        at++;
    if (*selected > 0) *selected = row ? at : 0;
    d = session_diagnosis(now);
    bool chosen = screen->finding > 0 || screen->view == VIEW_FIX; /* else: the one that leads */
    screen->finding = 0;
    if (!chosen) return;
    for (int i = d->n_findings; i-- > 0;)
        if (d->findings[i].failure == shown.failure && d->findings[i].root == shown.root)
            screen->finding = i;
}

static bool act(struct screen *screen, enum action action) {
    if (action != ACTION_OPEN && action != ACTION_COPY) return false;
    struct page page = build(screen);
    const struct row *row = list_item(&page.list, screen->selected[VIEW_DIAGNOSIS]);
    struct str text;
    if (!row) return true;
    if (action == ACTION_OPEN) {
        open_row(&page, row);
    } else {
        origin_of(&page, row, &text);
        screen_copy(screen, text, "the line");
    }
    return true;
}

const struct view view_diagnosis = {VIEW_DIAGNOSIS, "d", "diagnosis", draw, act};
