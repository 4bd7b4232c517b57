/* strength.h - how much one line says by itself.  Private to think/. */
#ifndef FAULTLINE_STRENGTH_H
#define FAULTLINE_STRENGTH_H

#include "think/scope.h"

enum { /* decibans */
       FAMILY_DECIBANS =
           10, /* a line that names the problem; see strength.c for the other levels */
       SURVIVED_DECIBANS = -9 /* the program went on after it */
};

/* The traceback that a hit stands in, or NULL. */
const struct trace *hit_trace(const struct view *view, const struct hit *hit);
/* An exception that no other followed and nothing swallowed: it ended its process, or nearly. */
bool trace_terminal(const struct trace *trace);
/* A launcher tells of a process that ended, with its command: the line is no sign of life, and says
 * little about what the process did. */
bool line_is_launchers(const struct view *view, const struct origin *line);
/* Its exception is missing: somebody cut it off, or the log ends in it. */
bool trace_is_cut(const struct trace *trace);
/* Frames that no exception ends, and the program wrote on: a warning showed where it came from, or
 * threads were dumped.  An excerpt may be cut there. */
bool trace_is_stack(const struct view *view, const struct trace *trace);
/* Decibans for the exception of a traceback (`exception`), by what became of it; 0 for its other
 * lines. */
int trace_strength(const struct view *view, const struct trace *trace, bool exception);
/* Decibans against a line after which steps went on or the work was done; `trace`: the traceback it
 * stands in, or NULL. */
int survival_strength(const struct view *view, const struct trace *trace,
                      const struct origin *first, const struct origin *last);
/* The line that stands out among so many behind this one, of the same source and rank, or NULL. */
const struct standout *standout_behind(const struct view *view, const struct origin *line,
                                       uint32_t lines);
/* Somebody's words, not a program's line. */
bool hit_is_words(const struct view *view, const struct hit *hit);
/* All of that for a hit, with its signal's level and what its line is. */
int hit_strength(const struct view *view, const struct hit *hit);

#endif
