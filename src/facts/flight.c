/* Entries of a dump, gathered by process group. */
#include "facts/flight.h"

#include <stdio.h>

#include "facts/flight_dump.h"
#include "facts/pickle.h"
#include "facts/readers.h"
#include "facts/reading.h"

enum { DOCUMENT_ROOM = LIMIT_DOCUMENT - 4096 };

/* ---- writing the document ------------------------------------------------------------------ */

/* A step of n > 2 equal distances is a run; pairs stand alone. */
static size_t run_length(const int *ranks, size_t n) {
    size_t length = n < 2 ? n : 2;
    while (length < n && length >= 2 && ranks[length] - ranks[length - 1] == ranks[1] - ranks[0])
        length++;
    return length > 2 || (length == 2 && ranks[1] == ranks[0] + 1) ? length : n > 0;
}

struct str flight_runs(struct arena *arena, const int *ranks, size_t n) {
    struct buf out = {0};
    for (size_t i = 0; i < n;) {
        size_t length = run_length(ranks + i, n - i);
        buf_printf(&out, "%s%d", out.n ? "," : "", ranks[i]);
        if (length > 1) buf_printf(&out, "-%d", ranks[i + length - 1]);
        if (length > 1 && ranks[i + 1] - ranks[i] > 1)
            buf_printf(&out, "/%d", ranks[i + 1] - ranks[i]);
        i += length;
    }
    struct str text = arena_str(arena, buf_view(&out));
    buf_release(&out);
    return text;
}

/* A field: no tab, no line end, no control byte, nothing beyond ASCII, cut. */
static void add_field(struct buf *out, struct str text) {
    buf_char(out, '\t');
    for (size_t i = 0; i < text.n && i < 160; i++) {
        unsigned char c = (unsigned char)text.p[i];
        buf_char(out, c < 0x20 ? ' ' : c < 0x7F ? (char)c : '?');
    }
}

static void add_op(struct buf *out, const struct dump_op *op) {
    buf_printf(out, "op\t%lld", (long long)op->seq);
    add_field(out, op->name);
    buf_printf(out, "\t%.0f\t%.0f", op->in, op->out);
    add_field(out, op->type);
    add_field(out, op->state);
    buf_printf(out, "\t%lld", (long long)op->created);
    add_field(out, op->sizes);
    add_field(out, op->frame);
    buf_char(out, '\n');
}

static void add_group(struct buf *out, const struct dump_group *group) {
    buf_str(out, STR("group"));
    add_field(out, group->name);
    add_field(out, group->about);
    buf_char(out, '\t');
    buf_str(out, group->runs);
    buf_printf(out, "\t%lld\t%lld\n", (long long)group->enqueued, (long long)group->completed);
    for (int i = 0; i < group->n_pending; i++) add_op(out, &group->pending[i]);
    bool told = group->n_pending && group->pending[group->n_pending - 1].seq == group->last.seq;
    if (group->has_last && !told) add_op(out, &group->last);
}

static struct str group_title(const struct dump_group *group) {
    return group->about.n ? group->about : group->name;
}

/* The collective that the rank has waited for longest. */
static const struct dump_group *waiting(const struct dump *dump) {
    const struct dump_group *first = NULL;
    for (size_t i = 0; i < dump->groups.n; i++) {
        const struct dump_group *group = &dump->groups.v[i];
        if (!group->n_pending) continue;
        if (!first || group->pending[0].created < first->pending[0].created) first = group;
    }
    return first;
}

static void add_headline(struct buf *out, const struct dump *dump) {
    const struct dump_group *group = waiting(dump);
    char rank[32] = "a rank";
    if (dump->rank >= 0) snprintf(rank, sizeof rank, "rank %d", dump->rank);
    if (!group) {
        buf_printf(out, "flight recorder: %s has nothing pending\n", rank);
        return;
    }
    struct buf name = {0};
    add_field(&name, group->pending[0].name);
    name.p[0] = ' ';
    buf_printf(out, "flight recorder: %s waits in" STR_FMT " of", rank, STR_ARG(buf_view(&name)));
    buf_clear(&name);
    add_field(&name, group_title(group));
    name.p[0] = ' ';
    buf_printf(out, STR_FMT ", sequence number %lld\n", STR_ARG(buf_view(&name)),
               (long long)group->pending[0].seq);
    buf_release(&name);
}

static void add_last(struct buf *out, const struct dump *dump) {
    buf_str(out, STR("last"));
    if (dump->last.name.n) {
        struct str what = arena_printf(
            dump->arena, STR_FMT " of " STR_FMT ", sequence number %lld, %s" STR_FMT "%s" STR_FMT,
            STR_ARG(dump->last.name), STR_ARG(dump->last_group), (long long)dump->last.seq,
            "state ", STR_ARG(dump->last.state), dump->last.frame.n ? ", called at " : "",
            STR_ARG(dump->last.frame));
        add_field(out, what);
    } else {
        add_field(out, STR("nothing is recorded: all that it began was completed"));
    }
    buf_char(out, '\n');
}

static struct str document_of(struct arena *arena, const struct dump *dump) {
    struct buf out = {0};
    add_headline(&out, dump);
    if (dump->rank >= 0) buf_printf(&out, "rank\t%d\n", dump->rank);
    add_last(&out, dump);
    for (size_t i = 0; i < dump->groups.n && out.n < DOCUMENT_ROOM; i++) {
        size_t before = out.n;
        add_group(&out, &dump->groups.v[i]);
        if (out.n >= DOCUMENT_ROOM) out.n = before; /* half a group would mislead */
    }
    struct str text = arena_str(arena, buf_view(&out));
    buf_release(&out);
    return text;
}

struct str flight_headline(const struct evidence *evidence, int source) {
    for (size_t i = 0; i < evidence->documents.n; i++) {
        const struct document *document = &evidence->documents.v[i];
        struct str rest = document->text, line = {0};
        if (document->source != source) continue;
        if (str_eq(document->format, STR("profile"))) return document->text;
        if (!str_eq(document->format, STR("flight"))) continue;
        str_line(&rest, &line);
        return line;
    }
    return (struct str){0};
}

/* ---- facts --------------------------------------------------------------------------------- */

static void note_waiting(struct reading *reading, const struct dump *dump) {
    const struct dump_group *group = waiting(dump);
    int64_t n = 0;
    for (size_t i = 0; i < dump->groups.n; i++) {
        const struct dump_group *row = &dump->groups.v[i];
        n += row->pending_all;
        if (!row->pending_all) continue;
        note_int(reading, note_key_of(reading, "flight.enqueued.", row->name), row->enqueued);
        note_int(reading, note_key_of(reading, "flight.completed.", row->name), row->completed);
    }
    note_int(reading, STR("flight.pending"), n);
    if (!group) return;
    note(reading, STR("flight.collective"), group->pending[0].name);
    note(reading, STR("flight.group"), group_title(group));
    note_int(reading, STR("flight.seq"), group->pending[0].seq);
    note(reading, STR("flight.state"), group->pending[0].state);
    note(reading, STR("flight.sizes"), group->pending[0].sizes);
    note(reading, STR("flight.type"), group->pending[0].type);
    note(reading, STR("flight.frame"), group->pending[0].frame);
}

static void set_rank(struct evidence *evidence, int source, int rank) {
    if (rank < 0) return;
    vec_push(&evidence->arena, &evidence->ranks, rank);
    if (source >= 0 && (size_t)source < evidence->sources.n)
        evidence->sources.v[source].rank = rank;
}

static struct str path_of(const struct evidence *evidence, int source) {
    bool known = source >= 0 && (size_t)source < evidence->sources.n;
    return known ? evidence->sources.v[source].path : (struct str){0};
}

static void read_flight(struct evidence *evidence, struct str text, const struct origin *origin) {
    struct arena arena = {0};
    struct err err;
    const struct json_value *root = NULL;
    if (pickle_tell(text))
        pickle_read(&arena, text, &root, &err);
    else
        root = json_parse(&arena, text, &err);
    struct dump dump = {.arena = &arena};
    struct origin at = *origin;
    if (root && dump_read(&dump, root, path_of(evidence, origin->source), origin->rank)) {
        struct str document = document_of(&evidence->arena, &dump);
        struct reading reading;
        set_rank(evidence, origin->source, dump.rank);
        at.rank = dump.rank;
        reading_open(&reading, evidence, document, &at, "flight");
        reading.origin.line = 1;
        if (dump.rank >= 0) note_int(&reading, STR("flight.rank"), dump.rank);
        if (dump.world > 1) note_int(&reading, STR("job.world_size"), dump.world);
        note(&reading, STR("nccl.version"), dump.nccl);
        note_waiting(&reading, &dump);
        note_document(&reading, "flight", document);
        reading_close(&reading);
    } else if (origin->source >= 0 && (size_t)origin->source < evidence->sources.n) {
        struct source *source = &evidence->sources.v[origin->source];
        source->truncated = true;
        source->note = root ? "a flight-recorder dump without entries"
                            : arena_cstr(&evidence->arena, str_of(err.detail));
    }
    arena_release(&arena);
}

/* The names that every version writes; a pickle's begin within its first kilobytes. */
static int recognize(struct str head, struct str name) {
    (void)name;
    bool pickle = pickle_tell(head), json = !pickle && str_starts(str_trim(head), STR("{"));
    if (!pickle && !json) return 0;
    bool groups = str_has(head, STR("pg_config")) || str_has(head, STR("pg_status"));
    bool entry = str_has(head, STR("profiling_name")) &&
                 (str_has(head, STR("seq_id")) || str_has(head, STR("input_sizes")));
    bool version = str_has(head, STR("nccl_version")) || str_has(head, STR("entries"));
    if (entry && (pickle || groups || version)) return 97;
    return groups && version ? 95 : 0;
}

const struct fact_reader reader_flight = {.id = "flight",
                                          .about = "PyTorch flight-recorder dump (pickle, JSON)",
                                          .kind = KIND_FLIGHT,
                                          .whole = true,
                                          .recognize = recognize,
                                          .read = read_flight};
