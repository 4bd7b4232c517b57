/* This machine as its own tools would print it. */
#include "world/probe_calls.h"

#include "base/file.h"
#include "facts/pick.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <glob.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/timex.h>
#endif

extern char **environ;

enum { FILE_BYTES = 65536 /* of a file, as much as is read */ };

void write_file(struct buf *out, const char *path, bool read) {
    char room[FILE_BYTES];
    struct str text = file_head(path, room, read ? sizeof room : 0);
    buf_printf(out, "==> %s <==\n", path);
    buf_str(out, text);
    if (text.n && text.p[text.n - 1] != '\n') buf_char(out, '\n');
}

/* ---- environment ------------------------------------------------------------------------ */

/* Only what launchers, libraries and schedulers read: a list of facts is mailed around. */
static const char *const field_starts[] = {"CUDA_",
                                           "NCCL_",
                                           "TORCH",
                                           "PYTORCH_",
                                           "MASTER_",
                                           "SLURM",
                                           "OMPI_",
                                           "PMI_",
                                           "PMIX_",
                                           "HF_",
                                           "HUGGING",
                                           "TRANSFORMERS_",
                                           "GLOO_",
                                           "TP_SOCKET",
                                           "OMP_",
                                           "MKL_",
                                           "DS_",
                                           "DEEPSPEED_",
                                           "LOCAL_",
                                           "GROUP_",
                                           "NVIDIA_",
                                           "NVTE_",
                                           "UCX_",
                                           "FI_",
                                           "MV2_",
                                           "I_MPI_",
                                           "IBV_",
                                           "RDMAV_",
                                           "HIP_",
                                           "ROCR_",
                                           "HSA_",
                                           "RCCL_",
                                           "VLLM_",
                                           "TRITON_",
                                           "XFORMERS_",
                                           "ACCELERATE_",
                                           "FSDP_",
                                           "MEGATRON_",
                                           "KUBERNETES_SERVICE_HOST",
                                           "PBS_",
                                           "LSB_",
                                           "PIP_",
                                           "WANDB_",
                                           "RAY_",
                                           "PYTHON",
                                           "CONDA_",
                                           "MAX_JOBS",
                                           "UV_INDEX",
                                           "FLASH_ATTENTION"};
static const char *const field_names[] = {"RANK",
                                          "WORLD_SIZE",
                                          "NODE_RANK",
                                          "NNODES",
                                          "NPROC_PER_NODE",
                                          "PATH",
                                          "HOSTNAME",
                                          "VIRTUAL_ENV",
                                          "LD_PRELOAD",
                                          "LD_LIBRARY_PATH",
                                          "LIBRARY_PATH",
                                          "CPATH",
                                          "CC",
                                          "CXX",
                                          "TMPDIR",
                                          "http_proxy",
                                          "https_proxy",
                                          "no_proxy",
                                          "all_proxy",
                                          "HTTP_PROXY",
                                          "HTTPS_PROXY",
                                          "NO_PROXY",
                                          "ALL_PROXY",
                                          "SSL_CERT_FILE",
                                          "SSL_CERT_DIR",
                                          "REQUESTS_CA_BUNDLE",
                                          "CURL_CA_BUNDLE",
                                          "container"};

static bool is_of_this_field(struct str name) {
    if (STR_STARTS_ANY(name, field_starts)) return true;
    return STR_AMONG(name, field_names);
}

void call_environment(struct buf *out, const char *folder) {
    (void)folder;
    for (char **at = environ; *at; at++) {
        struct str line = str_of(*at), name = pick_until(line, STR("="));
        if (!is_of_this_field(name) || memchr(line.p, '\n', line.n)) continue;
        if (str_eq(name, STR("LC_ALL"))) continue;
        buf_str(out, line);
        buf_char(out, '\n');
    }
}

/* ---- control groups --------------------------------------------------------------------- */

static void write_value(struct buf *out, const char *folder, const char *name) {
    char path[1200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (access(path, R_OK) == 0) write_file(out, path, true);
}

/* The group and all around it, since each may limit. */
static void write_levels(struct buf *out, const char *root, struct str group,
                         const char *const *names, size_t n_names) {
    char folder[1024];
    for (int level = 0; level < 32; level++) {
        while (str_ends(group, STR("/"))) group = str_sub(group, 0, group.n - 1);
        snprintf(folder, sizeof folder, "%s" STR_FMT, root, STR_ARG(group));
        for (size_t i = 0; i < n_names; i++) write_value(out, folder, names[i]);
        if (!group.n) return;
        group = str_folder(group);
    }
}

void call_cgroup(struct buf *out, const char *folder) {
    static const char *const unified[] = {"memory.current", "memory.max", "memory.events",
                                          "cpu.max",        "pids.max",   "cpuset.cpus.effective"};
    static const char *const memory[] = {"memory.usage_in_bytes", "memory.limit_in_bytes",
                                         "memory.oom_control"};
    static const char *const pids[] = {"pids.max"};
    char room[4096];
    (void)folder;
    struct str rest = file_head("/proc/self/cgroup", room, sizeof room), line, number, controllers;
    while (str_line(&rest, &line)) { /* "0::/user.slice", "7:memory:/docker/1234" */
        if (!str_split(&line, ':', &number) || !str_split(&line, ':', &controllers)) continue;
        if (!controllers.n)
            write_levels(out, "/sys/fs/cgroup", line, unified, COUNT_OF(unified));
        else if (str_has(controllers, STR("memory")))
            write_levels(out, "/sys/fs/cgroup/memory", line, memory, COUNT_OF(memory));
        else if (str_has(controllers, STR("pids")))
            write_levels(out, "/sys/fs/cgroup/pids", line, pids, COUNT_OF(pids));
    }
}

/* ---- disks ------------------------------------------------------------------------------ */

/* One line of df; the folder stands where df names the mount. */
static void write_df(struct buf *out, const char *path, bool inodes) {
    struct statvfs about;
    if (statvfs(path, &about) != 0) return;
    uint64_t size = inodes ? about.f_files : about.f_blocks,
             left = inodes ? about.f_favail : about.f_bavail,
             used = size - (inodes ? about.f_ffree : about.f_bfree);
    double scale = inodes ? 1 : (double)about.f_frsize / 1024;
    if (!size) return; /* a file system without inodes of its own */
    uint64_t percent = used + left ? (used * 100 + used + left - 1) / (used + left) : 0;
    buf_printf(out, "- %.0f %.0f %.0f %llu%% %s\n", (double)size * scale, (double)used * scale,
               (double)left * scale, (unsigned long long)percent, path);
}

void call_disk(struct buf *out, const char *folder) {
    char *whole = realpath(folder, NULL);
    const char *path = whole ? whole : folder;
    buf_printf(out, "Filesystem 1K-blocks Used Available Use%% Mounted on\n");
    write_df(out, "/dev/shm", false);
    write_df(out, "/tmp", false);
    write_df(out, "/", false);
    buf_printf(out, "$ df %s\nFilesystem 1K-blocks Used Available Use%% Mounted on\n", path);
    write_df(out, path, false);
    buf_printf(out, "$ df -i %s\nFilesystem Inodes IUsed IFree IUse%% Mounted on\n", path);
    write_df(out, path, true);
    free(whole);
}

void call_clock(struct buf *out, const char *folder) {
    (void)folder;
#ifdef __linux__
    struct timex clock = {0};
    int state = adjtimex(&clock);
    if (state >= 0)
        buf_printf(out, "NTPSynchronized=%s\n",
                   state == TIME_ERROR || (clock.status & STA_UNSYNC) ? "no" : "yes");
#endif
}

/* ---- processes -------------------------------------------------------------------------- */

/* State and name from /proc/PID/stat: "4711 (python3) Z 1 ..."; the probes themselves are left out.
 */
static bool process_state(const char *pid, char *state, char name[64]) {
    char path[64], room[512];
    snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
    room[file_head(path, room, sizeof room - 1).n] = '\0';
    char *open = strchr(room, '('), *close = strrchr(room, ')');
    if (!open || !close || close[1] != ' ') return false;
    if (strtol(close + 3, NULL, 10) == getppid()) return false;
    *state = close[2];
    snprintf(name, 64, "%.*s", (int)(close - open - 1 < 63 ? close - open - 1 : 63), open + 1);
    return true;
}

static bool holds_gpu(const char *pid, char device[32]) {
    char path[64], target[256];
    snprintf(path, sizeof path, "/proc/%.20s/fd", pid);
    DIR *folder = opendir(path);
    bool found = false;
    if (!folder) return false;
    for (struct dirent *entry; !found && (entry = readdir(folder));) {
        ssize_t n = readlinkat(dirfd(folder), entry->d_name, target, sizeof target - 1);
        if (n < 0) continue;
        target[n] = '\0';
        found = strncmp(target, "/dev/nvidia", 11) == 0 && isdigit((unsigned char)target[11]);
        if (found) snprintf(device, 32, "%.31s", target);
    }
    closedir(folder);
    return found;
}

void call_processes(struct buf *out, const char *folder) {
    struct buf holders = {0};
    DIR *proc = opendir("/proc");
    (void)folder;
    if (!proc) return;
    buf_printf(out, "    PID STAT COMMAND\n");
    for (struct dirent *entry; (entry = readdir(proc));) {
        char state, name[64], device[32];
        if (!isdigit((unsigned char)entry->d_name[0])) continue;
        if (!process_state(entry->d_name, &state, name)) continue;
        if (state == 'Z' || state == 'D') buf_printf(out, "%s %c %s\n", entry->d_name, state, name);
        if (holds_gpu(entry->d_name, device))
            buf_printf(&holders, "%s: - %s F.... %s\n", device, entry->d_name, name);
    }
    closedir(proc);
    if (holders.n) buf_printf(out, "                     USER        PID ACCESS COMMAND\n");
    buf_str(out, buf_view(&holders));
    buf_release(&holders);
}

/* ---- interfaces ------------------------------------------------------------------------- */

void call_addresses(struct buf *out, const char *folder) {
    struct ifaddrs *all;
    char text[INET_ADDRSTRLEN];
    (void)folder;
    if (getifaddrs(&all) != 0) return;
    struct if_nameindex *names = if_nameindex();
    for (struct if_nameindex *name = names; name && name->if_name; name++) {
        unsigned flags = 0;
        for (struct ifaddrs *at = all; at; at = at->ifa_next)
            if (strcmp(at->ifa_name, name->if_name) == 0) flags |= at->ifa_flags;
        buf_printf(out, "%u: %s: <%s%s%s>\n", name->if_index, name->if_name,
                   flags & IFF_LOOPBACK ? "LOOPBACK," : "", flags & IFF_UP ? "UP" : "DOWN",
                   flags & IFF_RUNNING ? ",LOWER_UP" : "");
        for (struct ifaddrs *at = all; at; at = at->ifa_next) {
            if (strcmp(at->ifa_name, name->if_name) != 0 || !at->ifa_addr ||
                at->ifa_addr->sa_family != AF_INET)
                continue;
            const struct sockaddr_in *address = (const void *)at->ifa_addr;
            inet_ntop(AF_INET, &address->sin_addr, text, sizeof text);
            buf_printf(out, "    inet %s scope global %s\n", text, name->if_name);
        }
    }
    if_freenameindex(names);
    freeifaddrs(all);
}
