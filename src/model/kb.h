/* kb.h - the nouns of the knowledge base, as plain structs in memory.
 *
 * The knowledge is written as YAML (kb/README.md is the reference of every field), compiled to an
 * SQLite image (compile/), and loaded into these structs (world/image).  This header knows
 * neither YAML nor SQL.  Everything is read-only after loading; ids are unique and in id order, so
 * an index is a stable order.  References are indexes, -1 where there is none.
 */
#ifndef FAULTLINE_KB_H
#define FAULTLINE_KB_H

#include "base/base.h"

/* ---- the taxonomy (the study's) ---------------------------------------------------------------
 */

enum stage { STAGE_NONE = -1, STAGE_BUILD, STAGE_SETUP, STAGE_PREPARE, STAGE_TRAIN, STAGE_INFER };
enum { STAGE_COUNT = 5, PATTERN_COUNT = 6 };

/* A stage, symptom, root cause or fix pattern: one row of taxonomy.yaml. */
struct code {
    struct str id;   /* "4", "4.2", "R4.5", "P5" */
    struct str name; /* "build", "Memory & offload issue" */
    struct str about;
    struct str examples;
    int stage;    /* enum stage; -1 for fix patterns */
    double share; /* percent of its stage (stages and patterns: of all issues); < 0: not given */
    double dist;  /* percent that occurs in distributed work only; < 0: not given */
};

/* ---- conditions: three-valued, over hits and facts ----------------------------------------------
 */

enum cond_op {
    COND_SEEN,     /* signal `signal` was hit */
    COND_KNOWN,    /* fact key has any value */
    COND_IS,       /* fact key equals one of the values, case-insensitive */
    COND_CONTAINS, /* fact key contains one of the values, case-insensitive */
    COND_BELOW,    /* fact key < value, as version or number */
    COND_ABOVE,    /* fact key > value */
    COND_AT_LEAST, /* fact key >= value */
    COND_DIFFERS,  /* the facts key and values[0] (a key) are both known and differ */
    COND_COVERS,   /* the size in key is at least the sum of the values: keys, or sizes ("2 GiB") */
    COND_ALL,
    COND_ANY,
    COND_NOT,
    COND_COUNT
};
extern const char *const cond_names[COND_COUNT];

/* One node; its `n_args` children follow it in prefix order and `size` nodes in all belong to it
 * (1 for a leaf), so that a condition is a flat array. */
struct cond {
    enum cond_op op;
    int signal;     /* COND_SEEN */
    struct str key; /* the fact; "cap.NAME" is a capture of the failure's own hit */
    struct str *values;
    int n_values;
    int n_args, size;
};

/* ---- signals: what a line says -------------------------------------------------------------- */

enum role {
    ROLE_INITIATING, /* starts a diagnosis */
    ROLE_CASCADE,    /* points to a peer that failed before */
    ROLE_TEARDOWN,   /* noise of stopping */
    ROLE_WRAPPER,    /* somebody reports that something else failed, maybe with an exit code */
    ROLE_ADVICE,     /* "may be caused by": never counts */
    ROLE_PROGRESS,   /* a step was done, a checkpoint was written */
    ROLE_START,      /* an attempt begins */
    ROLE_DONE,       /* the work ended well */
    ROLE_CONTEXT     /* a clue for others, starts nothing */
};
enum { ROLE_COUNT = 9 };

enum where {
    IN_LINE,      /* any line of a log */
    IN_EXCEPTION, /* the `Type: message` line that ends a traceback, or a bare one */
    IN_FRAME,     /* a `File "...", line N, in f` line of a traceback */
    IN_KERNEL,    /* kernel log lines (dmesg, journal), also when pasted in a log */
    IN_CONFIG,    /* configurations, scripts, command lines */
    IN_WORDS      /* what users write in their own words; matched without case */
};
enum { WHERE_COUNT = 6 };

/* How much a hit says by itself. */
enum level { LEVEL_GENERIC, LEVEL_FAMILY, LEVEL_SPECIFIC };

struct signal {
    struct str id, says;
    enum role role;
    enum where in;
    enum level level;
    struct str *needles; /* a match contains at least one of them; IN_WORDS may have none */
    int n_needles;
    struct str regex;   /* PCRE2 and ripgrep's common syntax, with plain groups */
    struct str *groups; /* names of its groups, in order */
    int n_groups;
    struct str *sets;       /* pairs: fact key, value (a literal, or "$name" for a capture) */
    int n_sets;             /* of pairs */
    int stage[STAGE_COUNT]; /* decibans that a hit speaks for each stage */
    bool purpose;           /* they are of what the job is for, whatever it did at the moment */
    int failure;            /* index of its failure, -1 if shared */
};

/* ---- failures, causes, questions, fixes ----------------------------------------------------- */

struct clue {
    const struct cond *cond;
    int decibans;     /* evidence for (> 0) or against the cause when the condition is true */
    struct str group; /* within one group of a cause only the strongest counts; empty: its own */
    struct str why;   /* a sentence for the report; may be empty */
};

struct cause {
    struct str id, why;
    int root[STAGE_COUNT];    /* index into kb.roots by stage, -1: the input does not tell */
    int symptom[STAGE_COUNT]; /* overrides the failure's symptom where >= 0 */
    int prior;                /* percent among the causes of its failure */
    struct clue *clues;
    int n_clues;
    int *fixes; /* indexes into failure.fixes, first to try first */
    int n_fixes;
};

enum fix_kind { FIX_CURE, FIX_WORKAROUND, FIX_TEST };

/* A change to a configuration: `set` pairs of path and value for one kind of file. */
struct patch {
    struct str file;  /* "ds_config", "env", "sbatch", "args" or empty */
    struct str *sets; /* pairs path, value; an empty value removes */
    int n_sets;
};

/* Texts may hold {{name}}: a capture, or a fact key, filled from the evidence. */
struct fix {
    struct str id, title, cost, verify, undo;
    int pattern; /* index into kb.patterns */
    enum fix_kind kind;
    struct str *steps, *commands, *references;
    int n_steps, n_commands, n_references;
    struct patch patch;
};

struct failure {
    struct str id, title, about;
    int symptom[STAGE_COUNT]; /* by stage, -1 where it cannot occur */
    struct cause *causes;
    int n_causes;
    struct fix *fixes;
    int n_fixes;
    int *signals; /* indexes into kb.signals */
    int n_signals;
    int *consequence_of; /* indexes into kb.failures */
    int n_consequence_of;
    const struct cond
        *context; /* when known to be false the failure is not considered; NULL: none */
    struct str *dead_ends, *references;
    int n_dead_ends, n_references;
    bool harmless; /* tells of something that blames nothing (cancelled, time limit) */
    bool study;    /* the study's causes of a stage: no signal starts it, a walk weighs it */
    int ended;     /* enum ended of diagnosis.h that it proves, 0: none */
};

/* What an answer says for or against every cause of a code, whatever its entry. */
struct weigh {
    int root; /* index into kb.roots, -1: all that the choice does not name */
    int decibans;
};

struct choice {
    struct str id, text;
    const struct cond *when; /* true: the question is answered so by the evidence; may be NULL */
    struct weigh *weighs;    /* a general question's: of an answer, half of what is seen */
    int n_weighs;
};

struct question {
    struct str id, ask, why, how; /* how: a command or a place to look */
    int cost;                     /* 1: a glance .. 5: an experiment */
    struct str probe;             /* id of the probe that answers it, or empty */
    struct choice *choices;       /* answering sets the fact "answer.<id>" to the choice's id */
    int n_choices;
};

/* Where no entry speaks: by exception, words of the message, and stage. */
struct fallback {
    struct str *exceptions; /* type names, without module; empty: any */
    int n_exceptions;
    struct str *contains; /* one of them in the message or frames, without case; empty: any */
    int n_contains;
    struct str title;
    int symptom[STAGE_COUNT], root[STAGE_COUNT];
    int patterns[3], n_patterns;
};

/* Something to find before a launch: a condition over facts that stands for a failure to come. */
struct check {
    struct str id, says; /* says may hold {{key}} */
    struct str key;      /* the fact that shows the place; each fact of this key is one finding */
    struct str failure;  /* id of the entry that it would end in */
    struct str fix;      /* id of one of its fixes */
    struct str advice;   /* what of that fix is to be done here; may hold {{key}}, empty: all */
    bool error;          /* else a warning */
    const struct cond *when;
};

/* The odds that a first diagnosis is right, in decibans, measured on labelled cases: base, plus
 * what each deciban of its deciding line adds (in hundredths), plus what it adds that all of the
 * fault's probability lies on its root cause, less where no line or only a generic one decides,
 * where it is somebody's words, or only their likeness to an entry, and where no entry knows the
 * failure; and what it adds that words make it ten times as likely (model/leaning.h). */
struct confidence {
    int base, line, share, generic, unknown, words, alike, leaning;
};

struct kb {
    struct str version, digest;
    struct code stages[STAGE_COUNT];
    struct code *symptoms, *roots, *patterns;
    struct code *issues; /* that the study cites: id is TRACKER#NUMBER, name what it illustrates */
    int n_symptoms, n_roots, n_patterns, n_issues;
    struct signal *signals;
    int n_signals;
    struct failure *failures;
    int n_failures;
    struct question *questions;
    int n_questions;
    struct fallback *fallbacks;
    int n_fallbacks;
    struct check *checks; /* in the order of the files */
    int n_checks;
    const struct confidence *confidence; /* NULL: not measured */
    struct str leanings;                 /* what words lean to (model/leaning.h); may be empty */
    struct str plan; /* what the matcher chose when the image was made (match_plan); may be empty */
};

/* Index of the row with this id, or -1.  Pure. */
int kb_signal(const struct kb *kb, struct str id);
int kb_failure(const struct kb *kb, struct str id);
int kb_question(const struct kb *kb, struct str id);
int kb_symptom(const struct kb *kb, struct str code);
int kb_root(const struct kb *kb, struct str code);
int kb_pattern(const struct kb *kb, struct str code);
int stage_of_name(struct str name); /* "build" .. "infer", or -1 */

/* What an entry can show, come from, or be mended by, in any stage; the symptom also by a cause of
 * its own.  Pure. */
bool failure_has_symptom(const struct failure *failure, int symptom);
bool failure_has_root(const struct failure *failure, int root);
bool failure_has_pattern(const struct failure *failure, int pattern);
bool cause_has_root(const struct cause *cause, int root);
/* True when a choice of the question weighs causes by their codes. */
bool kb_question_is_general(const struct question *question);

/* The names of enums, one table each, shared by the compiler, reports and tests. */
extern const char *const stage_names[STAGE_COUNT];
extern const char *const role_names[ROLE_COUNT];
extern const char *const where_names[WHERE_COUNT];
extern const char *const level_names[3];
extern const char *const fix_kind_names[3];

#endif
