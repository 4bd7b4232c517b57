# preflight: what would fail is found in the configuration, the command and between them; what is right is left alone.
. tests/cli/lib.sh
cd "$work" || exit 1
touch train.py

config() { cat >ds.json; } # config: DeepSpeed's configuration from standard input
# found CHECK PLACE TEXT: one finding of the last run, as JSON
found() {
    awk -v check="$1" -v place="$2" -v text="$3" '
        function value() { v = $0; sub(/^ *"[a-z]+": /, "", v); sub(/,$/, "", v); gsub(/^"|"$/, "", v); return v }
        /^      "check": /   { c = value(); t = e = f = "" }
        /^      "text": /    { t = value(); gsub(/\\"/, "\"", t) }
        /^      "entry": /   { e = value() }
        /^      "key": /     { k = value() }
        /^      "file": /    { f = value() }
        /^      "line": /    { at = value() == "null" ? k : f ":" value() }
        /^        "title": / { if (c == check && at == place && index(t, text) && e && value()) { ok = 1; exit } }
        END { exit !ok }' "$out" ||
        wrong "no finding '$1' at '$2' with '$3': $(grep -E '^      "(check|text|file|line)"' "$out" | tr -s ' \n' ' ')"
}
check() { # check STATUS ARG...: preflight without this machine, as JSON
    local want=$1
    shift
    expect "$want" preflight --no-probe --format json "$@"
    silent
}

# a sound plan
config <<'J'
{
  "train_batch_size": 64, "train_micro_batch_size_per_gpu": 4, "gradient_accumulation_steps": 2,
  // what people write
  "bf16": {"enabled": true},
  "zero_optimization": {"stage": 3, "offload_param": {"device": "cpu"}, "overlap_comm": true},
  "optimizer": {"type": "AdamW", "params": {"lr": 1e-4}}
}
J
printf 'n0 slots=4\nn1 slots=4\n' >hosts
check 0 -- deepspeed --hostfile hosts train.py --deepspeed_config ds.json --learning_rate 0.0001 --bf16
grep -q '"findings": \[\]' "$out" || wrong "something is found: $(cat "$out" | head -30)"
grep -q '"plan.world_size": 8' "$out" || wrong "no world size"

# the batch sizes against the number of processes, each way round
config <<'J'
{
  "train_batch_size": 60,
  "train_micro_batch_size_per_gpu": 4, "gradient_accumulation_steps": 2
}
J
check 1 --ds-config ds.json --hostfile hosts
found batch-triangle ds.json:2 "60 is not micro batch 4 x accumulation 2 x 8 processes = 64"
echo '{"train_batch_size": 12, "train_micro_batch_size_per_gpu": 4}' | config
check 1 --ds-config ds.json -- torchrun --nproc-per-node 2 train.py
found batch-triangle ds.json:1 "12 cannot be divided by micro batch 4 x 2 processes"
echo '{"train_batch_size": 16, "train_micro_batch_size_per_gpu": 4}' | config
check 0 --ds-config ds.json -- torchrun --nproc-per-node 2 train.py
echo '{"zero_optimization": {"stage": 1}}' | config
check 1 --ds-config ds.json
found batch-triangle ds.json:1 "neither train_batch_size nor"
echo '{"train_batch_size": "auto", "train_micro_batch_size_per_gpu": "auto"}' | config
check 0 --ds-config ds.json -- torchrun --nproc-per-node 3 train.py

# unknown keys, stages, offload, precision
config <<'J'
{
  "train_batch_size": 8,
  "zero_optimisation": {"stage": 2},
  "fp16": {"enabled": true, "loss_scal": 0},
  "bf16": {"enabled": true},
  "zero_optimization": {
    "stage": 2,
    "offload_param": {"device": "cpu"}
  }
}
J
check 1 --ds-config ds.json
found unknown-key ds.json:3 "zero_optimisation, did you mean zero_optimization?"
found unknown-key ds.json:4 "fp16.loss_scal, did you mean loss_scale?"
found precision-twice ds.json:4 "fp16 and bf16 are both enabled"
found offload-param-stage ds.json:8 "this is stage 2"
echo '{"train_batch_size": 8, "zero_optimization": {"stage": 0, "offload_optimizer": {"device": "cpu"}}}' | config
check 1 --ds-config ds.json
found offload-without-stage ds.json:1 "stage 0"
echo '{"train_batch_size": 8, "zero_optimization": {"stage": 4}}' | config
check 1 --ds-config ds.json
found stage-out-of-range ds.json:1 "no ZeRO stage 4"
echo '{"train_batch_size": 8, "optimizer": {"type": "OneBitAdam"}, "zero_optimization": {"stage": 2}}' | config
check 1 --ds-config ds.json
found onebit-with-zero ds.json:1 "OneBitAdam"
echo '{"train_batch_size": 8, ' | config
check 1 --ds-config ds.json
found ds-config-broken ds.json:1 "cannot be read"

# two places that disagree: trainer, accelerate
echo '{"train_micro_batch_size_per_gpu": 4, "bf16": {"enabled": true}, "zero_optimization": {"stage": 2}}' | config
printf 'distributed_type: DEEPSPEED\ndeepspeed_config:\n  zero_stage: 3\nmixed_precision: fp16\nnum_machines: 2\nnum_processes: 16\n' >acc.yaml
check 1 --ds-config ds.json --accelerate acc.yaml -- accelerate launch --num_processes 8 train.py --per_device_train_batch_size 8
found trainer-disagrees ds.json:1 "train_micro_batch_size_per_gpu is 4, but --per_device_train_batch_size is 8"
found trainer-disagrees ds.json:1 "stage is 2"
found precision-twice ds.json:1 "DeepSpeed computes in bf16, accelerate in fp16"
found accelerate-nodes-without-address acc.yaml:5 "2 machines"

# what accelerate's options say goes before its file
printf 'distributed_type: FSDP\nmixed_precision: fp16\nnum_machines: 1\nnum_processes: 8\n' >acc.yaml
check 0 --accelerate acc.yaml -- accelerate launch --config_file acc.yaml --num_processes 4 --mixed_precision bf16 train.py

# scripts of today: arrays, sums, values that only the shell knows
cat >mega.sh <<'S'
#!/bin/bash
GPUS=8
NODES=2
DIST=(
    --nproc_per_node $GPUS
    --nnodes $NODES
    --master_addr node01
)
MODEL=(--num-layers 32 --hidden-size 4096 --num-attention-heads 32 --seq-length 2048 --data-path corpus_text)
torchrun "${DIST[@]}" train.py ${MODEL[@]} --tensor-model-parallel-size 8 --pipeline-model-parallel-size 4
S
touch corpus_text.bin corpus_text.idx
check 1 mega.sh
found parallel-sizes mega.sh:10 "16 processes cannot be divided by tensor 8 x pipeline 4"
grep -q '"path-missing"' "$out" && wrong "indexed data are missed: they are named without their ending"
cat >two.sbatch <<'S'
#!/bin/bash
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=1
#SBATCH --gpus-per-node=8
srun torchrun --nnodes $SLURM_NNODES --nproc_per_node 8 --rdzv_endpoint $(hostname):29500 train.py
S
check 0 --slurm two.sbatch
grep -q '"plan.world_size": 16' "$out" || wrong "the nodes that Slurm gives are not counted: $(grep plan "$out")"
sed 's/--rdzv_endpoint.*/--node_rank $SLURM_NODEID --master_addr n0 train.py/' two.sbatch >early.sbatch
check 1 --slurm early.sbatch
found node-rank-early early.sbatch:5 "all 2 nodes get the same one"
sed "s/srun /srun bash -c '/; s/train.py/train.py'/" early.sbatch >late.sbatch
check 0 --slurm late.sbatch
printf '#!/bin/bash\n#SBATCH --nodes=2\n#SBATCH --ntasks-per-node=4\nexport WORLD_SIZE=4\nsrun python train.py\n' >tasks.sbatch
check 1 --slurm tasks.sbatch
found world-against-tasks tasks.sbatch:4 "WORLD_SIZE=4, but srun starts 8 tasks"
echo 'CUDA_VISIBLE_DEVICES=0,1 torchrun --standalone --nproc_per_node=4 train.py' >few.sh
check 1 few.sh
found more-processes-than-gpus few.sh:1 "CUDA_VISIBLE_DEVICES=0,1 leaves 2"
echo '{"train_batch_size": 16, "train_micro_batch_size_per_gpu": 2, "gradient_accumulation_steps": 1}' | config
check 1 --ds-config ds.json -- deepspeed --include localhost:0,1@n1:0,1 train.py
found batch-triangle ds.json:1 "x 4 processes = 8"
echo '{"train_micro_batch_size_per_gpu": 0, "gradient_accumulation_steps": 0, "optimizer": {"type": "SGD"}, "zero_optimization": {"stage": 1}, "activation_checkpointing": {"contiguous_memory_optimization": true}}' | config
check 1 --ds-config ds.json
for id in micro-batch-none accumulation-none optimizer-untested checkpointing-contiguous; do found $id ds.json:1 ""; done
check 1 -- vllm serve m --gpu-memory-utilization 1.5
found gpu-share-above-one "launch command:1" "1.5"

# host file, Slurm, launch
printf 'n0 slots=4\nn1 slots=4\nn0 slots=4\nwhat is this\n' >hosts
printf '#!/bin/bash\n#SBATCH --nodes=2\n#SBATCH --gres=gpu:a100:8\n' >job.sbatch
check 1 --hostfile hosts --slurm job.sbatch
found hostfile-duplicate hosts:3 "n0 is listed twice"
found hostfile-line hosts:4 "what is this"
found world-size hosts:4 "12 processes, but Slurm gives 16"
check 1 -- torchrun --nnodes 2 --nproc-per-node 8 train.py
found torchrun-without-rendezvous "launch command:1" "2 nodes"
check 0 -- torchrun --nnodes 2 --nproc-per-node 8 --rdzv-endpoint n0:29500 train.py
check 1 -- torchrun --nproc-per-node 8 nosuch.py --deepspeed_config gone.json --output_dir later/
found path-missing "launch command:1" "the program nosuch.py"
found path-missing "launch command:1" "--deepspeed_config gone.json"
grep -q '"text": ".*later' "$out" && wrong "an output folder need not exist"

# Megatron: what divides what
megatron="torchrun --nproc-per-node 8 train.py --num-layers 30 --hidden-size 4096 --num-attention-heads 32 --seq-length 4096 --max-position-embeddings 4096"
check 0 -- $megatron --tensor-model-parallel-size 4 --pipeline-model-parallel-size 2 --micro-batch-size 2 --global-batch-size 64
check 1 -- $megatron --tensor-model-parallel-size 8 --pipeline-model-parallel-size 4
found parallel-sizes "launch command:1" "num_layers 30 cannot be divided by pipeline parallel size 4"
found parallel-sizes "launch command:1" "8 processes cannot be divided by tensor 8 x pipeline 4"
check 1 -- $megatron --tensor-model-parallel-size 2 --micro-batch-size 3 --global-batch-size 64
found batch-triangle "launch command:1" "64 cannot be divided by micro batch 3 x data parallel size 4"
check 1 -- torchrun --nproc-per-node 6 train.py --num-layers 6 --hidden-size 100 --num-attention-heads 32 --tensor-model-parallel-size 3 --seq-length 2048 --max-position-embeddings 1024 --fp16 --bf16
found parallel-sizes "launch command:1" "num_attention_heads 32 cannot be divided by tensor parallel size 3"
found parallel-sizes "launch command:1" "hidden_size 100 cannot be divided"
found parallel-sizes "launch command:1" "2048 is above --max_position_embeddings 1024"
found precision-twice "launch command:1" "--fp16 and --bf16"

# serving, Slurm, packages
mkdir serve
echo '{"model_type": "llama", "hidden_size": 4096, "num_hidden_layers": 32, "vocab_size": 32000, "num_attention_heads": 32, "max_position_embeddings": 4096}' >serve/config.json
check 1 serve -- vllm serve some/model --tensor-parallel-size 3 --max-model-len 8192
found tp-divides "launch command:1" "32 attention heads, which 3 GPUs cannot share"
found length-above-model "launch command:1" "8192 is above the 4096"
grep -q '"check": "parallel-sizes"' "$out" && wrong "what the engine cannot share is told twice"
check 0 serve -- vllm serve some/model --tensor-parallel-size 4 --max-model-len 4096
printf '#!/bin/bash\n#SBATCH --nodes=1\n#SBATCH --ntasks-per-node=8\nsrun torchrun --nproc-per-node 8 train.py\n' >job.sbatch
check 1 --slurm job.sbatch
found srun-starts-many-launchers job.sbatch:3 "torchrun 8 times"
printf 'torch==2.4.0\nnumpy==1.26.4\naccelerate==1.0.0\n' >serve/requirements.txt
check 1 serve -- deepspeed --num_gpus 2 train.py
found deepspeed-missing requirements.txt:1 "not among the packages"

# memory: 70.6 billion parameters; 16 bytes each in all, sharded over 8 or 64
mkdir job
echo '{"model_type": "llama", "hidden_size": 8192, "num_hidden_layers": 80, "intermediate_size": 28672, "vocab_size": 128256, "num_attention_heads": 64, "num_key_value_heads": 8}' >job/config.json
for i in 0 1 2 3 4 5 6 7; do echo "GPU $i: NVIDIA A100-SXM4-80GB (UUID: GPU-a$i)"; done >job/gpus.txt
echo '{"train_micro_batch_size_per_gpu": 1, "bf16": {"enabled": true}, "zero_optimization": {"stage": 3}}' | config
check 1 --ds-config ds.json job -- torchrun --nproc-per-node 8 train.py
found states-do-not-fit ds.json:1 "70.55 billion parameters take 131.4 GiB a GPU, the GPU has 80 GiB"
check 0 --ds-config ds.json job -- torchrun --nnodes 8 --nproc-per-node 8 --master-addr n0 train.py
echo '{"train_micro_batch_size_per_gpu": 1, "zero_optimization": {"stage": 2}}' | config
check 1 --ds-config ds.json job -- torchrun --nnodes 8 --nproc-per-node 8 --master-addr n0 train.py
found states-do-not-fit ds.json:1 "145.8 GiB"
printf '               total        used        free      shared  buff/cache   available\nMem:           500Gi        10Gi       400Gi       1Gi        90Gi       480Gi\n' >job/free.txt
echo '{"train_micro_batch_size_per_gpu": 1, "zero_optimization": {"stage": 3, "offload_optimizer": {"device": "cpu"}}}' | config
printf 'GPU 0: NVIDIA A100-SXM4-80GB (UUID: GPU-aa)\nGPU 1: NVIDIA A100-SXM4-80GB (UUID: GPU-bb)\n' >job/gpus.txt
check 1 --ds-config ds.json job -- torchrun --nproc-per-node 2 train.py
found offload-fills-host ds.json:1 "of the host"

# hardware and versions
echo 'GPU 0: Tesla V100-SXM2-32GB (UUID: GPU-aa)' >job/gpus.txt
printf 'torch==2.1.0+cpu\nnumpy==2.0.1\ntransformers==4.51.0\n' >job/requirements.txt
rm job/config.json job/free.txt
check 1 job -- torchrun --nproc-per-node 4 train.py --bf16
found bf16-on-old-gpu gpus.txt:1 "7.0 has none"
found numpy-two requirements.txt:2 "numpy 2.0.1 with torch 2.1.0"
found torch-cpu-only requirements.txt:1 "built for CPUs only"
found more-processes-than-gpus "launch command:1" "is 4, but this machine has 1 GPUs"

# words as the shell gave them: a quote in one ends none of the others
check 1 -- torchrun --nproc_per_node 4 train.py --title "it's one" --fp16 true --bf16 true
found precision-twice "launch command:1" "--fp16 and --bf16 are both given"

# this machine: the environment is part of the plan; a hung driver is told
mkdir bin
printf '#!/bin/sh\nexec sleep 100\n' >bin/nvidia-smi
printf '#!/bin/sh\ncase "$*" in *n1*) echo "me@n1: Permission denied (publickey)." >&2; exit 255 ;; esac\n' >bin/ssh
chmod +x bin/nvidia-smi bin/ssh
printf 'n0 slots=4\nn1 slots=4\n' >two
RANK=9 WORLD_SIZE=8 PATH="$PWD/bin:$PATH" expect 1 preflight --format json --hostfile two -- python train.py
found ssh-fails ssh.problem "n1: permission-denied"
found rank-clash clash.rank "RANK=9"
found driver-hangs probe.gpu "does not answer"

# a site adds checks of its own; one that names no entry, no fix or no fact is refused
mkdir -p site/shared
site() {
    cat >site/shared/checks.yaml
    "$FAULTLINE" kb build site -o site.sqlite >"$out" 2>"$err"
    status=$?
    cat "$err" >>"$out"
}
site <<'Y'
checks:
  - {id: our-nodes, level: error, if: {above: {hostfile.hosts: 1}}, at: hostfile.hosts, says: '{{hostfile.hosts}} hosts', entry: ssh-failed, fix: set-up-ssh}
Y
[ "$status" -eq 0 ] || wrong "the site's check is refused: $(cat "$out")"
check 1 --kb site.sqlite --hostfile hosts
found our-nodes hosts:4 "3 hosts"
site <<'Y'
checks:
  - {id: our-nodes, level: error, if: {above: {hostfile.hosts: 1}}, at: hostfile.hosts, says: x, entry: ssh-failed, fix: nosuch}
  - {id: our-hosts, level: loud, if: {known: hostfile.hosts}, at: hostfile.hosts, says: x, entry: nosuch, fix: x}
Y
[ "$status" -ne 0 ] || wrong "a check without a fix is taken"
says "the entry 'ssh-failed' has no fix 'nosuch'"
says "there is no entry 'nosuch'"

# text, usage, inputs that are not there
echo '{"train_batch_size": 60, "train_micro_batch_size_per_gpu": 7, "gradient_accumulation_steps": 2, "steps": 1}' | config
expect 1 preflight --no-probe --ds-config ds.json --hostfile hosts
says "error    ds.json:1: train_batch_size 60"
says "ds-batch-size-triangle"
says "     do  "
says "errors, 1 warning; 12 processes"
tame "$out" text
# what a finding asks for, and not all that its entry's fix knows
echo '{"train_batch_size": 8, "zero_optimization": {"stage": 2, "offload_param": {"device": "cpu"}}}' | config
run preflight --no-probe --ds-config ds.json
says "     do     set zero_optimization.stage to 3, or leave offload_param out"
grep -q '^ *- ' "$out" && wrong "steps for other features are shown: $(cat "$out")"
check 1 --ds-config ds.json
says '"do": "set zero_optimization.stage to 3, or leave offload_param out"'
expect 3 preflight --no-probe --ds-config nosuch.json
tells nosuch.json
expect 2 preflight --format html
expect 2 preflight --nosuch
expect 2 preflight --no-probe
tells "nothing to check"
head -c 20000 /dev/urandom | tr '\000' x >noise
for option in --ds-config --hostfile --accelerate --slurm; do
    run preflight --no-probe "$option" noise
    tame "$out" "noise as $option"
    [ "$(grep -c '^error' "$out")" -le 25 ] || wrong "$option: $(grep -c '^error' "$out") errors"
done
printf '{"\033[2J": 1, "train_batch_size": "\033]0;x\007"}' | config
run preflight --no-probe --ds-config ds.json
tame "$out" hostile
run preflight --no-probe --format json --ds-config ds.json
tame "$out" hostile-json

# what the launch asks for against what Slurm gives, node by node
printf '#!/bin/bash\n#SBATCH --nodes=4\n#SBATCH --ntasks-per-node=1\n#SBATCH --gres=gpu:4\nsrun torchrun --nnodes 2 --nproc_per_node 8 --rdzv-endpoint n0:29400 train.py\n' >nodes.sbatch
check 1 nodes.sbatch
found world-size nodes.sbatch:5 "the launch is for 2 nodes, but Slurm gives 4"
# one host without slots among others; the right ones alone are left alone (above)
printf 'n0 slots=8\nn1\n' >mixed-hosts
check 1 --hostfile mixed-hosts -- deepspeed --hostfile mixed-hosts train.py
found host-without-slots mixed-hosts:2 "the host n1 has no slots"
check 0 --hostfile mixed-hosts -- mpirun -np 9 --hostfile mixed-hosts python train.py
# accelerate's file: precision, processes over machines, keys
cat >acc.yaml <<'Y'
compute_environment: LOCAL_MACHINE
distributed_type: MULTI_GPU
mixed_precision: bf17
num_machines: 2
num_processes: 7
main_process_ip: 10.0.0.1
main_proces_port: 29500
Y
check 1 -- accelerate launch --config_file acc.yaml train.py
found accelerate-precision acc.yaml:3 "no mixed_precision bf17"
found accelerate-uneven acc.yaml:5 "num_processes 7 cannot be divided by num_machines 2"
found accelerate-unknown-key acc.yaml:7 "main_proces_port, did you mean main_process_port?"
sed -i 's/bf17/bf16/; s/: 7/: 8/; s/proces_port/process_port/' acc.yaml
check 0 -- accelerate launch --config_file acc.yaml train.py
grep -q '"findings": \[\]' "$out" || wrong "a sound file of accelerate is found fault with: $(cat "$out" | head -30)"
# the model's folder that the launch names tells what its states need
mkdir -p model
echo '{"architectures": ["XForCausalLM"], "hidden_size": 4096, "num_hidden_layers": 32, "vocab_size": 32000, "intermediate_size": 11008, "num_attention_heads": 32, "num_key_value_heads": 32}' >model/config.json
echo '{"train_micro_batch_size_per_gpu": 1, "bf16": {"enabled": true}, "zero_optimization": {"stage": 2}}' | config
check 0 -- deepspeed --num_gpus 8 train.py --deepspeed ds.json --model_name_or_path ./model
grep -q '"plan.parameters": "6.74"' "$out" || wrong "the model's size is not told: $(grep plan "$out")"
grep -q '"plan.memory.states": "23.5"' "$out" || wrong "the states' size is not told: $(grep plan "$out")"
finish
