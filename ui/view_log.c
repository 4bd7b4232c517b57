/* The log at a line: what it says is marked, the first fault most.  What came
 * through a stream or an archive cannot be read again; of that the lines that
 * were kept are shown. */
#include "ui/screen.h"

#include "match/match.h"
#include "text/text.h"
#include "ui/log_file.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    LINE_SHOWN = 64 * 1024,
    COUNTED = 8 << 20,       /* sources up to this size are counted from their start */
    SEARCH_BYTES = 64 << 20, /* looked through for one key */
    MATCHES_PAINTED = 8
};

struct log_view {
    int source; /* index into evidence.sources */
    struct log_file file;
    struct buf kept;   /* the lines that were kept, where the text itself is gone */
    uint32_t *numbers; /* of the kept lines, NULL: it is the text itself; owned */
    uint32_t n_numbers;
    uint64_t top, top_line;   /* offset and number of the first line shown */
    uint64_t mark, mark_line; /* of the one that the user is on */
    int shift;                /* columns left out on the left */
    bool searched;            /* matches of the screen's pattern are shown */
    char raw[LINE_SHOWN];     /* the line being drawn */
};

void log_view_release(struct log_view *log) {
    if (!log) return;
    log_file_close(&log->file);
    buf_release(&log->kept);
    free(log->numbers);
    free(log);
}

static const struct source *source_of(const struct screen *screen, int source) {
    return &session_evidence(screen->session)->sources.v[source];
}

/* ---- opening
 * ----------------------------------------------------------------------------------
 */

struct kept {
    uint32_t line;
    struct str text;
};

static int compare_kept(const void *a, const void *b) {
    const struct kept *x = a, *y = b;
    if (x->line != y->line) return x->line < y->line ? -1 : 1;
    return y->text.n > x->text.n ? 1 : y->text.n < x->text.n ? -1 : str_cmp(x->text, y->text);
}

/* Hits, the ends of tracebacks, lines that stand out and the last one, in file
 * order. */
static size_t gather_kept(struct screen *screen, int source, struct kept **rows) {
    const struct evidence *e = session_evidence(screen->session);
    size_t n = 0;
    *rows = ARENA_ARRAY(&screen->arena, struct kept, e->hits.n + e->traces.n + e->standouts.n + 1);
    for (size_t i = 0; i < e->hits.n; i++)
        if (e->hits.v[i].first.source == source)
            (*rows)[n++] = (struct kept){e->hits.v[i].first.line, e->hits.v[i].text};
    for (size_t i = 0; i < e->traces.n; i++)
        if (e->traces.v[i].end.source == source)
            (*rows)[n++] = (struct kept){e->traces.v[i].end.line, e->traces.v[i].text};
    for (size_t i = 0; i < e->standouts.n; i++)
        if (e->standouts.v[i].origin.source == source)
            (*rows)[n++] = (struct kept){e->standouts.v[i].origin.line, e->standouts.v[i].text};
    const struct source *row = source_of(screen, source);
    if (row->last_line.n) (*rows)[n++] = (struct kept){(uint32_t)row->last_line_no, row->last_line};
    qsort(*rows, n, sizeof **rows, compare_kept);
    return n;
}

static bool open_kept(struct screen *screen, struct log_view *log) {
    struct kept *rows;
    size_t n = gather_kept(screen, log->source, &rows);
    log->numbers = calloc(n + 1, sizeof *log->numbers);
    if (!log->numbers) base_out_of_memory();
    for (size_t i = 0; i < n; i++) {
        if (!rows[i].line || (i && rows[i].line == rows[i - 1].line)) continue;
        log->numbers[log->n_numbers++] = rows[i].line;
        buf_str(&log->kept, rows[i].text);
        buf_char(&log->kept, '\n');
    }
    log_file_memory(&log->file, buf_view(&log->kept));
    return log->n_numbers > 0;
}

static bool open_text(struct screen *screen, struct log_view *log, struct err *err) {
    const struct source *source = source_of(screen, log->source);
    log->file.fd = -1;
    if (screen->pasted) {
        log_file_memory(&log->file, buf_view(&screen->paste));
        return true;
    }
    if (source->file.n)
        return log_file_open(&log->file, arena_cstr(&screen->arena, source->file), err);
    if (open_kept(screen, log)) return true;
    return err_set(err, "it came through a stream or an archive, and no line of it was kept", NULL,
                   "cannot show it again");
}

/* The number that a person knows a line by. */
static uint64_t number_of(const struct log_view *log, uint64_t line) {
    if (!log->numbers) return line;
    return line >= 1 && line <= log->n_numbers ? log->numbers[line - 1] : 0;
}

/* Puts the mark on a line: by its offset in a large text, counted from the
 * start in a small one. */
static void place_mark(struct screen *screen, struct log_view *log, const struct origin *origin) {
    uint64_t line = origin->line ? origin->line : 1;
    log->mark = 0;
    log->mark_line = 1;
    if (log->numbers) {
        while (log->mark_line < log->n_numbers && log->numbers[log->mark_line - 1] < line)
            log->mark_line++;
        line = log->mark_line;
        log->mark_line = 1;
    } else if (source_of(screen, log->source)->bytes > COUNTED && origin->offset) {
        log->mark = log_file_line_start(&log->file, origin->offset);
        log->mark_line = line;
        return;
    }
    const struct source *source = source_of(screen, log->source);
    if (source->bytes > COUNTED && line > source->lines / 2) { /* it is nearer to the end */
        log->mark = log_file_line_start(&log->file, log->file.size ? log->file.size - 1 : 0);
        log->mark_line = source->lines;
    }
    int64_t by = (int64_t)line - (int64_t)log->mark_line;
    log->mark_line += (uint64_t)log_file_move(&log->file, &log->mark, by);
}

static int page_of(const struct screen *screen) {
    return screen->rows > 6 ? screen->rows - 5 : 1;
}

static void scroll_to_mark(struct log_view *log, int above) {
    log->top = log->mark;
    log->top_line = log->mark_line + (uint64_t)log_file_move(&log->file, &log->top, -above);
}

void log_view_open(struct screen *screen, const struct origin *origin) {
    const struct evidence *evidence = session_evidence(screen->session);
    struct err err;
    if (origin->source < 0 || (size_t)origin->source >= evidence->sources.n) {
        screen_say(screen, "There is no log to show.");
        return;
    }
    struct log_view *log = calloc(1, sizeof *log);
    if (!log) base_out_of_memory();
    log->source = origin->source;
    if (!open_text(screen, log, &err)) {
        screen_say(screen, "%s: %s", err.what, err.detail);
        log_view_release(log);
        return;
    }
    log_view_release(screen->log);
    screen->log = log;
    place_mark(screen, log, origin);
    scroll_to_mark(log, page_of(screen) / 3);
    screen->view = VIEW_LOG;
}

static bool can_show(const struct screen *screen, int source) {
    enum kind kind = source_of(screen, source)->kind;
    return kind != KIND_OTHER && kind != KIND_EMPTY;
}

static void go_bottom(struct screen *screen) {
    struct log_view *log = screen->log;
    const struct source *source = source_of(screen, log->source);
    log->mark = log_file_line_start(&log->file, log->file.size ? log->file.size - 1 : 0);
    if (log->numbers)
        log->mark_line = log->n_numbers;
    else if (source->lines)
        log->mark_line = source->lines;
    if (source->bytes <= COUNTED || !source->lines) {
        log->mark = 0;
        log->mark_line = 1 + (uint64_t)log_file_move(&log->file, &log->mark, INT64_MAX);
    }
    scroll_to_mark(log, page_of(screen) - 1);
}

void log_view_open_fault(struct screen *screen) {
    const struct diagnosis *diagnosis = session_diagnosis(screen->session);
    const struct evidence *evidence = session_evidence(screen->session);
    if (diagnosis->first_fault.known) {
        log_view_open(screen, &diagnosis->first_fault.origin);
        return;
    }
    int source = 0;
    while ((size_t)source < evidence->sources.n && evidence->sources.v[source].kind != KIND_LOG)
        source++;
    for (int i = 0; (size_t)source >= evidence->sources.n && (size_t)i < evidence->sources.n; i++)
        if (can_show(screen, i)) source = i;
    log_view_open(screen, &(struct origin){.source = source, .line = 1, .rank = -1});
    if (screen->view == VIEW_LOG && screen->log) go_bottom(screen);
}

/* ---- what the lines say
 * ------------------------------------------------------------------------- */

static bool says_something(const struct screen *screen, const struct hit *hit) {
    return session_kb(screen->session)->signals[hit->signal].role <= ROLE_WRAPPER;
}

/* The hit of a line that matters most, or NULL. */
static const struct hit *hit_at(const struct screen *screen, int source, uint64_t number) {
    const struct evidence *evidence = session_evidence(screen->session);
    const struct signal *signals = session_kb(screen->session)->signals;
    const struct hit *best = NULL;
    for (size_t i = 0; i < evidence->hits.n; i++) {
        const struct hit *hit = &evidence->hits.v[i];
        if (hit->first.source != source || !says_something(screen, hit)) continue;
        if (hit->first.line != number && hit->last.line != number) continue;
        if (!best || signals[hit->signal].role < signals[best->signal].role) best = hit;
    }
    return best;
}

static bool is_fault(const struct screen *screen, int source, uint64_t number) {
    const struct fault_line *fault = &session_diagnosis(screen->session)->first_fault;
    return fault->known && fault->origin.source == source && fault->origin.line == number;
}

/* A line as a terminal would leave it: mended, of overwritten pieces the last,
 * secrets masked. */
static struct str line_text(struct screen *screen, struct log_view *log, uint64_t at) {
    struct buf mended = {0};
    mend_line(&mended, log_file_line(&log->file, at, log->raw, LINE_SHOWN));
    struct str pieces = buf_view(&mended), piece, text = {0};
    while (pieces.n && str_line(&pieces, &piece))
        if (str_trim(piece).n) text = piece;
    text = mask_secrets(&screen->arena, text);
    buf_release(&mended);
    return text;
}

static struct str skip_columns(struct str text, int columns) {
    while (columns > 0 && text.n) {
        size_t n = 1;
        while (n < text.n && ((unsigned char)text.p[n] & 0xc0) == 0x80) n++;
        columns -= grid_columns(str_sub(text, 0, n));
        text = str_sub(text, n, text.n);
    }
    return text;
}

/* ---- drawing
 * -------------------------------------------------------------------------------------
 */

static void draw_title(struct screen *screen, struct grid *grid, struct area area) {
    struct log_view *log = screen->log;
    const struct evidence *evidence = session_evidence(screen->session);
    int n = 0, at = 0;
    for (int i = 0; (size_t)i < evidence->sources.n; i++) {
        if (!can_show(screen, i)) continue;
        n++;
        if (i == log->source) at = n;
    }
    double percent = log->file.size ? 100.0 * (double)log->mark / (double)log->file.size : 0;
    struct str right = arena_printf(&screen->arena, "file %d of %d, %.0f %%", at, n, percent);
    if (log->numbers) right = STR("only the lines that were kept");
    int edge = area.cols - (int)right.n - 1;
    struct area left = area;
    if (edge > 20) {
        grid_text(grid, area, 0, edge, FACE_DIM, right);
        left.cols = edge - 1;
    }
    grid_printf(grid, left, 0, 1, FACE_TITLE, STR_FMT ":%llu",
                STR_ARG(source_of(screen, log->source)->path),
                (unsigned long long)number_of(log, log->mark_line));
}

/* Columns for the numbers on a page. */
static int number_width(const struct log_view *log, int page) {
    uint64_t last = log->numbers ? number_of(log, log->n_numbers) : log->top_line + (uint64_t)page;
    int width = 6;
    for (uint64_t ten = 1000000; last >= ten && width < 16; ten *= 10) width++;
    return width;
}

/* Lights up where the searched expression matches in what a row shows. */
static void paint_matches(struct screen *screen, struct grid *grid, struct area area, int row,
                          int col, struct str text) {
    struct str pattern = buf_view(&screen->search), rest = text;
    struct match match;
    for (int n = 0; n < MATCHES_PAINTED && rest.n; n++) {
        if (regex_try(pattern, true, rest, 100000, &match) <= 0 || match.end <= match.start) return;
        size_t before = text.n - rest.n + match.start;
        grid_text(grid, area, row, col + grid_columns(str_sub(text, 0, before)), FACE_FOUND,
                  str_sub(text, before, match.end - match.start));
        rest = str_sub(rest, match.end, rest.n);
    }
}

static void draw_line(struct screen *screen, struct grid *grid, struct area area, int row,
                      uint64_t at, uint64_t line, int width) {
    struct log_view *log = screen->log;
    uint64_t number = number_of(log, line);
    bool fault = is_fault(screen, log->source, number), marked = line == log->mark_line;
    bool hit = fault || hit_at(screen, log->source, number);
    struct str text = skip_columns(line_text(screen, log, at), log->shift);
    enum face face = fault ? FACE_FAILED : hit ? FACE_MARK : marked ? FACE_SELECTED : FACE_PLAIN;
    if (marked) grid_text(grid, area, row, 0, FACE_TITLE, STR(">"));
    grid_printf(grid, area, row, 1, FACE_DIM, "%*llu", width, (unsigned long long)number);
    if (hit) grid_text(grid, area, row, width + 2, FACE_MARK, fault ? STR("!") : STR("*"));
    grid_text(grid, area, row, width + 4, face, text);
    if (log->searched) paint_matches(screen, grid, area, row, width + 4, text);
}

/* What the line says that the user is on. */
static void draw_meaning(struct screen *screen, struct grid *grid, struct area area) {
    struct log_view *log = screen->log;
    uint64_t number = number_of(log, log->mark_line);
    const struct hit *hit = hit_at(screen, log->source, number);
    bool fault = is_fault(screen, log->source, number);
    if (!hit && !fault) return;
    int row = area.rows - 1, col = 1;
    if (fault) col = grid_text(grid, area, row, 1, FACE_FAILED, STR("first fault: "));
    const struct diagnosis *diagnosis = session_diagnosis(screen->session);
    int signal = fault ? diagnosis->first_fault.signal : hit->signal;
    struct str says = signal >= 0             ? session_kb(screen->session)->signals[signal].says
                      : diagnosis->n_findings ? diagnosis->findings[0].title
                                              : (struct str){0};
    grid_text(grid, area, row, col, FACE_BOLD, says);
}

static void draw(struct screen *screen, struct grid *grid, struct area area) {
    struct log_view *log = screen->log;
    if (!log) {
        grid_text(grid, area, 1, 2, FACE_DIM, STR("There is no log to show."));
        return;
    }
    int page = area.rows - 2;
    if (page >= 1 && log->mark_line >= log->top_line + (uint64_t)page)
        scroll_to_mark(log, page - 1); /* the screen became smaller */
    draw_title(screen, grid, area);
    uint64_t at = log->top, line = log->top_line;
    int width = number_width(log, page);
    for (int row = 1; row <= page && at < log->file.size; row++, line++) {
        draw_line(screen, grid, area, row, at, line, width);
        at = log_file_next(&log->file, at);
    }
    if (page >= 1) draw_meaning(screen, grid, area);
}

/* ---- moving
 * --------------------------------------------------------------------------------------
 */

/* Keeps the mark on the page. */
static void follow_mark(struct screen *screen) {
    struct log_view *log = screen->log;
    uint64_t page = (uint64_t)page_of(screen);
    if (log->mark_line < log->top_line)
        scroll_to_mark(log, 0);
    else if (log->mark_line >= log->top_line + page)
        scroll_to_mark(log, (int)page - 1);
}

static void move_mark(struct screen *screen, int64_t by) {
    struct log_view *log = screen->log;
    log->mark_line += (uint64_t)log_file_move(&log->file, &log->mark, by);
    follow_mark(screen);
}

static void jump_hit(struct screen *screen, int direction) {
    const struct evidence *evidence = session_evidence(screen->session);
    const struct log_view *log = screen->log;
    const struct origin *best = NULL;
    int64_t here = (int64_t)number_of(log, log->mark_line), least = INT64_MAX;
    for (size_t i = 0; i < evidence->hits.n; i++) {
        const struct hit *hit = &evidence->hits.v[i];
        if (hit->first.source != log->source || !says_something(screen, hit)) continue;
        int64_t distance = ((int64_t)hit->first.line - here) * direction;
        if (distance > 0 && distance < least) best = &hit->first, least = distance;
    }
    if (best)
        log_view_open(screen, best);
    else
        screen_say(screen, direction > 0 ? "Nothing further below; s goes to the next log."
                                         : "Nothing further above; S goes to the log before.");
}

/* Where one wants to be in another log: its first line that says something,
 * else its end. */
static void turn_source(struct screen *screen, int direction) {
    const struct evidence *evidence = session_evidence(screen->session);
    int n = (int)evidence->sources.n, source = screen->log->source;
    do source = (source + direction + n) % n;
    while (source != screen->log->source && !can_show(screen, source));
    if (source == screen->log->source) {
        screen_say(screen, "There is no other log.");
        return;
    }
    const struct origin *first = NULL;
    for (size_t i = 0; i < evidence->hits.n && !first; i++)
        if (evidence->hits.v[i].first.source == source &&
            says_something(screen, &evidence->hits.v[i]))
            first = &evidence->hits.v[i].first;
    struct origin top = {.source = source, .line = 1, .rank = -1};
    log_view_open(screen, first ? first : &top);
    if (!first && screen->log->source == source) go_bottom(screen);
}

void log_view_search(struct screen *screen, int direction) {
    struct log_view *log = screen->log;
    struct err err;
    struct str pattern = buf_view(&screen->search);
    if (!log) return;
    if (!pattern.n) {
        screen_say(screen, "/ begins a search.");
        return;
    }
    if (!regex_check(pattern, true, &err)) {
        screen_say(screen, "%s: %s", err.what, err.detail);
        return;
    }
    int64_t lines;
    log->searched = true;
    int found = log_file_search(&log->file, pattern, direction, SEARCH_BYTES, &log->mark, &lines);
    if (found == 0) {
        screen_say(screen, "No match %s: " STR_FMT, direction > 0 ? "below" : "above",
                   STR_ARG(pattern));
        return;
    }
    if (found < 0) screen_say(screen, "No match within 64 MB; the same key looks further.");
    log->mark_line += (uint64_t)lines;
    bool near = log->mark_line >= log->top_line &&
                log->mark_line < log->top_line + (uint64_t)page_of(screen);
    if (!near) scroll_to_mark(log, page_of(screen) / 3);
}

static bool act_move(struct screen *screen, enum action action) {
    int page = page_of(screen);
    struct log_view *log = screen->log;
    switch (action) {
    case ACTION_UP: move_mark(screen, -1); return true;
    case ACTION_DOWN: move_mark(screen, 1); return true;
    case ACTION_PAGE_UP: move_mark(screen, -page); return true;
    case ACTION_PAGE_DOWN: move_mark(screen, page); return true;
    case ACTION_TOP:
        log->mark = 0;
        log->mark_line = 1;
        follow_mark(screen);
        return true;
    case ACTION_BOTTOM: go_bottom(screen); return true;
    case ACTION_LEFT: log->shift = log->shift > 20 ? log->shift - 20 : 0; return true;
    case ACTION_RIGHT: log->shift = log->shift < 4000 ? log->shift + 20 : log->shift; return true;
    default: return false;
    }
}

static bool act(struct screen *screen, enum action action) {
    if (!screen->log) return false;
    if (act_move(screen, action)) return true;
    switch (action) {
    case ACTION_SEARCH:
        screen->searching = true;
        screen->log->searched = false;
        buf_clear(&screen->search);
        return true;
    case ACTION_SEARCH_NEXT: log_view_search(screen, 1); return true;
    case ACTION_SEARCH_BACK: log_view_search(screen, -1); return true;
    case ACTION_HIT_NEXT: jump_hit(screen, 1); return true;
    case ACTION_HIT_BACK: jump_hit(screen, -1); return true;
    case ACTION_SOURCE_NEXT: turn_source(screen, 1); return true;
    case ACTION_SOURCE_BACK: turn_source(screen, -1); return true;
    case ACTION_COPY:
        screen_copy(screen, line_text(screen, screen->log, screen->log->mark), "the line");
        return true;
    default: return false;
    }
}

const struct view view_log = {VIEW_LOG, "l", "log", draw, act};
