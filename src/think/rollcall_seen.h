/* rollcall_seen.h - the roll call from outside: stacks of many ranks, NCCL's own RAS.  Private to
 * rollcall.
 *
 * Where no rank wrote what it waits for, others looked: py-spy shows where each process stands, RAS
 * how many operations each rank launched.  The ranks that stand in one collective wait; those few
 * that stand elsewhere are waited for. */
#ifndef FAULTLINE_ROLLCALL_SEEN_H
#define FAULTLINE_ROLLCALL_SEEN_H

#include "think/view.h"

/* Of these the one that says more, or NULL. */
struct rollcall *rollcall_seen(const struct view *view);

#endif
