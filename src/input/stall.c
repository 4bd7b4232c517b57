/* A log that goes on without steps: how long, and whether its lines tell what it does instead. */
#include <math.h>

#include "input/reader.h"
#include "think/steps.h"

/* What jobs do between steps and after the last one. */
static bool tells_pause(struct str body) {
    static const char *const words[] = {
        "eval",       "valid",   "test",     "sav",     "checkpoint", "ckpt",    "compil",
        "generat",    "predict", "infer",    "finish",  "done",       "complet", "upload",
        "push",       "export",  "merg",     "convert", "sync",       "train_",  "download",
        "preprocess", "tokeniz", "shutting", "exit"};
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (str_find_nocase(body, str_of(words[i]), 0) >= 0) return true;
    return false;
}

void stall_line(struct reader *reader, struct str body, bool step) {
    if (step)
        reader->paused = tells_pause(str_sub(body, 0, TRACK_BYTES));
    else if (!reader->paused)
        reader->paused = tells_pause(str_sub(body, 0, TRACK_BYTES));
}

/* A fact rather than a hit: whether another source tells why is not known here. */
void stall_finish(struct reader *reader) {
    struct evidence *evidence = reader->evidence;
    const struct track *tracks = evidence->tracks.v;
    const struct source *source = &evidence->sources.v[0];
    int end = (int)evidence->tracks.n, from = end;
    while (from > 0 && tracks[from - 1].origin.attempt == reader->hits.attempt) from--;
    if (reader->paused || reader->tracks.lost || from == end || source->done_last) return;
    double usual, none = steps_stalled(tracks + from, end - from, source->last_time,
                                       reader->tracks.lag, &usual);
    if (!(none > 0)) return;
    struct fact fact = {.key = STR("steps.none_for"),
                        .value = arena_printf(&reader->scratch, "%.0f", none),
                        .unit = STR("s"),
                        .origin = tracks[end - 1].origin,
                        .time = tracks[end - 1].origin.time,
                        .from = STR("log")};
    evidence_add_fact(evidence, &fact);
    fact.key = STR("steps.usual");
    fact.value = arena_printf(&reader->scratch, "%.3g", usual);
    evidence_add_fact(evidence, &fact);
}
