/* Environments: dumps, notes by hand, package lists, reports of tools; secrets. */
#include "tests/unit/facts_check.h"

static struct evidence env_of(const char *text) {
    return facts_of("env.txt", text, "environment");
}

static void one_note(const char *text, const char *key, const char *value) {
    struct evidence evidence = env_of(text);
    fact_is(&evidence, key, value);
    evidence_release(&evidence);
}

static void no_note(const char *text, const char *key) {
    struct evidence evidence = env_of(text);
    fact_unknown(&evidence, key);
    evidence_release(&evidence);
}

static void reads_dumps(void **state) {
    static const char text[] =
        "NCCL_DEBUG=INFO\nexport CUDA_VISIBLE_DEVICES=\"0,1\" OMP_NUM_THREADS=4\n"
        "declare -x LD_LIBRARY_PATH=\"/usr/lib:/opt/lib\"\nHOME=/root\nEMPTY=\nHF_TOKEN=abc\n";
    (void)state;
    struct evidence evidence = facts_of("printenv.txt", text, "environment");
    fact_is(&evidence, "env.NCCL_DEBUG", "INFO");
    fact_is(&evidence, "env.CUDA_VISIBLE_DEVICES", "0,1");
    fact_is(&evidence, "env.OMP_NUM_THREADS", "4");
    fact_is(&evidence, "env.LD_LIBRARY_PATH", "/usr/lib:/opt/lib");
    fact_is(&evidence, "env.HF_TOKEN", "***");
    fact_unknown(&evidence, "env.EMPTY");
    assert_int_equal(fact_line(&evidence, "env.LD_LIBRARY_PATH"), 3);
    evidence_release(&evidence);
}

static void secrets_stay_secret(void **state) {
    static const char *const secret[] = {
        "HF_TOKEN",    "WANDB_API_KEY",   "AWS_SECRET_ACCESS_KEY", "MYSQL_PWD",
        "DB_PASSWORD", "api-key",         "GITHUB_PAT_TOKEN",      "SSH_AUTH",
        "SMTP_PASS",   "openai_api_keys", "session_cookie",        "SLACK_WEBHOOK",
        "SIGNING_KEY", "DB_CREDENTIALS",  "GPG_PASSPHRASE"};
    static const char *const open[] = {"TOKENIZERS_PARALLELISM",
                                       "PWD",
                                       "OLDPWD",
                                       "num_key_value_heads",
                                       "max_tokens",
                                       "tokenizer_type",
                                       "PATH",
                                       "text_key",
                                       "MONKEY",
                                       "author",
                                       "pad_token_id",
                                       "forward_pass"};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(secret); i++)
        if (!fact_is_secret(str_of(secret[i]))) fail_msg("%s is shown", secret[i]);
    for (size_t i = 0; i < COUNT_OF(open); i++)
        if (fact_is_secret(str_of(open[i]))) fail_msg("%s is hidden", open[i]);
}

static void understands_versions_by_hand(void **state) {
    (void)state;
    one_note(" - PyTorch version: 1.13.1\n", "torch.version", "1.13.1");
    one_note("torch 2.1.0+cu118\n", "cuda.version", "11.8");
    one_note("torch==1.9.0+cu92\n", "cuda.version", "9.2");
    one_note("PyTorch\xEF\xBC\x9A"
             "2.0.1\n",
             "torch.version", "2.0.1");
    one_note("pytorch\xE7\x89\x88\xE6\x9C\xAC: 2.0.1\n", "torch.version", "2.0.1");
    one_note("| Torch | 2.2.1 |\n", "torch.version", "2.2.1");
    one_note("deepspeed (0.12.6), transformers (4.36.2)\n", "transformers.version", "4.36.2");
    one_note("**DeepSpeed version**: v0.10.0\n", "deepspeed.version", "0.10.0");
    one_note("py39, cuda117\n", "python.version", "3.9");
    one_note("py39, cuda117\n", "cuda.system", "11.7");
    one_note("Python 3.10.12 and CUDA 12.1, gcc 9\n", "gcc.version", "9");
    one_note("- `Accelerate` version: 0.27.2\n", "accelerate.version", "0.27.2");
    one_note("Flash Attention 2.5.6\n", "flash-attn.version", "2.5.6");
    one_note("PyTorch version (GPU?): 2.0.1+cu117 (True)\n", "torch.version", "2.0.1+cu117");
    one_note("Driver Version: 535.104.05\n", "driver.version", "535.104.05");
    one_note("torch 2.0.1+rocm5.4.2\n", "gpu.vendor", "amd");
    one_note(">>> torch.__version__\n'2.3.1'\n", "torch.version", "2.3.1");
    one_note("$ python -c 'import torch; print(torch.cuda.nccl.version())'\n(2, 18, 5)\n",
             "nccl.version", "2.18.5");
    one_note("Cuda compilation tools, release 12.2, V12.2.140\n", "nvcc.version", "12.2");
}

static void no_version_where_none_is_meant(void **state) {
    (void)state;
    no_note("torch >= 2.0 is needed\n", "torch.version");
    no_note("torch on 2 GPUs\n", "torch.version");
    no_note("python3 is used\n", "python.version");
    no_note("device cuda:0 and cuda 1\n", "cuda.version");
    no_note("PyTorch: built from source\n", "torch.version");
    no_note("torch 2.5.0\nqwen2.5 1.5b LoRA\n", "qwen2-5.version");
    no_note("nccl timeout after 30 minutes\n", "nccl.version");
}

static void torchs_own_tag_beats_a_bare_cuda(void **state) {
    (void)state;
    struct evidence evidence = env_of("CUDA 12.2\nPython 3.9\ntorch 1.13.1+cu117\n");
    fact_is(&evidence, "cuda.version", "11.7");
    fact_is(&evidence, "cuda.system", "12.2");
    evidence_release(&evidence);
    evidence = env_of("CUDA 12.2\ntorch 2.3.0\n");
    fact_is(&evidence, "cuda.version", "12.2");
    evidence_release(&evidence);
}

static void understands_machines_by_hand(void **state) {
    (void)state;
    one_note("GPU: 8x A100 80GB\n", "gpu.count", "8");
    one_note("GPU: 8x A100 80GB\n", "gpu.memory", "80");
    one_note("GPU: 8x A100 80GB\n", "gpu.arch", "8.0");
    one_note("2x3090\nPython 3.9.1\n", "gpu.count", "2");
    one_note("4 * NVIDIA Tesla V100\n", "gpu.count", "4");
    one_note("RTX 4090 x 2\n", "gpu.count", "2");
    one_note("two machines with x8 H100 each\n", "nodes.count", "2");
    one_note("two machines with x8 H100 each\n", "gpu.count", "8");
    one_note("GPU: Tesla T4\n", "gpu.arch", "7.5");
    one_note("4\xE5\xBC\xA0"
             "A800\n",
             "gpu.name", "A800");
    one_note("- OS: Ubuntu 22.04.3 LTS\n", "os.version", "22.04");
    one_note("- OS: Ubuntu 22.04.3 LTS\n", "os.name", "Linux");
    one_note("OS: Windows 11\n", "os.name", "Windows");
    one_note("Platform: Linux-5.15.133.1-microsoft-standard-WSL2-x86_64-with-glibc2.35\n", "wsl",
             "yes");
    one_note("Platform: Linux-5.4.0-150-generic-x86_64-with-glibc2.31\n", "kernel.version",
             "5.4.0-150-generic");
    one_note("System RAM: 251.52 GB\n", "host.memory.total", "251.52");
    one_note("we run in docker, gfx90a\n", "gpu.arch", "gfx90a");
    no_note("the model has windows of attention\nPython 3.8\n", "os.name");
    no_note("A4 paper and 3 pages\nPython 3.8\n", "gpu.name");
}

static void prose_stays_prose(void **state) {
    static const char text[] = "Training hangs on 8 A100s with deepspeed 0.9.2 and PyTorch 2.0.1.\n"
                               "It worked before we moved to Ubuntu 22.04.\n";
    (void)state;
    assert_null(facts_recognize(str_of(text), STR("complaint.txt")));
    assert_null(facts_recognize(str_of(text), STR("-")));
    struct evidence evidence = facts_in_log(text);
    fact_is(&evidence, "deepspeed.version", "0.9.2");
    fact_is(&evidence, "torch.version", "2.0.1");
    fact_is(&evidence, "gpu.count", "8");
    fact_is(&evidence, "os.version", "22.04");
    evidence_release(&evidence);
}

static void prose_about_other_versions_is_left(void **state) {
    static const char *const lines[] = {"It works with torch 1.13.1 though.\n",
                                        "I was told that deepspeed 0.9.5 is required here.\n",
                                        "Does it support CUDA 12.4 on my machine?\n"};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(lines); i++) {
        struct evidence evidence = facts_in_log(lines[i]);
        assert_int_equal(evidence.facts.n, 0);
        evidence_release(&evidence);
    }
}

static void reads_package_lists(void **state) {
    static const char freeze[] =
        "# pip freeze\nabsl-py==2.1.0\nflash_attn==2.5.8\ntorch==2.2.2\nnvidia-nccl-cu12==2.19.3\n"
        "apex @ file:///build/apex\nxformers @ "
        "https://host.example/xformers-0.0.25-cp310.whl#sha256=1\n-e git+https://x/y\n";
    static const char list[] =
        "Package            Version   Editable project location\n------------------ ---------\n"
        "ruamel.yaml        0.17.21\ntorch              2.0.1+cu118\n";
    static const char conda[] =
        "# packages in environment at /opt/conda:\n#\n# Name    Version   Build  Channel\n"
        "pytorch   1.12.1   py3.9_cuda11.3_cudnn8.3.2_0    pytorch\ncudatoolkit   11.3.1   "
        "h2bc3f7f_2\n";
    (void)state;
    struct evidence evidence = facts_of("requirements.txt", freeze, "packages");
    fact_is(&evidence, "flash-attn.version", "2.5.8");
    fact_is(&evidence, "torch.version", "2.2.2");
    fact_is(&evidence, "nccl.version", "2.19.3");
    fact_is(&evidence, "xformers.version", "0.0.25");
    fact_unknown(&evidence, "apex.version");
    evidence_release(&evidence);
    evidence = facts_of("list.txt", list, "packages");
    fact_is(&evidence, "ruamel-yaml.version", "0.17.21");
    fact_is(&evidence, "cuda.version", "11.8");
    evidence_release(&evidence);
    evidence = facts_of("conda.txt", conda, "packages");
    fact_is(&evidence, "torch.version", "1.12.1");
    fact_is(&evidence, "cuda.version", "11.3");
    evidence_release(&evidence);
}

static void reads_collect_env(void **state) {
    static const char text[] =
        "Collecting environment information...\nPyTorch version: 2.3.0+cu121\nIs debug build: "
        "False\nCUDA used to build PyTorch: 12.1\n"
        "ROCM used to build PyTorch: N/A\n\nOS: Rocky Linux 8.9 (x86_64)\nGCC version: (GCC) 8.5.0 "
        "20210514 (Red Hat 8.5.0-20)\n"
        "Libc version: glibc-2.28\nPython version: 3.11.9 (main, Apr  6 2024, 17:59:24) [GCC "
        "8.5.0] (64-bit runtime)\n"
        "Python platform: Linux-4.18.0-513.el8.x86_64-x86_64-with-glibc2.17\nIs CUDA available: "
        "True\n"
        "CUDA runtime version: Could not collect\nGPU models and configuration: \nGPU 0: NVIDIA "
        "H100 PCIe\nGPU 1: NVIDIA H100 PCIe\n\n"
        "Nvidia driver version: 545.23.08\ncuDNN version: Probably one of the "
        "following:\n/usr/lib64/libcudnn.so.8.9.7\n"
        "CPU:\nModel name: AMD EPYC 9354\nFlags: fpu sse avx avx2 avx512f\n\nVersions of relevant "
        "libraries:\n[pip3] numpy==1.26.4\n[conda] mkl  2023.1.0  h213fc3f_46344\n";
    (void)state;
    struct evidence evidence = facts_of("out.txt", text, "collect_env");
    fact_is(&evidence, "torch.version", "2.3.0+cu121");
    fact_is(&evidence, "cuda.version", "12.1");
    fact_is(&evidence, "os.distribution", "Rocky");
    fact_is(&evidence, "gcc.version", "8.5.0");
    fact_is(&evidence, "glibc.version", "2.28");
    fact_is(&evidence, "python.version", "3.11.9");
    fact_is(&evidence, "torch.cuda.available", "yes");
    fact_is(&evidence, "driver.version", "545.23.08");
    fact_is(&evidence, "cudnn.version", "8.9.7");
    fact_is(&evidence, "gpu.count", "2");
    fact_is(&evidence, "gpu.arch", "9.0");
    fact_is(&evidence, "cpu.avx512", "yes");
    fact_is(&evidence, "numpy.version", "1.26.4");
    fact_is(&evidence, "mkl.version", "2023.1.0");
    fact_unknown(&evidence, "nvcc.version");
    fact_unknown(&evidence, "rocm.version");
    evidence_release(&evidence);
}

static void reads_ds_report(void **state) {
    static const char text[] =
        "node7: --------------------------------------------------\nnode7: DeepSpeed C++/CUDA "
        "extension op report\n"
        "node7: ninja .................. \x1b[92m[OKAY]\x1b[0m\nnode7: op name ................ "
        "installed .. compatible\n"
        "node7: async_io ............... \x1b[93m[NO]\x1b[0m ....... \x1b[93m[NO]\x1b[0m\n"
        "node7: stochastic_transformer . \x1b[92m[YES]\x1b[0m ...... \x1b[92m[OKAY]\x1b[0m\n"
        "node7: DeepSpeed general environment info:\n"
        "node7: torch install path ............... ['/opt/py/lib/python3.9/site-packages/torch']\n"
        "node7: torch version .................... 2.1.2+cu121\nnode7: deepspeed info "
        "................... 0.13.1, unknown, unknown\n"
        "node7: torch cuda version ............... 12.1\nnode7: nvcc version ..................... "
        "11.6\n"
        "node7: deepspeed wheel compiled w. ...... torch 2.0, cuda 11.7\nnode7: shared memory "
        "(/dev/shm) size .... 64.00 MB\n";
    (void)state;
    struct evidence evidence = facts_of("out.txt", text, "ds_report");
    fact_is(&evidence, "ds_op.async_io.compatible", "no");
    fact_is(&evidence, "ds_op.stochastic_transformer.installed", "yes");
    fact_is(&evidence, "ds_op.ninja", "yes");
    fact_is(&evidence, "deepspeed.version", "0.13.1");
    fact_is(&evidence, "nvcc.version", "11.6");
    fact_is(&evidence, "cuda.version", "12.1");
    fact_is(&evidence, "deepspeed.wheel.torch", "2.0");
    fact_is(&evidence, "python.version", "3.9");
    fact_is(&evidence, "shm.size", "0.06");
    assert_str(evidence_fact_row(&evidence, STR("nvcc.version"))->machine, "node7");
    evidence_release(&evidence);
}

static void reads_colossalai_check(void **state) {
    static const char text[] = "#### Installation Report ####\n\n------------ Environment "
                               "------------\nColossal-AI version: 0.3.6\n"
                               "PyTorch version: 2.0.1\nSystem CUDA version: 11.6\nCUDA version "
                               "required by PyTorch: 11.8\n\n"
                               "Found AOT CUDA Extension: x\nSystem and PyTorch CUDA version "
                               "match: x\nPyTorch version match: \xE2\x9C\x93\n";
    (void)state;
    struct evidence evidence = facts_of("check.txt", text, "colossalai_check");
    fact_is(&evidence, "colossalai.version", "0.3.6");
    fact_is(&evidence, "nvcc.version", "11.6");
    fact_is(&evidence, "cuda.version", "11.8");
    fact_is(&evidence, "colossalai.aot", "no");
    fact_is(&evidence, "colossalai.match.torch", "yes");
    evidence_release(&evidence);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_dumps),
        cmocka_unit_test(secrets_stay_secret),
        cmocka_unit_test(understands_versions_by_hand),
        cmocka_unit_test(no_version_where_none_is_meant),
        cmocka_unit_test(torchs_own_tag_beats_a_bare_cuda),
        cmocka_unit_test(understands_machines_by_hand),
        cmocka_unit_test(prose_stays_prose),
        cmocka_unit_test(prose_about_other_versions_is_left),
        cmocka_unit_test(reads_package_lists),
        cmocka_unit_test(reads_collect_env),
        cmocka_unit_test(reads_ds_report),
        cmocka_unit_test(reads_colossalai_check),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
