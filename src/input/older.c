#include "input/older.h"

#include "model/job_name.h"

#include <stdlib.h>

static struct str scheduled_number(const struct walked *file) {
    bool scheduled;
    struct str number = job_number(file->path, &scheduled);
    return scheduled ? number : (struct str){0};
}

static int compare_ids(const void *a, const void *b) {
    return job_number_cmp(*(const struct str *)a, *(const struct str *)b);
}

/* The number of the first job that is read, empty where all are; *older: how many came before. */
static struct str first_read(const struct walk *walk, struct arena *arena, int *older) {
    struct str *ids = ARENA_ARRAY(arena, struct str, walk->files.n + 1);
    size_t n = 0, once = 0;
    for (size_t i = 0; i < walk->files.n; i++)
        if ((ids[n] = scheduled_number(&walk->files.v[i])).n) n++;
    qsort(ids, n, sizeof *ids, compare_ids);
    for (size_t i = 0; i < n; i++)
        if (!once || !str_eq(ids[once - 1], ids[i])) ids[once++] = ids[i];
    *older = once > JOBS_MAX ? (int)once - JOBS_MAX : 0;
    return *older ? ids[*older] : (struct str){0};
}

int older_leave_out(struct walk *walk) {
    struct arena scratch = {0};
    int older;
    size_t kept = 0;
    struct str first = first_read(walk, &scratch, &older);
    for (size_t i = 0; older && i < walk->files.n; i++) {
        struct str id = scheduled_number(&walk->files.v[i]);
        if (!id.n || job_number_cmp(id, first) >= 0) walk->files.v[kept++] = walk->files.v[i];
    }
    if (older) walk->files.n = kept;
    arena_release(&scratch);
    return older;
}
