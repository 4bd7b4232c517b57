/* phrase.h - the phrases that several formats and the screen share: where a line stands, who wrote
 * it and when, what to do about running again.
 *
 * Every function returns text in the arena, empty where nothing is known. */
#ifndef FAULTLINE_PHRASE_H
#define FAULTLINE_PHRASE_H

#include "model/diagnosis.h"

enum { PHRASE_TIME = 32 };
/* Nanoseconds since 1970 as strftime's format says, in UTC; cut to the room. */
void phrase_time(int64_t time, const char *format, char text[PHRASE_TIME]);

/* At most `most` bytes, whole characters, with " ..." where something was left out. */
struct str phrase_cut(struct arena *arena, struct str text, size_t most);
/* The same of a signal's line (-1: none), cut before too where what the signal hit by would be left
 * out: "... CUDA out of memory ...". */
struct str phrase_around(struct arena *arena, const struct kb *kb, int signal, struct str text,
                         size_t most);
/* "rank2.log:20" */
struct str phrase_place(struct arena *arena, const struct evidence *evidence,
                        const struct origin *origin);
/* "rank 2 on node7, 02:12:20" */
struct str phrase_who(struct arena *arena, const struct origin *origin);
/* "rank 2 on node7, 02:12:20, after step 410": the same of the first fault, with its step. */
struct str phrase_when(struct arena *arena, const struct fault_line *fault);
/* "fit.py:40 in collate: return rows[0]": where in the program; empty where no traceback tells. */
struct str phrase_frame(struct arena *arena, const struct fault_line *fault);
/* "in training" */
struct str phrase_stage(enum stage stage);
/* "again without node17; last complete checkpoint: ckpt/global_step100" */
struct str phrase_restart(struct arena *arena, const struct restart *restart);
/* Nobody knows the failure: what nobody explained is worth showing. */
bool phrase_is_weak(const struct diagnosis *diagnosis);
/* A cause behind the first one that is not worth a line. */
bool phrase_is_minor(const struct finding *finding);
/* The open question; of one that fits every failure, whose words alone say little, what it is for.
 */
struct str phrase_ask(const struct kb *kb, const struct next_step *next);
/* "14 further lines of 3 ranks only follow from it" */
struct str phrase_follows(struct arena *arena, const struct diagnosis *diagnosis);
/* "{{ds.steps|half}}", which nothing fills where no job is, as "<half of ds.steps>";
 * "{{path|PATH}}" as "PATH". */
struct str phrase_template(struct arena *arena, struct str text);
/* A cause in words: its entry's, or the taxonomy's where no entry speaks. */
struct str phrase_cause(const struct kb *kb, const struct finding *finding);
/* The same, named by its failure or its stage where the diagnosis' first finding is of another. */
struct str phrase_rival(struct arena *arena, const struct kb *kb, const struct diagnosis *diagnosis,
                        const struct finding *finding);
/* Why a reason speaks for its cause: its author's words, a question with its answer, or the line.
 */
struct str phrase_reason(struct arena *arena, const struct kb *kb, const struct reason *reason);
/* What would let a diagnosis find more, where it found nothing. */
struct str phrase_unknown(void);
/* The id and title of an entry that is near to what no entry knows. */
struct str phrase_near(struct arena *arena, const struct failure *failure);
/* "ranks 3 and 5-6 wrote nothing"; empty where none is silent. */
struct str phrase_ranks(const struct diagnosis *diagnosis);
/* "rank 13 wrote last: ... (rank13.log:60)", where the others point at one that fell silent; else
 * empty. */
struct str phrase_last(struct arena *arena, const struct evidence *evidence,
                       const struct diagnosis *diagnosis);
/* What to show of the first fault: its line, or who did not come, which no line says. */
struct str phrase_fault(const struct diagnosis *diagnosis);
/* True for a reason that would only show the line of the fault, or the code above it, again. */
bool phrase_repeats(const struct diagnosis *diagnosis, const struct reason *reason);

/* Who, when, in which stage, and what only follows, each behind its separator: ", rank 2, in
 * training; ...". */
struct str phrase_circumstances(struct arena *arena, const struct diagnosis *diagnosis);

/* "rank 3: The GPU ran out of memory: ... (job.log:12)", for a fault beside the first. */
struct str phrase_other_fault(struct arena *arena, const struct kb *kb,
                              const struct evidence *evidence, const struct finding *finding);

/* "4711  failed: ...", for another job of the folder. */
struct str phrase_job(struct arena *arena, const struct diagnosis *job);

#endif
