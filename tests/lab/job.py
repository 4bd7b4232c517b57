"""A small distributed job over gloo on the CPU that breaks in a known way: job.py FAULT VICTIM.

Every launcher that sets RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT can start it.  Up to the fault all
ranks do the same; who is not the victim only ever sees what the victim does to it."""
import os
import resource
import signal
import sys
import time
from datetime import timedelta

import torch
import torch.distributed as dist

FAULT, VICTIM = sys.argv[1], int(sys.argv[2])
RANK, WORLD = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
AT, STEPS, PATIENCE = 6, 14, 6
ME = RANK == VICTIM


def say(text):
    sys.stdout.write(f"step-log rank={RANK} {text}\n")
    sys.stdout.flush()


def before_group():
    if FAULT == "never-starts":
        time.sleep(600)
    if FAULT == "bad-import":
        import a_package_that_nobody_installed  # noqa: F401
    if FAULT == "bad-argument":
        raise ValueError("--micro-batch must be a positive integer, got 0")


def before_training():
    if FAULT == "config-json":
        import json
        json.loads('{"train_batch_size": 8,')
    if FAULT == "weights-missing":
        torch.load("weights/model_part_00001.pt")
    if FAULT == "state-dict":
        torch.nn.Linear(8, 4).load_state_dict({"weight": torch.zeros(5, 8), "bias": torch.zeros(4)})


def in_step(step, data):
    if step != AT:
        return data
    if FAULT == "index":
        return data[:, torch.tensor([0, 99])]
    if FAULT == "width":
        return data[:, :7]
    if FAULT == "assertion":
        assert data.shape[0] == 4, "the batch must hold four samples"
    if FAULT == "none":
        return None
    if FAULT == "memory":
        resource.setrlimit(resource.RLIMIT_AS, (1 << 31, 1 << 31))
        torch.zeros(1 << 33)
    if FAULT == "disk-quota":
        torch.save(torch.zeros(1 << 16), "/dev/full")
    if FAULT in ("sigkill", "sigabrt", "sigterm", "sigfpe"):
        os.kill(os.getpid(), getattr(signal, FAULT.upper()))
        time.sleep(60)
    if FAULT == "quiet-exit":
        os._exit(17)
    if FAULT == "stuck":
        time.sleep(600)
    if FAULT == "extra-collective":
        dist.all_reduce(torch.zeros(3))
    return data


def main():
    if ME:
        before_group()
    say("begins")
    dist.init_process_group("gloo", timeout=timedelta(seconds=PATIENCE))
    torch.manual_seed(7)
    if ME:
        before_training()
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(8, 4))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for step in range(1, STEPS + 1):
        if FAULT == "runs-dry" and ME and step == AT:
            say("training finished")
            break
        data = torch.randn(3, 8)
        data = in_step(step, data) if ME else data
        loss = model(data).square().mean()
        if FAULT == "loss-nan" and step >= AT:
            loss = loss * float("nan")
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        say(f"iteration {step}/{STEPS} loss: {loss.item():.4f} time: 0.01")
    dist.barrier()
    say("training finished")


main()
