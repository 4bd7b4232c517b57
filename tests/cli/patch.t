# A fix that changes a file of the inputs is a unified diff that patch takes, and gives the settings that it promised.
. tests/cli/lib.sh
mkdir -p "$work/kb/failures/train"
cp kb/taxonomy.yaml "$work/kb/"
cat >"$work/kb/failures/train/mini-pump.yaml" <<'Y'
id: mini-pump
title: The pump stopped
symptom: {train: "4.3"}
signals:
  - id: mini-pump
    says: the pump stopped
    level: specific
    needle: pump stopped
    regex: 'pump stopped after (\d+) strokes'
    match: ['RuntimeError: pump stopped after 12 strokes', '[rank1]: pump stopped after 3 strokes']
    reject: ['the pump stopped after many strokes', 'the pump made 3 strokes']
causes:
  - {id: any, root: {train: R4.1}, prior: 50, why: it is set so, fixes: [change, add, remove, variables, directives, open]}
fixes:
  - {id: change, pattern: P3, title: change, patch: {file: ds_config, set: {zero_optimization.stage: "3", train_batch_size: "{{ds.train_batch_size|half}}"}}}
  - {id: add, pattern: P3, title: add, patch: {file: ds_config, set: {zero_optimization.offload_optimizer.device: cpu, steps_per_print: "10"}}}
  - {id: remove, pattern: P3, title: remove, patch: {file: ds_config, set: {train_batch_size: ""}}}
  - {id: variables, pattern: P1, title: variables, patch: {file: env, set: {NCCL_DEBUG: INFO, A_NEW_ONE: "a b"}}}
  - {id: directives, pattern: P4, title: directives, patch: {file: sbatch, set: {time: '2-00:00:00', --cpus-per-task: '8'}}}
  - {id: open, pattern: P3, title: open, patch: {file: ds_config, set: {steps_per_print: "{{nobody.knows}}"}}}
Y
expect 0 kb build "$work/kb" -o "$work/site.sqlite"

job() { # job CONFIG: a fresh folder with this ds_config.json
    rm -rf "$work/job"
    mkdir -p "$work/job/conf"
    echo 'RuntimeError: pump stopped after 12 strokes' >"$work/job/train.log"
    printf '%b' "$1" >"$work/job/conf/ds_config.json"
    printf '#!/bin/bash\n#SBATCH --nodes=2\n#SBATCH --time=01:00:00\nexport NCCL_DEBUG=WARN\nsrun \\\n  torchrun train.py --lr 0.1\n' >"$work/job/run.sbatch"
}
patch_of() { # patch_of FIX: its diff into $work/diff
    expect 1 diagnose -f json --kb "$work/site.sqlite" "$work/job"
    python3 - "$out" "$1" >"$work/diff" <<'PY'
import json, sys
fix = next(f for f in json.load(open(sys.argv[1], newline=""))["diagnoses"][0]["fixes"] if f["title"] == sys.argv[2])
sys.stdout.write(fix["patch"] or "")
PY
}
applied() { # applied FIX: the folder with the fix
    patch_of "$1"
    [ -s "$work/diff" ] || wrong "$1 has no patch for $style"
    rm -rf "$work/new"
    cp -r "$work/job" "$work/new"
    (cd "$work/new" && git apply --verbose "$work/diff") >"$work/said" 2>&1 || wrong "$1 for $style: $(cat "$work/said" "$work/diff")"
}
setting() { # setting PATH VALUE: in the patched configuration
    python3 - "$work/new/conf/ds_config.json" "$1" "$2" <<'PY' || wrong "$1 is not $2 for $style: $(cat "$work/diff")"
import json, sys
at = json.load(open(sys.argv[1]))
assert at["fp16"] == {"enabled": True}, at
for key in sys.argv[2].split("."):
    at = at.get(key) if isinstance(at, dict) else None
assert json.dumps(at) == sys.argv[3], at
PY
}
pretty='{\n  "train_batch_size": 64,\n  "fp16": {\n    "enabled": true\n  },\n  "zero_optimization": {\n    "stage": 2\n  }\n}\n'
for style in pretty compact crlf unended; do
    case $style in
    pretty) job "$pretty" ;;
    compact) job '{"train_batch_size": 64, "fp16": {"enabled": true}, "zero_optimization": {"stage": 2}}\n' ;;
    crlf) job "${pretty//\\n/\\r\\n}" ;;
    unended) job '{\n\t"fp16": {"enabled": true},\n\t"zero_optimization": {},\n\t"train_batch_size": 64}' ;;
    esac
    applied change
    setting zero_optimization.stage 3
    setting train_batch_size 32
    applied add
    setting zero_optimization.offload_optimizer.device '"cpu"'
    setting steps_per_print 10
    applied remove
    setting train_batch_size null
    setting zero_optimization.stage "$([ $style = unended ] && echo null || echo 2)"
done
style=script
job "$pretty"
applied variables
(cd "$work/new" && sed 's/^srun/env; true/' run.sbatch >s && bash s) >"$work/env" 2>&1
grep -qx 'NCCL_DEBUG=INFO' "$work/env" || wrong "the variable is not changed: $(cat "$work/diff")"
grep -qx 'A_NEW_ONE=a b' "$work/env" || wrong "the variable is not added before the launch: $(cat "$work/diff")"
applied directives
grep -qx '#SBATCH --time=2-00:00:00' "$work/new/run.sbatch" || wrong "the directive is not changed: $(cat "$work/diff")"
grep -qx '#SBATCH --cpus-per-task=8' "$work/new/run.sbatch" || wrong "the directive is not added: $(cat "$work/diff")"
# nothing that is not certain: an unfilled placeholder, comments, a secret near by, settings that are so already
patch_of open
[ -s "$work/diff" ] && wrong "a placeholder is patched in"
job '{\n  // by hand\n  "train_batch_size": 64,\n  "zero_optimization": {"stage": 2}\n}\n'
patch_of change
[ -s "$work/diff" ] && wrong "a file with comments is patched"
job "$pretty"
for secret in 'AWS_ACCESS_KEY_ID=AKIA0123456789ABCDEF' 'https_proxy=http://ann:0123456789@proxy:3128' 'SITE_PASSWD=0123456789abcdef'; do
    printf '#!/bin/bash\n#SBATCH --nodes=2\nexport NCCL_DEBUG=WARN\nexport %s\nsrun torchrun train.py\n' "$secret" >"$work/job/run.sbatch"
    patch_of variables
    grep -qE '0123456789' "$out" && wrong "a secret beside the change is shown: $secret"
done
job '{\n  "train_batch_size": 64,\n  "wandb_api_key": "0123456789abcdef",\n  "zero_optimization": {"stage": 2}\n}\n'
patch_of change
grep -q 0123456789abcdef "$out" && wrong "a secret is shown"
job '{"steps_per_print": 10, "zero_optimization": {"offload_optimizer": {"device": "cpu"}}}\n'
patch_of add
[ -s "$work/diff" ] && wrong "what is so already is patched"
# people see it, too
job "$pretty"
for format in text markdown html; do
    expect 1 diagnose -f $format --kb "$work/site.sqlite" "$work/job"
    grep -qE -- '-    ("|&quot;)stage("|&quot;): 2' "$out" || wrong "no patch in $format: $(cat "$out")"
    grep -qE -- '\+    ("|&quot;)stage("|&quot;): 3' "$out" || wrong "no patch in $format"
done
finish
