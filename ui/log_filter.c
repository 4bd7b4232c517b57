/* Which lines of the log are shown: of a rank, a host, at least a severity, those that say
 * something, or those that an expression matches. */
#include "ui/log_view.h"

#include "match/match.h"

enum { STEPS = 200000 };

static const struct {
    const char *word;
    int severity;
} levels[] = {{"info", 1}, {"warning", 2}, {"warn", 2}, {"error", 3}, {"fatal", 4}};

/* Of any signal that says something, or of this one. */
static bool line_has_hit(struct screen *screen, uint64_t line, int signal) {
    const struct evidence *evidence = session_evidence(screen->session);
    struct line_place place = log_line_place(screen->log, line);
    for (size_t i = 0; i < evidence->hits.n; i++) {
        const struct hit *hit = &evidence->hits.v[i];
        bool speaks = signal >= 0
                          ? hit->signal == signal
                          : session_kb(screen->session)->signals[hit->signal].role <= ROLE_WRAPPER;
        if (speaks && hit->first.source == place.source && hit->first.line == place.line)
            return true;
    }
    return false;
}

static bool line_passes(struct screen *screen, uint64_t at, uint64_t line) {
    struct log_view *log = screen->log;
    const struct filter *filter = &log->filter;
    if (filter->kind == FILTER_NONE) return true;
    if (filter->kind == FILTER_HITS) return line_has_hit(screen, line, -1);
    if (filter->kind == FILTER_SIGNAL) return line_has_hit(screen, line, filter->number);
    struct str text = log_line_text(screen, at);
    if (filter->kind == FILTER_REGEX)
        return regex_try(buf_view(&filter->text), true, text, STEPS, NULL) > 0;
    struct place place = locate_line(text, &log->custom);
    struct line_place where = log_line_place(log, line);
    const struct source *source = &session_evidence(screen->session)->sources.v[where.source];
    int rank = place.rank >= 0 ? place.rank : where.rank >= 0 ? where.rank : source->rank;
    switch (filter->kind) {
    case FILTER_RANK: return rank == filter->number;
    case FILTER_LEVEL: return place.severity >= filter->number;
    case FILTER_HOST:
        return str_eq(place.host.n ? place.host : source->host, buf_view(&filter->text));
    default: return true;
    }
}

bool log_step(struct screen *screen, uint64_t *at, uint64_t *line, int direction) {
    struct log_view *log = screen->log;
    uint64_t here = *at, number = *line;
    uint64_t budget = log->filter.kind == FILTER_NONE ? UINT64_MAX : COUNTED;
    for (;;) {
        uint64_t next =
            direction > 0 ? log_file_next(&log->file, here) : log_file_before(&log->file, here);
        if (direction > 0 ? next >= log->file.size : here == 0) return false;
        number += direction > 0 ? 1 : (uint64_t)-1;
        here = next;
        if (line_passes(screen, here, number)) break;
        if ((here > *at ? here - *at : *at - here) > budget) return false;
    }
    *at = here;
    *line = number;
    return true;
}

struct str log_filter_name(const struct screen *screen) {
    const struct filter *filter = &screen->log->filter;
    return filter->kind == FILTER_NONE ? (struct str){0} : buf_view(&filter->name);
}

/* "rank 3", "host node02", "level error", "signal cuda-oom", "hits"; else an expression. */
static bool filter_read(const struct kb *kb, struct filter *filter, struct str text,
                        struct err *err) {
    struct str rest = text, word;
    int64_t number;
    str_split(&rest, ' ', &word);
    rest = str_trim(rest);
    buf_clear(&filter->text);
    if (str_eq(text, STR("hits"))) return filter->kind = FILTER_HITS, true;
    if (str_eq(word, STR("rank")) && str_int(rest, &number))
        return filter->kind = FILTER_RANK, filter->number = (int)number, true;
    for (size_t i = 0; str_eq(word, STR("level")) && i < COUNT_OF(levels); i++)
        if (str_eq(rest, str_of(levels[i].word)))
            return filter->kind = FILTER_LEVEL, filter->number = levels[i].severity, true;
    int signal = str_eq(word, STR("signal")) ? kb_signal(kb, rest) : -1;
    if (signal >= 0) return filter->kind = FILTER_SIGNAL, filter->number = signal, true;
    bool host = str_eq(word, STR("host")) && rest.n;
    if (!host && !regex_check(text, true, err)) return false;
    buf_str(&filter->text, host ? rest : text);
    filter->kind = host ? FILTER_HOST : FILTER_REGEX;
    return true;
}

bool log_settle(struct screen *screen, int direction) {
    struct log_view *log = screen->log;
    return line_passes(screen, log->mark, log->mark_line) ||
           log_step(screen, &log->mark, &log->mark_line, direction) ||
           log_step(screen, &log->mark, &log->mark_line, -direction);
}

void log_view_filter(struct screen *screen, struct str text) {
    struct log_view *log = screen->log;
    struct err err;
    if (!log) return;
    log->filter.kind = FILTER_NONE;
    buf_clear(&log->filter.name);
    buf_str(&log->filter.name, text);
    if (text.n && !filter_read(session_kb(screen->session), &log->filter, text, &err)) {
        screen_say(screen, "%s: %s", err.what, err.detail);
    } else if (!log_settle(screen, 1)) {
        log->filter.kind = FILTER_NONE;
        screen_say(screen, "No line within 8 MB passes: " STR_FMT, STR_ARG(text));
    }
    log_scroll(screen, log_page(screen) / 3);
}
