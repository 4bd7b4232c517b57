#include "think/roster.h"

#include "think/departure.h"
#include "think/hosts.h"
#include "think/times.h"

#include <stdlib.h>

enum {
    RANKS_MAX = 1 << 16, /* what readers note; a rank beyond is none */
    QUIET_SHARE = 4,     /* no more than one in so many is odd */
    SPOKE_MIN = 3,       /* ranks that must have spoken before silence is odd */
    TEXT_RANKS = 8,
    SELDOM = 10, /* times the usual gap between two lines */
    SIGNAL_TERM = -15,
    SIGNAL_ABRT = -6
};
static const int64_t early_ns = 60 * SECOND_NS;

/* There is one for each of perhaps a hundred thousand ranks. */
struct member {
    int64_t first_time, last_time;
    uint32_t lines;
    int code;
    int left;   /* index + 1 of the hit in which a launcher tells of its end, or 0 */
    int done;   /* the same of the line that told of its work's end */
    int source; /* index + 1 of one that bears its name, or 0 */
    bool wrote, erred;
};

struct muster {
    const struct view *view;
    struct arena scratch;                /* the members, what is counted of them, and: */
    const struct departure **departures; /* what each hit tells of one, or NULL */
    struct member *v;
    int n, wrote, erred;
};

static struct member *member_of(struct muster *muster, int rank) {
    return rank >= 0 && rank < muster->n ? &muster->v[rank] : NULL;
}

/* detectron2 and its like: the log that the others' names begin with, "log.txt" beside
 * "log.txt.rank1", is rank 0's.  Empty: none is named so. */
static struct str log_of_rank_0(const struct evidence *evidence) {
    for (size_t i = 0; i < evidence->sources.n; i++) {
        struct str path = evidence->sources.v[i].path;
        ptrdiff_t at = evidence->sources.v[i].rank > 0 ? str_find(path, STR(".rank"), 0) : -1;
        if (at > 0) return str_sub(path, 0, (size_t)at);
    }
    return (struct str){0};
}

static void read_voices(struct muster *muster) {
    const struct evidence *evidence = muster->view->evidence;
    struct str zero = log_of_rank_0(evidence);
    for (size_t i = 0; i < evidence->voices.n; i++) {
        const struct voice *voice = &evidence->voices.v[i];
        struct member *member = member_of(muster, voice->rank);
        if (!member) continue;
        member->wrote = true;
        member->lines += voice->lines;
        int chosen = muster->view->chosen[voice->source];
        member->erred |= voice->erred && (!chosen || voice->erred == chosen);
        if (voice->last_time == TIME_UNKNOWN) continue;
        if (member->last_time == TIME_UNKNOWN || voice->last_time > member->last_time)
            member->last_time = voice->last_time;
        if (member->first_time == TIME_UNKNOWN || voice->first_time < member->first_time)
            member->first_time = voice->first_time;
    }
    for (size_t i = 0; i < evidence->ranks.n; i++) {
        struct member *member = member_of(muster, evidence->ranks.v[i]);
        if (member) member->wrote = true;
    }
    for (size_t i = 0; i < evidence->sources.n; i++) {
        struct member *member = member_of(muster, evidence->sources.v[i].rank);
        bool first = muster->n && evidence->sources.v[i].kind == KIND_LOG && zero.n &&
                     str_eq(evidence->sources.v[i].path, zero);
        if (first) muster->v[0].wrote = true;
        if (!member || muster->view->chosen[i] < 0) continue;
        member->source = (int)i + 1;
    }
}

static void read_departures(struct muster *muster) {
    const struct view *view = muster->view;
    muster->departures = ARENA_ARRAY(&muster->scratch, const struct departure *, view->n_hits + 1);
    for (int i = 0; i < view->n_hits; i++) {
        struct departure departure, *kept;
        if (!departure_read(view->hits[i]->text, &departure)) continue;
        kept = ARENA_NEW(&muster->scratch, struct departure);
        *kept = departure;
        muster->departures[i] = kept;
    }
}

/* On one node the local rank is the rank. */
static int departed_rank(const struct view *view, const struct hit *hit,
                         const struct departure *departure) {
    if (hit->first.rank >= 0 && departure->rank < 0 && departure->local_rank < 0)
        return hit->first.rank;
    if (departure->task && hit->first.rank < 0) return -1; /* whoever read it knew it for no rank */
    if (departure->rank >= 0) return departure->rank;
    bool one_node = view->nodes == 1 || (view->world_size && view->world_size <= 8);
    return one_node ? departure->local_rank : -1;
}

static void read_ends(struct muster *muster) {
    const struct view *view = muster->view;
    for (int i = 0; i < view->n_hits; i++) {
        const struct hit *hit = view->hits[i];
        enum role role = view->kb->signals[hit->signal].role;
        const struct departure *departure = muster->departures[i];
        if (departure) {
            struct member *member = member_of(muster, departed_rank(view, hit, departure));
            if (!member || member->left) continue;
            member->left = i + 1;
            member->code = departure->code;
        } else if (role == ROLE_DONE) {
            struct member *member = member_of(muster, hit->first.rank);
            if (!member || member->done || hit->flags & HIT_WORDS) continue;
            member->done = i + 1;
        }
    }
}

/* ---- who is missed -------------------------------------------------------------------------- */

static bool medians(struct muster *muster, int64_t *first, int64_t *last) {
    int64_t *times = ARENA_ARRAY(&muster->scratch, int64_t, muster->n + 1);
    int n = 0;
    for (int i = 0; i < muster->n; i++)
        if (muster->v[i].last_time != TIME_UNKNOWN) times[n++] = muster->v[i].last_time;
    if (n < SPOKE_MIN || n * QUIET_SHARE < muster->wrote * (QUIET_SHARE - 1)) return false;
    *last = times_median(times, (size_t)n);
    for (int i = 0, k = 0; i < muster->n; i++)
        if (muster->v[i].last_time != TIME_UNKNOWN) times[k++] = muster->v[i].first_time;
    *first = times_median(times, (size_t)n);
    return true;
}

/* A clock that is behind is behind at the start, too; who writes seldom is late by custom. */
static bool stopped_early(const struct member *member, int64_t first, int64_t last) {
    if (member->last_time == TIME_UNKNOWN) return false;
    int64_t behind = first > member->first_time ? first - member->first_time : 0;
    int64_t gap = last - member->last_time - behind;
    int64_t usual = (member->last_time - member->first_time) / (member->lines + 1);
    return gap >= early_ns && gap >= SELDOM * usual;
}

enum quiet { NEVER, EARLY, MUTE };

static bool is_quiet(const struct muster *muster, int rank, enum quiet quiet, int64_t first,
                     int64_t last) {
    const struct member *member = &muster->v[rank];
    switch (quiet) {
    case NEVER: return !member->wrote;
    case EARLY: return member->wrote && stopped_early(member, first, last);
    default: return member->wrote && !member->erred;
    }
}

/* The ranks that are quiet in one way; none where so many are that it is the custom. */
static int find_quiet(struct muster *muster, enum quiet quiet, int of, int **ranks) {
    int64_t first = 0, last = 0;
    *ranks = NULL;
    if (of < SPOKE_MIN || (quiet == EARLY && !medians(muster, &first, &last))) return 0;
    int *list = ARENA_ARRAY(&muster->scratch, int, muster->n + 1), n = 0;
    for (int i = 0; i < muster->n; i++)
        if (is_quiet(muster, i, quiet, first, last)) list[n++] = i;
    if (n * QUIET_SHARE > of) return 0;
    *ranks = ARENA_ARRAY(muster->view->arena, int, n + 1);
    memcpy(*ranks, list, (size_t)n * sizeof **ranks);
    return n;
}

/* ---- whom they point at --------------------------------------------------------------------- */

static bool died(const struct member *member) {
    return member->left && member->code < 0 && member->code != SIGNAL_TERM;
}

/* The C++ runtime of some process whose lines bear no name tells why it aborts. */
static bool abort_is_told(const struct view *view) {
    for (int i = 0; i < view->n_hits; i++)
        if (view->hits[i]->first.rank < 0 && str_has(view->hits[i]->text, STR("terminate called")))
            return true;
    return false;
}

/* The first member that ended in this way without a word; of those that said something the only
 * one, unless it aborted itself: what it said is why. */
static int find_departed(const struct muster *muster, bool by_signal) {
    int found = -1, spoken = -1, n_spoken = 0;
    bool told = by_signal && abort_is_told(muster->view);
    for (int i = 0; i < muster->n; i++) {
        const struct member *member = &muster->v[i];
        if (!member->left || member->code == SIGNAL_TERM || by_signal != died(member)) continue;
        if (!member->erred && found < 0 && !(told && member->code == SIGNAL_ABRT)) found = i;
        if (member->erred && member->code != SIGNAL_ABRT) spoken = i, n_spoken++;
    }
    if (found >= 0) return found;
    return by_signal && n_spoken == 1 ? spoken : -1;
}

/* Lines without ranks: an exception ends Python with status 1, so that whoever left with another
 * one wrote none of those that are there. */
static int find_own_exit(const struct muster *muster) {
    for (int i = 0; i < muster->n; i++)
        if (muster->v[i].left && muster->v[i].code > 1) return i;
    return -1;
}

/* The only one of which a launcher tells that it failed; a line about several tells no ranks. */
static int find_alone(const struct muster *muster) {
    const struct view *view = muster->view;
    int alone = -1;
    for (int i = 0; i < view->n_hits; i++) {
        const struct departure *departure = muster->departures[i];
        if (str_has(view->hits[i]->text, STR(": tasks "))) return -1;
        if (!departure || departure->code == SIGNAL_TERM) continue;
        int rank = departed_rank(view, view->hits[i], departure);
        if (rank >= 0 && alone >= 0 && rank != alone) return -1;
        if (rank >= 0) alone = rank;
    }
    return alone;
}

static uint64_t stack_hash(const struct trace *trace) {
    uint64_t hash = 0;
    for (int f = 0; f < trace->n_frames; f++)
        hash = hash * 31 + str_hash(trace->frames[f].path) + trace->frames[f].line;
    return hash;
}

/* All fell in one place but one: it had gone another way before. */
static int find_apart(struct muster *muster) {
    const struct evidence *evidence = muster->view->evidence;
    uint64_t *stacks = ARENA_ARRAY(&muster->scratch, uint64_t, evidence->traces.n + 1);
    int apart = -1, all = 0;
    for (size_t i = 0; i < evidence->traces.n; i++) {
        const struct trace *trace = &evidence->traces.v[i];
        bool counts =
            trace->end.rank >= 0 && trace->n_frames && view_holds(muster->view, &trace->end);
        stacks[i] = counts ? stack_hash(trace) : 0;
        all += counts ? (int)trace->count : 0;
    }
    for (size_t i = 0; i < evidence->traces.n; i++) {
        int same = 0;
        for (size_t k = 0; stacks[i] && k < evidence->traces.n && same < 2; k++)
            if (stacks[k] == stacks[i]) same += (int)evidence->traces.v[k].count;
        if (same != 1 || all - same < SPOKE_MIN) continue;
        if (apart >= 0) return -1;
        apart = evidence->traces.v[i].end.rank;
    }
    return apart;
}

/* It came to the end of its work, and the others wait for it. */
static int find_finished(const struct muster *muster) {
    int first = -1, n = 0;
    for (int i = 0; i < muster->n; i++) {
        if (!muster->v[i].done) continue;
        if (first < 0) first = i;
        n++;
    }
    return n && n * QUIET_SHARE <= muster->wrote && muster->erred >= SPOKE_MIN ? first : -1;
}

/* A summary repeats what the launcher said when it saw the process end. */
static const struct hit *told_first(const struct view *view, const struct hit *told) {
    struct departure own, other;
    if (!departure_read(told->text, &own) || !own.pid) return told;
    for (int i = 0; i < view->n_hits; i++) {
        const struct hit *hit = view->hits[i];
        if (hit->first.source == told->first.source && hit->first.line < told->first.line &&
            departure_read(hit->text, &other) && other.pid == own.pid)
            told = hit;
    }
    return told;
}

/* Its host, as the launcher tells it or the name of what it wrote. */
static struct str host_of(const struct view *view, const struct member *member) {
    struct departure departure;
    if (member->left && departure_read(view->hits[member->left - 1]->text, &departure) &&
        departure.host.n)
        return departure.host;
    return member->source ? view->evidence->sources.v[member->source - 1].host : (struct str){0};
}

static void choose(struct roster *roster, struct muster *muster) {
    static const char whys[][12] = {"died",   "finished", "exited", "silent",
                                    "silent", "silent",   "apart"};
    const int found[] = {find_departed(muster, true),
                         find_finished(muster),
                         muster->erred ? find_departed(muster, false) : find_own_exit(muster),
                         roster->n_never ? roster->never[0] : -1,
                         roster->n_mute ? roster->mute[0] : -1,
                         roster->n_early ? roster->early[0] : -1,
                         find_apart(muster)};
    roster->culprit = -1;
    for (size_t i = 0; i < COUNT_OF(found) && roster->culprit < 0; i++) {
        if (found[i] < 0) continue;
        roster->culprit = found[i];
        roster->why = whys[i];
    }
    if (roster->culprit < 0) return;
    const struct member *member = &muster->v[roster->culprit];
    struct str why = str_of(roster->why);
    const struct view *view = muster->view;
    const struct hit *told = NULL;
    if (member->left) roster->code = member->code;
    if (str_eq(why, STR("died")) || str_eq(why, STR("exited")))
        told = told_first(view, view->hits[member->left - 1]);
    else if (str_eq(why, STR("finished")))
        told = view->hits[member->done - 1];
    if (told) {
        roster->at = told->first;
        roster->at_text = told->text;
    }
    roster->at.rank = roster->culprit;
    struct str host = host_of(view, member);
    if (host.n) roster->at.host = host;
}

/* ---- in words ------------------------------------------------------------------------------- */

static struct str ranks_text(struct arena *arena, const int *ranks, int n) {
    struct str text = arena_printf(arena, n == 1 ? "rank" : "ranks");
    for (int i = 0, parts = 0; i < n; parts++) {
        if (parts == TEXT_RANKS) return arena_printf(arena, STR_FMT " ...", STR_ARG(text));
        int from = i;
        while (i + 1 < n && ranks[i + 1] == ranks[i] + 1) i++;
        text = arena_printf(arena, STR_FMT "%s%d", STR_ARG(text), parts ? ", " : " ", ranks[from]);
        if (i > from) text = arena_printf(arena, STR_FMT "-%d", STR_ARG(text), ranks[i]);
        i++;
    }
    return text;
}

static void add_part(struct arena *arena, struct str *text, const int *ranks, int n,
                     const char *what) {
    if (!n) return;
    struct str who = ranks_text(arena, ranks, n);
    *text = arena_printf(arena, STR_FMT "%s" STR_FMT " %s", STR_ARG(*text), text->n ? "; " : "",
                         STR_ARG(who), what);
}

static void add_hosts(struct arena *arena, struct str *text, const struct str *hosts, int n,
                      const char *what) {
    for (int i = 0; i < n && i < TEXT_RANKS; i++)
        *text = arena_printf(arena, STR_FMT "%s" STR_FMT, STR_ARG(*text),
                             i         ? ", "
                             : text->n ? "; "
                                       : "",
                             STR_ARG(hosts[i]));
    if (n)
        *text = arena_printf(arena, STR_FMT "%s %s", STR_ARG(*text), n > TEXT_RANKS ? " ..." : "",
                             what);
}

/* Hosts are told where no rank of theirs is. */
static void quiet_take(const struct view *view, struct roster *roster) {
    struct quiet_hosts quiet = hosts_quiet(view);
    int n_early = roster->n_early ? 0 : quiet.n_early;
    roster->hosts = ARENA_ARRAY(view->arena, struct str, quiet.n_never + n_early + 1);
    for (int i = 0; i < quiet.n_never; i++) roster->hosts[roster->n_hosts++] = quiet.never[i];
    for (int i = 0; i < n_early; i++) roster->hosts[roster->n_hosts++] = quiet.early[i];
    add_hosts(view->arena, &roster->text, quiet.never, quiet.n_never, "wrote nothing");
    add_hosts(view->arena, &roster->text, quiet.early, n_early,
              "stopped writing long before the others");
}

static struct str sentence(struct arena *arena, const struct roster *roster) {
    struct str text = {0};
    add_part(arena, &text, roster->never, roster->n_never, "wrote nothing");
    add_part(arena, &text, roster->early, roster->n_early,
             "stopped writing long before the others");
    add_part(arena, &text, roster->mute, roster->n_mute, "alone reported no error");
    return text;
}

/* ---- all of it ------------------------------------------------------------------------------ */

/* How many ranks there must be: what the job told, else what the names and numbers show. */
static int world_of(const struct muster *muster) {
    const struct view *view = muster->view;
    const struct evidence *evidence = view->evidence;
    int most = -1;
    for (size_t i = 0; i < evidence->ranks.n; i++)
        if (evidence->ranks.v[i] > most) most = evidence->ranks.v[i];
    for (size_t i = 0; i < evidence->sources.n; i++)
        if (view->chosen[i] >= 0 && evidence->sources.v[i].rank > most)
            most = evidence->sources.v[i].rank;
    for (int i = 0; i < view->n_hits; i++) { /* lines without prefixes: a launcher names ranks */
        const struct departure *departure = muster->departures[i];
        int rank = departure ? departed_rank(view, view->hits[i], departure) : -1;
        if (rank > most) most = rank;
    }
    if (most >= RANKS_MAX) most = RANKS_MAX - 1;
    if (view->world_size > most && view->world_size <= RANKS_MAX) return view->world_size;
    return most + 1;
}

struct roster *roster_take(const struct view *view) {
    struct roster *roster = ARENA_NEW(view->arena, struct roster);
    struct muster muster = {.view = view};
    read_departures(&muster);
    muster.n = world_of(&muster);
    *roster = (struct roster){.world = muster.n, .culprit = -1, .at = ORIGIN_NONE};
    roster->alone = find_alone(&muster);
    if (!muster.n) {
        arena_release(&muster.scratch);
        quiet_take(view, roster);
        return roster;
    }
    muster.v = ARENA_ARRAY(&muster.scratch, struct member, muster.n);
    roster->codes = ARENA_ARRAY(view->arena, int, muster.n);
    for (int i = 0; i < muster.n; i++)
        muster.v[i].first_time = muster.v[i].last_time = TIME_UNKNOWN;
    read_voices(&muster);
    read_ends(&muster);
    for (int i = 0; i < muster.n; i++) {
        roster->codes[i] = muster.v[i].code;
        muster.wrote += muster.v[i].wrote;
        muster.erred += muster.v[i].erred;
    }
    roster->seen = muster.wrote;
    roster->n_never = find_quiet(&muster, NEVER, muster.n, &roster->never);
    roster->n_early = find_quiet(&muster, EARLY, muster.wrote, &roster->early);
    roster->n_mute = find_quiet(&muster, MUTE, muster.wrote, &roster->mute);
    choose(roster, &muster);
    roster->text = sentence(view->arena, roster);
    quiet_take(view, roster);
    arena_release(&muster.scratch);
    return roster;
}

struct str roster_fact(const struct view *view, struct str name) {
    const struct roster *roster = view->roster;
    struct arena *arena = view->arena;
    if (str_eq(name, STR("why"))) return str_of(roster->why);
    if (str_eq(name, STR("culprit")) && roster->culprit >= 0)
        return arena_printf(arena, "%d", roster->culprit);
    if (str_eq(name, STR("code")) && roster->code) return arena_printf(arena, "%d", roster->code);
    if (str_eq(name, STR("text"))) return roster->text;
    return (struct str){0};
}

void roster_place(const struct view *view, struct fault_line *line) {
    const struct roster *roster = view->roster;
    if (roster->culprit < 0) return;
    if (roster->at.source >= 0) {
        line->origin = roster->at;
        line->text = roster->at_text;
    }
    line->origin.rank = roster->culprit;
    line->origin.host = roster->at.host;
}
