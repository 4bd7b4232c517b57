/* survival.h - what became of the program after a line.  Private to think/.
 *
 * A line after which steps went on, the work was done, or another program wrote, did not end the
 * job. Knows steps, roles and the ends that launchers tell, by source, rank and line; how much a
 * line says by itself is strength.h. */
#ifndef FAULTLINE_SURVIVAL_H
#define FAULTLINE_SURVIVAL_H

#include "think/view.h"

enum { SURVIVED_DECIBANS = -9 }; /* the program went on after it */

/* Decibans against a line after which steps went on or the work was done; `trace`: the traceback it
 * stands in, or NULL. */
int survival_strength(const struct view *view, const struct trace *trace,
                      const struct origin *first, const struct origin *last);
/* Steps were made between the first and the last time that it came. */
bool hit_comes_again(const struct view *view, const struct hit *hit);
/* A launcher's warning that it stops its workers, which then end: nothing behind it is work. */
bool hit_is_launchers_end(const struct view *view, const struct hit *hit);
/* A launcher tells of a process that ended, with its command: the line is no sign of life, and says
 * little about what the process did. */
bool line_is_launchers(const struct view *view, const struct origin *line);
/* Frames that no exception ends, and the program wrote on: a warning showed where it came from, or
 * threads were dumped.  An excerpt may be cut there. */
bool trace_is_stack(const struct view *view, const struct trace *trace);

#endif
