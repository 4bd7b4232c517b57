/* Which signals hit the frames of tracebacks, whoever printed them. */
#include "input/reader.h"

/* A frame as Python prints it, whatever printed it; interleaved ranks tear the line itself apart,
 * the traceback holds it whole. */
static struct str frame_text(struct arena *arena, const struct frame *frame) {
    return arena_printf(arena, "  File \"" STR_FMT "\", line %u, in " STR_FMT, STR_ARG(frame->path),
                        frame->line, STR_ARG(frame->function));
}

static void match_frame(struct reader *reader, const struct trace *trace, struct frame *frame,
                        const bool *met, struct match_scratch *scratch) {
    struct match matches[MATCHES_MAX];
    struct line_seen line = {.text = frame_text(&reader->scratch, frame),
                             .origin = trace->origin,
                             .flags = reader->flags | HIT_IN_TRACEBACK,
                             .trace = -1};
    int n = match_line(reader->matcher, scratch, line.text, 1u << IN_FRAME, matches, MATCHES_MAX);
    frame->signals = ARENA_ARRAY(&reader->evidence->arena, int, n + 1);
    frame->n_signals = n;
    for (int i = 0; i < n; i++) {
        bool is_new;
        frame->signals[i] = matches[i].signal;
        if (!met[matches[i].signal]) hits_add(&reader->hits, &matches[i], &line, &is_new);
    }
}

/* The traceback was cut off before its exception, which an earlier line tells: that one's words are
 * the exception's. */
static void match_told(struct evidence *evidence, int at) {
    const struct trace *trace = &evidence->traces.v[at];
    if (!trace->told) return;
    for (size_t i = 0; i < evidence->hits.n; i++) {
        struct hit *hit = &evidence->hits.v[i];
        if (!(hit->flags & HIT_IN_TRACEBACK) || hit->first.line != trace->end.line) continue;
        hit->flags = (hit->flags & ~(unsigned)HIT_IN_TRACEBACK) | HIT_EXCEPTION;
        hit->trace = at;
    }
}

void frames_match(struct reader *reader, struct match_scratch *scratch) {
    struct evidence *evidence = reader->evidence;
    bool any = false;
    for (size_t t = 0; t < evidence->traces.n; t++) any |= evidence->traces.v[t].n_frames > 0;
    if (!any) return;
    bool *met = ARENA_ARRAY(&reader->scratch, bool, reader->kb->n_signals + 1);
    for (int i = 0; i < reader->kb->n_signals; i++) met[i] = reader->options->hits_only;
    for (size_t i = 0; i < evidence->hits.n; i++) met[evidence->hits.v[i].signal] = true;
    for (size_t t = 0; t < evidence->traces.n; t++) match_told(evidence, (int)t);
    for (size_t t = 0; t < evidence->traces.n; t++)
        for (int f = 0; f < evidence->traces.v[t].n_frames; f++)
            match_frame(reader, &evidence->traces.v[t], &evidence->traces.v[t].frames[f], met,
                        scratch);
}
