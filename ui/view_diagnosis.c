/* The diagnosis: one sentence, the ranked causes with bars, their reasons with their place. */
#include "ui/screen.h"

/* What can be selected: every cause, and below the first one each of its reasons. */
struct item {
    int finding, reason; /* reason -1: the cause itself */
};

static int items_of(struct screen *screen, struct item **items) {
    const struct diagnosis *diagnosis = session_diagnosis(screen->session);
    int n = 0, room = diagnosis->n_findings;
    for (int i = 0; i < diagnosis->n_findings; i++) room += diagnosis->findings[i].n_reasons;
    *items = ARENA_ARRAY(&screen->arena, struct item, room + 1);
    for (int i = 0; i < diagnosis->n_findings; i++) {
        (*items)[n++] = (struct item){i, -1};
        for (int r = 0; r < diagnosis->findings[i].n_reasons && i == 0; r++)
            (*items)[n++] = (struct item){i, r};
    }
    return n;
}

static struct str place_of(struct screen *screen, const struct origin *origin) {
    if (origin->source < 0) return (struct str){0};
    struct str path = session_evidence(screen->session)->sources.v[origin->source].path;
    return arena_printf(&screen->arena, STR_FMT ":%u", STR_ARG(path), origin->line);
}

static void draw_bar(struct grid *grid, struct area area, int row, double share) {
    static const char full[] = "\u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588";
    int cells = (int)(share * 10 + 0.5);
    grid_text(grid, area, row, 2, FACE_CODE,
              (struct str){full, (size_t)(3 * (cells > 10 ? 10 : cells))});
    grid_printf(grid, area, row, 13, FACE_BOLD, "%3.0f %%", 100 * share);
}

static int draw_cause(struct screen *screen, struct grid *grid, struct area area, int row,
                      const struct finding *finding, bool selected) {
    const struct kb *kb = session_kb(screen->session);
    struct str code = finding->root >= 0 ? kb->roots[finding->root].id : STR("?");
    draw_bar(grid, area, row, finding->confidence);
    grid_text(grid, area, row, 19, FACE_CODE, code);
    int lines = grid_wrap(grid, area, row, 25, selected ? FACE_SELECTED : FACE_PLAIN,
                          finding->why.n ? finding->why : finding->title);
    return row + lines;
}

static int draw_reason(struct screen *screen, struct grid *grid, struct area area, int row,
                       const struct reason *reason, bool selected) {
    struct str place = place_of(screen, &reason->origin);
    struct str said = reason->why.n ? reason->why : reason->text;
    if (place.n)
        said = arena_printf(&screen->arena, STR_FMT "  " STR_FMT, STR_ARG(place), STR_ARG(said));
    grid_printf(grid, area, row, 20, FACE_DIM, "%+d", reason->weight);
    grid_text(grid, area, row, 25, selected ? FACE_SELECTED : FACE_DIM, said);
    return row + 1;
}

static int draw_head(struct screen *screen, struct grid *grid, struct area area, int row) {
    static const struct {
        const char *word;
        enum face face;
    } heads[] = {{"UNKNOWN", FACE_UNKNOWN}, {"HEALTHY", FACE_HEALTHY}, {"FAILED", FACE_FAILED}};
    const struct diagnosis *diagnosis = session_diagnosis(screen->session);
    const struct kb *kb = session_kb(screen->session);
    grid_text(grid, area, row, 2, heads[diagnosis->verdict].face,
              str_of(heads[diagnosis->verdict].word));
    row += grid_wrap(grid, area, row, 11, FACE_BOLD, diagnosis->summary) + 1;
    if (!diagnosis->n_findings) return row;
    const struct code *symptom = &kb->symptoms[diagnosis->findings[0].symptom];
    grid_printf(grid, area, row, 2, FACE_DIM, "symptom");
    int col = grid_text(grid, area, row, 11, FACE_CODE, symptom->id);
    grid_text(grid, area, row++, col + 1, FACE_PLAIN, symptom->name);
    grid_printf(grid, area, row, 2, FACE_DIM, "first");
    grid_text(grid, area, row++, 11, FACE_MARK, diagnosis->first_fault.text);
    grid_text(grid, area, row++, 11, FACE_DIM, place_of(screen, &diagnosis->first_fault.origin));
    return row + 1;
}

static int draw_next(struct screen *screen, struct grid *grid, struct area area, int row) {
    const struct diagnosis *diagnosis = session_diagnosis(screen->session);
    if (diagnosis->n_findings && diagnosis->findings[0].n_fixes) {
        grid_text(grid, area, ++row, 2, FACE_DIM, STR("do (f)"));
        row +=
            grid_wrap(grid, area, row, 11, FACE_PLAIN, diagnosis->findings[0].fixes[0].title) - 1;
    }
    if (diagnosis->next.question >= 0) {
        grid_text(grid, area, ++row, 2, FACE_DIM, STR("ask (w)"));
        row += grid_wrap(grid, area, row, 11, FACE_PLAIN, diagnosis->next.text) - 1;
    }
    return row + 1;
}

static void draw(struct screen *screen, struct grid *grid, struct area area) {
    const struct diagnosis *diagnosis = session_diagnosis(screen->session);
    struct item *items;
    int n = screen->n_items = items_of(screen, &items), selected = screen->selected[VIEW_DIAGNOSIS];
    int row = draw_head(screen, grid, area, 1), first = row;
    int room = area.rows - row - 4 > 3 ? area.rows - row - 4 : 3;
    int from = selected >= room ? selected - room + 1 : 0;
    for (int i = from; i < n && row < first + room && row < area.rows; i++) {
        const struct finding *finding = &diagnosis->findings[items[i].finding];
        if (items[i].reason < 0)
            row = draw_cause(screen, grid, area, row, finding, i == selected);
        else
            row = draw_reason(screen, grid, area, row, &finding->reasons[items[i].reason],
                              i == selected);
    }
    draw_next(screen, grid, area, row);
}

static bool act(struct screen *screen, enum action action) {
    const struct diagnosis *diagnosis = session_diagnosis(screen->session);
    struct item *items;
    int n = items_of(screen, &items), at = screen->selected[VIEW_DIAGNOSIS];
    if (at >= n) return false;
    const struct finding *finding = &diagnosis->findings[items[at].finding];
    const struct reason *reason = &finding->reasons[items[at].reason < 0 ? 0 : items[at].reason];
    if (action == ACTION_OPEN) {
        if (reason->origin.source >= 0)
            log_view_open(screen, &reason->origin);
        else
            screen_say(screen, "This reason stands in no file.");
        return true;
    }
    if (action == ACTION_COPY) {
        buf_clear(&screen->copied);
        buf_str(&screen->copied, reason->text);
        screen->copy_wanted = true;
        screen_say(screen, "Copied.");
        return true;
    }
    return false;
}

const struct view view_diagnosis = {VIEW_DIAGNOSIS, "diagnosis", "what failed and why", draw, act};
