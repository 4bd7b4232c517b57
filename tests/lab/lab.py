#!/usr/bin/env python3
"""Real failures of real processes with a known culprit: lab.py OUT [--ranks N] [--victim R] [--launcher L] [FAULT...]

Starts job.py under a launcher, once a fault, and keeps what was written as OUT/FAULT-LAUNCHER/job with the truth in
case.json, as `faultline kb score` and tests/lab/run read it.  Needs PyTorch (CPU, gloo); no GPU.
  torchrun   one file, torchrun's [default3]: prefixes       folders   torchrun's log folder, a file a rank and stream
  srun       plain processes, lines of all under "3: "       launch    python -m torch.distributed.launch, no prefixes"""
import argparse
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import threading

HERE = pathlib.Path(__file__).resolve().parent
# fault: symptoms that are right, causes that are right (None: any), what the deciding line holds
FAULTS = {
    "never-starts": (["2.1", "2.2"], None, ""),
    "bad-import": (["1.2"], ["R1.3", "R1.1", "R1.4"], "No module named"),
    "bad-argument": (["3.2", "2.1", "4.3"], None, "must be a positive integer"),
    "config-json": (["3.2", "4.3", "3.1"], None, "JSONDecodeError"),
    "weights-missing": (["3.1", "4.10"], None, "No such file or directory: 'weights"),
    "state-dict": (["3.3", "4.10"], None, "Error(s) in loading state_dict"),
    "index": (["4.3", "4.6"], None, "out of bounds"),
    "width": (["4.6", "4.3"], None, "shapes cannot be multiplied"),
    "assertion": (["4.3", "4.6", "3.1", "4.4"], None, "AssertionError"),
    "none": (["4.3", "4.6"], None, "NoneType"),
    "memory": (["4.2", "4.8"], None, "alloc"),
    "disk-quota": (["4.10", "4.9", "4.2"], ["R4.5", "R4.1"], "No space left"),
    "sigkill": (["4.8", "4.2"], None, ""),
    "sigabrt": (["4.8", "4.7", "4.12"], None, ""),
    "sigfpe": (["4.8", "4.3"], None, ""),
    "quiet-exit": (["4.8"], None, ""),
    "stuck": (["4.11", "4.7"], None, ""),
    "extra-collective": (["4.11", "4.7", "4.6"], None, ""),
    "runs-dry": (["4.11", "4.7", "4.4"], None, ""),
    "loss-nan": (["4.1", "4.4"], None, ""),
    "healthy": None,
}
COMMON = {"loss-nan"}  # no rank broke alone


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def launched(options, job, fault, victim):
    """The command of the launchers that start all processes themselves."""
    script = [str(HERE / "job.py"), fault, str(victim)]
    # PyTorch 1.13 cannot read --tee and --redirects under Python 3.11: the enum that it loops over has changed
    module = "launch" if options.launcher == "launch" else "run"
    start = (f"from torch.distributed import {module}\nfrom torch.distributed.elastic.multiprocessing import api\n"
             f"api.Std.from_str = classmethod(lambda c, s: c(int(s)))\n{module}.main()")
    logs = {"launch": ["--use_env"], "torchrun": ["--tee", "3"], "folders": ["--redirects", "3", "--log_dir", str(job / "logs")]}
    return [options.python, "-c", start, "--nproc_per_node", str(options.ranks), "--master_port", str(free_port()),
            *logs.get(options.launcher, []), *script]


def run_launched(options, job, fault, victim, env):
    with open(job / "job.log", "wb") as out:
        try:
            return subprocess.run(launched(options, job, fault, victim), cwd=job, env=env, stdout=out,
                                  stderr=subprocess.STDOUT, timeout=120).returncode
        except subprocess.TimeoutExpired:
            return None


def copy_labelled(pipe, rank, out, lock):
    for line in pipe:
        with lock:
            out.write(b"%d: " % rank + line)


def run_plain(options, job, fault, victim, env):
    """As srun -l does: a process a rank, its lines labelled, the others ended soon after the first fails."""
    port, lock, processes, threads = free_port(), threading.Lock(), [], []
    with open(job / "slurm.out", "wb") as out:
        for rank in range(options.ranks):
            own = dict(env, RANK=str(rank), WORLD_SIZE=str(options.ranks), LOCAL_RANK=str(rank),
                       MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
            processes.append(subprocess.Popen([options.python, str(HERE / "job.py"), fault, str(victim)], cwd=job,
                                              env=own, stdout=subprocess.PIPE, stderr=subprocess.STDOUT))
            threads.append(threading.Thread(target=copy_labelled, args=(processes[-1].stdout, rank, out, lock)))
            threads[-1].start()
        others = [p for r, p in enumerate(processes) if r != victim]
        for process in others:
            process.wait(timeout=120)
        if processes[victim].poll() is None:
            processes[victim].terminate()
        for process, thread in zip(processes, threads):
            process.wait()
            thread.join()
        for rank, process in enumerate(processes):
            code = process.returncode
            if not code:
                continue
            name = {-9: "Killed", -6: "Aborted", -8: "Floating point exception", -15: "Terminated"}.get(code)
            out.write(f"srun: error: box1: task {rank}: {name or f'Exited with exit code {code}'}\n".encode())
    return max(abs(p.returncode) for p in processes)


def truth_of(options, fault, victim, job):
    if FAULTS[fault] is None:
        return {"healthy": True}
    symptoms, causes, key = FAULTS[fault]
    truth = {"symptom": symptoms[:1], "symptom_ok": symptoms[1:], "fix": [], "key_line": key}
    if causes:
        truth.update(cause=causes[:1], cause_ok=causes[1:])
    # without prefixes only the launcher names the rank, where it saw no other fail
    named = options.launcher != "launch" or "NO_OTHER_FAILURES" in (job / "job.log").read_text()
    if fault not in COMMON and named:
        truth["rank"] = victim
    return truth


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("faults", nargs="*", metavar="FAULT", help=", ".join(FAULTS))
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--victim", type=int)
    parser.add_argument("--launcher", choices=["torchrun", "folders", "srun", "launch"], default="torchrun")
    parser.add_argument("--python", default=sys.executable)
    options = parser.parse_intermixed_args()
    env = dict(os.environ, OMP_NUM_THREADS="1", GLOO_SOCKET_IFNAME="lo", PYTHONDONTWRITEBYTECODE="1")
    for number, fault in enumerate(options.faults or FAULTS):
        victim = options.victim if options.victim is not None else 1 + number % (options.ranks - 1)
        case = options.out.resolve() / f"{fault}-{options.launcher}"
        job = case / "job"
        shutil.rmtree(case, ignore_errors=True)
        job.mkdir(parents=True)
        start = run_plain if options.launcher == "srun" else run_launched
        status = start(options, job, fault, victim, env)
        truth = truth_of(options, fault, victim, job)
        (case / "case.json").write_text(json.dumps({"id": case.name, "world_size": options.ranks, **truth}, indent=1))
        print(f"{case.name}: exit {status}, victim {victim}", flush=True)


main()
