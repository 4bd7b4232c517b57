"""Checks one JSON report against the schema faultline.report/1.  usage: report.py FILE"""
import json, re, sys

TEXT, INT, NUM, BOOL, NULL = str, int, (int, float), bool, type(None)
bad = []


def check(where, value, *types):
    ok = any(isinstance(value, t) and not (t is not BOOL and isinstance(value, bool)) for t in types)
    if not ok:
        bad.append(f"{where}: {value!r} has the wrong type")
    if value == "":
        bad.append(f"{where}: empty text instead of null")


def members(where, value, rows):
    if not isinstance(value, dict):
        bad.append(f"{where}: no object")
        return
    for name, types in rows.items():
        if name not in value:
            bad.append(f"{where}: {name} is missing")
        else:
            check(f"{where}.{name}", value[name], *(types if isinstance(types, tuple) else (types,)))


def each(where, value, rows):
    if not isinstance(value, list):
        bad.append(f"{where}: no array")
        return
    for i, row in enumerate(value):
        members(f"{where}[{i}]", row, rows)


def texts(where, value, pattern=None):
    for i, row in enumerate(value):
        check(f"{where}[{i}]", row, TEXT)
        if pattern and not re.fullmatch(pattern, row):
            bad.append(f"{where}[{i}]: {row}")


def one_of(where, value, names):
    if value not in names:
        bad.append(f"{where}: {value!r}")


def diagnosis(where, d):
    members(where, d, {"fault": INT, "entry": (TEXT, NULL), "title": TEXT, "symptom": TEXT, "cause": (TEXT, NULL),
                       "fix_patterns": list, "confidence": NUM, "why": list, "fixes": list, "questions": list})
    if not re.fullmatch(r"[1-5]\.\d+", d["symptom"]):
        bad.append(f"{where}.symptom: {d['symptom']}")
    if d["cause"] and not re.fullmatch(r"R[1-5]\.\d+", d["cause"]):
        bad.append(f"{where}.cause: {d['cause']}")
    if d["cause"] and d["cause"][1] != d["symptom"][0]:
        bad.append(f"{where}: symptom {d['symptom']} and cause {d['cause']} are of two stages")
    if not 0 <= d["confidence"] <= 1:
        bad.append(f"{where}.confidence: {d['confidence']}")
    texts(f"{where}.fix_patterns", d["fix_patterns"], r"P[1-6]")
    texts(f"{where}.questions", d["questions"], r"[a-z0-9-]+")
    each(f"{where}.why", d["why"], {"kind": TEXT, "signal": (TEXT, NULL), "text": (TEXT, NULL), "file": (TEXT, NULL),
                                     "line": (INT, NULL), "rank": (INT, NULL), "count": INT, "weight": INT})
    for row in d["why"]:
        one_of(f"{where}.why.kind", row["kind"], ("log", "file", "probe", "answer"))
    each(f"{where}.fixes", d["fixes"], {"pattern": TEXT, "title": TEXT, "kind": TEXT, "steps": list, "commands": list,
                                         "verify": (TEXT, NULL), "patch": (TEXT, NULL), "references": list})
    for row in d["fixes"]:
        one_of(f"{where}.fixes.kind", row["kind"], ("cure", "workaround", "test"))


def report(r):
    members("report", r, {"schema": TEXT, "tool": dict, "verdict": TEXT, "ended": (TEXT, NULL), "summary": (TEXT, NULL),
                          "stage": (TEXT, NULL), "first_fault": (dict, NULL), "diagnoses": list, "restart": dict,
                          "next": (dict, NULL), "secondary": list, "unexplained": list, "ranks": dict, "jobs": list,
                          "hang": (dict, NULL), "steps": (dict, NULL), "remarks": list, "inputs": list, "facts": dict})
    one_of("schema", r["schema"], ("faultline.report/1",))
    one_of("verdict", r["verdict"], ("failed", "healthy", "unknown"))
    one_of("ended", r["ended"], ("finished", "failed", "cancelled", "time_limit", "preempted", "node_failure", "cut",
                                 "running", None))
    one_of("stage", r["stage"], ("build", "setup", "prepare", "train", "infer", None))
    members("tool", r["tool"], {"version": TEXT, "kb": dict})
    members("kb", r["tool"]["kb"], {"version": TEXT, "digest": TEXT, "entries": INT, "signals": INT})
    if (r["verdict"] == "failed") != bool(r["diagnoses"]):
        bad.append(f"verdict {r['verdict']} with {len(r['diagnoses'])} diagnoses")
    if r["first_fault"]:
        members("first_fault", r["first_fault"], {"file": (TEXT, NULL), "line": (INT, NULL), "rank": (INT, NULL),
                                                  "host": (TEXT, NULL), "time": (TEXT, NULL), "attempt": INT,
                                                  "text": (TEXT, NULL), "signal": (TEXT, NULL)})
        if len((r["first_fault"]["text"] or "").encode()) > 4096:
            bad.append("first_fault.text is longer than 4096 bytes")
    pairs = [(d["fault"], d["entry"], d["cause"]) for d in r["diagnoses"]]
    if len(pairs) != len(set(pairs)):
        bad.append(f"a pair of entry and cause occurs twice: {pairs}")
    for i, d in enumerate(r["diagnoses"]):
        diagnosis(f"diagnoses[{i}]", d)
    members("restart", r["restart"], {"advice": TEXT, "exclude": list, "command": (TEXT, NULL),
                                      "checkpoint": (TEXT, NULL), "checkpoint_step": (INT, NULL),
                                      "steps_lost": (INT, NULL), "gpu_hours_lost": (int, float, NULL), "basis": (TEXT, NULL)})
    one_of("restart.advice", r["restart"]["advice"], ("as_is", "without_node", "after_change", "unknown"))
    if r["next"]:
        members("next", r["next"], {"question": TEXT, "text": TEXT, "choices": list, "probe": (TEXT, NULL)})
    each("secondary", r["secondary"], {"signal": TEXT, "ranks": INT, "consequence_of": (TEXT, NULL)})
    each("unexplained", r["unexplained"], {"file": (TEXT, NULL), "line": (INT, NULL), "text": (TEXT, NULL)})
    if r["hang"]:
        members("hang", r["hang"], {"kind": TEXT, "group": TEXT, "collective": TEXT, "seq": INT, "missing": list,
                                    "mismatched": list, "stalled": list, "last": list})
        one_of("hang.kind", r["hang"]["kind"], ("missing", "mismatch", "stalled"))
        each("hang.last", r["hang"]["last"], {"rank": INT, "what": (TEXT, NULL)})
    if r["steps"]:
        members("steps", r["steps"], {"file": TEXT, "seconds": (INT, float, NULL), "told": list, "readings": list})
        figure = (INT, float, NULL)
        each("steps.readings", r["steps"]["readings"], {"line": INT, "step": figure, "loss": figure, "norm": figure,
                                                        "seconds": figure})
    members("ranks", r["ranks"], {"seen": INT, "world_size": (INT, NULL), "failed": INT, "silent": list, "silent_hosts": list})
    each("inputs", r["inputs"], {"path": TEXT, "kind": TEXT, "bytes": INT, "lines": INT, "truncated": BOOL})
    for key, value in r["facts"].items():
        check(f"facts.{key}", value, TEXT, INT, float, BOOL)


def no_twice(pairs):
    names = [name for name, _ in pairs]
    if len(names) != len(set(names)):
        bad.append(f"a member occurs twice: {names}")
    return dict(pairs)


report(json.load(open(sys.argv[1], encoding="utf-8"), object_pairs_hook=no_twice))
print("\n".join(bad), end="\n" if bad else "")
sys.exit(bool(bad))
