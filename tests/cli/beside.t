# What the log says beside the first fault: the line above or below that tells more of it.
. tests/cli/lib.sh
beside() { # beside WHAT EXPECTED: the text of the first reason of the first diagnosis
    local got
    got=$(python3 -c "import json, sys; print(json.load(open(sys.argv[1], encoding='utf-8'))['diagnoses'][0]['why'][0]['text'].strip())" "$out")
    [ "$got" = "$2" ] || wrong "$1: '$got', not '$2'"
}

# ninja only reports that a command failed: the compiler told what
cat >"$work/build.log" <<'LOG'
[1/3] c++ -O3 -c /home/ana/ops/fast.cpp -o fast.o
FAILED: fast.o
/home/ana/ops/fast.cpp:7:10: fatal error: libaio.h: No such file or directory
compilation terminated.
ninja: build stopped: subcommand failed.
Traceback (most recent call last):
  File "/home/ana/fit.py", line 3, in <module>
    ops = load(name="fast", sources=["fast.cpp"])
  File "/usr/lib/python3/torch/utils/cpp_extension.py", line 1522, in _run_ninja_build
    raise RuntimeError(message) from e
RuntimeError: Error building extension 'fast'
LOG
expect 1 diagnose -f json "$work/build.log"
told=$(python3 -c "
import json, sys
d = json.load(open(sys.argv[1], encoding='utf-8'))
print(d['first_fault']['text'] + '|' + d['diagnoses'][0]['why'][0]['text'])" "$out")
case $told in *libaio.h*) ;; *) wrong "the compiler's error is not told: $told" ;; esac

# no other line tells of trouble: the code that raised it, not of another rank
cat >"$work/device.log" <<'LOG'
[rank0]: Traceback (most recent call last):
[rank0]:   File "/home/ana/fit.py", line 40, in <module>
[rank0]:     total = scale.mul_(grad)
[rank0]: RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!
[rank1]: could not flush the profiler: connection lost
LOG
expect 1 diagnose -f json "$work/device.log"
beside "the code" "[rank0]:     total = scale.mul_(grad)"
expect 1 diagnose "$work/device.log"
says "  in     /home/ana/fit.py:40 in <module>: total = scale.mul_(grad)"
! grep -qF "beside it:" "$out" || wrong "the code is told twice"
expect 1 diagnose -f markdown "$work/device.log"
says '**In** `/home/ana/fit.py:40 in <module>: total = scale.mul_(grad)`'

# where in the program: its own file before the library that it called, and no secret of its code;
# on which host and behind which step, as other lines of the rank tell
cat >"$work/where.log" <<'LOG'
[rank3]: node07:411:411 [3] NCCL INFO Bootstrap : Using bond0:10.0.0.7<0>
[rank3]: [2024-05-01 03:00:10,000] [INFO] [logging.py:96:log_dist] [Rank 3] step=410, skipped=0, lr=[0.0001], mom=[[0.9, 0.95]]
[rank3]: Traceback (most recent call last):
[rank3]:   File "/home/ana/fit.py", line 60, in work
[rank3]:     hub.send(batch, token="hf_abcdefghijklmnopqrstuvwx")
[rank3]:   File "/opt/env/lib/python3.10/site-packages/torch/nn/modules/linear.py", line 114, in forward
[rank3]:     return F.linear(input, self.weight, self.bias)
[rank3]: RuntimeError: mat1 and mat2 shapes cannot be multiplied (32x63 and 64x256)
LOG
expect 1 diagnose "$work/where.log"
says "FAILED  rank 3 on node07, 03:00:10, after step 410: "
says 'in     /home/ana/fit.py:60 in work: hub.send(batch, token="***")'
expect 1 diagnose -f json "$work/where.log"
python3 - "$out" <<'PY' || wrong "the frame of the first fault"
import json, sys
fault = json.load(open(sys.argv[1], encoding="utf-8"))["first_fault"]
assert fault["host"] == "node07" and fault["step"] == 410, fault
assert fault["frame"] == {"file": "/home/ana/fit.py", "line": 60, "function": "work",
                          "code": 'hub.send(batch, token="***")'}, fault
PY

# a spawned process broke: what its parent raises says nothing, neither first nor beside
cat >"$work/spawn.log" <<'LOG'
Traceback (most recent call last):
  File "/home/ana/fit.py", line 90, in <module>
    mp.spawn(work, nprocs=4)
  File "/usr/lib/python3/torch/multiprocessing/spawn.py", line 118, in join
    raise Exception(msg)
Exception:

-- Process 1 terminated with the following error:
Traceback (most recent call last):
  File "/usr/lib/python3/torch/multiprocessing/spawn.py", line 19, in _wrap
    fn(i, *args)
  File "/home/ana/fit.py", line 55, in work
    book = shelf.take(3)
ShelfError: the third book is not there
LOG
run diagnose -f json "$work/spawn.log"
beside "the call" "book = shelf.take(3)"
says '"text": "ShelfError: the third book is not there"'

# an exception without a message is the code that raised it; a line far away is not beside it
{
    echo "fatal error: could not read the settings of the last run"
    for i in $(seq 1 300); do echo "shard $i of the corpus is mapped"; done
    echo "[rank0]: RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!"
} >"$work/far.log"
expect 1 diagnose -f json "$work/far.log"
beside "nothing beside it" \
    "[rank0]: RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!"

# what the launcher draws below, and the call that is the whole program, tell nothing
cat >"$work/launched.log" <<'LOG'
Traceback (most recent call last):
  File "/home/ana/fit.py", line 9, in <module>
    main()
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB. GPU 0 has a total capacity of 79.15 GiB of which 1.12 GiB is free.
torch.distributed.elastic.multiprocessing.errors.ChildFailedError:
============================================================
fit.py FAILED
------------------------------------------------------------
Failures:
  <NO_OTHER_FAILURES>
LOG
expect 1 diagnose "$work/launched.log"
! grep -qF "beside it:" "$out" || wrong "the launcher's box is told: $(grep -F beside "$out")"
finish
