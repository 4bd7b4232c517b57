/* background_lines.h - healthy lines made up in the forms that training stacks print, with how many
 * of a million lines look like this.  Digits stand for any digits. */
#ifndef FAULTLINE_MATCH_BACKGROUND_LINES_H
#define FAULTLINE_MATCH_BACKGROUND_LINES_H

struct healthy_line {
    unsigned weight;
    const char *text;
};

static const struct healthy_line healthy_lines[] = {
    /* step lines: most of any long log */
    {60000,
     " [2024-05-04 10:00:00] iteration     1200/  500000 | consumed samples:       614400 | "
     "elapsed "
     "time per iteration (ms): 1234.5 | throughput per GPU (TFLOP/s/GPU): 412.3 | learning "
     "rate: 1.500000E-04 | global batch size:   512 | lm loss: 2.345678E+00 | loss scale: 1.0 "
     "| grad norm: 0.812 | number of skipped iterations:   0 | number of nan iterations:   0 |"},
    {20000,
     " iteration      100/   10000 | consumed samples:        25600 | consumed tokens:     "
     "52428800 | "
     "elapsed time per iteration (s): 3.10 | learning rate: 3.000E-05 | global batch size:   "
     "256 | lm loss: 5.432100E+00 | z loss: 1.0E-02 | params norm: 1204.11 | num zeros: 0.0 | "
     "samples per second: 82.123 | TFLOPs: 112.01 |"},
    {20000,
     "[2024-05-04 10:00:00,123] [INFO] [logging.py:96:log_dist] [Rank 0] step=1200, skipped=3, "
     "lr=[0.0001, 0.0001], mom=[(0.9, 0.95), (0.9, 0.95)]"},
    {20000, "steps: 1200 loss: 2.3456 iter time (s): 0.512 samples/sec: 62.123"},
    {15000, "[2024-05-04 10:00:00,123] [INFO] [timer.py:260:stop] "
            "epoch=0/micro_step=1200/global_step=1200, "
            "RunningAvgSamplesPerSec=31.2, CurrSamplesPerSec=31.1, MemAllocated=12.01GB, "
            "MaxMemAllocated=30.12GB"},
    {8000,
     "[2024-05-04 10:00:00,123] [INFO] [logging.py:128:log_dist] [Rank 0] time (ms) | "
     "fwd_microstep: "
     "123.45 | bwd_microstep: 345.67 | bwd_inner_microstep: 340.01 | bwd_allreduce_microstep: "
     "5.66 | step_microstep: 60.10"},
    {4000, "[2024-05-04 10:00:00,123] [INFO] [loss_scaler.py:183:update_scale] [deepspeed] "
           "OVERFLOW! Rank 0 "
           "Skipping step. Attempted loss scale: 65536, reducing to 32768"},
    {30000, "{'loss': 2.3456, 'grad_norm': 1.0123, 'learning_rate': 1.9e-05, 'epoch': 0.12}"},
    {8000, "{'eval_loss': 1.2345, 'eval_runtime': 12.34, 'eval_samples_per_second': 81.0, "
           "'eval_steps_per_second': 10.1, 'epoch': 1.0}"},
    {20000,
     "Epoch 3:  45%|####5     | 450/1000 [01:23<01:42,  5.37it/s, v_num=12, train_loss=0.123, "
     "val_loss=0.140, accuracy=0.91]"},
    {10000,
     "Epoch: [3][ 450/1000] Time  0.123 ( 0.130) Data  0.001 ( 0.002) Loss 1.2345e+00 (1.3010e+00) "
     "Acc@1  70.31 ( 69.80) Acc@5  90.62 ( 89.12)"},
    {10000, "Epoch: [0]  [ 1200/10009]  eta: 1:23:45  lr: 0.000400  loss: 6.9001 (6.9100)  time: "
            "0.4001  data: "
            "0.0002  max mem: 12345"},
    {15000,
     "step:1200/5100 train_loss:3.4567 val_loss:3.5012 train_time:123456ms step_avg:142.10ms"},
    {10000, "iter 1200: loss 2.3456, time 123.45ms, mfu 41.23%"},
    {10000,
     "step 1200 | loss: 2.345678 | lr: 3.0e-04 | norm: 0.9912 | dt: 512.34ms | tok/sec: 102400.12"},
    {10000, "2024-05-04 10:00:00,123 - root - INFO - step: 1200  loss:  2.3456  memory: "
            "61.23GiB(77.41%)  tps: "
            "3,456  tflops: 201.12  mfu: 41.20%"},
    {10000,
     "INFO:root:[step=1200/60000,epoch=0] throughput/total_tokens=1,258,291,200 "
     "train/CrossEntropyLoss=2.345 train/Perplexity=10.43 System/Peak GPU Memory (MB)=61,234"},
    {8000, "05/04/2024 10:00:00 - INFO - __main__ - Epoch: 0, step 1200, batch loss 0.345678, "
           "tokens per second "
           "12345.6"},
    {6000,
     "| epoch 001:   1200 / 5000 loss=8.123, nll_loss=7.456, ppl=175.6, wps=123456, ups=2.34, "
     "wpb=52340, "
     "bsz=1024, num_updates=1200, lr=0.0003, gnorm=1.234, train_wall=42, gb_free=12.3, wall=512"},
    {5000,
     ":::MLLOG {\"namespace\": \"\", \"time_ms\": 1714816800123, \"event_type\": \"INTERVAL_END\", "
     "\"key\": "
     "\"tracked_stats\", \"value\": {\"throughput\": 123.4, \"train_loss\": 2.34}, \"metadata\": "
     "{\"file\": \"/workspace/llm/callbacks.py\", \"lineno\": 123, \"samples_count\": 12288}}"},
    {5000, "Training epoch 0, iteration 1200/60000 | lr: 0.0001 | global_batch_size: 512 | "
           "global_step: 1200 | "
           "reduced_train_loss: 2.345 | train_step_timing in s: 1.234 | consumed_samples: 614400"},
    {4000,
     "INFO 05-04 10:00:00 metrics.py:345] Avg prompt throughput: 123.4 tokens/s, Avg generation "
     "throughput: "
     "456.7 tokens/s, Running: 12 reqs, Swapped: 0 reqs, Pending: 0 reqs, GPU KV cache usage: "
     "34.5%, CPU KV cache usage: 0.0%."},
    {3000, "INFO:     127.0.0.1:50123 - \"POST /v1/chat/completions HTTP/1.1\" 200 OK"},
    {5000, "(RayTrainWorker pid=1234, ip=10.0.0.1) {'loss': 1.2345, 'learning_rate': 0.0001, "
           "'epoch': 0.5}"},
    {5000, "Loading checkpoint shards: 100%|##########| 3/3 [00:10<00:00,  3.45s/it]"},
    {5000, "Map (num_proc=8):  45%|####5     | 45000/100000 [00:12<00:15, 3612.11 examples/s]"},
    /* evaluation and samples */
    {2000, " validation loss at iteration 1000 on validation set | lm loss value: 2.345678E+00 | "
           "lm loss PPL: "
           "1.043210E+01 |"},
    {1500, "(min, max) time across ranks (ms):"},
    {1500, "    forward-backward ...............................: (1234.56, 1240.12)"},
    {1500, "    forward-compute ................................: (400.12, 410.45)"},
    {1500, "    backward-compute ...............................: (800.12, 810.45)"},
    {1500, "    all-grads-sync .................................: (12.34, 15.67)"},
    {1500, "    optimizer-inner-step ...........................: (6.10, 6.20)"},
    {1000,
     "[Rank 0] (after 100 iterations) memory (MB) | allocated: 12345.0 | max allocated: 45678.0 | "
     "reserved: 50000.0 | max reserved: 50000.0"},
    {800,
     "  successfully saved checkpoint from iteration    1000 to /checkpoints/gpt [ t 1/1, p 1/1 ]"},
    {800, "saving checkpoint at iteration    1000 to /checkpoints/gpt in torch_dist format"},
    {500, "[2024-05-04 10:00:00,123] [INFO] [torch_checkpoint_engine.py:21:save] [Torch] Saving "
          "/checkpoints/global_step1000/mp_rank_00_model_states.pt..."},
    {500, "Saving model checkpoint to ./output/checkpoint-1000"},
    {300, "tokenizer config file saved in ./output/checkpoint-1000/tokenizer_config.json"},
    /* NCCL and networks */
    {4000, "node01:12345:12399 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM/read"},
    {3000,
     "node01:12345:12399 [0] NCCL INFO Channel 02/0 : 15[7] -> 0[0] [receive] via NET/IB/0/GDRDMA"},
    {1000, "node01:12345:12399 [0] NCCL INFO Trees [0] 1/8/-1->0->-1 [1] 1/-1/-1->0->8"},
    {1000,
     "node01:12345:12345 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/IB [RO]; OOB "
     "eth0:10.0.0.1<0>"},
    {800, "node01:12345:12399 [0] NCCL INFO comm 0x55d0c0a0b0c0 rank 0 nranks 16 cudaDev 0 nvmlDev "
          "0 busId 1b000 "
          "commId 0x1234567890abcdef - Init COMPLETE"},
    {500, "node01:12345:12345 [0] NCCL INFO Bootstrap : Using eth0:10.0.0.1<0>"},
    {500, "node01:12345:12399 [0] NCCL INFO NVLS multicast support is not available on dev 0"},
    {500, "node01:12345:12399 [0] NCCL INFO Setting affinity for GPU 0 to ffff,ffffffff"},
    {400, "node01:12345:12399 [0] NCCL INFO P2P Chunksize set to 131072"},
    {400, "node01:12345:12399 [0] NCCL INFO Connected all rings"},
    {400, "node01:12345:12399 [0] NCCL INFO threadThresholds 8/8/64 | 128/8/64 | 512 | 512"},
    {300, "node01:12345:12345 [0] NCCL INFO NCCL_SOCKET_IFNAME set by environment to eth0"},
    /* warnings that every job prints */
    {1500, "/usr/local/lib/python3.10/dist-packages/torch/utils/checkpoint.py:1399: FutureWarning: "
           "`torch.cpu.amp.autocast(args...)` is deprecated. Please use `torch.amp.autocast('cpu', "
           "args...)` instead."},
    {1500, "  warnings.warn("},
    {600,
     "/opt/conda/lib/python3.10/site-packages/torch/optim/lr_scheduler.py:216: UserWarning: "
     "Detected call of "
     "`lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and later, you should call "
     "them in the opposite order: `optimizer.step()` before `lr_scheduler.step()`."},
    {600, "[W socket.cpp:697] [c10d] The client socket has failed to connect to [node01]:29500 "
          "(errno: 97 - Address "
          "family not supported by protocol)."},
    {500,
     "W0504 10:00:00.123000 1234 torch/distributed/run.py:793] Setting OMP_NUM_THREADS environment "
     "variable for "
     "each process to be 1 in default, to avoid your system being overloaded, please further tune "
     "the variable for optimal performance in your application as needed."},
    {500, "Token indices sequence length is longer than the specified maximum sequence length for "
          "this model (5121 > "
          "4096). Running this sequence through the model will result in indexing errors"},
    {300, "huggingface/tokenizers: The current process just got forked, after parallelism has "
          "already been used. "
          "Disabling parallelism to avoid deadlocks..."},
    {300, "Some weights of BertForSequenceClassification were not initialized from the model "
          "checkpoint at "
          "bert-base-uncased and are newly initialized: ['classifier.bias', 'classifier.weight']"},
    {300, "You should probably TRAIN this model on a down-stream task to be able to use it for "
          "predictions and "
          "inference."},
    {300, "2024-05-04 10:00:00.123456: I tensorflow/core/platform/cpu_feature_guard.cc:182] This "
          "TensorFlow binary "
          "is optimized to use available CPU instructions in performance-critical operations."},
    {200, "WARNING: Logging before flag parsing goes to stderr."},
    {200, "The attention mask and the pad token id were not set. As a consequence, you may observe "
          "unexpected "
          "behavior. Please pass your input's `attention_mask` to obtain reliable results."},
    {200,
     "`use_cache=True` is incompatible with gradient checkpointing. Setting `use_cache=False`..."},
    /* start: arguments, builds, loading */
    {900, "  attention_dropout ............................... 0.1"},
    {900, "  distributed_timeout_minutes ..................... 10"},
    {900, "  encoder_seq_length .............................. 4096"},
    {900, "  tensorboard_dir ................................. None"},
    {900, "[2024-05-04 10:00:00,123] [INFO] [config.py:1000:print]   zero_allow_untested_optimizer "
          ".... False"},
    {900, "[2024-05-04 10:00:00,123] [INFO] [config.py:1000:print]   "
          "activation_checkpointing_config  {"},
    {900, "    \"contiguous_memory_optimization\": false, "},
    {600, "using world size: 16, data-parallel size: 2, context-parallel size: 1, "
          "tensor-model-parallel size: 4, "
          "pipeline-model-parallel size: 2"},
    {600, " > number of parameters on (tensor, pipeline) model parallel rank (3, 1): 1234567890"},
    {600, "> building train, validation, and test datasets for GPT ..."},
    {500, " > loading shuffle-idx mapping from "
          "/data/index-cache/0123456789abcdef_train_indexmap_123mns_1234s.npy"},
    {500, "    loaded indexed file in 0.012 seconds"},
    {500, "[2024-05-04 10:00:00,123] [INFO] [real_accelerator.py:191:get_accelerator] Setting "
          "ds_accelerator to "
          "cuda (auto detect)"},
    {500, "[2024-05-04 10:00:00,123] [INFO] [comm.py:652:init_distributed] Initializing "
          "TorchBackend in DeepSpeed "
          "with backend nccl"},
    {500, "[2024-05-04 10:00:00,123] [INFO] [stage_1_and_2.py:149:__init__] Reduce bucket size "
          "500,000,000"},
    {500,
     "[1/3] /usr/local/cuda/bin/nvcc -DTORCH_EXTENSION_NAME=fused_adam "
     "-DTORCH_API_INCLUDE_EXTENSION_H "
     "-isystem /usr/local/lib/python3.10/dist-packages/torch/include -D__CUDA_NO_HALF_OPERATORS__ "
     "--expt-relaxed-constexpr -gencode=arch=compute_80,code=sm_80 --compiler-options '-fPIC' -O3 "
     "-std=c++17 -c multi_tensor_adam.cu -o multi_tensor_adam.cuda.o"},
    {300, "Using /root/.cache/torch_extensions/py310_cu121 as PyTorch extensions root..."},
    {300, "Loading extension module fused_adam..."},
    {300, "Time to load fused_adam op: 0.1234567 seconds"},
    {300, "ninja: no work to do."},
    {500, "Requirement already satisfied: numpy>=1.17 in /usr/local/lib/python3.10/dist-packages "
          "(from torch) "
          "(1.26.4)"},
    {300, "Collecting transformers==4.40.0"},
    {300, "Successfully installed accelerate-0.30.1 deepspeed-0.14.2 transformers-4.40.0"},
    {500, "INFO 05-04 10:00:00 model_runner.py:146] Loading model weights took 12.5523 GB"},
    {300, "INFO 05-04 10:00:00 gpu_executor.py:83] # GPU blocks: 7421, # CPU blocks: 512"},
    {300, "GPU available: True (cuda), used: True"},
    {300, "Initializing distributed: GLOBAL_RANK: 0, MEMBER: 1/8"},
    {300, "LOCAL_RANK: 0 - CUDA_VISIBLE_DEVICES: [0,1,2,3,4,5,6,7]"},
    {300, "  | Name  | Type             | Params | Mode "},
    {300, "wandb: Run data is saved locally in /workspace/wandb/run-20240504_100000-abcdef12"},
    {300, "wandb: Run summary:"},
    {200, "Num examples = 51,760, Num Epochs = 3, Instantaneous batch size per device = 4, Total "
          "train batch size "
          "(w. parallel, distributed & accumulation) = 64"},
    {200, "Total optimization steps = 2,424, Gradient Accumulation steps = 2, Number of trainable "
          "parameters = "
          "7,000,000,000"},
    {300, "LlamaForCausalLM((model): LlamaModel((embed_tokens): Embedding(32000, 4096)"},
    {300, "          (q_proj): Linear(in_features=4096, out_features=4096, bias=False)"},
    {300,
     "GPTModel((decoder): TransformerBlock((layers): ModuleList((0-11): 12 x TransformerLayer("},
    {300, "[05/04/24 10:00:00] INFO     colossalai - colossalai - INFO: "
          "/opt/colossalai/initialize.py:115 launch"},
    {200, "srun: job 123456 queued and waiting for resources"},
    {200, "Setting ds_accelerator to cuda (auto detect)"},
    {200, "| N/A   34C    P0    72W / 400W |  12345MiB / 81559MiB |     99%      Default |"},
    {100, "Training completed. Do not forget to share your model on huggingface.co/models =)"},
};

#endif
