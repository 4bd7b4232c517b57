/* kin.h - files of the ranks of one job, which write alike.  Private to input/.
 *
 * Where there are hundreds of them, telling what each one is would cost more than reading it: the
 * first by path tells it for those whose path differs in digits only, and the first few which of
 * their first lines give no facts.
 */
#ifndef FAULTLINE_KIN_H
#define FAULTLINE_KIN_H

#include <pthread.h>

#include "input/walk.h"
#include "text/text.h"

struct kin;
struct kins {
    pthread_mutex_t lock;
    struct kin *v; /* of the arena of kins_find */
    int n;
};

/* Sets `kin` of the files that have a first one; none where the files are few. */
void kins_find(struct kins *kins, struct arena *arena, struct walked *files, size_t n);
void kins_release(struct kins *kins);
/* What the first of a file's kin tells, which is a log and nothing but a log. */
struct kin_log {
    struct custom custom;  /* of its lines */
    bool ranks;            /* they tell of other ranks than its own */
    struct head_kin *head; /* which of its first lines give no facts; see facts.h */
};
/* NULL: there is no such.  The first one is opened when first asked for. */
const struct kin_log *kin_log(struct kins *kins, const struct walked *file);

#endif
