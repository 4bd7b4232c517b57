/* live.h - what this machine says now, as evidence about a job that it may have run.
 *
 * Knows when live facts count: for a job of this machine only, and never about the moment of its
 * failure.  What is read now of a state (memory used, free space) goes under `now.`; what a file of
 * the job told already stands; of the kernel's log only the job's own time is read. */
#ifndef FAULTLINE_LIVE_H
#define FAULTLINE_LIVE_H

#include "match/match.h"
#include "world/probe.h"

/* True when the job ran on this machine: a host name or a GPU's UUID occurs in both. */
bool live_is_same_machine(const struct evidence *evidence, const struct probe_report *report);
void live_add(struct evidence *evidence, const struct kb *kb, const struct matcher *matcher,
              const struct probe_report *report);
/* Takes away what these probes told before. */
void live_forget(struct evidence *evidence, const struct probe_report *report);

#endif
