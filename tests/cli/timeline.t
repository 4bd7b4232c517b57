# The picture of a job: a row a rank, or one for all that behave alike; by time, or by order without times.
. tests/cli/lib.sh
narrow() {
    awk 'length > 80 { exit 1 }' "$out" || wrong "wider than 80 columns: $1"
    tame "$out" "$1"
}
expect 1 timeline assets/demo
says "02:10:00"
grep -qE '^rank 2 .*X.*  first fault, step 400$' "$out" || wrong "rank 2 has no first fault: $(cat "$out")"
[ "$(grep -c '^rank [013] .*c  follows' "$out")" = 3 ] || wrong "the others do not follow"
narrow demo

# 400 ranks in files of their own: one fails, one stopped long before, one never wrote
mkdir "$work/job"
for rank in $(seq 0 398); do
    {
        last=59
        [ $rank = 7 ] && last=20
        for step in $(seq 0 $last | awk 'NR % 5 == 0'); do
            echo "2025-05-06 07:$step:00 step $step loss 2.5 world_size=400"
        done
        [ $rank = 133 ] && echo "2025-05-06 07:59:10 torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB"
        [ $rank = 133 ] || [ $rank = 7 ] || echo "2025-05-06 07:59:40 [E1 07:59:40.1 ProcessGroupNCCL.cpp:616] [Rank $rank] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=41, OpType=ALLREDUCE, NumelIn=64, NumelOut=64, Timeout(ms)=600000) ran for 600021 milliseconds before timing out."
    } >"$work/job/rank$rank.log"
done
expect 1 timeline "$work/job"
grep -qE '^rank 133 .*X' "$out" || wrong "rank 133 has no first fault: $(cat "$out")"
grep -qE '^rank 7 .*o +(  |$).*step 19' "$out" || wrong "rank 7 does not end early: $(cat "$out")"
grep -qE '^397 of 0-398 .*c  follows' "$out" || wrong "the others are not one row: $(cat "$out")"
narrow "400 ranks"
run timeline --format json "$work/job"
python3 - "$out" <<'PY' || wrong "the JSON"
import json, sys
t = json.load(open(sys.argv[1]))
assert t["schema"] == "faultline.timeline/1" and t["axis"] == "time", t["axis"]
assert t["from"].startswith("2025-05-06T07:") and sum(r["lanes"] for r in t["rows"]) >= 399
marks = {r["ranks"]: {m["mark"] for m in r["marks"]} for r in t["rows"]}
assert marks["133"] == {"first_fault"} or marks["133"] == {"first_fault", "consequence"}, marks
assert all(0 <= m["at"] < 1 for r in t["rows"] for m in r["marks"])
PY

# the watchdogs of three wait for the fourth, which stopped long before: its row ends there, at what it did last
mkdir "$work/waits"
for rank in 0 1 2 3; do
    {
        echo "[2025-05-06 07:00:00] [rank$rank] world_size=4 step 100 loss 2.31"
        echo "[2025-05-06 07:00:20] [rank$rank] step 110 loss 2.30"
        if [ $rank = 3 ]; then
            echo "[2025-05-06 07:00:21] [rank3] scoring the held-out shard 17"
        else
            echo "[rank$rank]:[E506 07:10:31.220 ProcessGroupNCCL.cpp:607] [Rank $rank] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=43, OpType=ALLREDUCE, NumelIn=64, NumelOut=64, Timeout(ms)=600000) ran for 600023 milliseconds before timing out."
        fi
    } >"$work/waits/rank$rank.log"
done
expect 1 timeline "$work/waits"
grep -qE '^rank 3 +o?X {20,}.*first fault' "$out" || wrong "rank 3 goes on: $(cat "$out")"
expect 1 diagnose "$work/waits"
says "rank 3, last: [2025-05-06 07:00:21] [rank3] scoring"
says "rank3.log:3"

# a merged log without times
for step in 1 2 3 4 5 6; do
    for rank in 0 1 2 3; do echo "$rank: step $step loss 2.5"; done
done >"$work/merged.log"
echo "2: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB" >>"$work/merged.log"
expect 1 timeline "$work/merged.log"
says "first line"
grep -qE '^rank 2 .*X' "$out" || wrong "rank 2 without times: $(cat "$out")"
[ "$(grep -c '^rank [0-3] ' "$out")" = 4 ] || wrong "four ranks are not four rows"
narrow merged

: >"$work/empty"
expect 0 timeline "$work/empty"
says "no log to draw"
expect 2 timeline --format html assets/demo
tells "text and json are"
# ... and where that is the fault itself it is said once
{
    head -n 2 "$work/waits/rank3.log"
    echo "[rank3]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 6.25 GiB. GPU 3 has a total capacity of 79.10 GiB of which 1.02 GiB is free."
} >"$work/rank3.log" && mv "$work/rank3.log" "$work/waits/rank3.log"
expect 1 diagnose "$work/waits"
says "The GPU ran out of memory"
says "rank 3 did not come to ALLREDUCE"
grep -q "rank 3, last" "$out" && wrong "the fault is said twice: $(cat "$out")"
finish
