/* diagnosis.h - the answer: what failed, why, how sure, what to do.  Plain structs; knows neither
 * how they were found (think/) nor how they are shown (report/, ui/). */
#ifndef FAULTLINE_DIAGNOSIS_H
#define FAULTLINE_DIAGNOSIS_H

#include "model/evidence.h"

enum verdict { VERDICT_UNKNOWN, VERDICT_HEALTHY, VERDICT_FAILED };
enum ended {
    ENDED_UNKNOWN,
    ENDED_FINISHED,
    ENDED_FAILED,
    ENDED_CANCELLED,
    ENDED_TIME_LIMIT,
    ENDED_PREEMPTED,
    ENDED_NODE_FAILURE,
    ENDED_CUT,
    ENDED_RUNNING
};
enum { ENDED_COUNT = 9 };
extern const char *const verdict_names[3];
extern const char *const ended_names[ENDED_COUNT]; /* [0] is NULL: null in a report */

enum reason_kind { REASON_LOG, REASON_FILE, REASON_PROBE, REASON_ANSWER };
extern const char *const reason_kind_names[4];

struct reason {
    enum reason_kind kind;
    int signal;           /* index into kb.signals, -1 none */
    struct str text;      /* the physical line, or "key = value" */
    struct str why;       /* what it says about the cause; may be empty */
    struct origin origin; /* origin.source -1: no place */
    uint32_t count;       /* lines or ranks that say the same */
    int weight;           /* decibans */
    bool beside;          /* weighs nothing: a line that tells more of the first fault */
    bool echo;            /* of these, code that its traceback echoes */
};

/* One cause of one failure, as an explanation of one fault. */
struct finding {
    int fault;   /* 1-based number of the fault it explains */
    int failure; /* index into kb.failures, -1: the fallback */
    int cause;   /* index into its causes, -1: the fallback */
    enum stage stage;
    int symptom, root; /* indexes into kb, root -1: the input does not tell */
    int patterns[3], n_patterns;
    struct str title, why;
    int score;               /* decibans, comparable within one diagnosis only */
    double share;            /* of its fault's probability, 0..1 */
    double confidence;       /* calibrated, 0..1 */
    struct reason *reasons;  /* the most telling first */
    int n_reasons, deciding; /* deciding: the one that the failure was found by */
    struct fix *fixes;       /* with {{...}} filled */
    struct str *diffs;       /* for each fix a unified diff, or empty */
    int n_fixes;
    int *questions; /* indexes into kb.questions still worth asking */
    int n_questions;
    int hit;    /* index into evidence.hits of the deciding hit, -1 none */
    bool study; /* nothing in the input shows it: one of the study's causes, raised by answers */
};

struct fault_line {
    bool known;
    struct origin origin;
    struct str text; /* the line there; empty where it is a document of the flight recorder */
    int signal;      /* -1: the fallback */
    bool called;     /* told by the roll call: the place is that of the rank that did not come */
    int64_t step;    /* the last one told before it, -1: none, or not in training */
    const struct frame
        *frame; /* where in the program, of its own files where it is known; or NULL */
};

struct secondary {
    int signal, ranks, consequence_of; /* consequence_of: a signal, -1 unknown */
    uint32_t count;
    struct origin first;
};

struct restart {
    enum { RESTART_UNKNOWN, RESTART_AS_IS, RESTART_WITHOUT_NODE, RESTART_AFTER_CHANGE } advice;
    struct str *exclude;
    int n_exclude;
    struct str command;                  /* how the scheduler is told, or empty */
    struct str checkpoint;               /* the last complete one, or empty */
    int64_t checkpoint_step, steps_lost; /* -1: not told */
    int64_t seconds_lost;                /* since it was written, or since the job began; -1 */
    int gpus;                            /* that these seconds count for */
    bool cut;                            /* a later checkpoint was begun and not finished */
    bool spoiled;                        /* one was written when the loss was no number any more */
    struct str basis;                    /* what the advice is based on */
};

struct next_step {
    int question;  /* index into kb.questions, -1: none, or one of the taxonomy's (see-stage) */
    struct str id; /* of the question; empty: none */
    struct str text, probe;
    struct str *choices; /* their ids */
    int n_choices;
};

/* Why a cause ranks where it does, and what would raise it. */
struct why_not_clue {
    enum { CLUE_FOR, CLUE_AGAINST, CLUE_MISSING } kind; /* missing: would raise the cause */
    int weight;                                         /* decibans, 0: unknown */
    struct str text, why;             /* what was seen, or what would have to be */
    struct str question, choice, how; /* that would settle it; empty: no question does */
};
struct why_not {
    int failure, cause;
    struct str why;
    int rank, of; /* among all causes of the fault, from 1; 0: its entry was not considered */
    double share; /* of the fault's probability */
    int prior;    /* percent among the causes of its failure */
    int behind;   /* decibans behind the first cause */
    struct why_not_clue *clues;
    int n_clues;
};

/* Who came to the collective that a job hangs in. */
struct hang_last {
    int rank, source;
    struct str what; /* what it did last */
};
struct rollcall {
    const char *kind;             /* "missing", "mismatch", "stalled": all came, not all got on */
    struct str group, collective; /* "EXPERT_MODEL_PARALLEL_GROUP", "nccl:all_to_all" */
    int64_t seq;
    int *missing, *mismatched, *stalled; /* ranks, ascending */
    int n_missing, n_mismatched, n_stalled;
    int waiting, members;   /* how many wait in it, how many it has */
    bool undumped;          /* the missing ones left nothing, so that only their silence tells */
    struct hang_last *last; /* of those ranks, at most HANG_LAST */
    int n_last;
    struct str text; /* one sentence */
};
enum { HANG_LAST = 16 };

/* Ranks that should have been heard and were not, and the one that the rest of the job points at.
 */
struct roster {
    int world, seen;     /* world: told, or the ranks that the names and numbers show */
    int *codes;          /* by rank: how a launcher saw it end; 0: not told */
    int *never, n_never; /* wrote nothing */
    int *early, n_early; /* stopped writing long before the others */
    int *mute, n_mute;   /* alone reported no error */
    int alone;           /* the only rank that a launcher saw fail; -1: none, or several */
    int culprit;         /* -1: nothing points at one rank */
    const char *why;     /* see think/roster.h; NULL without culprit */
    int code;            /* its exit code where a launcher told it; < 0: a signal */
    struct origin at;    /* the line that tells of it; source -1: none does */
    struct str at_text;
    struct str *hosts; /* listed somewhere; wrote nothing, or stopped long before the others */
    int n_hosts;
    struct str text; /* one sentence; empty where nobody is missed */
};

/* The course of a run's steps, from the source that tells most of it. */
struct course {
    int source;
    int first, n;     /* its readings: evidence.tracks[first .. first + n - 1] */
    double *pace;     /* at each: seconds a step, or what goes with it; NaN unknown */
    double seconds;   /* a step usually takes; NaN unknown */
    struct str *told; /* what stands out, a phrase each: "loss 9.87 from step 1200 to the end" */
    int n_told;
};

struct diagnosis {
    enum verdict verdict;
    enum ended ended;
    enum stage stage;
    int job;                 /* that it is about, counted from 1; 0: there is one job */
    struct str job_id;       /* its number */
    const int *job_of;       /* by source: its job, 0: all jobs; NULL: there is one job */
    struct diagnosis **jobs; /* all of them, where a folder holds several */
    int n_jobs;
    int attempt; /* that it is about: 0 the last of each source, -1 all */
    struct str summary;
    struct fault_line first_fault;
    struct finding *findings;
    int n_findings;
    struct secondary *secondary;
    int n_secondary;
    struct standout *unexplained;
    int n_unexplained;
    /* Where no entry knows the fault: those whose words are near to its, the best first.  Found by
     * who holds the full-text index (app/nearest.h), shown, never ranked with findings. */
    const int *nearest;
    int n_nearest;
    struct restart restart;
    struct next_step next;
    struct str why_not_code; /* the root cause that was asked about, or empty */
    struct why_not *why_not;
    int n_why_not;
    int ranks_seen, world_size, ranks_failed; /* world_size 0: not known */
    int *silent;
    int n_silent;
    const struct roster *roster;     /* NULL unless the job failed */
    const struct rollcall *rollcall; /* NULL: nothing hangs, or too little is told */
    const struct course *course;     /* NULL: no source tells of steps enough */
    struct str *remarks;             /* what is odd about the input itself, a sentence each */
    int n_remarks;
};

#endif
