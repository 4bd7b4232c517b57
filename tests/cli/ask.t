# A block of commands for someone else's machine, run there by hand: what comes back is read as facts and answers.
. tests/cli/lib.sh
mkdir "$work/bin" "$work/job"
cp assets/demo/* "$work/job/"
cat >"$work/bin/nvidia-smi" <<'S'
#!/bin/sh
case "$*" in
*query-compute-apps*) printf 'gpu_uuid, pid, used_gpu_memory [MiB]\nGPU-5d4c1f1e-0b3a-4c9e-8f6d-2a7b9c0d1e2f, 4711, 79000 MiB\n' ;;
'') cat <<'E'
Wed May  1 12:10:00 2024
+---------------------------------------------------------------------------------------+
| NVIDIA-SMI 535.104.05             Driver Version: 535.104.05   CUDA Version: 12.2     |
|-----------------------------------------+----------------------+----------------------+
| GPU  Name                 Persistence-M | Bus-Id        Disp.A | Volatile Uncorr. ECC |
| Fan  Temp   Perf          Pwr:Usage/Cap |         Memory-Usage | GPU-Util  Compute M. |
|=========================================+======================+======================|
|   0  NVIDIA A100-SXM4-80GB          On  | 00000000:07:00.0 Off |                    0 |
| N/A   31C    P0              62W / 400W |      4MiB / 81920MiB |      0%      Default |
+-----------------------------------------+----------------------+----------------------+
E
    ;;
esac
S
cat >"$work/bin/dmesg" <<'S'
#!/bin/sh
echo '[1234.567890] usb 1-1: new device'
echo '[99999.123456] NVRM: Xid (PCI:0000:07:00): 79, pid=4711, GPU has fallen off the bus.'
S
cat >"$work/bin/python3" <<'S'
#!/bin/sh
[ "$2" = pip ] && printf 'Package    Version\n---------- -------\ndeepspeed  0.9.5\nfoobarlib  3.2.1\n'
S
cat >"$work/bin/hostname" <<'S'
#!/bin/sh
echo customer-node7
S
chmod +x "$work"/bin/*

expect 0 ask "$work/job"
cp "$out" "$work/block"
bash -n "$work/block" || wrong "the block is no shell"
tame "$work/block" ask
sed 's,2>/dev/null$,,' "$work/block" | grep -E '^\{ .*(>|\brm\b|\bsudo\b)' && wrong "the block does more than read: $(cat "$work/block")"
question=$(grep -oE "^echo '[a-z0-9-]+ = \?" "$work/block" | awk '{ print substr($2, 2); exit }')
choice=$(grep -F "$question = ?" "$work/block" | sed -E 's/.*\? ([a-z0-9-]+): .*/\1/')
grep -q '^{ timeout -k 2 20 nvidia-smi' "$work/block" || wrong "a driver that hangs would stop the block"
[ -n "$question" ] && [ -n "$choice" ] || wrong "the block asks nothing"

(cd "$work" && PATH=$work/bin:$PATH NCCL_DEBUG=WARN MY_TOKEN=s3cret NCCL_SOCKET_IFNAME=eth7 CUDA_HOME=/opt/cuda-x \
    bash block) >"$work/reply" 2>&1
grep -q s3cret "$work/reply" && wrong "a secret comes back"
sed "s/^$question = ?/$question = $choice/" "$work/reply" >"$work/job/reply.txt"
[ "$(grep -c '^#### faultline' "$work/reply")" -ge 8 ] || wrong "sections are missing: $(grep '^####' "$work/reply")"

# facts_of REPORT: what the reply must have told, whatever became of it on its way
check() {
    expect 1 diagnose -f json "$work/job"
    python3 - "$out" "$question" "$choice" <<'PY' || wrong "the reply is not read ($1)"
import json, sys
r, question, choice = json.load(open(sys.argv[1])), sys.argv[2], sys.argv[3]
f = r["facts"]
want = {"driver.version": "535.104.05", "foobarlib.version": "3.2.1", "env.NCCL_SOCKET_IFNAME": "eth7",
        "env.CUDA_HOME": "/opt/cuda-x", f"answer.{question}": choice}
bad = {k: (v, f.get(k)) for k, v in want.items() if f.get(k) != v}
assert not bad, bad
assert r["next"] is None or r["next"]["question"] != question, "asked again"
assert any(w["kind"] == "answer" for d in r["diagnoses"] for w in d["why"]), "the answer is no reason"
PY
}
check "as it is"
expect 0 scan "$work/job/reply.txt"
grep -q 'reply.txt:[0-9]*:.*Xid' "$out" || wrong "the kernel's line is not seen"
line=$(grep -n 'fallen off the bus' "$work/job/reply.txt" | cut -d: -f1)
grep -q "reply.txt:$line:" "$out" || wrong "the line is not number $line"
# a mail quotes it
sed 's/^/> /' "$work/job/reply.txt" >"$work/quoted" && mv "$work/quoted" "$work/job/reply.txt"
check "quoted"
# a mail program with CRLF, and a terminal's echo before it
{ printf '$ (\r\n> echo "x"\r\n'; sed "s/^$question = ?/$question = $choice/; s/\$/\r/" "$work/reply"; } >"$work/job/reply.txt"
check "CRLF"
# from standard input, beside the folder
rm "$work/job/reply.txt"
sed "s/^$question = ?/$question = $choice/" "$work/reply" | "$FAULTLINE" diagnose -f json "$work/job" - >"$out" 2>"$err"
says '"env.CUDA_HOME": "/opt/cuda-x"'
# where nothing failed, what is always good to know
echo "$healthy" >"$work/healthy.log"
expect 0 ask "$work/healthy.log"
says "pip list"
# questions that fit every failure leave room for those that the failure asks of its own
echo '[rank0]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB. GPU 0 has 1.2 GiB free' >"$work/oom.log"
expect 0 ask "$work/oom.log"
says "oom-when = ?"
finish
