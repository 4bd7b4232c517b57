/* Slurm's accounts of jobs and nodes: sacct, scontrol show job|node, sinfo, squeue, sdiag. */
#include "facts/pick.h"
#include "facts/readers.h"
#include "facts/reading.h"
#include "facts/slurm_table.h"
#include "text/chars.h"

enum { COLUMNS = 160 };

/* ---- sacct: columns by '|', '|#' or by blanks below a line of dashes ------------------ */

struct sacct {
    struct reading *reading;
    struct str names[COLUMNS];
    size_t start[COLUMNS], end[COLUMNS]; /* of blank-separated columns */
    int n;
    char sep; /* '|' or ' ' */
    int rows, jobs_failed;
    struct str heading; /* the line before the dashes */
    struct slurm_table table;
};

static int split(const struct sacct *sacct, struct str line, struct str *cells) {
    int n = 0;
    if (sacct->sep == '|') {
        struct str rest = line, cell;
        while (n < COLUMNS && str_split(&rest, '|', &cell)) {
            if (cell.n && cell.p[0] == '#') cell = str_sub(cell, 1, cell.n);
            cells[n++] = str_trim(cell);
        }
        return n;
    }
    for (; n < sacct->n; n++)
        cells[n] = str_trim(str_sub(line, sacct->start[n], sacct->end[n] - sacct->start[n]));
    return n;
}

/* "------- ------- ---------": the columns of the heading above. */
static bool dashes(struct sacct *sacct, struct str line) {
    int n = 0;
    if (!str_starts(str_trim(line), STR("----"))) return false;
    for (size_t i = 0; i < line.n && n < COLUMNS;) {
        if (line.p[i] != '-') {
            if (line.p[i] != ' ') return false;
            i++;
            continue;
        }
        sacct->start[n] = i;
        while (i < line.n && line.p[i] == '-') i++;
        sacct->end[n++] = i;
    }
    for (int i = 0; i < n; i++)
        sacct->names[i] =
            str_trim(str_sub(sacct->heading, sacct->start[i], sacct->end[i] - sacct->start[i]));
    sacct->n = n;
    sacct->sep = ' ';
    return true;
}

static struct str cell_of(const struct sacct *sacct, const struct str *cells, int n,
                          const char *name) {
    for (int i = 0; i < n && i < sacct->n; i++)
        if (str_eq_nocase(sacct->names[i], str_of(name))) return cells[i];
    return (struct str){0};
}

static bool is_state(struct str state) {
    static const char *const states[] = {
        "COMPLETED", "FAILED",    "CANCELLED", "TIMEOUT", "OUT_OF_MEMORY", "OUT_OF_ME+",
        "NODE_FAIL", "PREEMPTED", "RUNNING",   "PENDING", "REQUEUED",      "BOOT_FAIL",
        "DEADLINE",  "SUSPENDED", "RESIZING",  "REVOKED", "CANCELLED+"};
    return STR_AMONG(state, states);
}

static void sacct_row(struct sacct *sacct, struct str line) {
    struct str cells[COLUMNS];
    struct reading *reading = sacct->reading;
    int n = split(sacct, line, cells);
    struct str job = cell_of(sacct, cells, n, "JobID"),
               state = pick_word(cell_of(sacct, cells, n, "State"), NULL);
    if (!job.n) job = cell_of(sacct, cells, n, "JobIDRaw");
    if (!job.n || !is_digit(job.p[0]) || !is_state(state)) return;
    sacct->rows++;
    if (sacct->rows > 4000) return; /* an account of a whole cluster: counted, not kept */
    bool failed = !str_eq(state, STR("COMPLETED")) && !str_eq(state, STR("RUNNING")) &&
                  !str_eq(state, STR("PENDING"));
    sacct->jobs_failed += failed;
    struct str key = note_key_of(reading, "slurm.job.", job);
    note(reading, note_key(reading, STR_FMT ".state", STR_ARG(key)), state);
    note(reading, note_key(reading, STR_FMT ".exit_code", STR_ARG(key)),
         cell_of(sacct, cells, n, "ExitCode"));
    if (failed) {
        note(reading, note_key(reading, STR_FMT ".reason", STR_ARG(key)),
             cell_of(sacct, cells, n, "Reason"));
        note(reading, note_key(reading, STR_FMT ".max_rss", STR_ARG(key)),
             cell_of(sacct, cells, n, "MaxRSS"));
        note(reading, note_key(reading, STR_FMT ".nodes", STR_ARG(key)),
             cell_of(sacct, cells, n, "NodeList"));
    }
    /* The job itself, not its steps, speaks for the file; an account of many jobs speaks for none.
     */
    if (!memchr(job.p, '.', job.n)) {
        note(reading, STR("slurm.state"), state);
        note(reading, STR("slurm.exit_code"), cell_of(sacct, cells, n, "ExitCode"));
    }
}

static bool sacct_header(struct sacct *sacct, struct str line) {
    struct str rest = line, cell, names[COLUMNS];
    bool job = false, other = false;
    if (!str_has(line, STR("|"))) return false;
    int n = 0;
    while (n < COLUMNS && str_split(&rest, '|', &cell)) {
        cell = str_trim(cell);
        if (cell.n && cell.p[0] == '#') cell = str_sub(cell, 1, cell.n);
        job = job || str_starts(cell, STR("JobID"));
        other = other || str_eq(cell, STR("State"));
        names[n++] = cell;
    }
    if (!job || !other) return false;
    memcpy(sacct->names, names, sizeof names);
    sacct->n = n;
    sacct->sep = '|';
    return true;
}

/* ---- scontrol: "Key=value Key=value", values may hold blanks in a few keys ------------ */

static const struct {
    const char *name, *key;
} scontrol_keys[] = {
    {"JobState", "slurm.state"},
    {"Reason", "slurm.reason"},
    {"ExitCode", "slurm.exit_code"},
    {"NumNodes", "slurm.nodes"},
    {"NodeList", "slurm.nodelist"},
    {"NumTasks", "slurm.tasks"},
    {"CPUs/Task", "slurm.cpus_per_task"},
    {"TimeLimit", "slurm.time_limit"},
    {"RunTime", "slurm.run_time"},
    {"Partition", "slurm.partition"},
    {"TresPerNode", "slurm.tres_per_node"},
    {"JobId", "slurm.job_id"},
    {"Restarts", "slurm.restarts"},
    {"Command", "slurm.command"},
    {"NodeName", "slurm.node"},
    {"State", "slurm.node_state"},
    {"RealMemory", "slurm.node_memory_mib"},
    {"Gres", "slurm.gres"},
    {"AllocTRES", "slurm.alloc_tres"},
    {"TRES", "slurm.alloc_tres"},
    {"SLURM_VERSION", "slurm.version"},
    {"DerivedExitCode", "slurm.derived_exit_code"},
    {"MinMemoryNode", "slurm.memory_per_node"},
};

static bool scontrol_line(struct reading *reading, struct str line) {
    struct str rest = line, word, name, value;
    bool any = false;
    while (rest.n) {
        word = pick_word(rest, &rest);
        if (!pick_pair(word, '=', &name, &value) || !is_upper(name.p[0])) continue;
        any = true;
        for (size_t i = 0; i < COUNT_OF(scontrol_keys); i++)
            if (str_eq(name, str_of(scontrol_keys[i].name)))
                note(reading, str_of(scontrol_keys[i].key), value);
        int nodes;
        if (str_eq(name, STR("NumNodes")) && pick_int(value, &nodes) && nodes > 0)
            note_int(reading, STR("nodes.count"), nodes);
    }
    return any;
}

/* scontrol show config: "SLURM_VERSION           = 22.05.9" */
static void config_line(struct reading *reading, struct str line) {
    struct str name, value;
    if (!pick_pair(line, '=', &name, &value)) return;
    static const char *const kept[] = {"SLURM_VERSION", "KillWait",      "MaxArraySize",
                                       "ProctrackType", "TaskPlugin",    "MpiDefault",
                                       "SelectType",    "DefMemPerNode", "PropagateResourceLimits",
                                       "PreemptMode",   "KillOnBadExit"};
    for (size_t i = 0; i < COUNT_OF(kept); i++)
        if (str_eq(name, str_of(kept[i]))) {
            bool version = i == 0;
            note(reading,
                 version ? STR("slurm.version") : note_key_of(reading, "slurm.config.", name),
                 value);
        }
}

static void read_line(struct sacct *sacct, struct str line) {
    struct reading *reading = sacct->reading;
    if (sacct_header(sacct, line) || dashes(sacct, line)) return;
    if (sacct->n)
        sacct_row(sacct, line);
    else if (slurm_table_line(&sacct->table, reading, line))
        return;
    if (str_has(line, STR(" = ")))
        config_line(reading, line);
    else if (!sacct->n || sacct->sep == ' ')
        scontrol_line(reading, line);
    sacct->heading = line;
}

static void read_slurm(struct evidence *evidence, struct str text, const struct origin *origin) {
    struct reading reading;
    struct str line;
    reading_open(&reading, evidence, text, origin, "slurm");
    struct sacct *sacct = ARENA_NEW(&reading.scratch, struct sacct);
    sacct->reading = &reading;
    slurm_table_open(&sacct->table);
    while (reading_line(&reading, &line)) read_line(sacct, line);
    slurm_table_close(&sacct->table, &reading);
    if (sacct->rows) {
        note_int(&reading, STR("slurm.rows"), sacct->rows);
        note_int(&reading, STR("slurm.rows_failed"), sacct->jobs_failed);
    }
    reading_close(&reading);
}

/* Short tables of states: "15451729,RUNNING", "a048  163840 ... mixed". */
static bool is_state_table(struct str head, struct str name) {
    bool named = str_find_nocase(name, STR("sinfo"), 0) >= 0 ||
                 str_find_nocase(name, STR("squeue"), 0) >= 0 ||
                 str_find_nocase(name, STR("sdiag"), 0) >= 0 ||
                 str_find_nocase(name, STR("sacct"), 0) >= 0 ||
                 str_find_nocase(name, STR("scontrol"), 0) >= 0;
    static const char *const words[] = {",RUNNING", ",PENDING", ",idle",     ",alloc",
                                        " mixed",   " idle",    " allocated"};
    for (size_t i = 0; named && i < COUNT_OF(words); i++)
        if (str_has(head, str_of(words[i]))) return true;
    return named && head.n < FACTS_HEAD && !str_has(head, STR("Traceback"));
}

static int recognize(struct str head, struct str name) {
    struct str start = str_sub(head, 0, 8192);
    if (str_has(start, STR("JobId=")) && str_has(start, STR("JobState="))) return 96;
    if (str_has(start, STR("NodeName=")) && str_has(start, STR("CPUAlloc="))) return 96;
    if (str_starts(start, STR("PartitionName="))) return 95;
    if (str_has(start, STR("Configuration data as of")) && str_has(start, STR("AccountingStorage")))
        return 95;
    if (str_has(start, STR("sdiag output at"))) return 95;
    struct str rest = start, line;
    struct sacct sacct = {0};
    if (str_line(&rest, &line) && sacct_header(&sacct, line)) return 96;
    if (str_has(start, STR("JobID")) && str_has(start, STR("State")) &&
        str_has(start, STR("--------")))
        return 88;
    if (str_has(start, STR("JOBID")) && str_has(start, STR("PARTITION")) &&
        str_has(start, STR("NODELIST")))
        return 92;
    if (str_has(start, STR("PARTITION")) && str_has(start, STR("AVAIL")) &&
        str_has(start, STR("TIMELIMIT")))
        return 92;
    return is_state_table(head, name) ? 72 : 0;
}

const struct fact_reader reader_slurm = {.id = "slurm",
                                         .about = "sacct, scontrol show, sinfo, squeue",
                                         .kind = KIND_SCHEDULER,
                                         .recognize = recognize,
                                         .read = read_slurm};
