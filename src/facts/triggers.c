#include "facts/triggers.h"

/* Each phrase that log_head.c acts on holds one of these. */
static const char *const phrases[] = {
    "-packages",
    "cmd = ",
    "run sh: ",
    "unning command",
    "aunching command",
    "[launch.py:",
    "export ",
    "NCCL INFO",
    "NCCL version",
    "/usr/local/cuda-",
    "slurmstepd",
    "srun: ",
    "NVIDIA ",
    "Tesla ",
    "GeForce ",
    "CUDA",
    "Cuda ",
    "uccessfully ",
    "already sat",
    "but you have",
    "LLM engine",
    "gcc version",
    "kernel version",
    " ..",
    " . [",
    "world",
    "processes: ",
    "parallel",
    "Accumulation",
    "batch size",
    "Total opt",
    "  json = ",
    "non-default",
    "rguments(",
    "Namespace(",
    "Config(",
    "arguments",
    "PyTorch",
    "File \"C:",
    "File \"D:",
    "File \"E:",
    "NVML",
    "device handle",
    "No devices",
    "requires reset",
    "GPU is lost",
    "not found",
    "rs_version\"",
    "info: version=",
    "wandb version",
    "torchrun",
    "deepspeed ",
    "accelerate la",
    "colossalai run",
    "python",
    "communicate",
    "set by env",
    "srun ",
    "mpirun",
    "--",
};
_Static_assert(COUNT_OF(phrases) <= TRIGGERS_MOST, "indexes are bytes");

void triggers_open(struct triggers *triggers) {
    *triggers = (struct triggers){{0}, {0}};
    for (size_t i = 0; i < COUNT_OF(phrases); i++) {
        unsigned char first = (unsigned char)phrases[i][0];
        triggers->next[i + 1] = triggers->head[first]; /* 0 ends a list, so places count from 1 */
        triggers->head[first] = (unsigned char)(i + 1);
    }
}

static bool stands_at(struct str line, size_t at, const char *phrase) {
    for (; *phrase; phrase++, at++)
        if (at >= line.n || line.p[at] != *phrase) return false;
    return true;
}

bool triggers_in(const struct triggers *triggers, struct str line) {
    for (size_t i = 0; i < line.n; i++)
        for (unsigned place = triggers->head[(unsigned char)line.p[i]]; place;
             place = triggers->next[place])
            if (stands_at(line, i, phrases[place - 1])) return true;
    return false;
}
