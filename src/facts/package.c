#include "facts/package.h"
#include "text/chars.h"

/* Longer names first where one begins with another. */
static const struct package_alias aliases[] = {
    {"pytorch-lightning", "pytorch-lightning"},
    {"pytorch lightning", "pytorch-lightning"},
    {"pytorch_lightning", "pytorch-lightning"},
    {"lightning", "lightning"},
    {"pytorch", "torch"},
    {"torchvision", "torchvision"},
    {"torchaudio", "torchaudio"},
    {"torch_npu", "torch-npu"},
    {"torch-npu", "torch-npu"},
    {"torch", "torch"},
    {"hugging face transformers", "transformers"},
    {"huggingface transformers", "transformers"},
    {"hf transformers", "transformers"},
    {"transformers", "transformers"},
    {"transformer engine", "transformer-engine"},
    {"transformer-engine", "transformer-engine"},
    {"transformer_engine", "transformer-engine"},
    {"transformerengine", "transformer-engine"},
    {"deepspeed-mii", "deepspeed-mii"},
    {"deepspeed mii", "deepspeed-mii"},
    {"deepspeed", "deepspeed"},
    {"colossal-ai", "colossalai"},
    {"colossal ai", "colossalai"},
    {"colossalai", "colossalai"},
    {"megatron-core", "megatron-core"},
    {"megatron_core", "megatron-core"},
    {"megatron core", "megatron-core"},
    {"flash attention", "flash-attn"},
    {"flash-attention", "flash-attn"},
    {"flashattention", "flash-attn"},
    {"flash-attn", "flash-attn"},
    {"flash_attn", "flash-attn"},
    {"huggingface_hub", "huggingface-hub"},
    {"huggingface-hub", "huggingface-hub"},
    {"accelerate", "accelerate"},
    {"peft", "peft"},
    {"trl", "trl"},
    {"vllm", "vllm"},
    {"sglang", "sglang"},
    {"datasets", "datasets"},
    {"tokenizers", "tokenizers"},
    {"safetensors", "safetensors"},
    {"bitsandbytes", "bitsandbytes"},
    {"xformers", "xformers"},
    {"triton", "triton"},
    {"apex", "apex"},
    {"numpy", "numpy"},
    {"pydantic", "pydantic"},
    {"mpi4py", "mpi4py"},
    {"ninja", "ninja"},
    {"setuptools", "setuptools"},
    {"diffusers", "diffusers"},
    {"tensorflow", "tensorflow"},
    {"jax", "jax"},
    {"fairscale", "fairscale"},
    {"openai-triton", "triton"},
    {"llamafactory", "llamafactory"},
    {"llama-factory", "llamafactory"},
    {"ms-swift", "ms-swift"},
    {"wandb", "wandb"},
    {"ray", "ray"},
    {"pip", "pip"},
    {"conda", "conda"},
    {"python", "python"},
    {"py", "python"},
    {"cudatoolkit", "cuda"},
    {"cuda toolkit", "cuda"},
    {"cuda runtime", "cuda"},
    {"cuda", "cuda"},
    {"cudnn", "cudnn"},
    {"nccl", "nccl"},
    {"rccl", "rccl"},
    {"rocm", "rocm"},
    {"hip", "hip"},
    {"nvcc", "nvcc"},
    {"nvidia driver", "driver"},
    {"gpu driver", "driver"},
    {"cuda driver", "driver"},
    {"driver", "driver"},
    {"gcc", "gcc"},
    {"g++", "gcc"},
    {"clang", "clang"},
    {"cmake", "cmake"},
    {"glibc", "glibc"},
    {"libc", "glibc"},
    {"openmpi", "openmpi"},
    {"open mpi", "openmpi"},
    {"slurm", "slurm"},
    {"docker", "docker"},
    {"linux kernel", "kernel"},
    {"kernel", "kernel"},
};

/* What pip calls things that have a key of their own. */
static const struct package_alias renamed[] = {
    {"pytorch", "torch"},
    {"flash-attention", "flash-attn"},
    {"colossal-ai", "colossalai"},
    {"nvidia-nccl-cu11", "nccl"},
    {"nvidia-nccl-cu12", "nccl"},
    {"nvidia-nccl-cu13", "nccl"},
    {"nvidia-cudnn-cu11", "cudnn"},
    {"nvidia-cudnn-cu12", "cudnn"},
    {"nvidia-cudnn-cu13", "cudnn"},
    {"cudatoolkit", "cuda"},
    {"pytorch-cuda", "cuda"},
    {"nvidia-cuda-runtime-cu11", "cuda"},
    {"nvidia-cuda-runtime-cu12", "cuda"},
    {"nvidia-cuda-runtime", "cuda"},
};

const struct package_alias *package_alias_at(struct str s) {
    const struct package_alias *best = NULL;
    for (size_t i = 0; i < COUNT_OF(aliases); i++) {
        struct str name = str_of(aliases[i].written);
        if (name.n > s.n || !str_eq_nocase(str_sub(s, 0, name.n), name)) continue;
        if (!best || name.n > strlen(best->written)) best = &aliases[i];
    }
    return best;
}

/* Without case; digits are one. */
static bool is_alike(char a, char b) {
    return (is_digit(a) && is_digit(b)) || to_lower(a) == to_lower(b);
}

bool package_alias_may(struct str s) {
    for (size_t i = 0; i < COUNT_OF(aliases); i++) {
        struct str name = str_of(aliases[i].written);
        size_t n = 0;
        while (n < name.n && n < s.n && is_alike(name.p[n], s.p[n])) n++;
        if (n == name.n) return true;
    }
    return false;
}

static struct str normal_name(struct reading *reading, struct str name) {
    struct str key = arena_str(&reading->scratch, str_sub(name, 0, 100));
    char *p = (char *)key.p;
    size_t n = 0;
    for (size_t i = 0; i < key.n; i++) {
        char c = to_lower(p[i]);
        if (c == '_' || c == '.') c = '-';
        if (c == '-' && n > 0 && p[n - 1] == '-') continue;
        if (is_alnum(c) || c == '-') p[n++] = c;
    }
    return str_sub(key, 0, n);
}

/* "118" and "cu118" are 11.8, "92" is 9.2, "12010" is 12.1; dotted versions lose their patch. */
void package_note_cuda(struct reading *reading, struct str key, struct str version) {
    if (str_starts(version, STR("cu"))) version = str_sub(version, 2, version.n);
    version = pick_version(version);
    int number;
    if (!pick_int(version, &number)) return;
    if (memchr(version.p, '.', version.n)) {
        struct str rest = version, major = {0}, minor = {0};
        str_split(&rest, '.', &major);
        str_split(&rest, '.', &minor);
        minor = pick_number(minor);
        note(reading, key, note_key(reading, STR_FMT "." STR_FMT, STR_ARG(major), STR_ARG(minor)));
    } else if (number >= 9000) {
        note(reading, key, note_key(reading, "%d.%d", number / 1000, number % 1000 / 10));
    } else if (number >= 70) {
        note(reading, key, note_key(reading, "%d.%d", number / 10, number % 10));
    } else if (number >= 7) {
        note(reading, key, version);
    }
}

/* The build tag of torch: +cu118, +rocm5.4.2, +cpu. */
static void note_torch_build(struct reading *reading, struct str version) {
    struct str tag;
    if (!pick_after(version, STR("+"), &tag)) return;
    if (str_starts(tag, STR("cu")) && tag.n > 2) {
        note(reading, STR("torch.build"), STR("cuda"));
        package_note_cuda(reading, STR("cuda.version"), tag);
    } else if (str_starts(tag, STR("rocm"))) {
        note(reading, STR("torch.build"), STR("rocm"));
        note(reading, STR("gpu.vendor"), STR("amd"));
        note(reading, STR("rocm.version"), pick_version(str_sub(tag, 4, tag.n)));
    } else if (str_starts(tag, STR("cpu"))) {
        note(reading, STR("torch.build"), STR("cpu"));
    }
}

void package_note(struct reading *reading, struct str name, struct str version) {
    if (version.n > 1 && (version.p[0] == 'v' || version.p[0] == 'V'))
        version = str_sub(version, 1, version.n);
    version = pick_version(version);
    name = normal_name(reading, name);
    if (!version.n || !name.n) return;
    for (size_t i = 0; i < COUNT_OF(renamed); i++)
        if (str_eq(name, str_of(renamed[i].written))) name = str_of(renamed[i].key);
    if (str_eq(name, STR("cuda"))) {
        package_note_cuda(reading, STR("cuda.version"), version);
        return;
    }
    if (str_eq(name, STR("nccl"))) version = pick_until(version, STR("+")); /* 2.18.1+cuda12.1 */
    note(reading, note_key(reading, STR_FMT ".version", STR_ARG(name)), version);
    if (str_eq(name, STR("torch"))) note_torch_build(reading, version);
    if (str_eq(name, STR("rocm"))) note(reading, STR("gpu.vendor"), STR("amd"));
}
