/* Who wrote in a source, how far, and whether an error was among it: kept for every rank, whatever
 * becomes of the lines. */
#include "input/reader.h"

enum { RANKS_MAX = 65536 /* ranks that are noted; more ranks than any job has */ };

bool voice_note(struct reader *reader, int rank, uint32_t line, int64_t time) {
    struct evidence *evidence = reader->evidence;
    if (rank < 0 || rank >= RANKS_MAX) return false;
    int row = rank_row(&reader->voice_of, rank);
    bool is_new = row < 0;
    if (is_new) {
        row = (int)evidence->voices.n;
        rank_row_add(&reader->voice_of, rank, row);
        vec_push(&evidence->arena, &evidence->ranks, rank);
        vec_push(&evidence->arena, &evidence->voices,
                 (struct voice){.rank = rank,
                                .first_line = line,
                                .first_time = TIME_UNKNOWN,
                                .last_time = TIME_UNKNOWN});
    }
    if (!line) return is_new;
    struct voice *voice = &evidence->voices.v[row];
    if (!voice->first_line) voice->first_line = line;
    voice->last_line = line;
    voice->lines++;
    if (time == TIME_UNKNOWN) return is_new;
    if (voice->first_time == TIME_UNKNOWN) voice->first_time = reader->time;
    voice->last_time = reader->time;
    return is_new;
}

void voice_error(struct reader *reader, const struct origin *origin) {
    int rank = origin->rank;
    if (rank != reader->writer) return; /* a launcher tells of it */
    int row = rank_row(&reader->voice_of, rank);
    if (row >= 0) reader->evidence->voices.v[row].erred = origin->attempt;
}

void voice_role(struct reader *reader, enum role role, const struct line_seen *line) {
    struct source *source = &reader->evidence->sources.v[0];
    uint32_t number = line->origin.line;
    if (role == ROLE_PROGRESS) source->progress_line = number;
    if (role == ROLE_DONE) {
        if (!source->done_first) source->done_first = number;
        source->done_last = number;
    }
    bool error = role == ROLE_INITIATING || role == ROLE_CASCADE;
    if (!error || line->flags & (HIT_WARNING | HIT_WORDS)) return;
    voice_error(reader, &line->origin);
    attempt_error(reader);
}

/* "[rank 3/8]": the prefixes told how many there are. */
void voices_finish(struct reader *reader) {
    rank_rows_release(&reader->voice_of);
    if (reader->world < 2) return;
    struct evidence *evidence = reader->evidence;
    struct fact fact = {.key = STR("job.world_size"),
                        .value = arena_printf(&evidence->arena, "%d", reader->world),
                        .time = TIME_UNKNOWN,
                        .origin = {.line = 1, .rank = -1, .time = TIME_UNKNOWN, .attempt = 1},
                        .from = STR("log")};
    evidence_add_fact(evidence, &fact);
}
