/* Lines that all ranks write within a moment of each other, because none gets past without the
 * others: the end of a rendezvous, a barrier, the communicator of all; and those of hosts that are
 * all ended at once by their scheduler or launcher.  Their times tell clocks apart where no steps
 * were made. */
#include "input/reader.h"
#include "text/grams.h"
#include "text/text.h"

/* The first barrier's key, and the rest of a line of gloo, are asked for besides. */
static const struct {
    struct str text;
    enum meeting kind;
} marks[] = {
    {STR("Rendezvous complete for workers"), MEETING_RENDEZVOUS},
    {STR("Completed store-based barrier for key:"), MEETING_BARRIER},
    {STR(" - Init COMPLETE"), MEETING_NCCL},
    {STR("connected peer ranks"), MEETING_GLOO},
    {STR(" CANCELLED AT "), MEETING_CANCEL},
    {STR("death signal, shutting down workers"), MEETING_TERM},
    {STR("eceived SIGTERM"), MEETING_TERM},
};

bool meeting_may(struct str body, const struct grams *grams) {
    for (size_t i = 0; i < COUNT_OF(marks); i++)
        if (grams_has(grams, body, marks[i].text)) return true;
    return false;
}

/* "*** STEP 71234.0 ON node07 CANCELLED AT 2024-05-01T12:00:00 ***", of this host: TIME_UNKNOWN
 * where it is another's. */
static int64_t time_of_cancel(struct str body, size_t at, struct str host) {
    struct moment moment;
    ptrdiff_t on = str_find(body, STR(" ON "), 0);
    if (on >= 0 && (size_t)on < at && host.n &&
        !str_eq(str_sub(body, (size_t)on + 4, at - (size_t)on - 4), host))
        return TIME_UNKNOWN;
    return moment_read(str_sub(body, at + 14, body.n), &moment) && !moment.yearless ? moment.time
                                                                                    : TIME_UNKNOWN;
}

void meeting_line(struct reader *reader, const struct line_seen *line, struct str body,
                  bool stamped) {
    ptrdiff_t at = -1;
    size_t i = 0;
    for (; i < COUNT_OF(marks); i++)
        if ((at = str_find(body, marks[i].text, 0)) >= 0) break;
    if (i == COUNT_OF(marks)) return;
    enum meeting kind = marks[i].kind;
    if (kind == MEETING_BARRIER && !str_has(body, STR("barrier_key:1 "))) return;
    bool dated = stamped && !reader->yearless && !reader->dateless;
    int64_t time = dated ? reader->time : TIME_UNKNOWN;
    if (kind == MEETING_CANCEL)
        time = time_of_cancel(body, (size_t)at, reader->evidence->sources.v[0].host);
    if (time == TIME_UNKNOWN) return;
    if (reader->met_attempt != line->origin.attempt) memset(reader->met, 0, sizeof reader->met);
    reader->met_attempt = line->origin.attempt;
    if (!reader->met[kind]) reader->met[kind] = time; /* the first is of all ranks */
}

void meetings_finish(struct reader *reader) {
    struct source *source = &reader->evidence->sources.v[0];
    const int64_t ms = 1000000;
    if (source->first_time == TIME_UNKNOWN || reader->met_attempt != reader->hits.attempt) return;
    for (int kind = 0; kind < MEETINGS; kind++) {
        int64_t since = reader->met[kind] - source->first_time;
        if (reader->met[kind] && since >= 0 && since / ms < INT32_MAX)
            source->met[kind] = (int32_t)(since / ms) + 1;
    }
}
