#include "input/tasks.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "text/chars.h"

enum {
    TASK_DIGITS = 5,
    JOB_DIGITS_MIN = 4,
    DATE_DIGITS = 8,
    HEADS = 16, /* files of a set that are asked */
    HEAD_BYTES = 32 << 10
};

/* How a file is named: not by number, by a number that may be anything, by job and task. */
enum named { OTHERWISE, BY_NUMBER, BY_TASK };

static size_t digits_before(struct str s, size_t end) {
    size_t n = 0;
    while (n < end && is_digit(s.p[end - 1 - n])) n++;
    return n;
}

/* A day is written like the number of a job. */
static bool is_date(struct str s) {
    return s.n >= DATE_DIGITS && (str_starts(s, STR("20")) || str_starts(s, STR("19")));
}

/* What stands before the number, and that. */
static enum named task_of(struct str path, struct str *stem, int *task) {
    static const char *const ends[] = {".out", ".err", ".log", ".txt"};
    int64_t number;
    struct str name = path;
    for (size_t i = 0; i < COUNT_OF(ends); i++)
        if (str_ends(path, str_of(ends[i]))) name = str_sub(path, 0, path.n - 4);
    size_t n = digits_before(name, name.n);
    if (name.n == path.n || !n || n > TASK_DIGITS) return OTHERWISE;
    *stem = str_sub(name, 0, name.n - n);
    *task = str_int(str_from(name, name.n - n), &number) ? (int)number : 0;
    if (!stem->n) return BY_NUMBER;
    size_t sign = stem->n - 1, job = digits_before(name, sign);
    bool joined = name.p[sign] == '-' || name.p[sign] == '.';
    bool dated = is_date(str_sub(name, sign - job, job));
    return joined && job >= JOB_DIGITS_MIN && !dated ? BY_TASK : BY_NUMBER;
}

/* Each number up to the largest is there. */
static bool is_whole(const struct walked *files, size_t n, int largest) {
    bool *there = heap_zeros((size_t)largest + 1, sizeof *there);
    int count = 0;
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

/* ---- what the files say of themselves -------------------------------------------------------- */

/* "local rank", "node_rank", "grank": not the rank of a process in its job. */
static bool is_other_rank(struct str before) {
    static const char *const others[] = {"local", "node", "group", "lora"};
    if (before.n && is_alpha(before.p[before.n - 1])) return true;
    if (before.n && strchr("_- ", before.p[before.n - 1])) before.n--;
    for (size_t i = 0; i < COUNT_OF(others); i++)
        if (str_ends_nocase(before, str_of(others[i]))) return true;
    return false;
}

/* The number behind "rank" at `at`, as in "[rank3]:", "(rank 3)", "RANK=3", "global_rank: 3"; -1:
 * none. */
static int rank_said(struct str text, size_t at) {
    size_t i = at + 4;
    int64_t rank;
    if (is_other_rank(str_sub(text, 0, at))) return -1;
    while (byte_at(text, i) && strchr(" :=_\"'", text.p[i]) && i - at < 8) i++;
    struct str digits = str_digits(str_from(text, i)), rest = str_from(text, i + digits.n);
    char after = byte_at(rest, 0);
    bool whole = digits.n <= TASK_DIGITS && !is_alpha(after) &&
                 !(after == '.' && is_digit(byte_at(rest, 1)));
    return whole && str_int(digits, &rank) ? (int)rank : -1;
}

/* It says that it is of this rank and of no other; many speak of rank 0 besides. */
static bool says_task(struct str text, int task) {
    bool own = !task;
    ptrdiff_t at;
    for (size_t from = 0; (at = str_find_nocase(text, STR("rank"), from)) >= 0;
         from = (size_t)at + 4) {
        int rank = rank_said(text, (size_t)at);
        if (rank > 0 && rank != task) return false;
        own |= rank == task;
    }
    return own;
}

static bool file_says_task(const struct walked *file, char *room) {
    struct str stem;
    int task;
    if (file->stream || task_of(file->path, &stem, &task) == OTHERWISE) return false;
    int fd = open(file->real, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    ssize_t n = fd < 0 ? -1 : pread(fd, room, HEAD_BYTES, 0);
    if (fd >= 0) close(fd);
    return n >= 0 && says_task((struct str){room, (size_t)n}, task);
}

/* All that are asked: those at both ends of the set. */
static bool files_say_tasks(const struct walked *files, size_t n) {
    char *room = heap_bytes(HEAD_BYTES);
    bool say = true;
    for (size_t i = 0; i < n && say; i++)
        if (i < HEADS / 2 || i + HEADS / 2 >= n) say = file_says_task(&files[i], room);
    free(room);
    return say;
}

void tasks_number(struct walked *files, size_t n) {
    for (size_t from = 0, to; from < n; from = to) {
        struct str stem, other;
        int task, largest = 0;
        to = from + 1;
        enum named named = task_of(files[from].path, &stem, &largest);
        if (named == OTHERWISE) continue;
        for (; to < n && task_of(files[to].path, &other, &task) && str_eq(other, stem); to++)
            if (task > largest) largest = task;
        if (!is_whole(files + from, to - from, largest)) continue;
        if (named == BY_NUMBER && !files_say_tasks(files + from, to - from)) continue;
        for (size_t i = from; i < to; i++)
            if (task_of(files[i].path, &stem, &task)) files[i].task = task + 1;
    }
}
