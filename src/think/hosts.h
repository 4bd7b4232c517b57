/* hosts.h - which hosts of a job should have been heard and were not, and which a line names.
 * Private to think/.
 *
 * A host file or the scheduler's list names the hosts; names of files and prefixes of lines tell
 * who wrote.  Knows no rank: see roster.h for those.
 */
#ifndef FAULTLINE_HOSTS_H
#define FAULTLINE_HOSTS_H

#include "think/view.h"

enum { HOSTS_MOST = 4096 };

struct quiet_hosts {
    struct str *never,
        *early; /* as the list calls them: wrote nothing, stopped long before others */
    int n_never, n_early;
};
/* Both empty where nobody lists the hosts, few of them are known to have written, or too many are
 * quiet for that to be odd. */
struct quiet_hosts hosts_quiet(const struct view *view);
/* The names in a list as Slurm writes it: "gpu[01-03,7],login2"; at most HOSTS_MOST, the number of
 * them returned, 0 where it is none. */
int hosts_expand(struct str list, struct arena *arena, struct str *names);
/* Nodes that lines of this entry (NULL: none) say failed, which is not where the lines were
 * written: at most two, the number of them returned. */
int hosts_failed(const struct view *view, const struct failure *failure, struct str nodes[2]);
/* Those, else the host of the fault's line (empty: not told) and those on which the same signal was
 * written: at most two, the number of them returned. */
int hosts_of_fault(const struct view *view, const struct failure *failure, int signal,
                   struct str own, struct str hosts[2]);

#endif
