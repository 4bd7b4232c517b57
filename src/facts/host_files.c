/* Files of the kernel and of installed software, as `tail -n +1 FILE...` prints several of them:
 * each below a line "==> PATH <==".  The path says what the text is. */
#include "base/base.h"
#include "facts/lines.h"
#include "facts/pick.h"
#include "facts/readers.h"
#include "facts/system.h"

struct host {
    struct reading *reading;
    struct str path;     /* of the file being read */
    struct str parts[4]; /* what the stars of its row stand for */
    double memory_limit; /* the tightest of all levels, GiB; 0: none seen */
    int processors;
    int ib_active, ib_down, ib_devices;
    struct str ib_device;
    bool cgroup_told;
};

/* ---- one function a kind of file ------------------------------------------------------ */

/* "MemTotal:       1056752416 kB" */
static void meminfo_line(struct host *host, struct str line) {
    static const struct {
        const char *name, *key;
    } rows[] = {{"MemTotal", "host.memory.total"}, {"MemAvailable", "host.memory.available"},
                {"SwapTotal", "host.swap.total"},  {"SwapFree", "host.swap.free"},
                {"Mlocked", "host.memory.locked"}, {"Hugetlb", "hugepages.memory"}};
    struct str name, value;
    double gib;
    if (!pick_pair(line, ':', &name, &value)) return;
    if (str_eq(name, STR("HugePages_Total"))) note(host->reading, STR("hugepages.total"), value);
    if (str_eq(name, STR("HugePages_Free"))) note(host->reading, STR("hugepages.free"), value);
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (str_eq(name, str_of(rows[i].name)) && str_gib(value, 'K', &gib))
            note_gib(host->reading, str_of(rows[i].key), gib);
}

/* "Max locked memory         65536                65536                bytes", as ulimit has it:
 * sizes in KiB. */
static void limits_line(struct host *host, struct str line) {
    static const struct {
        const char *name, *key;
        int unit;
    } rows[] = {
        {"Max locked memory", "ulimit.memlock", 1024}, {"Max open files", "ulimit.nofile", 1},
        {"Max processes", "ulimit.nproc", 1},          {"Max stack size", "ulimit.stack", 1024},
        {"Max address space", "ulimit.as", 1024},      {"Max core file size", "ulimit.core", 1}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct str rest;
        int64_t value;
        if (!str_starts(line, str_of(rows[i].name))) continue;
        struct str soft = pick_word(str_sub(line, strlen(rows[i].name), line.n), &rest);
        if (str_int(soft, &value))
            note_int(host->reading, str_of(rows[i].key), value / rows[i].unit);
        else
            note(host->reading, str_of(rows[i].key), soft);
    }
}

/* A limit holds for all groups below it, so the tightest of the levels counts; version 1 writes
 * "no limit" as a number near 2^63. */
static void memory_limit(struct host *host, struct str line) {
    double bytes;
    if (!str_number(line, &bytes) || bytes >= 1e18) return;
    double gib = bytes / (1 << 30);
    if (host->memory_limit == 0 || gib < host->memory_limit) host->memory_limit = gib;
}

static void memory_used(struct host *host, struct str line) {
    double bytes;
    if (host->cgroup_told || !str_number(line, &bytes)) return;
    host->cgroup_told = true; /* the group itself comes first, then those around it */
    note_gib(host->reading, STR("cgroup.memory.used"), bytes / (1 << 30));
}

/* memory.events, memory.oom_control, /proc/vmstat: "oom_kill 3" */
static void oom_line(struct host *host, struct str line) {
    struct str count;
    if (!str_eq(pick_word(line, &count), STR("oom_kill"))) return;
    bool whole = str_ends(host->path, STR("vmstat"));
    note(host->reading, whole ? STR("host.oom_kills") : STR("cgroup.oom_kills"), count);
}

/* "200000 100000": that much time of each period; "max 100000" is no limit. */
static void cpu_max(struct host *host, struct str line) {
    struct str period;
    double quota, each;
    if (str_number(pick_word(line, &period), &quota) && str_number(period, &each) && each > 0)
        note(host->reading, STR("cgroup.cpus"), note_key(host->reading, "%.1f", quota / each));
}

static void pids_max(struct host *host, struct str line) {
    if (!str_eq(line, STR("max"))) note(host->reading, STR("cgroup.pids.limit"), line);
}

static void cpuinfo_line(struct host *host, struct str line) {
    struct str name, value;
    if (!pick_pair(line, ':', &name, &value)) return;
    host->processors += str_eq(name, STR("processor"));
    if (host->processors <= 1) system_line(host->reading, line);
}

/* "0-3,8": how many numbers a list of ranges names. */
static int64_t ranges_count(struct str list) {
    struct str range;
    int64_t n = 0;
    int first, last;
    while (str_split(&list, ',', &range)) {
        struct str behind;
        if (!pick_int(range, &first)) continue;
        last = first;
        if (pick_after(range, STR("-"), &behind)) pick_int(behind, &last);
        if (last >= first && last - first < 65536) n += last - first + 1;
    }
    return n;
}
static void numa_nodes(struct host *host, struct str line) {
    note_int(host->reading, STR("cpu.numa_nodes"), ranges_count(line));
}
static void cpu_set(struct host *host, struct str line) {
    note_int(host->reading, STR("cgroup.cpuset"), ranges_count(line));
}

/* "always [madvise] never" */
static void chosen(struct host *host, struct str line) {
    struct str inside;
    if (pick_between(line, STR("["), STR("]"), &inside))
        note(host->reading, STR("hugepages.transparent"), inside);
}

static void file_numbers(struct host *host, struct str line) {
    struct str rest, most;
    note(host->reading, STR("host.files.open"), pick_word(line, &rest));
    pick_word(rest, &most);
    note(host->reading, STR("host.files.max"), most);
}

static void tool_text(struct host *host, struct str line) {
    system_line(host->reading, line);
}

static void kernel_text(struct host *host, struct str line) {
    system_line(host->reading, line);
    if (str_find_nocase(line, STR("microsoft"), 0) >= 0)
        note(host->reading, STR("wsl"), STR("yes"));
}

static void driver_text(struct host *host, struct str line) {
    struct str rest;
    if (pick_after(line, STR("Kernel Module"), &rest))
        note(host->reading, STR("driver.version"), pick_dotted(rest));
}

static void container_mark(struct host *host) {
    bool docker = str_has(host->path, STR("dockerenv"));
    note(host->reading, STR("container"), docker ? STR("docker") : STR("podman"));
}

/* `cuda: Optional[str] = '12.1'`, `__version__ = '2.1.0+cu121'` */
static void torch_version(struct host *host, struct str line) {
    struct str name, value;
    if (!pick_pair(line, '=', &name, &value)) return;
    name = pick_word(pick_until(name, STR(":")), NULL);
    value = pick_unquote(value);
    python_note_path(host->reading, host->path);
    if (str_eq(name, STR("__version__"))) package_note(host->reading, STR("torch"), value);
    if (str_eq(name, STR("cuda"))) package_note(host->reading, STR("cuda"), value);
    if (str_eq(name, STR("hip"))) package_note(host->reading, STR("hip"), value);
    if (str_eq(name, STR("git_version"))) note(host->reading, STR("torch.commit"), value);
}

/* "#define NCCL_MAJOR 2": three of them make a version. */
static void version_define(struct host *host, struct str line, const char *prefix,
                           const char *key) {
    static const char *const names[] = {"MAJOR", "MINOR", "PATCH"};
    struct str rest, word;
    if (!str_starts(line, STR("#define ")) || !pick_after(line, str_of(prefix), &rest)) return;
    word = pick_word(rest, &rest);
    if (str_eq(word, STR("PATCHLEVEL"))) word = STR("PATCH");
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (str_eq(word, str_of(names[i]))) host->parts[i + 1] = pick_number(rest);
    if (!host->parts[1].n || !host->parts[2].n || !host->parts[3].n) return;
    note(host->reading, str_of(key),
         note_key(host->reading, STR_FMT "." STR_FMT "." STR_FMT, STR_ARG(host->parts[1]),
                  STR_ARG(host->parts[2]), STR_ARG(host->parts[3])));
}
/* megatron/core/package_info.py: "MAJOR = 0", "MINOR = 8", "PATCH = 0" */
static void megatron_info(struct host *host, struct str line) {
    static const char *const names[] = {"MAJOR", "MINOR", "PATCH"};
    struct str name, value;
    if (!pick_pair(line, '=', &name, &value)) return;
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (str_eq(name, str_of(names[i]))) host->parts[i] = pick_number(value);
    if (host->parts[0].n && host->parts[1].n && host->parts[2].n)
        package_note(host->reading, STR("megatron-core"),
                     note_key(host->reading, STR_FMT "." STR_FMT "." STR_FMT,
                              STR_ARG(host->parts[0]), STR_ARG(host->parts[1]),
                              STR_ARG(host->parts[2])));
}

static void nccl_header(struct host *host, struct str line) {
    version_define(host, line, "NCCL_", "nccl.version");
}
static void cudnn_header(struct host *host, struct str line) {
    version_define(host, line, "CUDNN_", "cudnn.version");
}

/* libnccl.so.2.18.3: the file's name tells; what stands in it is not text. */
static void nccl_library(struct host *host) {
    struct str version = pick_version(host->parts[1]);
    if (str_has(version, STR("."))) note(host->reading, STR("nccl.system"), version);
}

static void interface_state(struct host *host, struct str line) {
    struct str leaf = host->parts[1];
    if (line.p[0] == '-') return; /* a speed that the adapter does not tell */
    note(host->reading,
         note_key(host->reading, "nic." STR_FMT "." STR_FMT, STR_ARG(host->parts[0]),
                  STR_ARG(str_eq(leaf, STR("operstate")) ? STR("state") : leaf)),
         line);
}

/* ---- InfiniBand and RoCE in sysfs ----------------------------------------------------- */

static struct str port_key(struct host *host, const char *name) {
    return note_key(host->reading, "ib." STR_FMT "." STR_FMT ".%s", STR_ARG(host->parts[0]),
                    STR_ARG(host->parts[1]), name);
}

/* state "4: ACTIVE", phys_state "5: LinkUp", rate "100 Gb/sec (4X EDR)", link_layer "Ethernet" */
static void port_line(struct host *host, struct str line) {
    struct str leaf = host->parts[2], value = line, behind;
    if (pick_after(line, STR(": "), &behind)) value = behind;
    if (str_eq(leaf, STR("state"))) {
        if (!str_eq(host->ib_device, host->parts[0])) host->ib_devices++;
        host->ib_device = host->parts[0];
        note(host->reading, port_key(host, "state"), value);
        str_eq_nocase(value, STR("ACTIVE")) ? host->ib_active++ : host->ib_down++;
    } else if (str_eq(leaf, STR("phys_state"))) {
        note(host->reading, port_key(host, "physical"), value);
    } else if (str_eq(leaf, STR("rate"))) {
        note(host->reading, port_key(host, "rate"), pick_number(value));
    } else if (str_eq(leaf, STR("link_layer"))) {
        note(host->reading, port_key(host, "layer"), value);
    }
}

/* A table of 16 or more, most of them empty. */
static void port_gid(struct host *host, struct str line) {
    struct str key = note_key(host->reading, "gid." STR_FMT, STR_ARG(host->parts[2]));
    if (str_eq(line, STR("0000:0000:0000:0000:0000:0000:0000:0000"))) return;
    note(host->reading, port_key(host, key.p), line);
}
static void port_gid_type(struct host *host, struct str line) {
    struct str key = note_key(host->reading, "gid." STR_FMT, STR_ARG(host->parts[2]));
    if (!note_has(host->reading, port_key(host, key.p))) return;
    note(host->reading, port_key(host, note_key(host->reading, STR_FMT ".type", STR_ARG(key)).p),
         line);
}

/* ---- the table ------------------------------------------------------------------------ */

/* A row takes a key for the file's first line, a function for each line, or one for the file. */
struct file_row {
    const char *path; /* matches the end of a path; a star stands for one name or a part of it */
    const char *key;
    void (*line)(struct host *host, struct str line);
    void (*whole)(struct host *host);
};
static const struct file_row file_rows[] = {
    {"/proc/meminfo", NULL, meminfo_line, NULL},
    {"/proc/*/limits", NULL, limits_line, NULL},
    {"/proc/cpuinfo", NULL, cpuinfo_line, NULL},
    {"/proc/version", NULL, kernel_text, NULL},
    {"/proc/vmstat", NULL, oom_line, NULL},
    {"/proc/sys/kernel/hostname", "host.name", NULL, NULL},
    {"/proc/sys/kernel/osrelease", "kernel.version", NULL, NULL},
    {"/proc/sys/kernel/numa_balancing", "numa.balancing", NULL, NULL},
    {"/proc/sys/vm/overcommit_memory", "host.overcommit", NULL, NULL},
    {"/proc/sys/fs/file-nr", NULL, file_numbers, NULL},
    {"/proc/driver/nvidia/version", NULL, driver_text, NULL},
    {"/sys/module/nvidia/version", "driver.version", NULL, NULL},
    {"/sys/module/nvidia_peermem/version", "peermem.version", NULL, NULL},
    {"/etc/os-release", NULL, tool_text, NULL},
    {"/usr/lib/os-release", NULL, tool_text, NULL},
    {"/memory.max", NULL, memory_limit, NULL},
    {"/memory.limit_in_bytes", NULL, memory_limit, NULL},
    {"/memory.current", NULL, memory_used, NULL},
    {"/memory.usage_in_bytes", NULL, memory_used, NULL},
    {"/memory.events", NULL, oom_line, NULL},
    {"/memory.oom_control", NULL, oom_line, NULL},
    {"/cpu.max", NULL, cpu_max, NULL},
    {"/pids.max", NULL, pids_max, NULL},
    {"/cpuset.cpus.effective", NULL, cpu_set, NULL},
    {"/sys/devices/system/node/online", NULL, numa_nodes, NULL},
    {"/sys/kernel/mm/transparent_hugepage/enabled", NULL, chosen, NULL},
    {"/sys/class/net/*/*", NULL, interface_state, NULL},
    {"/sys/class/infiniband/*/ports/*/gids/*", NULL, port_gid, NULL},
    {"/sys/class/infiniband/*/ports/*/gid_attrs/types/*", NULL, port_gid_type, NULL},
    {"/sys/class/infiniband/*/ports/*/*", NULL, port_line, NULL},
    {"/.dockerenv", NULL, NULL, container_mark},
    {"/run/.containerenv", NULL, NULL, container_mark},
    {"/torch/version.py", NULL, torch_version, NULL},
    {"/megatron/core/package_info.py", NULL, megatron_info, NULL},
    {"/nccl.h", NULL, nccl_header, NULL},
    {"/cudnn_version.h", NULL, cudnn_header, NULL},
    {"*/libnccl.so.*", NULL, NULL, nccl_library},
};

/* Does the whole of path match, stars standing for anything but '/' (in front: for anything)? */
static bool path_matches(struct str path, const char *pattern, struct str *parts) {
    int part = 0;
    size_t at = 0;
    if (pattern[0] == '*') {
        ptrdiff_t tail = str_find(path, STR("/libnccl"), 0); /* the only row with such a star */
        if (tail < 0) return false;
        parts[part++] = str_sub(path, 0, (size_t)tail);
        at = (size_t)tail;
        pattern++;
    }
    for (; *pattern; pattern++) {
        if (*pattern != '*') {
            if (at >= path.n || path.p[at++] != *pattern) return false;
            continue;
        }
        size_t start = at;
        while (at < path.n && path.p[at] != '/') at++;
        if (at == start || part == 4) return false;
        parts[part++] = str_sub(path, start, at - start);
    }
    return at == path.n;
}

/* Rows without a star match the end of a path: a recorded tree lies below some folder. */
static const struct file_row *row_of(struct str path, struct str *parts) {
    for (size_t i = 0; i < COUNT_OF(file_rows); i++) {
        const char *pattern = file_rows[i].path;
        bool starred = strchr(pattern, '*') != NULL;
        memset(parts, 0, 4 * sizeof *parts);
        if (starred ? path_matches(path, pattern, parts) : str_ends(path, str_of(pattern)))
            return &file_rows[i];
    }
    return NULL;
}

/* ---- reading -------------------------------------------------------------------------- */

static bool heading(struct str line, struct str *path) {
    if (!str_starts(line, STR("==> ")) || !str_ends(line, STR(" <=="))) return false;
    *path = str_trim(str_sub(line, 4, line.n - 8));
    return path->n > 0;
}

static void finish(struct host *host) {
    struct reading *reading = host->reading;
    if (host->memory_limit > 0) note_gib(reading, STR("cgroup.memory.limit"), host->memory_limit);
    if (host->processors) note_int(reading, STR("cpu.count"), host->processors);
    if (host->ib_devices) note_int(reading, STR("ib.devices"), host->ib_devices);
    if (host->ib_active + host->ib_down) {
        note_int(reading, STR("ib.ports.active"), host->ib_active);
        note_int(reading, STR("ib.ports.down"), host->ib_down);
    }
}

static void read_files(struct evidence *evidence, struct str text, const struct origin *origin) {
    struct reading reading;
    struct host host = {.reading = &reading};
    const struct file_row *row = NULL;
    struct str line;
    bool first = false;
    reading_open(&reading, evidence, text, origin, "host files");
    while (reading_line(&reading, &line)) {
        if (heading(line, &host.path)) {
            row = row_of(host.path, host.parts);
            if (row && row->whole) row->whole(&host);
            first = true;
            continue;
        }
        line = str_trim(line);
        if (!row || !line.n) continue;
        if (row->key && first) note(&reading, str_of(row->key), line);
        if (row->line) row->line(&host, line);
        first = false;
    }
    finish(&host);
    reading_close(&reading);
}

static int recognize(struct str head, struct str name) {
    (void)name;
    struct str rest = str_trim(head), line, path, parts[4];
    int known = 0;
    if (!str_line(&rest, &line) || !heading(line, &path)) return 0;
    do
        if (heading(line, &path)) known += row_of(path, parts) != NULL;
    while (!known && str_line(&rest, &line));
    return known ? 96 : 0;
}

const struct fact_reader reader_host_files = {.id = "host-files",
                                              .about = "tail -n +1 of /proc, /sys, os-release",
                                              .kind = KIND_ENV,
                                              .recognize = recognize,
                                              .read = read_files};
