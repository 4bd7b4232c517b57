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
finish
