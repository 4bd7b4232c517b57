/* facts.h - readers of known formats: text in, facts out.
 *
 * One file a format, one table of readers.  A reader never runs anything and never fails: what it
 * does not understand it leaves out.  The same readers serve recorded files of a job folder and the
 * output of live probes.  Knows no signal and no cause.
 */
#ifndef FAULTLINE_FACTS_H
#define FAULTLINE_FACTS_H

#include "model/evidence.h"

enum { FACTS_HEAD = 64 * 1024 /* bytes of a file's beginning that tell what it is */ };

/* How a document of any size is read: in pieces, with a state of fixed size that begins as zeros.
 */
struct fact_stream {
    size_t state;
    void (*feed)(void *state, struct str piece);
    void (*end)(void *state, struct evidence *evidence, const struct origin *origin);
};

struct fact_reader {
    const char *id;    /* "nvidia-smi", "ds_config", "env" ... */
    const char *about; /* one line for help */
    enum kind kind;    /* what a file of this format is */
    bool whole;        /* one document: read as a whole, up to a bound, and by this reader alone */
    /* How sure the reader is that the text (of a file the first FACTS_HEAD bytes, and its name) is
     * of its format: 0 no .. 100 certain. */
    int (*recognize)(struct str head, struct str name);
    /* Adds facts (and documents) to evidence.  origin: source, host and time of the text. */
    void (*read)(struct evidence *evidence, struct str text, const struct origin *origin);
    const struct fact_stream *stream; /* of a whole document that may be too large for memory */
};
extern const struct fact_reader *const fact_readers[];
extern const int n_fact_readers;

/* The reader that is surest (ties: first in the table), or NULL if none is sure by 50. */
const struct fact_reader *facts_recognize(struct str head, struct str name);
struct alike; /* keeps what all lines alike tell, for whatever logs; of one thread */
struct alike *facts_heads_new(void);
/* What the heads of some logs tell of those that other ranks of their job wrote: lines that gave no
 * fact there give none here, whatever their digits.  NULL: there is no such log.  On the heap, to
 * be freed. */
struct head_kin;
struct head_kin *facts_head_kin_new(void);
void facts_head_learn(struct head_kin *kin, struct str text); /* the head of one more */
/* Reads facts that stand inside a log: version banners, launch command lines, env blocks,
 * printed configurations.  Called once per source with its first 256 KiB of mended text. */
void facts_read_log_head(struct evidence *evidence, struct str text, const struct origin *origin,
                         struct alike *alike, const struct head_kin *kin);
/* True for variables whose value must never be shown (names with TOKEN, KEY, SECRET, PASSWORD ...).
 */
bool fact_is_secret(struct str name);
/* True for facts that say how a machine is at the moment (memory used, processes, free space) and
 * not what it is.  Read by a probe, they say nothing about the moment of an earlier failure. */
bool fact_is_state(struct str key);
/* Adds `clash.NAME` for each contradiction among the facts (RANK beyond WORLD_SIZE, an interface
 * that this machine lacks) and `env.not_forwarded`, the variables that DeepSpeed's launcher would
 * not hand to other nodes.  Each value is a clause that a person can read. */
void facts_clash(struct evidence *evidence);

#endif
