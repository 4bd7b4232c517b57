# What the ranks say beside each other: who is counted, who is slower than the rest.
. tests/cli/lib.sh

# every rank's watchdog stands in a file of its own and once more in the launcher's log
mkdir "$work/twice"
watchdog() {
    echo "[rank$1]:[E1 07:59:40.1 ProcessGroupNCCL.cpp:616] [Rank $1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=41, OpType=ALLREDUCE, NumelIn=64, NumelOut=64, Timeout(ms)=600000) ran for 600021 milliseconds before timing out."
}
{
    echo "[rank0]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB"
    for rank in $(seq 1 299); do
        watchdog $rank
        watchdog $rank >"$work/twice/rank$rank.log"
    done
} >"$work/twice/launcher.log"
for input in "$work/twice" "$work/twice/launcher.log"; do
    expect 1 diagnose --format json "$input"
    most=$(python3 -c 'import json, sys; print(max(row["ranks"] for row in json.load(sys.stdin)["secondary"]))' <"$out")
    [ "$most" = 299 ] || wrong "$most ranks follow, not 299: $input"
done

# the rank of a line whose logger says it in its own way: nanotron's grid, Composer, NeMo, SageMaker's mpirun
at_rank() { # RANK LINE
    printf '%s\n' "$2" >"$work/prefix.log"
    expect 1 diagnose --format json "$work/prefix.log"
    rank=$(python3 -c 'import json, sys; print(json.load(sys.stdin)["first_fault"]["rank"])' <"$out")
    [ "$rank" = "$1" ] || wrong "rank $rank, not $1: $2"
}
oom="torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB"
at_rank 3 "05/01/2024 12:00:00 [ERROR|DP=0|PP=0|TP=3|node07]: $oom"
at_rank 5 "05/01 12:00:00 [ERROR|DP=5|node07]: $oom"
at_rank None "05/01 12:00:00 [ERROR|DP=1|TP=3|node07]: $oom"
at_rank 3 "2024-05-01 12:00:00,123: rank3[4242][MainThread]: ERROR: composer.cli.launcher: $oom"
at_rank 3 "[NeMo E 2024-05-01 12:00:00 rank:3 train.py:12] $oom"
at_rank 3 "[1,mpirank:3,algo-2]<stderr>:$oom"

# nccl-tests beside the links: far below, near, of small messages only, and with wrong values
table() { # HOST BUSBW SIZE VALUES
    echo "# nThread 1 nGpus 1 minBytes 1048576 maxBytes 1073741824 step: 32(factor)"
    echo "# Using devices"
    echo "#  Rank  0 Group  0 Pid   4101 on    host-a device  0 [0x1b] NVIDIA A100-SXM4-80GB"
    echo "#  Rank  1 Group  0 Pid   4102 on    $1 device  1 [0x43] NVIDIA A100-SXM4-80GB"
    echo "#  size count type redop root time algbw busbw #wrong time algbw busbw #wrong"
    echo "  $3 $(($3 / 4)) float sum -1 5012.1 $2 $2 0 5009.8 $2 $2 0"
    echo "# Out of bounds values : $4"
    echo "# Avg bus bandwidth    : $2"
}
mkdir "$work/links"
table host-b 6.2 1073741824 "0 OK" >"$work/links/all_reduce.txt"
expect 0 diagnose "$work/links" # nothing tells what the network gives
cat >"$work/links/ibstat.txt" <<'T'
CA 'mlx5_0'
	CA type: MT4123
	Number of ports: 1
	Port 1:
		State: Active
		Physical state: LinkUp
		Rate: 200
		Link layer: InfiniBand
T
expect 1 diagnose "$work/links"
says "reaches 6.2 GB/s between 2 nodes, 1 port of"
table host-b 19.8 1073741824 "0 OK" >"$work/links/all_reduce.txt"
expect 0 diagnose "$work/links"
table host-b 6.2 1048576 "0 OK" >"$work/links/all_reduce.txt"
expect 0 diagnose "$work/links"
table host-a 11.7 1073741824 "0 OK" >"$work/links/all_reduce.txt"
expect 1 diagnose "$work/links"
says "reaches 11.7 GB/s within a node, NVLink of"
table host-b 6.2 1073741824 "7 FAILED" >"$work/links/all_reduce.txt"
expect 1 diagnose "$work/links"
says "A collective gives wrong values"

# stragglers: ranks in files of their own, prefixed lines in one log, timers of DeepSpeed and of Megatron
files() { # DATA of rank 5
    rm -rf "$work/files"
    mkdir "$work/files"
    for rank in 0 1 2 3 4 5 6 7; do
        awk -v data="$([ $rank = 5 ] && echo "$1" || echo 0.11)" 'BEGIN {
            for (i = 0; i < 40; i++) printf "step %d loss %.3f step_time: %.3f data_time: %.4f\n", i * 10, 8 - i / 12, 0.8, data + i % 3 / 100 }' >"$work/files/rank$rank.log"
    done
}
files 0.11
expect 0 diagnose "$work/files"
files 0.19 # more, but not worth a word in a step of 0.8 s
expect 0 diagnose "$work/files"
files 0.41
expect 1 diagnose "$work/files"
says "ranks: rank 5 takes 0.42 s for data, the other 7 0.12 s"
merged() { # STEP of rank 5
    awk -v slow="$1" 'BEGIN { for (i = 0; i < 120; i++) for (k = 0; k < 8; k++) { rank = (k * 3 + i) % 8
        printf "[rank%d]: step %d loss %.3f step_time: %.3f\n", rank, i, 8 - i / 40, (rank == 5 ? slow : 0.7) + i % 5 / 100 } }' >"$work/merged.log"
}
merged 0.75
expect 0 diagnose "$work/merged.log"
merged 1.4
expect 1 diagnose "$work/merged.log"
says "ranks: rank 5 takes 1.42 s for a step, the other 7 0.72 s"
timers() { # FORWARD of ranks 6 and 7 of 16
    awk -v slow="$1" 'BEGIN { for (i = 0; i < 40; i++) { printf "[2025-02-03 10:00:%02d,120] [INFO] [logging.py:96:log_dist] [Rank 0] step=%d, skipped=0, lr=[1e-05]\n", i, i
        for (rank = 0; rank < 16; rank++) printf "[2025-02-03 10:00:%02d,130] [INFO] [logging.py:96:log_dist] [Rank %d] time (ms) | fwd_microstep: %.2f | bwd_microstep: %d | bwd_inner_microstep: 230.1 | bwd_allreduce_microstep: %d\n", i, rank, (rank == 6 || rank == 7 ? slow : 118) + i % 4, 400 + 50 * rank, 170 + 50 * rank } }' >"$work/timers.log"
}
timers 120
expect 0 diagnose "$work/timers.log"
timers 260
expect 1 diagnose "$work/timers.log"
says "ranks: ranks 6, 7 take 0.262 s for forward, the other 14"
megatron() { # MOST
    awk -v most="$1" 'BEGIN { print "world_size=64"; for (i = 0; i < 30; i++) {
        printf " [2025-02-03 10:%02d:00] iteration %8d/   50000 | elapsed time per iteration (ms): 5012.3 | global batch size: 512 | lm loss: %.3f | grad norm: 0.9 |\n(min, max) time across ranks (ms):\n", i, i * 10, 9 - i / 20
        printf "    forward-compute ................................: (600.21, %.2f)\n    grads-all-reduce ...............................: (10.20, 810.20)\n", most } }' >"$work/megatron.log"
}
megatron 700
expect 0 diagnose "$work/megatron.log"
megatron 1510
expect 1 diagnose "$work/megatron.log"
says "ranks: the slowest takes 1.51 s for forward-compute, the fastest 0.6 s"
sed -i '1s/.*/arguments: --pipeline-model-parallel-size 4\ntorchrun pretrain_gpt.py --pipeline-model-parallel-size 4/' "$work/megatron.log"
expect 0 diagnose "$work/megatron.log" # stages differ by their nature

# what is odd about the input is told, whatever the diagnosis: a clock that was set back while steps go on, a rank beyond
# the world; ranks that take turns under two clocks are nothing odd
mkdir "$work/odd" "$work/even"
steps() { # RANK HOUR FROM TO
    for i in $(seq "$3" "$4"); do echo "[rank$1]: 2025-04-01 $2:00:$i,000 INFO step: $i loss: 2.$i grad_norm: 1.0"; done
}
{
    echo "using world size: 8, data-parallel size: 8, tensor-model-parallel size: 1"
    steps 0 12 10 29
    steps 0 10 30 49
    for i in $(seq 10 19); do echo "[rank9]: 2025-04-01 10:01:$i,000 INFO ready $i"; done
} >"$work/odd/train.log"
for i in $(seq 10 49); do
    steps 0 12 "$i" "$i"
    steps 1 11 "$i" "$i"
done >"$work/even/train.log"
expect 0 diagnose "$work/odd"
says "note   time runs backwards by 2 hours before train.log:22"
says "rank 9 wrote, but the world is told to have 8"
expect 0 diagnose --format markdown "$work/odd"
says "time runs backwards by 2 hours"
expect 0 diagnose --format json "$work/odd"
says '"time runs backwards by 2 hours before train.log:22, while steps go on'
expect 0 diagnose --format json "$work/even"
says '"remarks": []'

# a host that the host file lists and that no log is of
mkdir "$work/hosts"
printf 'worker-%d slots=8\n' 0 1 2 >"$work/hosts/hostfile"
for h in 0 1; do
    echo "2025-03-03 10:00:01,000 INFO starting"
    echo "2025-03-03 10:30:01,000 RuntimeError: Timed out initializing process group in store based barrier on rank: ${h}0, for key: store_based_barrier_key:1 (world_size=24, worker_count=16, timeout=0:30:00)"
done >"$work/barrier"
head -n 2 "$work/barrier" >"$work/hosts/worker-0.log"
tail -n 2 "$work/barrier" >"$work/hosts/worker-1.log"
expect 1 diagnose "$work/hosts"
says "worker-2 wrote nothing"
expect 1 diagnose --format json "$work/hosts"
python3 -c 'import json, sys; sys.exit(json.load(sys.stdin)["ranks"]["silent_hosts"] != ["worker-2"])' <"$out" || wrong "the silent host is not in the report"
# files that srun named by job and task: the number is the rank, where all of them from 0 on are there
mkdir "$work/tasks" "$work/runs"
for task in 0 1 2; do
    printf 'step %s/500 loss 2.9 time 0.4\n' 10 20 30 | tee "$work/tasks/fit-71234-$task.out" >"$work/runs/fit-71234-$((task + 3)).out"
done
printf '%s\n' 'Traceback (most recent call last):' '  File "fit.py", line 9, in <module>' "KeyError: 'labels'" |
    tee -a "$work/tasks/fit-71234-1.out" >>"$work/runs/fit-71234-4.out"
run diagnose -f json "$work/tasks"
python3 - "$out" <<'PY' || wrong "the tasks of a job: $(head -c 300 "$out")"
import json, sys
report = json.load(open(sys.argv[1]))
assert report["first_fault"]["rank"] == 1 and report["ranks"]["seen"] == 3, report["ranks"]
PY
run diagnose -f json "$work/runs"
python3 - "$out" <<'PY' || wrong "numbers that do not begin at 0: $(head -c 300 "$out")"
import json, sys
assert json.load(open(sys.argv[1]))["first_fault"]["rank"] is None
PY
# behind '_' and in other names the number is the rank where the files say so, and that of runs where they do not
numbered() { # NAME WORDS RANK: the second of four files breaks; what each says of itself; the rank expected
    rm -rf "$work/numbered"
    mkdir -p "$work/numbered/logs"
    for task in 0 1 2 3; do
        { printf "$2\n" "$task"
          printf 'step %s/500 loss 2.9 time 0.4\n' 10 20 30; } >"$work/numbered/$(printf "$1" "$task")"
    done
    printf '%s\n' 'Traceback (most recent call last):' '  File "fit.py", line 9, in <module>' "KeyError: 'labels'" >>"$work/numbered/$(printf "$1" 1)"
    run diagnose -f json "$work/numbered"
    rank=$(python3 -c 'import json, sys; print(json.load(sys.stdin)["first_fault"]["rank"])' <"$out")
    [ "$rank" = "$3" ] || wrong "rank $rank, not $3: $1 '$2'"
}
numbered fit-71234_%d.out '| distributed init (rank %d): env://' 1
numbered log_%d.txt 'Initializing distributed: GLOBAL_RANK: %d, MEMBER: 1/4' 1
numbered logs/%d.log 'export RANK=%d WORLD_SIZE=4' 1
numbered logs/%03d.log 'waiting for rank 0\n[rank%d]: ready' 1
numbered fit-71234_%d.out 'fold %d' None
numbered log_%d.txt 'local_rank: %d' None
numbered log_%d.txt 'lora rank: %d' None
numbered log_%d.txt 'rank 0, seed %d' None
numbered log_%d.txt '[rank%d]: ready\n[rank2]: ready' None

# one rank never came to the meeting: neither address nor network is to blame, where all others came
mkdir "$work/missing"
for r in 0 1 2 3 4 6 7; do
    cat >"$work/missing/rank_$r.log" <<LOG
[2024-05-01 03:00:01,000] [INFO] [comm.py:668:init_distributed] Initializing TorchBackend in DeepSpeed with backend nccl
[rank$r]: Traceback (most recent call last):
[rank$r]:   File "/home/ana/fit.py", line 40, in main
[rank$r]:     deepspeed.init_distributed()
[rank$r]: torch.distributed.DistStoreError: Timed out after 1801 seconds waiting for clients. 7/8 clients joined.
LOG
done
expect 1 diagnose "$work/missing"
says "rank 5 wrote nothing"
says "one rank did not come"
says "Find out why rank 5 did not come"

# a rank that fell silent: behind its own last step, with its own last words, on its own host
mkdir "$work/silent"
for r in 0 1 2 3 4 5 6 7; do
    {
        echo "node0$r:41$r:41$r [0] NCCL INFO Bootstrap : Using bond0:10.0.0.$r<0>"
        for s in 1 2 3 4 5 6; do
            [ $r = 5 ] && [ $s -gt 3 ] && continue
            echo "[2024-05-01 03:0$s:10,000] [INFO] [logging.py:96:log_dist] [Rank $r] step=${s}0, skipped=0, lr=[0.0001], mom=[[0.9, 0.95]]"
        done
        [ $r = 5 ] || echo "[rank$r]: RuntimeError: [../third_party/gloo/gloo/transport/tcp/pair.cc:598] Connection closed by peer [10.0.0.5]:33411"
    } >"$work/silent/rank_$r.log"
done
expect 1 diagnose "$work/silent"
says "FAILED  rank 5 on node05"
says "after step 30"
says "rank 5 wrote last: "
tr -s ' \n' ' ' <"$out" | grep -qF "(rank_5.log:4)" || wrong "the place of its last line: $(cat "$out")"
finish
