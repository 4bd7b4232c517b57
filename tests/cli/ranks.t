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
finish
