/* The keys that DeepSpeed and accelerate read from their configurations, all versions together.  A
 * key that DeepSpeed does not know at the top it ignores without a word; accelerate refuses it. */
#include "facts/plan.h"

static const char *const top[] = {
    "train_batch_size",
    "train_micro_batch_size_per_gpu",
    "gradient_accumulation_steps",
    "optimizer",
    "scheduler",
    "fp16",
    "bf16",
    "bfloat16",
    "amp",
    "fp32_allreduce",
    "communication_data_type",
    "seq_parallel_communication_data_type",
    "prescale_gradients",
    "gradient_predivide_factor",
    "sparse_gradients",
    "gradient_clipping",
    "zero_optimization",
    "zero_allow_untested_optimizer",
    "zero_force_ds_cpu_optimizer",
    "zero_stage",
    "zero_allow_comm_data_type_fp32",
    "steps_per_print",
    "wall_clock_breakdown",
    "dump_state",
    "disable_allgather",
    "activation_checkpointing",
    "sparse_attention",
    "flops_profiler",
    "aio",
    "tensorboard",
    "wandb",
    "csv_monitor",
    "comet",
    "monitor_config",
    "comms_logger",
    "autotuning",
    "elasticity",
    "compression_training",
    "quantize_training",
    "data_efficiency",
    "curriculum_learning",
    "progressive_layer_drop",
    "eigenvalue",
    "data_types",
    "hybrid_engine",
    "nebula",
    "datastates",
    "checkpoint",
    "pipeline",
    "pipeline_parallel",
    "tensor_parallel",
    "tensor_parallel_size",
    "sequence_parallel_size",
    "sequence_data_parallel_size",
    "use_data_before_expert_parallel_parallelism",
    "use_data_before_expert_parallelism",
    "dataloader_drop_last",
    "load_universal_checkpoint",
    "use_node_local_storage",
    "memory_breakdown",
    "memory_efficient_linear",
    "vocabulary_size",
    "graph_harvesting",
    "compile",
    "timers",
    "weight_quantization",
    "mics_shard_size",
    "mics_hierarchical_params_gather",
    "inference",
    "mp_size",
    "enable_cuda_graph",
    "replace_with_kernel_inject",
    "dtype",
    "torch_autocast",
    "use_deepspeed_light",
    "device",
    "gradient_noise_scale",
    "data_sources",
    "zenflow",
    "expert_parallel_size",
    "aio_config",
    "super_offload",
    "pld",
    "moe",
};
static const char *const zero[] = {
    "stage",
    "contiguous_gradients",
    "reduce_scatter",
    "reduce_bucket_size",
    "use_multi_rank_bucket_allreduce",
    "allgather_partitions",
    "allgather_bucket_size",
    "overlap_comm",
    "load_from_fp32_weights",
    "elastic_checkpoint",
    "offload_param",
    "offload_optimizer",
    "sub_group_size",
    "cpu_offload",
    "cpu_offload_param",
    "cpu_offload_params",
    "cpu_offload_use_pin_memory",
    "prefetch_bucket_size",
    "stage3_prefetch_bucket_size",
    "param_persistence_threshold",
    "stage3_param_persistence_threshold",
    "model_persistence_threshold",
    "stage3_model_persistence_threshold",
    "max_live_parameters",
    "stage3_max_live_parameters",
    "max_reuse_distance",
    "stage3_max_reuse_distance",
    "gather_16bit_weights_on_model_save",
    "stage3_gather_16bit_weights_on_model_save",
    "stage3_gather_fp16_weights_on_model_save",
    "gather_fp16_weights_on_model_save",
    "module_granularity_threshold",
    "stage3_module_granularity_threshold",
    "use_all_reduce_for_fetch_params",
    "stage3_use_all_reduce_for_fetch_params",
    "allgather_sequential",
    "stage3_allgather_sequential",
    "ignore_unused_parameters",
    "legacy_stage1",
    "round_robin_gradients",
    "zero_hpz_partition_size",
    "zero_quantized_weights",
    "zero_quantized_nontrainable_weights",
    "zero_quantized_gradients",
    "zeropp_loco_param",
    "mics_shard_size",
    "mics_hierarchical_params_gather",
    "memory_efficient_linear",
    "pipeline_loading_checkpoint",
    "override_module_apply",
    "log_trace_cache_warnings",
    "find_unused_parameters",
    "grad_hooks",
    "allgather_size",
    "fp16_master_weights_and_gradients",
    "zenflow",
};
static const char *const fp16[] = {"enabled",
                                   "auto_cast",
                                   "loss_scale",
                                   "initial_scale_power",
                                   "loss_scale_window",
                                   "hysteresis",
                                   "consecutive_hysteresis",
                                   "min_loss_scale",
                                   "master_weights_and_grads",
                                   "fp16_master_weights_and_grads",
                                   "opt_level",
                                   "type",
                                   "skip_initial"};
static const char *const bf16[] = {"enabled",
                                   "immediate_grad_update",
                                   "check_grad_overflow",
                                   "accumulate_grads_in_fp32",
                                   "bf16_master_weights_and_grads",
                                   "bf16_optimizer_states",
                                   "master_weights_and_grads",
                                   "loss_scale",
                                   "initial_scale_power",
                                   "hysteresis",
                                   "min_loss_scale",
                                   "loss_scale_window"};
static const char *const offload[] = {
    "device",     "nvme_path",     "pin_memory",        "buffer_count",  "buffer_size",
    "max_in_cpu", "fast_init",     "pipeline",          "pipeline_read", "pipeline_write",
    "ratio",      "super_offload", "cpuadam_cores_perc"};
static const char *const optimizer[] = {"type", "params", "legacy_fusion"};
static const char *const scheduler[] = {"type", "params"};
static const char *const activation[] = {"partition_activations",
                                         "number_checkpoints",
                                         "contiguous_memory_optimization",
                                         "cpu_checkpointing",
                                         "synchronize_checkpoint_boundary",
                                         "profile",
                                         "num_checkpoints"};
static const char *const aio[] = {
    "block_size",    "queue_depth",    "thread_count", "intra_op_parallelism",
    "single_submit", "overlap_events", "use_gds"};

static const struct {
    const char *section; /* with its dot; empty: the top */
    const char *const *keys;
    size_t n;
} sections[] = {
    {"zero_optimization.offload_param.", offload, COUNT_OF(offload)},
    {"zero_optimization.offload_optimizer.", offload, COUNT_OF(offload)},
    {"zero_optimization.", zero, COUNT_OF(zero)},
    {"fp16.", fp16, COUNT_OF(fp16)},
    {"bf16.", bf16, COUNT_OF(bf16)},
    {"optimizer.", optimizer, COUNT_OF(optimizer)},
    {"scheduler.", scheduler, COUNT_OF(scheduler)},
    {"activation_checkpointing.", activation, COUNT_OF(activation)},
    {"aio.", aio, COUNT_OF(aio)},
    {"", top, COUNT_OF(top)},
};

static const char *const accelerate[] = {
    "compute_environment",
    "distributed_type",
    "mixed_precision",
    "use_cpu",
    "debug",
    "num_processes",
    "machine_rank",
    "num_machines",
    "gpu_ids",
    "main_process_ip",
    "main_process_port",
    "rdzv_backend",
    "same_network",
    "main_training_function",
    "enable_cpu_affinity",
    "fp8_config",
    "deepspeed_config",
    "fsdp_config",
    "parallelism_config",
    "megatron_lm_config",
    "ipex_config",
    "mpirun_config",
    "downcast_bf16",
    "tpu_name",
    "tpu_zone",
    "tpu_use_cluster",
    "tpu_use_sudo",
    "command_file",
    "commands",
    "tpu_vm",
    "tpu_env",
    "dynamo_config",
    "dynamo_backend",
    "fp16",
    "tp_config",
    "num_cpu_threads_per_process",
    "tpu_cluster",
    "ec2_instance_type",
    "iam_role_name",
    "image_uri",
    "profile",
    "region",
    "base_job_name",
    "pytorch_version",
    "transformers_version",
    "py_version",
    "sagemaker_inputs_file",
    "sagemaker_metrics_file",
    "additional_args",
};

/* How many letters differ, counted to `most`: enough to find a slip of the pen. */
static int distance(struct str a, struct str b, int most) {
    int row[65];
    if (a.n > 64 || b.n > 64) return most + 1;
    for (size_t i = 0; i <= b.n; i++) row[i] = (int)i;
    for (size_t i = 1; i <= a.n; i++) {
        int corner = row[0];
        row[0] = (int)i;
        for (size_t k = 1; k <= b.n; k++) {
            int best = corner + (a.p[i - 1] != b.p[k - 1]);
            if (row[k] + 1 < best) best = row[k] + 1;
            if (row[k - 1] + 1 < best) best = row[k - 1] + 1;
            corner = row[k];
            row[k] = best;
        }
    }
    return row[b.n];
}

static bool is_among(struct str name, const char *const *keys, size_t n, struct str *near) {
    int least = (int)name.n / 4 + 1;
    *near = (struct str){0};
    for (size_t k = 0; k < n; k++) {
        struct str key = str_of(keys[k]);
        if (str_eq(name, key)) return true;
        int far = distance(name, key, least);
        if (far <= least) least = far - 1, *near = key;
    }
    return false;
}

bool ds_key_known(struct str path, struct str *near) {
    *near = (struct str){0};
    for (size_t s = 0; s < COUNT_OF(sections); s++) {
        struct str section = str_of(sections[s].section);
        if (!str_starts(path, section)) continue;
        struct str name = str_sub(path, section.n, path.n);
        if (memchr(name.p, '.', name.n)) return true; /* deeper than is looked at */
        return is_among(name, sections[s].keys, sections[s].n, near);
    }
    return true;
}

bool accelerate_key_known(struct str path, struct str *near) {
    *near = (struct str){0};
    return memchr(path.p, '.', path.n) || is_among(path, accelerate, COUNT_OF(accelerate), near);
}
