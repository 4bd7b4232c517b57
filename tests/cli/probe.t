# probe: programs that hang, print garbage, fail or lie; no child left; recorded and live are one road.
. tests/cli/lib.sh
bin=$work/bin
mkdir "$bin"
fact() { # fact KEY VALUE: in the JSON of the last run; an empty VALUE: there is none
    local line
    line=$(grep -m1 -F "    \"$1\": " "$out" | grep -v '{$' | sed 's/^[^:]*": //; s/,$//; s/^"//; s/"$//')
    [ "$line" = "$2" ] || wrong "fact $1 is '$line', not '$2'"
}
fake() { # fake NAME: a program of this name from standard input
    cat >"$bin/$1"
    chmod +x "$bin/$1"
}
alive() { kill -0 "$1" 2>/dev/null && ! grep -q '^State:.Z' "/proc/$1/status" 2>/dev/null; }
smi() { # smi: all probes with the fake nvidia-smi in front of everything
    PATH="$bin:$PATH" run probe --format json
    [ "$status" -eq 0 ] || wrong "status $status"
    silent
}

# a hang, with a process of its own in the background: killed in time, nobody left
fake nvidia-smi <<'S'
#!/bin/sh
sleep 1000 &
echo $$ $! >>"$PIDS"
wait
S
export PIDS=$work/pids
before=$(date +%s%N)
smi
took=$((($(date +%s%N) - before) / 1000000))
[ "$took" -lt 5000 ] || wrong "took $took ms"
fact probe.gpu timeout
fact probe.gpu-list timeout
fact probe.gpu.exit ""
[ -s "$PIDS" ] || wrong "the fake was not run"
for pid in $(cat "$PIDS"); do
    alive "$pid" && wrong "child $pid is left"
done
fact probe.memory ok # the others had their say
grep -q '"schema": "faultline.facts/1"' "$out" || wrong "no schema"

# a child that goes on in the background while its parent ends well
fake nvidia-smi <<'S'
#!/bin/sh
sleep 1000 &
echo $! >"$PIDS"
echo "GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-11112222-3333-4444-5555-666677778888)"
S
PATH="$bin:$PATH" run probe gpu-list --format json
fact probe.gpu-list ok
fact gpu.0.uuid GPU-11112222-3333-4444-5555-666677778888
fact gpu.count 1
sleep 0.1
alive "$(cat "$PIDS")" && wrong "the background process is left"

fake nvidia-smi <<'S'
#!/bin/sh
head -c 40000 /dev/urandom
echo
echo '<<<>>> 12 | 13 |'
S
smi
fact probe.gpu unreadable
fact probe.gpu-list unreadable
fact probe.gpu-topology unreadable
fact probe.nvlink unreadable
tame "$out" garbage

fake nvidia-smi <<'S'
#!/bin/sh
while :; do echo 0123456789012345678901234567890123456789; done
S
PATH="$bin:$PATH" run probe gpu --format json
fact probe.gpu unreadable

fake nvidia-smi <<'S'
#!/bin/sh
echo "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is installed and running."
exit 9
S
smi
fact probe.gpu failed
fact probe.gpu.exit 9
fact driver.error no-communication

fake nvidia-smi <<'S'
#!/bin/sh
echo "Unable to determine the device handle for GPU0000:3B:00.0: GPU has fallen off the bus. Reboot the system to recover this GPU"
exit 15
S
smi
fact probe.gpu.exit 15
fact driver.error gpu-lost
fact gpu.lost.bus 0000:3B:00.0

fake nvidia-smi <<'S'
#!/bin/sh
echo "Failed to initialize NVML: Driver/library version mismatch"
echo "NVML library version: 535.161"
exit 18
S
smi
fact driver.error library-mismatch
fact driver.library 535.161
rm "$bin/nvidia-smi"

# the kernel log: one that is closed to users, one that tells
fake dmesg <<'S'
#!/bin/sh
echo "dmesg: read kernel buffer failed: Operation not permitted" >&2
exit 1
S
PATH="$bin:$PATH" run probe kernel
says "denied; root would see"
fake dmesg <<'S'
#!/bin/sh
echo "2024-05-01T12:03:40,000000+00:00 NVRM: Xid (PCI:0000:3b:00): 79, pid=812, GPU has fallen off the bus."
echo "2024-05-09T12:03:40,000000+00:00 NVRM: Xid (PCI:0000:3b:00): 31, pid=812, Ch 00000008, MMU Fault"
S
PATH="$bin:$PATH" run probe kernel --format json
fact xid.79 0000:3b:00
fact gpu.fallen_off_bus yes

# diagnose --probe: only for a job of this machine; the kernel's lines only of the job's time
job=$work/job
mkdir "$job"
cat >"$job/log.txt" <<S
2024-05-01T12:03:00Z $(hostname) step 12 loss 2.1
2024-05-01T12:03:41Z $(hostname) [rank0]: RuntimeError: CUDA error: unknown error
S
PATH="$bin:$PATH" run diagnose --format json "$job"
fact nvcc.version ""
PATH="$bin:$PATH" run diagnose --format json --here "$job"
fact xid.79 0000:3b:00
fact xid.31 ""
fact host.memory.available "" # of now, and so under its own name
grep -q '"now.host.memory.available"' "$out" || wrong "no state of now"
grep -q 'dmesg of this machine' "$out" || wrong "the kernel log is no source"
printf 'MemTotal of the job\n[rank3]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB.\n' >"$work/far.log"
PATH="$bin:$PATH" run diagnose --format json --probe "$work/far.log"
fact host.memory.total ""
tells "--here says that it is"
printf 'HOSTNAME=%s\nWORLD_SIZE=8\nRANK=3\n' "$(hostname)" >"$job/env.txt"
PATH="$bin:$PATH" run diagnose --format json --probe "$job"
silent
grep -q '"host.memory.total"' "$out" || wrong "the host of env.txt is not seen"

# settings that contradict each other; secrets do not come out
MASTER_ADDR=localhost MASTER_PORT=70000 RANK=8 WORLD_SIZE=8 NNODES=2 NCCL_SOCKET_IFNAME=nosuch0 HF_TOKEN=hf_abcdef \
    PYTORCH_CUDA_ALLOC_CONF=max_split_size:128 run probe --format json
fact clash.rank "RANK=8, but WORLD_SIZE=8: ranks count from 0"
fact clash.master_addr "MASTER_ADDR=localhost, but the job has 2 nodes"
fact clash.master_port "MASTER_PORT=70000 is no port"
fact clash.alloc_conf "PYTORCH_CUDA_ALLOC_CONF has no setting 'max_split_size'"
grep -q 'clash.socket_ifname": "NCCL_SOCKET_IFNAME=nosuch0, but this machine has' "$out" || wrong "no clash of the interface"
grep -q hf_abcdef "$out" && wrong "a token comes out"
fact env.HF_TOKEN '***'
fact master.resolves yes

# the master's port: free, taken
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("", 0)); print(s.getsockname()[1])')
MASTER_ADDR=127.0.0.1 MASTER_PORT=$port run probe master --format json
fact master.port free
python3 -c 'import socket, sys, time; s = socket.socket(); s.bind(("", int(sys.argv[1]))); s.listen(); print(flush=True); time.sleep(20)' "$port" >"$work/up" &
listener=$!
for _ in $(seq 100); do [ -s "$work/up" ] && break; sleep 0.05; done
MASTER_ADDR=127.0.0.1 MASTER_PORT=$port run probe master --format json
fact master.port in-use
kill $listener
MASTER_ADDR=no-such-host.invalid run probe master --format json
fact master.resolves no

# packages from metadata, torch's CUDA from its version.py, NCCL from its header: no Python is started
site=$work/venv/lib/python3.10/site-packages
mkdir -p "$site/torch" "$site/torch-2.3.1+cu121.dist-info" "$site/deepspeed-0.14.2.dist-info" "$site/Flash_Attn.egg-info" \
    "$site/nvidia/nccl/include"
printf "__version__ = '2.3.1+cu121'\ncuda: Optional[str] = '12.1'\ngit_version = '63d5e92'\nhip: Optional[str] = None\n" >"$site/torch/version.py"
printf '#define NCCL_MAJOR 2\n#define NCCL_MINOR 20\n#define NCCL_PATCH 5\n' >"$site/nvidia/nccl/include/nccl.h"
printf 'Metadata-Version: 2.1\nName: flash-attn\nVersion: 2.5.8\n\nbody\n' >"$site/Flash_Attn.egg-info/PKG-INFO"
VIRTUAL_ENV=$work/venv run probe --format json
fact torch.version 2.3.1+cu121
fact cuda.version 12.1
fact deepspeed.version 0.14.2
fact flash-attn.version 2.5.8
fact nccl.version 2.20.5
fact python.version 3.10

# ssh to the hosts of a host file
fake ssh <<'S'
#!/bin/sh
case "$*" in
*BatchMode=yes*good*) exit 0 ;;
*closed*) echo "u@closed: Permission denied (publickey,password)." >&2; exit 255 ;;
*new*) echo "Host key verification failed." >&2; exit 255 ;;
*) sleep 100 ;;
esac
S
printf 'good slots=8\nclosed slots=8\nnew:8\n# none\nhangs slots=8\n' >"$work/hostfile"
PATH="$bin:$PATH" run probe ssh --hostfile "$work/hostfile" --format json
fact ssh.good ok
fact ssh.closed permission-denied
fact ssh.new host-key
fact probe.ssh.hangs timeout

# what was printed here is read elsewhere; a state it tells is one of its own time
cp "$out" "$work/facts.json"
run probe memory --format json
cp "$out" "$job/facts.json"
run diagnose --format json "$job"
grep -q '"now.host.memory.available"' "$out" || wrong "facts.json is not read"
expect 2 probe nosuch
tells "there is no probe 'nosuch'"
expect 2 probe --format html
expect 3 probe --hostfile "$work/nosuch"
run probe -v
says "GPUs and MIG devices by UUID: nvidia-smi -L (at most 4.0 s)"
tr -s "\n " "  " <"$out" | grep -qF "as root also the kernel log" || wrong "what root would see is not told"
run probe
tame "$out" "probe as text"
says "host.memory.total"
finish
