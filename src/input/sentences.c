/* What all steps of a log say together, as sentences that signals are written for. */
#include "input/reader.h"
#include "think/steps.h"

/* The sentence is matched, the line it is about is shown; it holds until the attempt's end. */
static void take_sentence(struct reader *reader, const struct track *at, struct str shown,
                          uint32_t until, struct str sentence, struct match_scratch *scratch) {
    struct match matches[MATCHES_MAX];
    bool is_new;
    int n = match_line(reader->matcher, scratch, sentence, 1u << IN_LINE, matches, MATCHES_MAX);
    struct line_seen line = {.text = shown.n ? shown : sentence,
                             .origin = at->origin,
                             .flags = reader->flags,
                             .trace = -1};
    for (int i = 0; i < n; i++) {
        int row = hits_add(&reader->hits, &matches[i], &line, &is_new);
        struct origin *last = &reader->evidence->hits.v[row].last;
        if (last->line < until) last->line = until;
    }
}

static void match_steps(struct reader *reader, struct match_scratch *scratch) {
    const struct track_keeper *keeper = &reader->tracks;
    const struct track *tracks = reader->evidence->tracks.v;
    int n = (int)reader->evidence->tracks.n, end;
    for (int from = 0; from < n; from = end) {
        struct step_event events[STEP_TROUBLES];
        for (end = from + 1; end < n && tracks[end].origin.attempt == tracks[from].origin.attempt;)
            end++;
        uint32_t until = end == n ? UINT32_MAX / 2 : tracks[end - 1].origin.line;
        int found = steps_judge(tracks + from, end - from, events);
        for (int i = 0; i < found; i++) {
            int at = from + events[i].at;
            bool stays = events[i].trouble != STEPS_LOSS_SPIKE;
            struct str shown = at < keeper->n ? keeper->points[at].text : (struct str){0};
            take_sentence(reader, &tracks[at], shown, stays ? until : tracks[at].origin.line,
                          steps_sentence(&reader->scratch, tracks + from, &events[i]), scratch);
        }
    }
}

static void match_laps(struct reader *reader, struct match_scratch *scratch) {
    const struct evidence *evidence = reader->evidence;
    int64_t stages = 0;
    struct told told;
    str_int(evidence_fact(evidence, STR("arg.pipeline_model_parallel_size")), &stages);
    for (int swaps = 0; swaps < 2; swaps++) {
        if (swaps ? !laps_judge_swaps(&reader->laps, &reader->scratch, &told)
                  : !laps_judge(&reader->laps, &reader->scratch, stages > 1, &told))
            continue;
        struct track at = {.origin = told.origin};
        take_sentence(reader, &at, told.sentence, UINT32_MAX / 2, told.sentence, scratch);
    }
}

void sentences_match(struct reader *reader, struct match_scratch *scratch) {
    match_steps(reader, scratch);
    match_laps(reader, scratch);
}
