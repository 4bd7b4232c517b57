# What container tools put before or around each line: the pod is named, interleaved tracebacks are put together.
. tests/cli/lib.sh
python3 - "$work" <<'PY'
import json, pathlib, random, sys
head = ["Traceback (most recent call last):", '  File "/app/fit.py", line 71, in <module>', "    main()"]
own = head + ['  File "/app/fit.py", line 60, in main', "    y = model(x)", "frob.QuuxError: 3 quuxes are out of the question"]
other = head + ['  File "/app/fit.py", line 64, in main', "    dist.barrier()",
                "RuntimeError: [../gloo/transport/tcp/pair.cc:534] Connection closed by peer [10.0.0.7]:24631"]
clock = 0
def now():
    global clock
    clock += 1
    return f"2024-05-01T12:{clock // 60:02d}:{clock % 60:02d}.5Z"
def record(**members):
    return lambda n, text: json.dumps({k: v(n, text) if callable(v) else v for k, v in members.items()})
forms = {
    "stern": lambda n, text: f"fit-worker-{n} torch {text}",
    "stern-colour": lambda n, text: f"\x1b[3{n + 1}mfit-worker-{n}\x1b[0m \x1b[32mtorch\x1b[0m {text}",
    "stern-all": lambda n, text: f"prod fit-worker-{n} torch {text}",
    "compose": lambda n, text: f"fit-worker-{n}  | {text}",
    "compose-times": lambda n, text: f"fit-worker-{n}  | {now()} {text}",
    "kubectl": lambda n, text: f"[pod/fit-worker-{n}/torch] {text}",
    "kubectl-times": lambda n, text: f"[pod/fit-worker-{n}/torch] {now()} {text}",
    "fluent": record(stream="stderr", message=lambda n, t: t, time=lambda n, t: now(),
                     kubernetes=lambda n, t: {"pod_name": f"fit-worker-{n}", "container_name": "torch"}),
    "cloud": record(textPayload=lambda n, t: t, timestamp=lambda n, t: now(), severity="ERROR",
                    resource=lambda n, t: {"labels": {"pod_name": f"fit-worker-{n}"}}),
}
for name, form in forms.items():
    dice, queues = random.Random(7), {n: list(own if n == 2 else other) for n in range(4)}
    lines = [form(n, f"step {step}/500 loss 2.9 time 0.4") for step in (10, 20, 30) for n in range(4)]
    lines += [form(2, queues[2].pop(0)) for _ in range(2)]
    while any(queues.values()):
        n = dice.choice([n for n in queues if queues[n]])
        lines.append(form(n, queues[n].pop(0)))
    (pathlib.Path(sys.argv[1]) / f"{name}.log").write_text("\n".join(lines) + "\n")
steps = [json.dumps({"level": "INFO", "asctime": "2024-05-01 12:00:00,123", "rank": 3, "message": f"step {s}/500 loss 2.9"}) for s in (10, 20)]
end = json.dumps({"level": "ERROR", "asctime": "2024-05-01 12:00:09,123", "rank": 3, "message": "\n".join(own)})
(pathlib.Path(sys.argv[1]) / "whole.log").write_text("\n".join(steps + [end]) + "\n")
PY
for form in stern stern-colour stern-all compose compose-times kubectl kubectl-times fluent cloud; do
    run diagnose -f json "$work/$form.log"
    python3 - "$out" <<'PY' || wrong "$form"
import json, sys
report = json.load(open(sys.argv[1]))
fault = report["first_fault"] or {}
found = report["verdict"], fault.get("host"), "QuuxError" in fault.get("text", ""), fault.get("time") is not None
sys.exit(found[:3] != ("failed", "fit-worker-2", True) and f"found {found}, {fault}")
PY
done
run diagnose -f json "$work/whole.log" # a traceback in one record
says '"rank": 3'
says 'QuuxError: 3 quuxes'
finish
