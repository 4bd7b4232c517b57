/* The time of a line: its own, or what the lines before it tell. */
#include "input/reader.h"

enum {
    NEIGHBOURS = 12,    /* lines looked back over for a time, */
    NEIGHBOURS_FEW = 3, /* where the last look back found none, */
    LINE_MOST = 8192    /* and none longer than this */
};

void time_take(struct reader *reader, const struct place *place) {
    if (place->time == TIME_UNKNOWN || (place->kernel && place->dateless)) return;
    int64_t time = place->time;
    bool yearless = place->yearless, dateless = place->dateless;
    bool known = reader->time != TIME_UNKNOWN;
    if (dateless && known && !reader->dateless) {
        time = moment_with_date(time, reader->time);
        dateless = false;
        yearless = reader->yearless;
    } else if (yearless && !dateless && known && reader->dated) {
        time = moment_with_year(time, reader->time);
        yearless = false;
    }
    if (dateless && known && !reader->dateless) return;
    if (yearless && known && !reader->yearless) return;
    reader->time = time;
    reader->zoned = place->zoned;
    reader->yearless = yearless;
    reader->dateless = dateless;
    if (!yearless) reader->dated = true;
    struct source *source = &reader->evidence->sources.v[0];
    bool fuller =
        source->first_time != TIME_UNKNOWN && reader->dated && !time_has_year(source->first_time);
    if (source->first_time == TIME_UNKNOWN || fuller) source->first_time = time;
    source->last_time = time;
}

void time_set(const struct reader *reader, const struct place *place, struct origin *origin) {
    bool uptime = place->kernel && place->dateless && place->time != TIME_UNKNOWN;
    origin->time = uptime ? place->time : reader->time;
    origin->zoned = !uptime && reader->zoned;
    origin->yearless = uptime || (reader->yearless && reader->time != TIME_UNKNOWN);
}

void time_look_back(struct reader *reader, struct str text) {
    size_t end = text.n;
    int lines = reader->timeless ? NEIGHBOURS_FEW : NEIGHBOURS;
    for (int i = 0; i < lines && end > 0; i++) {
        const char *before = memrchr(text.p, '\n', end - 1);
        size_t from = before ? (size_t)(before - text.p) + 1 : 0;
        if (end - from > LINE_MOST) return;
        struct place place =
            locate_line((struct str){text.p + from, end - 1 - from}, &reader->custom);
        if (place.time != TIME_UNKNOWN && !place.kernel) {
            time_take(reader, &place);
            reader->timeless = false;
            return;
        }
        end = from;
    }
    reader->timeless = true;
}

bool time_lacks(const struct place *place) {
    return place->time == TIME_UNKNOWN || place->dateless || place->yearless;
}
