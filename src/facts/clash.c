/* Contradictions among facts: settings that deny each other, or that the machine cannot follow. */
#include "facts/facts.h"
#include "facts/pick.h"
#include "facts/reading.h"

struct clash {
    struct evidence *evidence;
    struct reading reading;
};

static struct str fact(const struct clash *clash, const char *key) {
    return evidence_fact(clash->evidence, str_of(key));
}
static bool number(const struct clash *clash, const char *key, int *value) {
    return pick_int(fact(clash, key), value);
}
/* What is noted next stands where this fact does. */
static void stand_at(struct clash *clash, const char *key) {
    const struct fact *row = evidence_fact_row(clash->evidence, str_of(key));
    if (row) clash->reading.origin = row->origin;
}
#define CLASH(clash, name, ...)                                                                    \
    note(&(clash)->reading, STR("clash." name), note_key(&(clash)->reading, __VA_ARGS__))

/* "0,2,5": how many, and the highest index; UUIDs count but have none. */
static int devices_count(struct str list, int *highest) {
    struct str item;
    int n = 0, index;
    *highest = -1;
    while (str_split(&list, ',', &item)) {
        item = str_trim(item);
        if (!item.n) continue;
        n++;
        if (pick_int(item, &index) && index > *highest) *highest = index;
    }
    return n;
}

static void ranks(struct clash *clash) {
    int rank, world, local, local_world, gpus, highest;
    struct str visible = fact(clash, "env.CUDA_VISIBLE_DEVICES");
    if (number(clash, "env.RANK", &rank) && number(clash, "env.WORLD_SIZE", &world) &&
        rank >= world)
        CLASH(clash, "rank", "RANK=%d, but WORLD_SIZE=%d: ranks count from 0", rank, world);
    if (number(clash, "env.LOCAL_RANK", &local)) {
        int devices = devices_count(visible, &highest);
        if (devices && local >= devices)
            CLASH(clash, "local_rank",
                  "LOCAL_RANK=%d, but CUDA_VISIBLE_DEVICES=" STR_FMT " leaves %d", local,
                  STR_ARG(visible), devices);
        else if (!devices && number(clash, "gpu.count", &gpus) && local >= gpus)
            CLASH(clash, "local_rank", "LOCAL_RANK=%d, but this machine has %d GPUs", local, gpus);
        if (number(clash, "env.LOCAL_WORLD_SIZE", &local_world) && local >= local_world)
            CLASH(clash, "local_rank", "LOCAL_RANK=%d, but LOCAL_WORLD_SIZE=%d", local,
                  local_world);
    }
    if (visible.n && number(clash, "gpu.count", &gpus)) {
        devices_count(visible, &highest);
        if (highest >= gpus)
            CLASH(clash, "visible_devices",
                  "CUDA_VISIBLE_DEVICES=" STR_FMT ", but this machine has %d GPUs",
                  STR_ARG(visible), gpus);
    }
}

/* What MPI's launcher counted against what was exported by hand. */
static void mpi(struct clash *clash) {
    static const char *const pairs[][2] = {{"OMPI_COMM_WORLD_SIZE", "WORLD_SIZE"},
                                           {"OMPI_COMM_WORLD_RANK", "RANK"},
                                           {"OMPI_COMM_WORLD_LOCAL_RANK", "LOCAL_RANK"},
                                           {"PMI_SIZE", "WORLD_SIZE"}};
    for (size_t i = 0; i < COUNT_OF(pairs); i++) {
        struct str a = fact(clash, note_key(&clash->reading, "env.%s", pairs[i][0]).p);
        struct str b = fact(clash, note_key(&clash->reading, "env.%s", pairs[i][1]).p);
        if (a.n && b.n && !str_eq(a, b))
            CLASH(clash, "mpi", "%s=" STR_FMT ", but %s=" STR_FMT, pairs[i][0], STR_ARG(a),
                  pairs[i][1], STR_ARG(b));
    }
}

static void master(struct clash *clash) {
    struct str address = fact(clash, "env.MASTER_ADDR"), port = fact(clash, "env.MASTER_PORT");
    int nodes = 0, value;
    static const char *const counts[] = {"env.SLURM_JOB_NUM_NODES", "env.SLURM_NNODES",
                                         "env.NNODES", "nodes.count"};
    for (size_t i = 0; i < COUNT_OF(counts) && nodes == 0; i++) number(clash, counts[i], &nodes);
    bool local = str_eq(address, STR("localhost")) || str_starts(address, STR("127."));
    stand_at(clash, "env.MASTER_ADDR");
    if (local && nodes > 1)
        CLASH(clash, "master_addr", "MASTER_ADDR=" STR_FMT ", but the job has %d nodes",
              STR_ARG(address), nodes);
    stand_at(clash, "env.MASTER_PORT");
    if (port.n &&
        (!pick_int(port, &value) || pick_number(port).n != port.n || value < 1 || value > 65535))
        CLASH(clash, "master_port", "MASTER_PORT=" STR_FMT " is no port", STR_ARG(port));
}

/* ---- the launch against what its own script sets ------------------------------------------- */

/* Both told by one file: what another one tells may be of another run. */
static bool of_one_file(const struct clash *clash, const char *a, const char *b) {
    const struct fact *x = evidence_fact_row(clash->evidence, str_of(a)),
                      *y = evidence_fact_row(clash->evidence, str_of(b));
    return x && y && x->origin.source >= 0 && x->origin.source == y->origin.source;
}

static void visible_devices(struct clash *clash) {
    static const char *const options[] = {"arg.nproc_per_node", "arg.num_gpus"};
    int each, highest;
    for (size_t i = 0; i < COUNT_OF(options); i++) {
        if (!number(clash, options[i], &each) ||
            !of_one_file(clash, options[i], "env.CUDA_VISIBLE_DEVICES"))
            continue;
        struct str visible = fact(clash, "env.CUDA_VISIBLE_DEVICES");
        int devices = devices_count(visible, &highest);
        stand_at(clash, options[i]);
        if (devices && each > devices)
            CLASH(clash, "processes", "--%s is %d, but CUDA_VISIBLE_DEVICES=" STR_FMT " leaves %d",
                  options[i] + 4, each, STR_ARG(visible), devices);
    }
}

/* srun alone starts the processes: their number is that of the tasks. */
static void tasks(struct clash *clash) {
    int world, nodes, each, all;
    if (!str_eq(fact(clash, "cmd.launcher"), STR("srun")) ||
        !number(clash, "env.WORLD_SIZE", &world))
        return;
    int64_t started = 0;
    if (number(clash, "sbatch.nodes", &nodes) && number(clash, "sbatch.ntasks_per_node", &each))
        started = (int64_t)nodes * each;
    else if (number(clash, "sbatch.ntasks", &all))
        started = all;
    stand_at(clash, "env.WORLD_SIZE");
    if (started > 0 && started != world)
        CLASH(clash, "world", "WORLD_SIZE=%d, but srun starts %lld tasks", world,
              (long long)started);
}

/* Outside of single quotes and without a backslash the batch script's shell fills it in, once, on
 * the first node. */
static bool filled_too_early(struct str line) {
    bool quoted = false;
    for (size_t i = 0; i < line.n; i++) {
        struct str rest = str_sub(line, i, line.n);
        bool escaped = i > 0 && line.p[i - 1] == '\\';
        if (line.p[i] == '\'' && !escaped) quoted = !quoted;
        if (quoted || escaped || line.p[i] != '$') continue;
        struct str before = str_trim(str_sub(line, 0, i));
        bool rank = str_ends(before, STR("rank")) || str_ends(before, STR("rank="));
        if (rank &&
            (str_starts(rest, STR("$SLURM_NODEID")) || str_starts(rest, STR("$SLURM_PROCID")) ||
             str_starts(rest, STR("${SLURM_NODEID")) || str_starts(rest, STR("${SLURM_PROCID"))))
            return true;
    }
    return false;
}

static void node_rank(struct clash *clash) {
    struct str line = fact(clash, "cmd.line");
    int nodes;
    if (!str_eq(fact(clash, "cmd.outer"), STR("srun")) || str_has(line, STR("rdzv")) ||
        !number(clash, "sbatch.nodes", &nodes) || nodes < 2 || !filled_too_early(line))
        return;
    stand_at(clash, "cmd.line");
    CLASH(clash, "node_rank",
          "the batch script fills in the rank of the node before srun starts: all %d nodes get the "
          "same one",
          nodes);
}

/* ---- network: names of interfaces and adapters ---------------------------------------- */

static bool has_value(const struct clash *clash, const char *key, struct str name, bool exact) {
    for (size_t i = 0; i < clash->evidence->facts.n; i++) {
        const struct fact *row = &clash->evidence->facts.v[i];
        if (!str_eq(row->key, str_of(key))) continue;
        if (exact ? str_eq(row->value, name) : str_starts(row->value, name)) return true;
    }
    return false;
}

static struct str values_of(struct clash *clash, const char *key) {
    struct str all = {0};
    for (size_t i = 0; i < clash->evidence->facts.n; i++) {
        const struct fact *row = &clash->evidence->facts.v[i];
        if (str_eq(row->key, str_of(key)) && all.n < 200)
            all = note_key(&clash->reading, STR_FMT "%s" STR_FMT, STR_ARG(all), all.n ? ", " : "",
                           STR_ARG(row->value));
    }
    return all;
}

/* NCCL takes beginnings of names, "=eth0" a whole one, "^docker" all but these; Gloo whole names.
 */
static void interfaces(struct clash *clash) {
    static const char *const names[] = {"NCCL_SOCKET_IFNAME", "GLOO_SOCKET_IFNAME",
                                        "TP_SOCKET_IFNAME"};
    if (!fact(clash, "nic").n) return;
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        struct str asked = fact(clash, note_key(&clash->reading, "env.%s", names[i]).p);
        struct str rest = asked, name;
        bool exact = i > 0, found = false;
        if (!asked.n || asked.p[0] == '^') continue;
        if (rest.p[0] == '=') exact = true, rest = str_sub(rest, 1, rest.n);
        while (str_split(&rest, ',', &name))
            found = found || has_value(clash, "nic", str_trim(name), exact);
        stand_at(clash, note_key(&clash->reading, "env.%s", names[i]).p);
        if (!found)
            CLASH(clash, "socket_ifname", "%s=" STR_FMT ", but this machine has " STR_FMT, names[i],
                  STR_ARG(asked), STR_ARG(values_of(clash, "nic")));
    }
}

static bool has_key_start(const struct clash *clash, struct str start) {
    for (size_t i = 0; i < clash->evidence->facts.n; i++)
        if (str_starts(clash->evidence->facts.v[i].key, start)) return true;
    return false;
}

static void infiniband(struct clash *clash) {
    struct str hca = fact(clash, "env.NCCL_IB_HCA"), off = fact(clash, "env.NCCL_IB_DISABLE");
    if (hca.n && str_eq(off, STR("1")))
        CLASH(clash, "infiniband",
              "NCCL_IB_HCA=" STR_FMT " chooses an adapter, but "
              "NCCL_IB_DISABLE=1 uses none",
              STR_ARG(hca));
    if (!hca.n || hca.p[0] == '^' || !has_key_start(clash, STR("ib."))) return;
    struct str rest = hca, name;
    if (rest.p[0] == '=') rest = str_sub(rest, 1, rest.n);
    bool found = false;
    while (str_split(&rest, ',', &name)) {
        name = pick_until(str_trim(name), STR(":"));
        found =
            found || has_key_start(clash, note_key(&clash->reading, "ib." STR_FMT, STR_ARG(name)));
    }
    if (!found)
        CLASH(clash, "infiniband", "NCCL_IB_HCA=" STR_FMT " names no adapter of this machine",
              STR_ARG(hca));
}

/* The entry of the adapters' address table that is to be used must be there, on RoCE of version 2.
 */
static void gid_index(struct clash *clash) {
    struct str index = fact(clash, "env.NCCL_IB_GID_INDEX");
    bool any = false, found = false;
    int n;
    if (!pick_int(index, &n)) return;
    struct str end = note_key(&clash->reading, ".gid." STR_FMT, STR_ARG(index));
    for (size_t i = 0; i < clash->evidence->facts.n; i++) {
        struct str key = clash->evidence->facts.v[i].key;
        if (!str_starts(key, STR("ib.")) || !str_has(key, STR(".gid."))) continue;
        any = true;
        found = found || str_ends(key, end);
    }
    if (any && !found)
        CLASH(clash, "gid", "NCCL_IB_GID_INDEX=" STR_FMT ", but no adapter has such an entry",
              STR_ARG(index));
}

/* ---- software ------------------------------------------------------------------------- */

static void toolkit(struct clash *clash) {
    struct str torch = fact(clash, "cuda.version"), nvcc = fact(clash, "nvcc.version"),
               driver = fact(clash, "driver.cuda");
    int a, b;
    if (pick_int(torch, &a) && pick_int(nvcc, &b) && a != b)
        CLASH(clash, "cuda_toolkit", "nvcc is of CUDA " STR_FMT ", torch was built for " STR_FMT,
              STR_ARG(nvcc), STR_ARG(torch));
    /* within a major version older drivers do, since CUDA 11 */
    if (pick_int(torch, &a) && pick_int(driver, &b) &&
        (b < a || (a < 11 && version_cmp(driver, torch) < 0)))
        CLASH(clash, "driver", "the driver reaches CUDA " STR_FMT ", torch was built for " STR_FMT,
              STR_ARG(driver), STR_ARG(torch));
}

static void allocator(struct clash *clash) {
    static const char *const known[] = {"max_split_size_mb",
                                        "roundup_power2_divisions",
                                        "roundup_bypass_threshold_mb",
                                        "garbage_collection_threshold",
                                        "expandable_segments",
                                        "backend",
                                        "pinned_use_cuda_host_register",
                                        "pinned_num_register_threads",
                                        "pinned_use_background_threads",
                                        "pinned_reserve_segment_size_mb",
                                        "release_lock_on_cudamalloc",
                                        "release_lock_on_hipmalloc",
                                        "use_cuda_host_register",
                                        "max_non_split_rounding_mb",
                                        "per_process_memory_fraction",
                                        "graph_capture_record_stream_reuse"};
    struct str rest = fact(clash, "env.PYTORCH_CUDA_ALLOC_CONF"), pair, name, value;
    if (str_has(rest, STR("["))) return; /* lists hold commas of their own */
    while (str_split(&rest, ',', &pair)) {
        if (!pick_pair(pair, ':', &name, &value)) name = str_trim(pair);
        if (name.n && !STR_AMONG(name, known))
            CLASH(clash, "alloc_conf", "PYTORCH_CUDA_ALLOC_CONF has no setting '" STR_FMT "'",
                  STR_ARG(name));
    }
}

static void threads(struct clash *clash) {
    int omp, gpus, cpus;
    if (number(clash, "env.OMP_NUM_THREADS", &omp) && number(clash, "gpu.count", &gpus) &&
        number(clash, "cpu.count", &cpus) && gpus > 1 && (int64_t)omp * gpus > 2 * (int64_t)cpus)
        CLASH(clash, "threads", "OMP_NUM_THREADS=%d for each of %d processes, but %d CPUs", omp,
              gpus, cpus);
}

/* ---- DeepSpeed's launcher ------------------------------------------------------------- */

/* It hands on what begins with these names, and what ~/.deepspeed_env holds. */
static void not_forwarded(struct clash *clash) {
    static const char *const forwarded[] = {"NCCL",   "PYTHON", "MV2",        "UCX",
                                            "MLFLOW", "NEBULA", "LD_LIBRARY", "PATH"};
    static const char *const wanted[] = {"CUDA_", "TORCH", "PYTORCH_", "HF_",   "TRANSFORMERS_",
                                         "OMP_",  "DS_",   "WANDB_",   "GLOO_", "TRITON_",
                                         "http",  "HTTP",  "MAX_JOBS", "FI_",   "LD_PRELOAD"};
    struct str all = {0};
    for (size_t i = 0; i < clash->evidence->facts.n; i++) {
        struct str name = clash->evidence->facts.v[i].key;
        if (!str_starts(name, STR("env."))) continue;
        name = str_sub(name, 4, name.n);
        if (STR_STARTS_ANY(name, forwarded) || !STR_STARTS_ANY(name, wanted) ||
            str_starts(name, STR("CUDA_VISIBLE_DEVICES")) || all.n + name.n > 800)
            continue;
        all = note_key(&clash->reading, STR_FMT "%s" STR_FMT, STR_ARG(all), all.n ? ", " : "",
                       STR_ARG(name));
    }
    note(&clash->reading, STR("env.not_forwarded"), all);
}

void facts_clash(struct evidence *evidence) {
    struct clash clash = {.evidence = evidence};
    const struct origin origin = ORIGIN_NONE;
    reading_open(&clash.reading, evidence, (struct str){0}, &origin, "clash");
    ranks(&clash);
    mpi(&clash);
    master(&clash);
    visible_devices(&clash);
    tasks(&clash);
    node_rank(&clash);
    clash.reading.origin = origin;
    interfaces(&clash);
    infiniband(&clash);
    gid_index(&clash);
    toolkit(&clash);
    allocator(&clash);
    threads(&clash);
    not_forwarded(&clash);
    reading_close(&clash.reading);
}
