/* Lines that all ranks write within a moment of each other, because none gets past without the
 * others: the end of a rendezvous, a barrier, the communicator of all.  Their times tell clocks
 * apart where no steps were made. */
#include "input/reader.h"
#include "text/grams.h"

/* The first barrier's key, and the rest of a line of gloo, are asked for besides. */
static const struct str marks[MEETINGS] = {
    [MEETING_RENDEZVOUS] = {"Rendezvous complete for workers", 31},
    [MEETING_BARRIER] = {"Completed store-based barrier for key:", 38},
    [MEETING_NCCL] = {" - Init COMPLETE", 16},
    [MEETING_GLOO] = {"connected peer ranks", 20},
};

bool meeting_may(struct str body, const struct grams *grams) {
    for (int kind = 0; kind < MEETINGS; kind++)
        if (grams_has(grams, body, marks[kind])) return true;
    return false;
}

void meeting_line(struct reader *reader, const struct line_seen *line, struct str body) {
    if (reader->yearless || reader->dateless) return;
    int kind = 0;
    while (kind < MEETINGS && !str_has(body, marks[kind])) kind++;
    bool later = kind == MEETING_BARRIER && !str_has(body, STR("barrier_key:1 "));
    if (kind == MEETINGS || later) return;
    if (reader->met_attempt != line->origin.attempt) memset(reader->met, 0, sizeof reader->met);
    reader->met_attempt = line->origin.attempt;
    if (!reader->met[kind]) reader->met[kind] = reader->time; /* the first is of all ranks */
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
