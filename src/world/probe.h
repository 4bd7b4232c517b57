/* probe.h - asks this machine: one table of probes, run side by side, read by the readers of
 * facts/.
 *
 * Each probe is a child of its own without a shell, in a process group of its own, with a deadline;
 * what it prints is text of a known kind, as if a user had recorded it.  A child that overstays is
 * killed with its group; one that cannot die (a hung driver leaves it in the kernel) is abandoned.
 * Nothing needs root.  Knows nothing of failures.
 *
 * Facts besides what the readers find: `probe.ID` is ok, timeout, absent (no such program or file),
 * unreadable (it printed nothing that its reader knows), denied (root would see it) or failed;
 * `probe.ID.exit` the exit code of a program that did not end with 0.
 */
#ifndef FAULTLINE_PROBE_H
#define FAULTLINE_PROBE_H

#include "facts/facts.h"

enum { PROBE_ARGS = 12, PROBE_TOTAL_MS = 4300 /* no child is waited for longer */ };

struct probe_options {
    const char *folder;       /* of the job, for its disk; NULL: the current one */
    const char *const *hosts; /* hosts that ssh is tried on */
    int n_hosts;
    bool net;                     /* also what leaves the machine */
    bool (*cancelled)(void *ctx); /* nobody waits any more; NULL: somebody does */
    void *ctx;
};

struct probe {
    const char *id;
    const char *gives;            /* one line for people */
    const char *argv[PROBE_ARGS]; /* a program with its arguments, or .. */
    const char *files;            /* .. paths with wildcards, separated by blanks, or .. */
    void (*write)(struct buf *out, const char *argument); /* .. a function that runs in the child */
    /* Arguments of `write`, or of argv's "{}", one child each; NULL: one child, with
     * options.folder. */
    int (*arguments)(const struct probe_options *options, struct arena *arena, struct str *out,
                     int most);
    int deadline_ms;
    const struct fact_reader *reader; /* tried first; then whoever recognizes the text */
    const char *prefix;               /* put in front of what a program prints, may be NULL */
    const char *root;                 /* what root would see besides, NULL: nothing */
    bool net;
};
extern const struct probe probe_rows[];
extern const int n_probe_rows;
const struct probe *probe_find(struct str id); /* NULL: none has this id */

/* What became of one child. */
struct probe_result {
    const struct probe *probe;
    struct str id, text; /* id: the probe's, with ".ARGUMENT" where it has several children */
    struct str outcome;  /* the value of the fact probe.ID */
    int exit;            /* code, 128 + signal, -1: it did not end by itself */
    int took_ms;
    int n_facts;
};
struct probe_report {
    struct arena arena;
    struct evidence evidence; /* facts with from "probe ID", this machine and the time now */
    struct str machine;
    int64_t time; /* nanoseconds since 1970 */
    struct probe_result *results;
    int n_results;
};
/* Runs the probes and reads what they print; `only` restricts to one (NULL: all that options
 * allow). Ends within 5 s on any machine and leaves no child behind but one that cannot die. */
void probe_run(struct probe_report *report, const struct probe *only,
               const struct probe_options *options);
void probe_release(struct probe_report *report);

#endif
