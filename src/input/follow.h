/* follow.h - logs that are still being written.
 *
 * Keeps one reader a log and feeds it the lines that came since the last look; bytes that were read
 * are not read again.  What is no log (configurations, tables) is read when the evidence is wanted.
 * A file that was replaced or became shorter begins anew; one that is gone keeps what it told.
 */
#ifndef FAULTLINE_FOLLOW_H
#define FAULTLINE_FOLLOW_H

#include "input/input.h"

struct follow;
/* Follows files, and all that is or will be in folders.  The paths are borrowed.  follow_read calls
 * `heard` after each piece that it reads. */
struct follow *follow_new(const struct kb *kb, const struct matcher *matcher,
                          const char *const *paths, int n_paths, void (*heard)(void *ctx),
                          void *ctx);
void follow_release(struct follow *follow);

/* Sleeps until something may have come, at most so many milliseconds; `fd` (-1: none) also wakes
 * it; without a follow nothing else does. Told by the kernel where it can tell (a local file
 * system), else at the end of the time. */
void follow_wait(struct follow *follow, int fd, int timeout_ms);
/* Reads whole lines that are new.  Returns how many bytes; *files receives how many files there
 * are. */
uint64_t follow_read(struct follow *follow, size_t *files);
/* The evidence as though nothing more came, sorted; afterwards the follow can only be released.
 * Who wants to go on reading calls it in a forked child. */
void follow_finish(struct follow *follow, struct evidence *into);

#endif
