#include "think/hosts.h"

#include "text/chars.h"
#include "think/times.h"

enum {
    QUIET_SHARE = 4, /* no more than one in so many is odd */
    SPOKE_MIN = 2,
    TIMED_MIN = 3
};
static const int64_t early_ns = 120 * SECOND_NS, clock_ns = 30 * SECOND_NS;

/* ---- lists --------------------------------------------------------------------------------- */

static bool all_digits(struct str s) {
    for (size_t i = 0; i < s.n; i++)
        if (!is_digit(s.p[i])) return false;
    return s.n > 0;
}

/* "01-03" or "7" between what stands before and behind the bracket. */
static int expand_range(struct str before, struct str range, struct str after, struct arena *arena,
                        struct str *names, int n) {
    struct str low = {0};
    int64_t from, to;
    str_split(&range, '-', &low);
    struct str high = range.n ? range : low;
    if (!all_digits(low) || !all_digits(high) || !str_int(low, &from) || !str_int(high, &to))
        return n;
    for (int64_t k = 0; k <= to - from && n < HOSTS_MOST; k++)
        names[n++] = arena_printf(arena, STR_FMT "%0*lld" STR_FMT, STR_ARG(before), (int)low.n,
                                  (long long)(from + k), STR_ARG(after));
    return n;
}

static int expand_one(struct str part, struct arena *arena, struct str *names, int n) {
    ptrdiff_t open = str_find(part, STR("["), 0), close = str_find(part, STR("]"), 0);
    if (open < 0 || close < open) {
        if (part.n && n < HOSTS_MOST) names[n++] = part;
        return n;
    }
    struct str before = str_sub(part, 0, (size_t)open),
               after = str_sub(part, (size_t)close + 1, part.n);
    struct str ranges = str_sub(part, (size_t)open + 1, (size_t)(close - open) - 1), range;
    while (str_split(&ranges, ',', &range)) n = expand_range(before, range, after, arena, names, n);
    return n;
}

int hosts_expand(struct str list, struct arena *arena, struct str *names) {
    int n = 0, depth = 0;
    size_t from = 0;
    for (size_t i = 0; i <= list.n; i++) {
        char c = i < list.n ? list.p[i] : ',';
        if (c == '[') depth++;
        if (c == ']') depth--;
        if (c != ',' || depth) continue;
        n = expand_one(str_trim(str_sub(list, from, i - from)), arena, names, n);
        from = i + 1;
    }
    return n;
}

/* ---- who wrote ----------------------------------------------------------------------------- */

struct host {
    struct str name;
    bool wrote;
    int64_t first, last; /* TIME_UNKNOWN: its logs tell none */
};

struct hosts {
    struct host *v;
    int n, wrote;
};

/* The names that a host file or the scheduler lists. */
static int read_lists(const struct view *view, struct str *names) {
    const struct evidence *evidence = view->evidence;
    const struct str lists[] = {STR("env.SLURM_JOB_NODELIST"), STR("slurm.nodelist")};
    int n = 0;
    for (size_t i = 0; i < evidence->facts.n && n < HOSTS_MOST; i++)
        if (str_eq(evidence->facts.v[i].key, STR("hostfile.host")))
            names[n++] = evidence->facts.v[i].value;
    for (size_t k = 0; k < COUNT_OF(lists) && !n; k++)
        n = hosts_expand(evidence_fact(evidence, lists[k]), view->arena, names);
    return n;
}

static struct host *host_called(const struct hosts *hosts, struct str name) {
    for (int i = 0; i < hosts->n && name.n; i++)
        if (evidence_same_host(hosts->v[i].name, name)) return &hosts->v[i];
    return NULL;
}

static struct hosts hosts_of(const struct view *view) {
    struct hosts hosts = {0};
    bool listed = false;
    for (size_t i = 0; i < view->evidence->facts.n && !listed; i++) {
        struct str key = view->evidence->facts.v[i].key;
        listed = str_eq(key, STR("hostfile.host")) || str_ends(key, STR("NODELIST")) ||
                 str_eq(key, STR("slurm.nodelist"));
    }
    if (!listed) return hosts;
    struct str *names = ARENA_ARRAY(view->arena, struct str, HOSTS_MOST);
    int n = read_lists(view, names);
    hosts.v = ARENA_ARRAY(view->arena, struct host, n + 1);
    for (int i = 0; i < n; i++)
        if (!host_called(&hosts, names[i]))
            hosts.v[hosts.n++] = (struct host){names[i], false, TIME_UNKNOWN, TIME_UNKNOWN};
    return hosts;
}

static void heard(struct hosts *hosts, struct str name) {
    struct host *host = host_called(hosts, name);
    if (!host || host->wrote) return;
    host->wrote = true;
    hosts->wrote++;
}

static void hear_all(const struct view *view, struct hosts *hosts) {
    const struct evidence *evidence = view->evidence;
    for (size_t i = 0; i < evidence->sources.n; i++) {
        const struct source *source = &evidence->sources.v[i];
        if (source->kind != KIND_LOG || view->chosen[i] < 0 || !source->lines) continue;
        heard(hosts, source->host);
        struct host *host = host_called(hosts, source->host);
        if (!host || source->last_time == TIME_UNKNOWN) continue;
        if (host->last == TIME_UNKNOWN || source->last_time > host->last)
            host->last = source->last_time;
        if (host->first == TIME_UNKNOWN || source->first_time < host->first)
            host->first = source->first_time;
    }
    for (int i = 0; i < view->n_hits; i++) {
        heard(hosts, view->hits[i]->first.host);
        heard(hosts, view->hits[i]->last.host);
    }
    for (size_t i = 0; i < evidence->tracks.n; i++) heard(hosts, evidence->tracks.v[i].origin.host);
    for (size_t i = 0; i < evidence->traces.n; i++) heard(hosts, evidence->traces.v[i].end.host);
}

/* ---- who is missed ------------------------------------------------------------------------- */

static bool is_odd(int quiet, int of) {
    return quiet == 1 || quiet * QUIET_SHARE <= of;
}

/* A clock that is behind is behind at the start, too. */
static void find_early(const struct view *view, const struct hosts *hosts,
                       struct quiet_hosts *quiet) {
    int64_t *firsts = ARENA_ARRAY(view->arena, int64_t, hosts->n + 1);
    int64_t *lasts = ARENA_ARRAY(view->arena, int64_t, hosts->n + 1);
    int n = 0;
    for (int i = 0; i < hosts->n; i++) {
        if (hosts->v[i].last == TIME_UNKNOWN) continue;
        firsts[n] = hosts->v[i].first;
        lasts[n++] = hosts->v[i].last;
    }
    if (n < TIMED_MIN) return;
    int64_t first = times_median(firsts, (size_t)n), last = times_median(lasts, (size_t)n);
    for (int i = 0; i < hosts->n; i++) {
        const struct host *host = &hosts->v[i];
        if (host->last == TIME_UNKNOWN || last - host->last < early_ns) continue;
        if (first - host->first > clock_ns) continue;
        quiet->early[quiet->n_early++] = host->name;
    }
    if (!is_odd(quiet->n_early, n)) quiet->n_early = 0;
}

struct quiet_hosts hosts_quiet(const struct view *view) {
    struct quiet_hosts quiet = {0};
    struct hosts hosts = hosts_of(view);
    if (hosts.n < 2) return quiet;
    hear_all(view, &hosts);
    int least = hosts.n == 2 ? 1 : SPOKE_MIN, never = hosts.n - hosts.wrote;
    if (hosts.wrote < least) return quiet;
    quiet.never = ARENA_ARRAY(view->arena, struct str, hosts.n);
    quiet.early = ARENA_ARRAY(view->arena, struct str, hosts.n);
    for (int i = 0; i < hosts.n && is_odd(never, hosts.n); i++)
        if (!hosts.v[i].wrote) quiet.never[quiet.n_never++] = hosts.v[i].name;
    find_early(view, &hosts, &quiet);
    return quiet;
}

static struct str host_named(const struct view *view, const struct hit *hit) {
    const struct signal *signal = &view->kb->signals[hit->signal];
    for (int i = 0; i < signal->n_groups && i < hit->n_captures; i++)
        if (hit->captures[i].n && str_eq(signal->groups[i], STR("node"))) return hit->captures[i];
    return (struct str){0};
}

static bool is_signal_of(const struct failure *failure, int signal) {
    for (int i = 0; i < failure->n_signals; i++)
        if (failure->signals[i] == signal) return true;
    return false;
}

int hosts_failed(const struct view *view, const struct failure *failure, struct str nodes[2]) {
    int n = 0;
    for (int i = 0; i < view->n_hits && failure && n < 2; i++) {
        struct str node = host_named(view, view->hits[i]);
        if (!node.n || !is_signal_of(failure, view->hits[i]->signal)) continue;
        if (!n || !str_eq(nodes[0], node)) nodes[n++] = node;
    }
    return n;
}

int hosts_of_fault(const struct view *view, const struct failure *failure, int signal,
                   struct str own, struct str hosts[2]) {
    int n = hosts_failed(view, failure, hosts);
    if (n) return n;
    if (own.n) hosts[n++] = own;
    for (int i = 0; i < view->n_hits && n < 2; i++) {
        const struct hit *hit = view->hits[i];
        if (hit->signal != signal || !hit->first.host.n) continue;
        if (!n || !str_eq(hosts[0], hit->first.host)) hosts[n++] = hit->first.host;
    }
    return n;
}
