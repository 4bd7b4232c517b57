# The course of a run: sparklines where the terminal shows them, figures, and what stands out.
. tests/cli/lib.sh
job=tests/cases/train-diverges/job
expect 1 diagnose $job
says "loss  █"
says "last 7.72"
says "loss 7.665 from step 450 to the end, 2.687 before"
python3 - "$out" <<'PY' || wrong "the text is wider than 80 columns"
import sys
assert all(len(line) <= 81 for line in open(sys.argv[1], encoding="utf-8"))
PY
LC_ALL=C run diagnose $job
says "loss  ##"
LC_ALL=C grep -q '[^ -~]' "$out" && wrong "more than ASCII without UTF-8"
for format in markdown html; do
    run diagnose -f $format $job
    says "Steps"
    says "loss  █"
    says "loss 7.665 from step 450 to the end"
done
run diagnose -f json $job
python3 tests/cli/report.py "$out" || wrong "the JSON"
python3 - "$out" <<'PY' || wrong "steps in JSON"
import json, sys
steps = json.load(open(sys.argv[1]))["steps"]
assert len(steps["readings"]) == 60 and 3.9 < steps["seconds"] < 4.1, steps["seconds"]
assert steps["readings"][44]["step"] == 450 and steps["told"][0].startswith("loss 7.665")
PY
# a setting that is printed before the run is no step of it
{
    echo "[INFO] [config.py:958:print]   optimizer_params ............. {'lr': 0.001, 'var_freeze_step': 1000, 'cuda_aware': False}"
    for step in $(seq 2 2 80); do echo "step: $step loss: $((900 - step)).5"; done
} >"$work/setting.log"
run diagnose "$work/setting.log"
says "steps  2 to 80"
# a run that is too short has no course
printf 'step %d loss 2.5\n' 1 2 3 4 5 6 >"$work/short.log"
run diagnose "$work/short.log"
grep -q 'steps ' "$out" && wrong "six steps have a course"

# who did not come to a collective is told in every format
mkdir "$work/hang"
for rank in 0 1 2 3; do
    echo "[rank$rank]: step 7 loss 2.5"
    [ $rank = 2 ] || echo "[rank$rank]:[E304 10:00:00.1 ProcessGroupNCCL.cpp:616] [Rank $rank] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=41, OpType=ALLREDUCE, NumelIn=64, NumelOut=64, Timeout(ms)=600000) ran for 600021 milliseconds before timing out."
    [ $rank = 2 ] && echo "[rank2]:[E304 10:00:00.2 ProcessGroupNCCL.cpp:1785] [Rank 2] Exception (either an error or timeout) detected by watchdog at work: 40, last enqueued NCCL work: 40, last completed NCCL work: 40."
done >"$work/hang/job.log"
for format in text markdown html; do
    run diagnose -f $format "$work/hang"
    says "rank 2 did not come to ALLREDUCE"
done
# a trace of the profiler is read to its end, whatever its size, packed or not
python3 - <<'T' | gzip -1 >"$work/step.pt.trace.json.gz"
event = '{"ph": "X", "cat": "%s", "name": "%s", "ts": %d, "dur": %d, "args": {"Call stack": "' + "step " * 400 + '"}},\n'
print('{"schemaVersion": 1, "deviceProperties": [], "traceEvents": [')
for at in range(0, 40000, 10):
    print(event % ("cpu_op", "aten::add", at, 3) * 10, end="")
print(event % ("kernel", "ncclDevKernel_AllReduce", 40000, 60000) + '{"ph": "M"}]}')
T
expect 1 diagnose "$work/step.pt.trace.json.gz"
says "profile: 60 percent of 0.1 s is spent in NCCL kernels"
case $BUILD in
*san) ;; # a sanitizer's shadow takes all addresses
*)
    (ulimit -v 400000; "$FAULTLINE" diagnose --threads 1 "$work/step.pt.trace.json.gz" >"$work/small" 2>&1)
    cmp -s "$out" "$work/small" || wrong "not with little memory: $(head -3 "$work/small")"
    ;;
esac
# a log that goes on without steps: told where it is long, and where no line tells of another work
goes_on() { # MINUTES LINE
    awk -v minutes="$1" -v line="$2" 'BEGIN {
        for (i = 0; i < 60; i++) printf "2025-03-04 05:0%d:%02d train step %d | loss %.2f\n", i / 20, i % 20 * 3, i * 10, 9 - i / 12
        for (i = 0; i < minutes; i++) printf "2025-03-04 05:%02d:30 %s\n", 3 + i, line
    }' >"$work/goes.log"
}
goes_on 30 "monitor: 16 processes alive, 71 W"
expect 1 diagnose "$work/goes.log"
says "steps: none for 29"
goes_on 4 "monitor: 16 processes alive, 71 W"
expect 0 diagnose "$work/goes.log"
goes_on 30 "Evaluating batch"
expect 0 diagnose "$work/goes.log"
goes_on 30 "saving the shards"
expect 0 diagnose "$work/goes.log"
mkdir "$work/why" # another rank tells why
goes_on 30 "monitor: 16 processes alive, 71 W"
mv "$work/goes.log" "$work/why/rank0.log"
echo "2025-03-04 05:03:05 torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB" >"$work/why/rank1.log"
expect 1 diagnose "$work/why"
grep -q "steps: none" "$out" && wrong "the wait is told in the place of its reason"
# a loss that is no number once, and on later lines is, spoiled nothing; one that stays so did
epochs() { # EPOCHS-WITHOUT-A-NUMBER, the first of them the fourth of 20
    for epoch in $(seq 0 19); do
        [ "$epoch" -ge 3 ] && [ "$epoch" -lt $((3 + $1)) ] && loss=nan || loss=2.$((40 - epoch))
        echo "Epoch $epoch train_loss=$loss"
    done >"$work/epochs.log"
}
epochs 1
expect 0 diagnose "$work/epochs.log"
epochs 17
expect 1 diagnose "$work/epochs.log"
says "Epoch 3 train_loss=nan"
# a loss that is no number to the end is a fault at whatever level it is logged, though the run saves
# and finishes; what was saved since is of no use
expect 1 diagnose tests/cases/nan-saved-and-finished/job
says "The loss became NaN or infinite"
says "last complete checkpoint: runs/a/step200"
finish
