/* gen_logs - makes the logs of a training job of many ranks: same arguments, same bytes.
 *   gen_logs DIR [--files 64] [--mb 16] [--density 0] [--style mixed] [--seed 1]
 * --mb       size of each file             --density  share of lines that tell of a failure (0..1)
 * --style    megatron | deepspeed | trainer | lightning | mixed (by file) | traceback (nothing but
 * tracebacks) Each file starts as a rank does (arguments, NCCL, warnings), then prints steps; where
 * the density is not 1, one rank runs out of memory near its end and the others report time-outs.
 */
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define COUNT_OF(a) (sizeof(a) / sizeof *(a))

enum style { MEGATRON, DEEPSPEED, TRAINER, LIGHTNING, MIXED, TRACEBACK };
static const char *const style_names[] = {"megatron",  "deepspeed", "trainer",
                                          "lightning", "mixed",     "traceback"};

struct rank {
    FILE *out;
    enum style style;
    uint64_t random;
    long written, size; /* bytes */
    int rank, world, pid;
    long step;
    double clock, loss;
};

static uint64_t next(struct rank *r) {
    r->random ^= r->random << 13;
    r->random ^= r->random >> 7;
    r->random ^= r->random << 17;
    return r->random;
}

static unsigned below(struct rank *r, unsigned n) {
    return (unsigned)(next(r) >> 33) % n;
}

static double unit(struct rank *r) {
    return (double)(next(r) >> 11) / 9007199254740992.0;
}

__attribute__((format(printf, 2, 3))) static void say(struct rank *r, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    r->written += vfprintf(r->out, format, ap) + 1;
    va_end(ap);
    fputc('\n', r->out);
}

static const char *stamp(struct rank *r, char text[32]) {
    long t = (long)(r->clock += unit(r) * 0.4);
    snprintf(text, 32, "2024-11-%02ld %02ld:%02ld:%02ld", 19 + t / 86400 % 9, t / 3600 % 24,
             t / 60 % 60, t % 60);
    return text;
}

/* ---- healthy lines ------------------------------------------------------------------------- */

static void say_start(struct rank *r) {
    static const char *const names[] = {"attention_dropout",
                                        "adam_beta2",
                                        "bf16",
                                        "clip_grad",
                                        "data_path",
                                        "distributed_backend",
                                        "distributed_timeout_minutes",
                                        "eval_interval",
                                        "ffn_hidden_size",
                                        "global_batch_size",
                                        "hidden_size",
                                        "init_method_std",
                                        "kv_channels",
                                        "lr_decay_style",
                                        "max_position_embeddings",
                                        "micro_batch_size",
                                        "num_attention_heads",
                                        "num_layers",
                                        "num_workers",
                                        "overlap_grad_reduce",
                                        "pipeline_model_parallel_size",
                                        "recompute_granularity",
                                        "save_interval",
                                        "seq_length",
                                        "tensor_model_parallel_size",
                                        "train_iters",
                                        "use_distributed_optimizer",
                                        "vocab_file",
                                        "weight_decay",
                                        "world_size"};
    char t[32];
    say(r,
        "using world size: %d, data-parallel size: %d, tensor-model-parallel size: 4, "
        "pipeline-model-parallel size: 2",
        r->world, r->world / 8);
    for (size_t i = 0; i < COUNT_OF(names); i++)
        say(r, "  %s %.*s %u", names[i], (int)(50 - strlen(names[i])),
            "..................................................", below(r, 8192));
    say(r,
        "[%s,%03u] [INFO] [comm.py:652:init_distributed] Initializing TorchBackend in DeepSpeed "
        "with backend nccl",
        stamp(r, t), below(r, 1000));
    for (int c = 0; c < 16; c++)
        say(r, "node%03d:%d:%d [%d] NCCL INFO Channel %02d/0 : %d[%d] -> %d[%d] via P2P/CUMEM/read",
            r->rank / 8, r->pid, r->pid + 54, r->rank % 8, c, r->rank, r->rank % 8,
            (r->rank + 1) % r->world, (r->rank + 1) % 8);
    say(r,
        "node%03d:%d:%d [%d] NCCL INFO comm 0x%08x rank %d nranks %d cudaDev %d busId %x000 - Init "
        "COMPLETE",
        r->rank / 8, r->pid, r->pid + 54, r->rank % 8, below(r, 1u << 31), r->rank, r->world,
        r->rank % 8, 16 + r->rank % 8);
}

static void say_megatron(struct rank *r) {
    char t[32];
    say(r,
        " [%s] iteration %8ld/  500000 | consumed samples: %12ld | elapsed time per iteration "
        "(ms): %.1f | throughput per "
        "GPU (TFLOP/s/GPU): %.1f | learning rate: %.6E | global batch size:   512 | lm loss: %.6E "
        "| loss scale: 1.0 | grad "
        "norm: %.3f | number of skipped iterations:   0 | number of nan iterations:   0 |",
        stamp(r, t), r->step, r->step * 512, 3000 + 200 * unit(r), 380 + 30 * unit(r),
        1e-4 * unit(r), r->loss, 0.3 + unit(r));
}

static void say_deepspeed(struct rank *r) {
    char t[32];
    unsigned kind = below(r, 3), ms = below(r, 1000);
    const char *at = stamp(r, t);
    if (kind == 0)
        say(r,
            "[%s,%03u] [INFO] [logging.py:96:log_dist] [Rank %d] step=%ld, skipped=%u, lr=[%.6g, "
            "%.6g], mom=[(0.9, 0.95), "
            "(0.9, 0.95)]",
            at, ms, r->rank, r->step, below(r, 9), 1e-4 * unit(r), 1e-4 * unit(r));
    else if (kind == 1)
        say(r,
            "[%s,%03u] [INFO] [timer.py:260:stop] epoch=0/micro_step=%ld/global_step=%ld, "
            "RunningAvgSamplesPerSec=%.4f, "
            "CurrSamplesPerSec=%.4f, MemAllocated=%.2fGB, MaxMemAllocated=%.2fGB",
            at, ms, r->step * 4, r->step, 30 + unit(r), 30 + unit(r), 12 + unit(r), 30 + unit(r));
    else
        say(r, "steps: %ld loss: %.4f iter time (s): %.3f samples/sec: %.3f", r->step, r->loss,
            0.5 + unit(r), 60 + unit(r));
}

static void say_trainer(struct rank *r) {
    if (below(r, 20) == 0)
        say(r,
            "{'eval_loss': %.4f, 'eval_runtime': %.4f, 'eval_samples_per_second': %.3f, 'epoch': "
            "%.2f}",
            r->loss, 12 + unit(r), 80 + unit(r), (double)r->step / 1000);
    else if (below(r, 4) == 0)
        say(r,
            "  %2ld%%|####      | %ld/100000 [%02u:%02u:%02u<%u:%02u:%02u,  %.2fs/it]\r  "
            "%2ld%%|####      | %ld/100000 "
            "[%02u:%02u:%02u<%u:%02u:%02u,  %.2fs/it]",
            r->step / 1000 % 100, r->step, below(r, 24), below(r, 60), below(r, 60), below(r, 90),
            below(r, 60), below(r, 60), 1 + unit(r), r->step / 1000 % 100, r->step + 1,
            below(r, 24), below(r, 60), below(r, 60), below(r, 90), below(r, 60), below(r, 60),
            1 + unit(r));
    else
        say(r, "{'loss': %.4f, 'grad_norm': %.6f, 'learning_rate': %.6g, 'epoch': %.2f}", r->loss,
            unit(r), 1e-5 * unit(r), (double)r->step / 1000);
}

static void say_lightning(struct rank *r) {
    say(r,
        "Epoch %ld:  %2ld%%|\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x8a      | %ld/1000 "
        "[%02u:%02u<%02u:%02u,  %.2fit/s, "
        "v_num=12, train_loss=%.3f, val_loss=%.3f, accuracy=%.3f]",
        r->step / 1000, r->step % 1000 / 10, r->step % 1000, below(r, 60), below(r, 60),
        below(r, 60), below(r, 60), 5 + unit(r), r->loss, r->loss + 0.1, unit(r));
}

static void say_chatter(struct rank *r) {
    char t[32];
    switch (below(r, 9)) {
    case 0:
        say(r,
            "/usr/local/lib/python3.10/dist-packages/torch/utils/checkpoint.py:%u: FutureWarning: "
            "`torch.cpu.amp.autocast(args"
            "...)` is deprecated. Please use `torch.amp.autocast('cpu', args...)` instead.\n  "
            "warnings.warn(",
            below(r, 2000));
        break;
    case 1:
        say(r,
            "[W socket.cpp:%u] [c10d] The client socket has failed to connect to "
            "[node%03u.cluster.local]:29500 (errno: 97 - "
            "Address family not supported by protocol).",
            below(r, 900), below(r, 99));
        break;
    case 2:
        say(r,
            "Token indices sequence length is longer than the specified maximum sequence length "
            "for this model (%u > 4096). "
            "Running this sequence through the model will result in indexing errors",
            4097 + below(r, 4000));
        break;
    case 3:
        say(r,
            "node%03d:%d:%d [%d] NCCL INFO Channel %02u/0 : %d[%d] -> 0[0] [receive] via "
            "NET/IB/%u/GDRDMA",
            r->rank / 8, r->pid, r->pid + 54, r->rank % 8, below(r, 32), r->rank, r->rank % 8,
            below(r, 8));
        break;
    case 4:
        say(r,
            "[Rank %d] (after %ld iterations) memory (MB) | allocated: %.1f | max allocated: %.1f "
            "| reserved: %.1f | max "
            "reserved: %.1f",
            r->rank, r->step, 12e3 + unit(r), 45e3 + unit(r), 5e4, 5e4);
        break;
    case 5:
        say(r,
            "saving checkpoint at iteration %7ld to /checkpoints/gpt in torch_dist format\n  "
            "successfully saved checkpoint from "
            "iteration %7ld to /checkpoints/gpt",
            r->step, r->step);
        break;
    case 6:
        say(r,
            "    forward-backward ...............................: (%.2f, %.2f)\n    "
            "all-grads-sync .................................: "
            "(%.2f, %.2f)",
            1200 + unit(r), 1250 + unit(r), 12 + unit(r), 15 + unit(r));
        break;
    case 7:
        say(r,
            "[%s,%03u] [INFO] [loss_scaler.py:183:update_scale] [deepspeed] OVERFLOW! Rank %d "
            "Skipping step. Attempted loss "
            "scale: 65536, reducing to 32768",
            stamp(r, t), below(r, 1000), r->rank);
        break;
    default:
        say(r, "\x1b[32mINFO\x1b[0m     %s data.py:%u epoch %ld shard %u of 512 loaded in %.2f s",
            stamp(r, t), below(r, 300), r->step / 1000, below(r, 512), unit(r));
        break;
    }
}

/* ---- failures ------------------------------------------------------------------------------ */

static void say_traceback(struct rank *r) {
    say(r, "[rank%d]: Traceback (most recent call last):", r->rank);
    for (unsigned i = 3 + below(r, 8); i-- > 0;)
        say(r,
            "[rank%d]:   File \"/opt/train/%s.py\", line %u, in %s\n[rank%d]:     return "
            "self.%s(batch, **options)",
            r->rank, i % 2 ? "engine" : "schedule", below(r, 2000),
            i % 2 ? "train_step" : "_call_impl", r->rank, i % 2 ? "forward" : "_run");
    if (below(r, 2))
        say(r,
            "[rank%d]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate %.2f GiB. GPU "
            "%d has a total capacity of 79.11 "
            "GiB of which %.2f GiB is free. Including non-PyTorch memory, this process has 77.02 "
            "GiB memory in use.",
            r->rank, 1 + 4 * unit(r), r->rank % 8, unit(r));
    else
        say(r, "[rank%d]: ValueError: batch %u of shard %u holds %u tokens", r->rank,
            below(r, 9999), below(r, 512), below(r, 9999));
}

static void say_failure(struct rank *r) {
    char t[32];
    switch (below(r, 8)) {
    case 0:
        say(r,
            "[rank%d]:[E1119 %s ProcessGroupNCCL.cpp:616] [Rank %d] Watchdog caught collective "
            "operation timeout: WorkNCCL(SeqNum=%u, "
            "OpType=ALLREDUCE, NumelIn=%u, NumelOut=%u, Timeout(ms)=600000) ran for %u "
            "milliseconds before timing out.",
            r->rank, stamp(r, t) + 11, r->rank, below(r, 99999), below(r, 1u << 30),
            below(r, 1u << 30), 600000 + below(r, 99));
        break;
    case 1:
        say(r,
            "node%03d:%d:%d [%d] misc/socket.cc:%u NCCL WARN socketProgress: Connection closed by "
            "remote peer node%03u<%u>",
            r->rank / 8, r->pid, r->pid + 54, r->rank % 8, below(r, 900), below(r, 64),
            below(r, 60000));
        break;
    case 2:
        say(r,
            "slurmstepd: error: Detected %u oom_kill events in StepId=%u.0. Some of the step tasks "
            "have been OOM Killed.",
            1 + below(r, 9), below(r, 1000000));
        break;
    case 3: say(r, "RuntimeError: CUDA error: an illegal memory access was encountered"); break;
    case 4: say(r, "  exitcode  : -9 (pid: %u)", below(r, 99999)); break;
    case 5: say(r, "ModuleNotFoundError: No module named 'apex%u'", below(r, 99)); break;
    case 6:
        say(r, "[%.6f] NVRM: Xid (PCI:0000:3b:00): %u, pid=%u, name=python", 1000 * unit(r),
            below(r, 99), below(r, 99999));
        break;
    default:
        say(r,
            "torch.distributed.DistNetworkError: The server socket has failed to listen on any "
            "local network address. port: %u, useIpv6: "
            "true, code: -98, name: EADDRINUSE, message: address already in use",
            20000 + below(r, 9999));
        break;
    }
}

/* ---- files --------------------------------------------------------------------------------- */

static void fill(struct rank *r, double density) {
    static void (*const steps[])(struct rank *) = {say_megatron, say_deepspeed, say_trainer,
                                                   say_lightning};
    say_start(r);
    while (r->written < r->size - 4000) {
        r->step++;
        r->loss = 2 + 8 / (1 + (double)r->step / 5000) + 0.1 * unit(r);
        if (r->style == TRACEBACK)
            say_traceback(r);
        else if (density > 0 && unit(r) < density)
            say_failure(r);
        else if (below(r, 40) == 0)
            say_chatter(r);
        else
            steps[r->style](r);
    }
    if (r->rank == 3) say_traceback(r);
    if (r->rank % 2) say_failure(r);
}

static bool make_file(const char *folder, int rank, int files, long kib, enum style style,
                      double density, uint64_t seed) {
    char path[4096];
    struct rank r = {.rank = rank,
                     .world = files,
                     .pid = 20000 + rank * 7,
                     .size = kib << 10,
                     .clock = rank * 0.01};
    r.style = style == MIXED ? (enum style)(rank % MIXED) : style;
    r.random = (seed + 1) * 0x9E3779B97F4A7C15u + (uint64_t)rank * 0xD6E8FEB86659FD93u + 1;
    for (int i = 0; i < 8; i++) next(&r);
    snprintf(path, sizeof path, "%s/rank_%04d.log", folder, rank);
    r.out = fopen(path, "w");
    if (!r.out) {
        perror(path);
        return false;
    }
    fill(&r, density);
    return fclose(r.out) == 0;
}

int main(int argc, char **argv) {
    long files = 64, kib = 16 * 1024, seed = 1;
    double density = 0;
    enum style style = MIXED;
    const char *folder = argc > 1 ? argv[1] : NULL;
    for (int i = 2; folder && i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--files")) files = strtol(argv[i + 1], NULL, 10);
        if (!strcmp(argv[i], "--mb")) kib = strtol(argv[i + 1], NULL, 10) * 1024;
        if (!strcmp(argv[i], "--kib")) kib = strtol(argv[i + 1], NULL, 10);
        if (!strcmp(argv[i], "--seed")) seed = strtol(argv[i + 1], NULL, 10);
        if (!strcmp(argv[i], "--density")) density = strtod(argv[i + 1], NULL);
        for (size_t k = 0; !strcmp(argv[i], "--style") && k < COUNT_OF(style_names); k++)
            if (!strcmp(argv[i + 1], style_names[k])) style = (enum style)k;
    }
    if (!folder || files < 1 || kib < 8) {
        fputs("usage: gen_logs DIR [--files N] [--mb N | --kib N] [--density D] [--style S] "
              "[--seed N]\n",
              stderr);
        return 2;
    }
    mkdir(folder, 0777);
    for (long i = 0; i < files; i++)
        if (!make_file(folder, (int)i, (int)files, kib, style, density, (uint64_t)seed)) return 1;
    return 0;
}
