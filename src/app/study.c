#include "app/study.h"

#include "base/base.h"

#define DS  "DeepSpeed"
#define CAI "ColossalAI"

const struct study_issue study_issues[] = {
    {DS, 1766, "out of memory while init_inference sets up on four GPUs"},
    {DS, 1460, "SparseSelfAttention after a module moved: another import path"},
    {DS, 1816, "a Docker image that holds the patched version"},
    {CAI, 1756, "the latest Docker image cannot be pulled"},
    {DS, 1923, "the multi-node launcher is called wrongly"},
    {CAI, 1082, "how launcher and environment variables go together"},
    {CAI, 2941, "NCCL does not run on Windows"},
    {CAI, 5290, "partially frozen models"},
    {DS, 4034, "nodes of a Docker Swarm that cannot reach each other by ssh"},
    {DS, 5278, "UUIDs in CUDA_VISIBLE_DEVICES where the launcher wants integers"},
    {DS, 1523, "the rank of a node, and PDSH's %n"},
    {DS, 2672, "loading opt-66b with ZeRO-3 runs out of GPU memory"},
    {CAI, 2605, "PytorchStreamReader fails on a corrupted or unreachable file"},
    {DS, 3734, "a memory peak from a wrong way of loading under ZeRO-3"},
    {DS, 1770, "a tensor type that does not fit while GPT-2 is put into the inference engine"},
    {CAI, 1402, "one-dimensional slices of parameters break shape checks"},
    {CAI, 3202, "FusedSGD under ZeRO"},
    {CAI, 3109, "a changed model configuration of Stable Diffusion v2"},
    {DS, 3235, "GPUs with little memory are not excluded"},
    {DS, 2608, "redundancy_clean does not make the model smaller"},
    {CAI, 2145, "shapes and types of mT5's kernels"},
    {DS, 4648, "GPU, driver or firmware below what CUDA and NCCL require"},
    {CAI, 1035, "mixed precision and gradient accumulation skip the first updates"},
    {DS, 1356, "the range of FP16 does not suffice"},
    {CAI, 4412, "attention_mask is missing in the batch"},
    {CAI, 1051, "manual seeds against the framework's own random state"},
    {DS, 3340, "a batch too large for the GPU"},
    {DS, 2632, "the kernel's OOM killer ends the training"},
    {DS, 4829, "the model is called twice in one forward pass"},
    {DS, 2223, "uneven numbers of batches or a disturbed exchange between processes"},
    {CAI, 990, "a PyTorch build that segfaults in distributed operations"},
    {DS, 2917, "Bloom-176B: shards that use up memory of CPU and GPU"},
    {DS, 2558, "mp_size against the world size"},
    {DS, 2607, "g++ and nvc++ mixed in one build"},
    {DS, 7278, "the inference interface is called wrongly"},
    {DS, 2895, "kernel injection changes the shape of Bloom's attention mask"},
    {DS, 1772, "every process loads the whole model: host memory runs out"},
    {DS, 3329, "pip install on Windows fails in a subprocess"},
    {DS, 5199, "gradients cannot be reached between backward and step under ZeRO-2"},
    {DS, 3360, "nvcc refuses a half-precision conversion in an inference kernel"},
    {DS, 3472, "several models under one ZeRO engine lose their gradients"},
};
const int n_study_issues = COUNT_OF(study_issues);
