# What many files, many jobs and endless lines cost is bounded: at most 64 MB, and as much time for each file.
. tests/cli/lib.sh
python3 - "$work" "$FAULTLINE" "$oom" <<'PY' || wrong "it costs more than it may"
import glob, json, os, re, subprocess, sys
work, program, oom = sys.argv[1:]
bad = []

def cost(paths, text=None, threads="2"):
    """Peak memory in MB and CPU seconds of a diagnosis."""
    child = subprocess.Popen([program, "diagnose", "-f", "json", "-j", threads, *paths], stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL, stdin=subprocess.PIPE if text else subprocess.DEVNULL)
    try:
        for piece in text or ():
            child.stdin.write(piece)
        if text:
            child.stdin.close()
    except BrokenPipeError:
        pass # it saw that this is no log
    usage = os.wait4(child.pid, 0)[2]
    return usage.ru_maxrss / 1024, usage.ru_utime + usage.ru_stime

def write(name, text):
    path = os.path.join(work, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as out:
        out.write(text)

# ---- time: a loop over pairs of files would show
def seconds(folder, n):
    for i in range(n):
        name = f"rank_{i:06d}.log" if i % 2 else f"node{i:06d}.log"
        write(f"{folder}/{name}", f"2024-05-01 12:00:{i % 60:02d} INFO step 1/10 loss 2.5\n[rank{i}]: {oom}\n")
    return min(cost([os.path.join(work, folder)])[1] for _ in range(3))

start, few, many = seconds("one", 1), seconds("few", 1000), seconds("many", 16000)
if (many - start) / 16000 > 1.2 * (few - start) / 1000:
    bad.append(f"1 file takes {start} s, 1,000 take {few} s, 16,000 take {many} s")

def lasts(what, text, most):
    took = cost(["-"], text)[1]
    if took > most and "/asan/" not in program and "/tsan/" not in program:
        bad.append(f"{what}: {took:.0f} s")

lasts("attributes without a reset", (b"[1m" * 300000 for _ in range(4)), 10)

# ---- memory: what the instruments of a test build add is none of the program's
def bound(what, paths, text=None, threads="2", most=64):
    peak = cost(paths, text, threads)[0]
    if peak > most and "/asan/" not in program and "/tsan/" not in program:
        bad.append(f"{what}: {peak:.0f} MB")

bound("many files", [os.path.join(work, "many")])
bound("one endless line", ["-"], (b"step 5/10 loss 2.5 | " * 50000 for _ in range(100)))
bound("nothing but NULs", ["-"], (bytes(1000000) for _ in range(100)))
for job in range(40):
    for rank in range(2):
        write(f"jobs/{1000000 + job}/rank{rank}.log", f"2024-05-01 12:00:00 INFO step 1/10 loss 2.5\n[rank{rank}]: {oom}\n")
for node in range(400):
    options = {f"option_{i}": i * node for i in range(40)}
    write(f"jobs/shared/config{node}.json", json.dumps({"train_batch_size": 8, **options}, indent=1))
# all that the knowledge base knows, from ranks far up, as it stands and in long lines
known = []
for path in sorted(glob.glob("kb/**/*.yaml", recursive=True)):
    for samples in re.findall(r"^ *match:\n((?: *- '.*'\n)+)", open(path).read(), re.M):
        known += [line.strip()[3:-1].replace("''", "'") for line in samples.splitlines()]
assert len(known) > 2000
for name, ranks, more in ("known", 20, ""), ("long", 4, " more" * 500):
    with open(os.path.join(work, f"{name}.log"), "w") as out: # what this script holds would count, too
        out.writelines(f"[rank{64000 + rank}]: {line}{more}\n" for rank in range(ranks) for line in known)
    bound(f"all that is known, {name}", [os.path.join(work, f"{name}.log")])
# files that wait until one before them is read
for name, ranks in [("a", 10)] + [(f"b{i}", 1) for i in range(30)]:
    write(f"wait/{name}.log", "".join(f"[rank{64000 + rank}]: {line}\n" for rank in range(ranks) for line in known))
bound("files behind one that takes long", [os.path.join(work, "wait")], threads="8", most=110)
# as many files at a time as there are threads: each takes room, and remembers other lines
for i in range(64):
    write(f"wide/rank_{i}.log", "".join(f"step {n} of {'abcdefgh'[n % 8] * (n % 90)} on worker {i * 'x'}: loss 2.5\n" for n in range(15000)))
bound("many threads", [os.path.join(work, "wide")], threads="64")
bound("40 jobs beside what belongs to all", [os.path.join(work, "jobs")])
print(*bad, sep="\n")
sys.exit(bool(bad))
PY
finish
