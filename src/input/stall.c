/* A log that goes on without steps: how long, and whether its lines tell what it does instead. */
#include <math.h>

#include "input/reader.h"
#include "input/traits.h"
#include "text/grams.h"
#include "think/steps.h"

/* What jobs do between steps and after the last one. */
bool stall_pauses(struct str body, const struct grams *grams) {
    static const struct str words[] = {
        STR("eval"),     STR("valid"),      STR("test"),    STR("sav"),      STR("checkpoint"),
        STR("ckpt"),     STR("compil"),     STR("generat"), STR("predict"),  STR("infer"),
        STR("finish"),   STR("done"),       STR("complet"), STR("upload"),   STR("push"),
        STR("export"),   STR("merg"),       STR("convert"), STR("sync"),     STR("train_"),
        STR("download"), STR("preprocess"), STR("tokeniz"), STR("shutting"), STR("exit"),
        STR("reward"),   STR("rollout"),    STR("sampl"),   STR("best")};
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (grams_may(grams, words[i]) && str_find_nocase(body, words[i], 0) >= 0) return true;
    return false;
}

static bool is_looked_at(const struct reader *reader, const struct origin *origin) {
    return reader->look_all || origin->offset >= reader->tail;
}

/* Of a long log only the end is looked at whole. */
void stall_line(struct reader *reader, const struct line_seen *line, struct str body) {
    if (!is_looked_at(reader, &line->origin)) return;
    reader->ended_whole = true;
    if (line->traits->step || !reader->paused) reader->paused = traits_pause(line->traits, body);
}

/* A fact rather than a hit: whether another source tells why is not known here. */
void stall_finish(struct reader *reader) {
    struct evidence *evidence = reader->evidence;
    const struct track *tracks = evidence->tracks.v;
    const struct source *source = &evidence->sources.v[0];
    int end = (int)evidence->tracks.n, from = end;
    while (from > 0 && tracks[from - 1].origin.attempt == reader->hits.attempt) from--;
    if (!reader->ended_whole || reader->paused || reader->tracks.lost || from == end ||
        source->done_last)
        return;
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
