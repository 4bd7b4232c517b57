/* Facts that stand inside logs. */
#include "tests/unit/facts_check.h"

static void reads_launcher_lines(void **state) {
    static const char text[] =
        "[2024-05-01 10:00:00,000] [INFO] [runner.py:568:main] cmd = /opt/py/bin/python -u -m "
        "deepspeed.launcher.launch "
        "--world_info=eyJub2RlMSI6IFswLCAxXSwgIm5vZGUyIjogWzAsIDFdfQ== --master_addr=10.0.0.1 "
        "train.py --lr 1e-4\n"
        "node1: [2024-05-01 10:00:01,000] [INFO] [launch.py:139:main] 0 NCCL_DEBUG=WARN\n"
        "node1: [2024-05-01 10:00:01,000] [INFO] [launch.py:151:main] nnodes=2, num_local_procs=2, "
        "node_rank=0\n"
        "node1: [2024-05-01 10:00:01,000] [INFO] [launch.py:164:main] Setting "
        "CUDA_VISIBLE_DEVICES=0,1\n";
    (void)state;
    struct evidence evidence = facts_in_log(text);
    fact_is(&evidence, "cmd.launcher", "deepspeed");
    fact_is(&evidence, "cmd.program", "train.py");
    fact_is(&evidence, "arg.lr", "1e-4");
    fact_is(&evidence, "nodes.count", "2");
    fact_is(&evidence, "job.world_size", "4");
    fact_is(&evidence, "env.NCCL_DEBUG", "WARN");
    fact_is(&evidence, "env.CUDA_VISIBLE_DEVICES", "0,1");
    evidence_release(&evidence);
}

static void reads_pasted_commands(void **state) {
    (void)state;
    struct evidence evidence =
        facts_in_log("+ export NCCL_IB_DISABLE=1\n+ torchrun --nproc_per_node 2 a.py --x "
                     "3\nTraceback (most recent call last):\n");
    fact_is(&evidence, "env.NCCL_IB_DISABLE", "1");
    fact_is(&evidence, "cmd.program", "a.py");
    fact_is(&evidence, "arg.x", "3");
    evidence_release(&evidence);
    evidence = facts_in_log("deepspeed --num_gpus 2 \\\n  b.py --y 4\nValueError: no\n");
    fact_is(&evidence, "cmd.program", "b.py");
    fact_is(&evidence, "arg.y", "4");
    evidence_release(&evidence);
}

static void reads_arguments_of_megatron(void **state) {
    static const char text[] = "using world size: 16, data-parallel-size: 2, tensor-model-parallel "
                               "size: 4, pipeline-model-parallel size: 2 \n"
                               "------------------------ arguments ------------------------\n"
                               "  hidden_size ..................................... 2048\n"
                               "  lr .............................................. 0.0001\n"
                               "  rank ............................................ 0\n"
                               "  vocab_file ...................................... None\n"
                               "  world_size ...................................... 16\n"
                               "-------------------- end of arguments ---------------------\n"
                               "  later ........................................... 1\n";
    (void)state;
    struct evidence evidence = facts_in_log(text);
    fact_is(&evidence, "arg.hidden_size", "2048");
    fact_is(&evidence, "arg.tensor_model_parallel_size", "4");
    fact_is(&evidence, "job.world_size", "16");
    fact_unknown(&evidence, "arg.rank");
    fact_unknown(&evidence, "arg.vocab_file");
    fact_unknown(&evidence, "arg.later");
    evidence_release(&evidence);
}

static void reads_calls(void **state) {
    static const char many[] = "TrainingArguments(\n_n_gpu=1,\nadam_beta1=0.9,\ndeepspeed=ds.json,"
                               "\nfsdp=[],\noutput_dir='out',\n)\nafter=1\n";
    static const char one[] =
        "[rank0]: Args= Namespace(num_layers=24, betas=(0.9, 0.95), local_rank=3, path=['a, b'], "
        "mlp_type='standard', distributed_backend='nccl')\n";
    (void)state;
    struct evidence evidence = facts_in_log(many);
    fact_is(&evidence, "arg.adam_beta1", "0.9");
    fact_is(&evidence, "arg.deepspeed", "ds.json");
    fact_is(&evidence, "arg.output_dir", "out");
    fact_unknown(&evidence, "arg.after");
    evidence_release(&evidence);
    evidence = facts_in_log(one);
    fact_is(&evidence, "arg.num_layers", "24");
    fact_is(&evidence, "arg.betas", "(0.9, 0.95)");
    fact_is(&evidence, "arg.path", "['a, b']");
    fact_is(&evidence, "arg.mlp_type", "standard");
    fact_unknown(&evidence, "arg.local_rank");
    evidence_release(&evidence);
}

static void reads_the_printed_ds_config(void **state) {
    static const char text[] =
        "[2024-05-01 10:00:00,000] [INFO] [config.py:999:print_user_config]   json = {\n    "
        "\"train_batch_size\": 32, \n"
        "    \"zero_optimization\": {\n        \"stage\": 2\n    }\n}\nnext line\n";
    (void)state;
    struct evidence evidence = facts_in_log(text);
    fact_is(&evidence, "ds.train_batch_size", "32");
    fact_is(&evidence, "ds.zero_optimization.stage", "2");
    assert_int_equal(evidence.documents.n, 1);
    evidence_release(&evidence);
}

static void reads_versions(void **state) {
    static const struct {
        const char *line, *key, *value;
    } lines[] = {
        {"  File \"/opt/c/lib/python3.9/site-packages/torch/x.py\", line 1, in f\n",
         "python.version", "3.9"},
        {"[2024-01-01 00:00:00,000] [INFO] [logging.py:96:log_dist] [Rank 0] DeepSpeed info: "
         "version=0.12.6, git-hash=unknown\n",
         "deepspeed.version", "0.12.6"},
        {"Exception: Installed CUDA version 11.1 does not match the version torch was compiled "
         "with 11.7, unable to compile\n",
         "nvcc.version", "11.1"},
        {"Exception: Installed CUDA version 11.1 does not match the version torch was compiled "
         "with 11.7, unable to compile\n",
         "cuda.version", "11.7"},
        {"The detected CUDA version (12.1) mismatches the version that was used to "
         "compile\nPyTorch (11.7). Please make sure\n",
         "nvcc.version", "12.1"},
        {"The detected CUDA version (12.1) mismatches the version that was used to "
         "compile\nPyTorch (11.7). Please make sure\n",
         "cuda.version", "11.7"},
        {"NVIDIA A100-SXM4-40GB with CUDA capability sm_80 is not compatible with the current "
         "PyTorch installation.\n",
         "gpu.arch", "8.0"},
        {"NVIDIA A100-SXM4-40GB with CUDA capability sm_80 is not compatible with the current "
         "PyTorch installation.\n",
         "gpu.name", "NVIDIA A100-SXM4-40GB"},
        {"The current PyTorch install supports CUDA capabilities sm_37 sm_50 sm_70.\n",
         "torch.archs", "sm_37 sm_50 sm_70."},
        {"Successfully installed deepspeed-0.14.2 py-cpuinfo-9.0.0\n", "py-cpuinfo.version",
         "9.0.0"},
        {"Requirement already satisfied: torch in /usr/lib/python3/dist-packages (from deepspeed) "
         "(1.11.0)\n",
         "torch.version", "1.11.0"},
        {"x 1.0 requires pydantic<2, but you have pydantic 2.5.3 which is incompatible.\n",
         "pydantic.version", "2.5.3"},
        {"INFO 01-01 10:00:00 llm_engine.py:161] Initializing an LLM engine (v0.4.2) with config: "
         "model='x'\n",
         "vllm.version", "0.4.2"},
        {"NCCL version 2.14.3+cuda11.7\n", "nccl.version", "2.14.3"},
        {"- `transformers` version: 4.30.1\n", "transformers.version", "4.30.1"},
        {"  File \"C:\\Users\\x\\train.py\", line 1, in <module>\n", "os.name", "Windows"},
        {"g++ -I/usr/local/cuda-11.7/include x.cpp\n", "cuda.home", "/usr/local/cuda-11.7"},
        {"Num processes: 8\n", "job.world_size", "8"},
        {"[rank0] World size: 16, local size: 8\n", "job.world_size", "16"},
        {"All distributed processes registered. Starting with 4 processes\n", "job.world_size",
         "4"},
        {"  Total train batch size (w. parallel, distributed & accumulation) = 64\n",
         "trainer.total_train_batch_size", "64"},
        {"Unable to determine the device handle for GPU 0000:1B:00.0: GPU is lost.\n",
         "gpu.lost.bus", "0000:1B:00.0"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(lines); i++) {
        struct evidence evidence = facts_in_log(lines[i].line);
        fact_is(&evidence, lines[i].key, lines[i].value);
        evidence_release(&evidence);
    }
}

static void chatter_gives_no_facts(void **state) {
    static const char *const lines[] = {
        "step 100 | loss 2.3 | lr 1e-4 | torch 3 tokens\n",
        "sparse_attn requires a torch version >= 1.5 and < 2.0 but detected 2.0\n",
        "AssertionError: input dimension 1 (252) is not divisible by tensor parallel world size "
        "(24)\n",
        "    assert train_batch == micro_batch * grad_acc * self.world_size, (\n",
        "2024-01-01 10:00:00 INFO loading P4 P100B checkpoint\n",
        "RuntimeError: CUDA error: device-side assert triggered\n",
        "deepspeed.initialize(args=args, model=model)\n",
        "[rank0]: RuntimeError: use torch 2.4.1 on Ubuntu 22.04\n",
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(lines); i++) {
        struct evidence evidence = facts_in_log(lines[i]);
        for (size_t f = 0; f < evidence.facts.n; f++)
            fail_msg("'%s' gives " STR_FMT, lines[i], STR_ARG(evidence.facts.v[f].key));
        evidence_release(&evidence);
    }
}

/* Nothing that a log can hold makes a fact with a control byte, a huge value or too many facts. */
static void hostile_text_is_bounded(void **state) {
    struct buf text = {0};
    (void)state;
    for (int i = 0; i < 30000; i++) buf_printf(&text, "export V%d=\x1b[31m\x01%d\n", i, i);
    buf_str(&text, STR("export LONG="));
    for (int i = 0; i < 100000; i++) buf_char(&text, 'x');
    buf_str(&text,
            STR("\n  json = {{{{\n  json = {\nTrainingArguments(\n((((=,,=\nNamespace(a=(((, "
                "b=2\n--world_info=@@@@\n"));
    struct evidence evidence = {0};
    struct alike *alike = facts_heads_new();
    facts_read_log_head(&evidence, buf_view(&text), &facts_origin, alike, NULL);
    alike_release(alike);
    assert_true(evidence.facts.n > 0 && evidence.facts.n <= 20000);
    for (size_t i = 0; i < evidence.facts.n; i++) {
        struct str value = evidence.facts.v[i].value;
        assert_true(value.n <= 1024);
        for (size_t b = 0; b < value.n; b++) assert_true((unsigned char)value.p[b] >= 0x20);
    }
    evidence_release(&evidence);
    buf_release(&text);
}

static struct evidence facts_beside(const char *kin, const char *text) {
    struct evidence evidence = {0};
    struct alike *alike = facts_heads_new();
    struct head_kin *head = facts_head_kin_new();
    facts_head_learn(head, str_of(kin));
    facts_read_log_head(&evidence, str_of(text), &facts_origin, alike, head);
    free(head);
    alike_release(alike);
    return evidence;
}

/* What told nothing in one rank's log is not read in the others', what told something is: also
 * where it told what another line had told before. */
static void ranks_print_alike(void **state) {
    static const char first[] = "world_size=0\n"
                                "NCCL INFO comm 0x1 rank 0 nranks 4 - Init COMPLETE\n"
                                "NCCL INFO comm 0x2 rank 0 nRanks 4 - Init COMPLETE\n"
                                "Num processes: 4\nNum processes: 4\n";
    (void)state;
    struct evidence evidence = facts_beside(first, "world_size=8\n");
    assert_int_equal(evidence.facts.n, 0);
    evidence_release(&evidence);
    evidence = facts_beside(first, "world_size=16\n"); /* other lines are looked at */
    fact_is(&evidence, "job.world_size", "16");
    evidence_release(&evidence);
    evidence = facts_beside(first, "NCCL INFO comm 0x9 rank 0 nRanks 7 - Init COMPLETE\n");
    fact_is(&evidence, "nccl.nranks", "7");
    evidence_release(&evidence);
    evidence = facts_beside(first, "Num processes: 3\n");
    fact_is(&evidence, "job.world_size", "3");
    evidence_release(&evidence);
}

/* Several ranks teach: what the first does not write another may, and what one of them was told by
 * tells. */
static void several_ranks_teach(void **state) {
    struct evidence evidence = {0};
    struct alike *alike = facts_heads_new();
    struct head_kin *head = facts_head_kin_new();
    (void)state;
    facts_head_learn(head, STR("Num processes: 4\nworld_size=0\n"));
    facts_head_learn(head, STR("Num processes: 0\nusing world size: 0,\n"));
    facts_read_log_head(&evidence, STR("world_size=8\nusing world size: 8,\nNum processes: 2\n"),
                        &facts_origin, alike, head);
    assert_int_equal(evidence.facts.n, 1);
    fact_is(&evidence, "job.world_size", "2");
    free(head);
    alike_release(alike);
    evidence_release(&evidence);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_print_alike),           cmocka_unit_test(several_ranks_teach),
        cmocka_unit_test(reads_launcher_lines),        cmocka_unit_test(reads_pasted_commands),
        cmocka_unit_test(reads_arguments_of_megatron), cmocka_unit_test(reads_calls),
        cmocka_unit_test(reads_the_printed_ds_config), cmocka_unit_test(reads_versions),
        cmocka_unit_test(chatter_gives_no_facts),      cmocka_unit_test(hostile_text_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
