#include "think/departure.h"

#include "text/chars.h"

enum { SIGNAL_SHELL = 128 };

static bool number_at(struct str s, size_t at, int *value) {
    int64_t number;
    size_t n = at < s.n && s.p[at] == '-' ? 1 : 0;
    while (is_digit(byte_at(s, at + n))) n++;
    if (!str_int(str_sub(s, at, n), &number) || number < -1000000 || number > 1000000) return false;
    *value = (int)number;
    return true;
}

static bool number_behind(struct str line, struct str mark, int *value) {
    ptrdiff_t at = str_find(line, mark, 0);
    return at >= 0 && number_at(line, (size_t)at + mark.n, value);
}

static int code_of(int code) {
    return code > SIGNAL_SHELL && code < SIGNAL_SHELL + 32 ? SIGNAL_SHELL - code : code;
}

/* "Killed", "Segmentation fault (core dumped)", "signal SIGKILL": what shells and srun call them.
 */
static bool signal_named(struct str line, int *code) {
    static const struct {
        char word[28];
        int signal;
    } words[] = {{"Killed", 9},
                 {"SIGKILL", 9},
                 {"Segmentation fault", 11},
                 {"SIGSEGV", 11},
                 {"Aborted", 6},
                 {"SIGABRT", 6},
                 {"Bus error", 7},
                 {"SIGBUS", 7},
                 {"SIGFPE", 8},
                 {"SIGILL", 4},
                 {"Terminated", 15},
                 {"SIGTERM", 15},
                 {"SIGHUP", 1},
                 {"SIGINT", 2},
                 {"Out Of Memory", 9},
                 {"Floating point exception", 8},
                 {"Illegal instruction", 4}};
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (str_has(line, str_of(words[i].word))) {
            *code = -words[i].signal;
            return true;
        }
    return false;
}

/* torchrun's line and the rows of its summary, whose rank the reader knows. */
static bool torchrun(struct str line, struct departure *out) {
    if (number_behind(line, STR("failed (exitcode: "), &out->code))
        return number_behind(line, STR("local_rank: "), &out->local_rank);
    return str_has(line, STR(" (pid: ")) && number_behind(line, STR("exitcode  : "), &out->code);
}

static bool deepspeed(struct str line, struct departure *out) {
    if (!number_behind(line, STR("exits with return code = "), &out->code)) return false;
    number_behind(line, STR("--local_rank="), &out->local_rank);
    return true;
}

/* "srun: error: node07: task 3: Exited with exit code 1"; of several tasks the line tells less. */
static bool srun(struct str line, struct departure *out) {
    ptrdiff_t error = str_find(line, STR("srun: error: "), 0);
    ptrdiff_t task = error < 0 ? -1 : str_find(line, STR(": task "), 0);
    int rank;
    if (error < 0 || task < error + 13 || !number_at(line, (size_t)task + 7, &rank)) return false;
    struct str rest = str_sub(line, (size_t)task + 7, line.n);
    size_t digits = 0;
    while (is_digit(byte_at(rest, digits))) digits++;
    rest = str_sub(rest, digits, rest.n);
    if (!str_starts(rest, STR(":"))) return false;
    out->rank = rank;
    out->task = true;
    out->host = str_sub(line, (size_t)error + 13, (size_t)(task - error) - 13);
    return number_behind(rest, STR("exit code "), &out->code) || signal_named(rest, &out->code);
}

static bool mpirun(struct str line, struct departure *out) {
    int signal, rank;
    if (!number_behind(line, STR("process rank "), &rank) ||
        !number_behind(line, STR("exited on signal "), &signal))
        return false;
    out->rank = rank;
    out->code = -signal;
    return true;
}

/* torch.multiprocessing.spawn. */
static bool spawned(struct str line, struct departure *out) {
    if (!str_has(line, STR(" terminated with ")) ||
        !number_behind(line, STR("process "), &out->rank))
        return false;
    return number_behind(line, STR("exit code "), &out->code) || signal_named(line, &out->code);
}

bool departure_read(struct str line, struct departure *departure) {
    *departure = (struct departure){.rank = -1, .local_rank = -1};
    if (!torchrun(line, departure) && !deepspeed(line, departure) && !srun(line, departure) &&
        !mpirun(line, departure) && !spawned(line, departure))
        return false;
    departure->code = code_of(departure->code);
    number_behind(line, STR("(pid: "), &departure->pid);
    return departure->code != 0;
}
