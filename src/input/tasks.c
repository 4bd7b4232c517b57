#include "input/tasks.h"

#include <stdlib.h>

#include "text/chars.h"

enum { TASK_DIGITS = 5, JOB_DIGITS_MIN = 4, DATE_DIGITS = 8 };

static size_t digits_before(struct str s, size_t end) {
    size_t n = 0;
    while (n < end && is_digit(s.p[end - 1 - n])) n++;
    return n;
}

/* A day is written like the number of a job. */
static bool is_date(struct str s) {
    return s.n >= DATE_DIGITS && (str_starts(s, STR("20")) || str_starts(s, STR("19")));
}

/* What stands before the number, and that; false: it is named otherwise. */
static bool task_of(struct str path, struct str *stem, int *task) {
    static const char *const ends[] = {".out", ".err", ".log", ".txt"};
    int64_t number;
    struct str name = path;
    for (size_t i = 0; i < COUNT_OF(ends); i++)
        if (str_ends(path, str_of(ends[i]))) name = str_sub(path, 0, path.n - 4);
    size_t n = digits_before(name, name.n);
    if (name.n == path.n || !n || n > TASK_DIGITS || n == name.n) return false;
    size_t sign = name.n - n - 1, job = digits_before(name, sign);
    if ((name.p[sign] != '-' && name.p[sign] != '.') || job < JOB_DIGITS_MIN) return false;
    if (is_date(str_sub(name, sign - job, job))) return false;
    *stem = str_sub(name, 0, sign);
    *task = str_int(str_from(name, sign + 1), &number) ? (int)number : 0;
    return true;
}

/* Each number up to the largest is there. */
static bool is_whole(const struct walked *files, size_t n, int largest) {
    bool *there = calloc((size_t)largest + 1, sizeof *there);
    int count = 0;
    if (!there) base_out_of_memory();
    for (size_t i = 0; i < n; i++) {
        struct str stem;
        int task;
        if (!task_of(files[i].path, &stem, &task) || there[task]) continue;
        there[task] = true;
        count++;
    }
    free(there);
    return largest > 0 && count == largest + 1;
}

void tasks_number(struct walked *files, size_t n) {
    for (size_t from = 0, to; from < n; from = to) {
        struct str stem, other;
        int task, largest = 0;
        to = from + 1;
        if (!task_of(files[from].path, &stem, &largest)) continue;
        for (; to < n && task_of(files[to].path, &other, &task) && str_eq(other, stem); to++)
            if (task > largest) largest = task;
        if (!is_whole(files + from, to - from, largest)) continue;
        for (size_t i = from; i < to; i++)
            if (task_of(files[i].path, &stem, &task)) files[i].task = task + 1;
    }
}
