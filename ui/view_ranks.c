/* Every rank of the job at a glance: who broke, who only followed, who said nothing. */
#include "ui/screen.h"

#include "report/phrase.h"
#include "report/timeline.h"

#include <stdlib.h>

enum state { RANK_NEVER, RANK_QUIET, RANK_FOLLOWS, RANK_EARLY, RANK_FAILED, RANK_CULPRIT };

static const struct {
    char sign;
    enum face face;
    const char *about;
} looks[] = {
    /* it may have written: lines of one file for all need not say whose they are */
    [RANK_NEVER] = {'_', FACE_UNKNOWN, "named by no line"},
    [RANK_QUIET] = {'.', FACE_DIM, "no failure reported"},
    [RANK_FOLLOWS] = {'o', FACE_PLAIN, "only consequences"},
    [RANK_EARLY] = {'<', FACE_UNKNOWN, "stopped early"},
    [RANK_FAILED] = {'x', FACE_MARK, "a failure of its own"},
    [RANK_CULPRIT] = {'!', FACE_FAILED, "the first fault"},
};

/* While more is being read, a rank without a line may still have one. */
static const char *about(const struct screen *screen, int state) {
    return state == RANK_NEVER && screen->reading ? "not read yet" : looks[state].about;
}

struct ranks {
    struct screen *screen;
    const struct evidence *evidence;
    const struct diagnosis *diagnosis;
    unsigned char *states; /* by rank */
    int n;
};

enum { RANKS_MOST = 1 << 17, NAMED_MOST = 6 };

static int rank_count(const struct evidence *evidence, const struct diagnosis *diagnosis) {
    int n = diagnosis->world_size;
    if (diagnosis->roster && diagnosis->roster->world > n) n = diagnosis->roster->world;
    for (size_t i = 0; i < evidence->ranks.n; i++)
        if (evidence->ranks.v[i] >= n) n = evidence->ranks.v[i] + 1;
    return n < RANKS_MOST ? n : RANKS_MOST;
}

static void raise_state(struct ranks *ranks, int rank, enum state state) {
    if (rank >= 0 && rank < ranks->n && ranks->states[rank] < state)
        ranks->states[rank] = (unsigned char)state;
}

static int rank_of_hit(const struct ranks *ranks, const struct hit *hit) {
    return hit->first.rank >= 0 ? hit->first.rank
                                : ranks->evidence->sources.v[hit->first.source].rank;
}

/* What fails behind the first fault follows from it, unless it is a fault that stands alone. */
static bool is_apart(const struct ranks *ranks, int failure, const struct origin *origin) {
    const struct diagnosis *d = ranks->diagnosis;
    const struct origin *fault = &d->first_fault.origin;
    if (!d->first_fault.known) return true;
    for (int i = 0; i < d->n_findings; i++)
        if (d->findings[i].failure == failure && d->findings[i].fault > 1) return true;
    return origin && origin->time != TIME_UNKNOWN && fault->time != TIME_UNKNOWN &&
           origin->yearless == fault->yearless && origin->time < fault->time;
}

/* `origin`: of a line that is kept, else NULL. */
static void raise_role(struct ranks *ranks, int rank, const struct signal *signal,
                       const struct origin *origin) {
    if (signal->role == ROLE_INITIATING && is_apart(ranks, signal->failure, origin))
        raise_state(ranks, rank, RANK_FAILED);
    else if (signal->role <= ROLE_WRAPPER && signal->role != ROLE_TEARDOWN)
        raise_state(ranks, rank, RANK_FOLLOWS);
}

/* Of a signal that many ranks hit only some lines are kept, but the ranks of all. */
static void take_rests(struct ranks *ranks) {
    const struct signal *signals = session_kb(ranks->screen->session)->signals;
    for (size_t i = 0; i < ranks->evidence->rests.n; i++) {
        const struct hit_rest *rest = &ranks->evidence->rests.v[i];
        for (int c = 0; c < rest->ranks.n; c++)
            for (int r = 0; r < RANK_CHUNK; r++)
                if (rest->ranks.chunks[c].bits[r / 64] >> r % 64 & 1)
                    raise_role(ranks, rest->ranks.chunks[c].at * RANK_CHUNK + r,
                               &signals[rest->signal], NULL);
    }
}

static void take_hits(struct ranks *ranks) {
    const struct signal *signals = session_kb(ranks->screen->session)->signals;
    for (size_t i = 0; i < ranks->evidence->hits.n; i++) {
        const struct hit *hit = &ranks->evidence->hits.v[i];
        if (hit->flags & (HIT_WARNING | HIT_ADVICE | HIT_WORDS)) continue;
        raise_role(ranks, rank_of_hit(ranks, hit), &signals[hit->signal], &hit->first);
    }
    take_rests(ranks);
}

static struct ranks ranks_of(struct screen *screen) {
    struct ranks ranks = {.screen = screen,
                          .evidence = session_evidence(screen->session),
                          .diagnosis = session_diagnosis(screen->session)};
    const struct roster *roster = ranks.diagnosis->roster;
    ranks.n = rank_count(ranks.evidence, ranks.diagnosis);
    ranks.states = ARENA_ARRAY(&screen->arena, unsigned char, ranks.n + 1);
    for (size_t i = 0; i < ranks.evidence->ranks.n; i++)
        raise_state(&ranks, ranks.evidence->ranks.v[i], RANK_QUIET);
    if (ranks.diagnosis->verdict != VERDICT_FAILED) return ranks;
    take_hits(&ranks);
    for (int i = 0; roster && i < roster->n_early; i++)
        raise_state(&ranks, roster->early[i], RANK_EARLY);
    int first = ranks.diagnosis->first_fault.known ? ranks.diagnosis->first_fault.origin.rank : -1;
    if (first < 0 && roster && roster->at.source >= 0) first = roster->culprit; /* others tell it */
    raise_state(&ranks, first, RANK_CULPRIT);
    return ranks;
}

/* As many ranks on a row as fit, a power of two so that nodes line up. */
static int row_ranks(int cols) {
    int n = 8;
    while (n < 64 && 2 * n * 2 + 8 <= cols) n *= 2;
    return n;
}

/* Before anybody chose: who broke first. */
static int *selected_of(const struct ranks *ranks) {
    int *selected = &ranks->screen->selected[VIEW_RANKS];
    for (int r = 0; *selected < 0 && r < ranks->n; r++)
        if (ranks->states[r] == RANK_CULPRIT) *selected = r;
    if (*selected >= ranks->n) *selected = ranks->n - 1;
    if (*selected < 0) *selected = 0;
    return selected;
}

static void draw_cells(const struct ranks *ranks, struct grid *grid, struct area area) {
    int per_row = row_ranks(area.cols), selected = *selected_of(ranks);
    int rows = (ranks->n + per_row - 1) / per_row, top = 0;
    if (rows > area.rows) top = selected / per_row - area.rows / 2;
    if (top > rows - area.rows) top = rows - area.rows;
    if (top < 0) top = 0;
    for (int row = 0; row < area.rows && top + row < rows; row++) {
        int first = (top + row) * per_row;
        grid_printf(grid, area, row, 1, FACE_DIM, "%5d", first);
        for (int i = 0; i < per_row && first + i < ranks->n; i++) {
            int state = ranks->states[first + i], col = 8 + 2 * i;
            bool here = first + i == selected;
            grid->target = TARGET_ITEM + (uint32_t)(first + i);
            grid_text(grid, area, row, col, here ? FACE_FOUND : looks[state].face,
                      (struct str){&looks[state].sign, 1});
            grid->target = 0;
        }
    }
    list_draw_more(grid, area, top > 0, top + area.rows < rows);
}

/* "ranks 3, 11, 1257": those in a state, where they are few. */
static struct str names_of(const struct ranks *ranks, int state, int n) {
    struct arena *arena = &ranks->screen->arena;
    struct str text = {0};
    if (n > NAMED_MOST) return text;
    for (int r = 0; r < ranks->n; r++)
        if (ranks->states[r] == state)
            text = arena_printf(arena, STR_FMT "%s%d", STR_ARG(text), text.n ? ", " : "", r);
    return arena_printf(arena, ": rank%s " STR_FMT, n == 1 ? "" : "s", STR_ARG(text));
}

/* How many ranks are in each state. */
static void add_legend(const struct ranks *ranks, struct list *list) {
    struct arena *arena = &ranks->screen->arena;
    for (int state = RANK_CULPRIT; state >= RANK_NEVER; state--) {
        int n = 0;
        for (int r = 0; r < ranks->n; r++) n += ranks->states[r] == state;
        if (!n) continue;
        struct str names = n < ranks->n ? names_of(ranks, state, n) : (struct str){0};
        struct str text =
            arena_printf(arena, "%d %s" STR_FMT, n, about(ranks->screen, state), STR_ARG(names));
        list_add(list, (struct row){.lead = {{4, looks[state].face, {&looks[state].sign, 1}}},
                                    .indent = 8,
                                    .text = text});
    }
}

/* The line of a rank that says most: of the earliest fault, else a consequence, else nothing. */
static const struct hit *line_of(const struct ranks *ranks, int rank) {
    const struct signal *signals = session_kb(ranks->screen->session)->signals;
    const struct hit *best = NULL;
    for (size_t i = 0; i < ranks->evidence->hits.n; i++) {
        const struct hit *hit = &ranks->evidence->hits.v[i];
        enum role role = signals[hit->signal].role;
        if (rank_of_hit(ranks, hit) != rank || role > ROLE_WRAPPER || role == ROLE_TEARDOWN)
            continue;
        bool better = !best || role < signals[best->signal].role ||
                      (role == signals[best->signal].role && hit->first.line < best->first.line);
        if (better) best = hit;
    }
    return best;
}

static int source_of_rank(const struct ranks *ranks, int rank) {
    for (size_t i = 0; i < ranks->evidence->sources.n; i++)
        if (ranks->evidence->sources.v[i].rank == rank) return (int)i;
    for (size_t i = 0; i < ranks->evidence->voices.n; i++)
        if (ranks->evidence->voices.v[i].rank == rank) return ranks->evidence->voices.v[i].source;
    return -1;
}

static void add_selected(const struct ranks *ranks, struct list *list) {
    struct arena *arena = &ranks->screen->arena;
    int rank = *selected_of(ranks), source = source_of_rank(ranks, rank);
    const struct hit *hit = line_of(ranks, rank);
    list_gap(list);
    struct str file = source >= 0 ? ranks->evidence->sources.v[source].path : STR("no file");
    list_add(list, (struct row){.indent = 2,
                                .face = FACE_TITLE,
                                .text = arena_printf(arena, "rank %d: %s, " STR_FMT, rank,
                                                     about(ranks->screen, ranks->states[rank]),
                                                     STR_ARG(file))});
    if (!hit) return;
    list_add(list, (struct row){.indent = 2,
                                .face = FACE_DIM,
                                .text = phrase_place(arena, ranks->evidence, &hit->first)});
    list_add(list, (struct row){.indent = 2, .text = hit->text, .most = 2});
}

/* The job by time, as `faultline timeline` draws it; its first lines tell what the diagnosis does.
 */
static void add_timeline(const struct ranks *ranks, struct list *list) {
    struct arena *arena = &ranks->screen->arena;
    const struct kb *kb = session_kb(ranks->screen->session);
    struct buf out = {0};
    timeline_text(&out, ranks->evidence, ranks->diagnosis,
                  timeline_take(arena, kb, ranks->evidence, ranks->diagnosis), ranks->screen->cols,
                  false);
    struct str text = arena_str(arena, buf_view(&out)), line;
    buf_release(&out);
    while (text.n && str_line(&text, &line) && line.n) {
    }
    list_gap(list);
    while (text.n && str_line(&text, &line))
        list_add(list, (struct row){.lead = {{0, FACE_DIM, line}}}); /* it takes all columns */
}

static void draw(struct screen *screen, struct grid *grid, struct area area) {
    struct ranks ranks = ranks_of(screen);
    struct list list = {.arena = &screen->arena};
    if (!ranks.n) {
        grid_text(grid, area, 1, 2, FACE_DIM, STR("The inputs tell of no ranks."));
        return;
    }
    struct str missed = ranks.diagnosis->roster ? ranks.diagnosis->roster->text : (struct str){0};
    if (missed.n) list_add(&list, (struct row){.indent = 2, .face = FACE_UNKNOWN, .text = missed});
    add_legend(&ranks, &list);
    add_selected(&ranks, &list);
    add_timeline(&ranks, &list);
    int per_row = row_ranks(area.cols), rows = (ranks.n + per_row - 1) / per_row;
    int most = area.rows > 16 ? area.rows - 12 : area.rows / 2;
    struct area cells = {area.row + 1, area.col, rows < most ? rows : most, area.cols};
    draw_cells(&ranks, grid, cells);
    int used = cells.rows + 2, none = 0;
    struct area rest = {area.row + used, area.col, area.rows - used, area.cols};
    if (rest.rows > 0) list_draw(&list, grid, rest, &none, &screen->scroll[VIEW_RANKS]);
}

static void open_rank(const struct ranks *ranks) {
    int rank = *selected_of(ranks), source = source_of_rank(ranks, rank);
    const struct hit *hit = line_of(ranks, rank);
    struct origin origin = {.source = source, .line = 1, .rank = rank};
    if (hit)
        origin = hit->first;
    else if (source >= 0)
        origin.line = (uint32_t)ranks->evidence->sources.v[source].last_line_no;
    log_view_open(ranks->screen, &origin);
}

/* The next rank that is not like most: what one jumps between. */
static void jump_odd(const struct ranks *ranks, int direction) {
    int counts[COUNT_OF(looks)] = {0}, usual = 0, *selected = selected_of(ranks);
    for (int r = 0; r < ranks->n; r++) counts[ranks->states[r]]++;
    for (size_t s = 0; s < COUNT_OF(looks); s++)
        if (counts[s] > counts[usual]) usual = (int)s;
    for (int r = *selected + direction; r >= 0 && r < ranks->n; r += direction)
        if (ranks->states[r] != usual) {
            *selected = r;
            return;
        }
    screen_say(ranks->screen, "No other rank %s differs from most.",
               direction > 0 ? "after this one" : "before this one");
}

static bool act(struct screen *screen, enum action action) {
    struct ranks ranks = ranks_of(screen);
    int *selected = &screen->selected[VIEW_RANKS], per_row = row_ranks(screen->cols);
    int page = screen->rows > 20 ? screen->rows / 3 : 3; /* what stands below the ranks */
    if (!ranks.n) return false;
    selected_of(&ranks);
    switch (action) {
    case ACTION_LEFT: *selected -= *selected > 0; return true;
    case ACTION_RIGHT: *selected += *selected < ranks.n - 1; return true;
    case ACTION_UP: *selected -= *selected >= per_row ? per_row : 0; return true;
    case ACTION_DOWN: *selected += *selected + per_row < ranks.n ? per_row : 0; return true;
    case ACTION_PAGE_UP: screen->scroll[VIEW_RANKS] -= page; return true;
    case ACTION_PAGE_DOWN: screen->scroll[VIEW_RANKS] += page; return true;
    case ACTION_TOP: *selected = 0; return true;
    case ACTION_BOTTOM: *selected = ranks.n - 1; return true;
    case ACTION_HIT_NEXT: jump_odd(&ranks, 1); return true;
    case ACTION_HIT_BACK: jump_odd(&ranks, -1); return true;
    case ACTION_OPEN: open_rank(&ranks); return true;
    default: return false;
    }
}

const struct view view_ranks = {VIEW_RANKS, "r", "ranks", draw, act};
