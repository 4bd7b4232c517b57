# A run that worked beside one that did not: what differs, what matters first, and what it does to the diagnosis.
. tests/cli/lib.sh
mkdir -p "$work/kb/failures/train"
cp kb/taxonomy.yaml "$work/kb/"
cat >"$work/kb/failures/train/mini-gear.yaml" <<'Y'
id: mini-gear
title: The gear slipped
symptom: {train: "4.3"}
signals:
  - id: mini-gear
    says: the gear slipped
    level: specific
    needle: gear slipped
    regex: 'gear slipped (\d+) times'
    match: ['RuntimeError: gear slipped 12 times', '[rank1]: gear slipped 3 times']
    reject: ['the gear slipped many times', 'the gear turned 3 times']
causes:
  - id: version
    root: {train: R4.2}
    prior: 50
    why: the release is at fault
    clues: [{if: {at_least: {torch.version: "2.3"}}, db: 8}]
    fixes: [other]
  - id: setting
    root: {train: R4.1}
    prior: 50
    why: the stage is at fault
    clues: [{if: {is: {ds.zero_optimization.stage: 3}}, db: 8}]
    fixes: [other]
fixes: [{id: other, pattern: P2, title: Take another}]
Y
expect 0 kb build "$work/kb" -o "$work/site.sqlite"

run_of() { # run_of NAME TORCH STAGE LINE: a job's folder
    mkdir -p "$work/$1"
    printf 'torch==%s\nnumpy==1.26.4\ndeepspeed==0.14.2\n' "$2" >"$work/$1/requirements.txt"
    printf '{"train_micro_batch_size_per_gpu": 4, "zero_optimization": {"stage": %s}}\n' "$3" >"$work/$1/ds_config.json"
    for i in 1 2 3 4 5 6; do
        printf '[2024-05-01 12:00:%02d,000] [INFO] [logging.py:96:log_dist] [Rank 0] step=%d0, skipped=0, lr=[0.1]\n' \
            $((i * $5)) $i
    done >"$work/$1/train.log"
    printf '%s\n' "$4" >>"$work/$1/train.log"
}
cause() { python3 -c 'import json, sys; d = json.load(open(sys.argv[1]))["dead"]; print(d["cause"], round(100 * d["confidence"]))' "$out"; }
differs() { python3 -c 'import json, sys; print(" ".join(d["key"] for d in json.load(open(sys.argv[1]))["differences"]))' "$out"; }

run_of dead 2.3.0 3 'RuntimeError: gear slipped 12 times' 6
# the release differs, the stage worked as well: the release is to blame
run_of good 2.1.0 3 "$healthy" 2
expect 1 diff --kb "$work/site.sqlite" -f json "$work/good" "$work/dead"
[[ $(cause) == R4.2* ]] || wrong "the release differs: $(cause)"
[[ $(differs) == "torch.version "* ]] || wrong "what bears on a cause does not come first: $(differs)"
[[ " $(differs) " == *" step.seconds "* ]] || wrong "three times slower is no difference: $(differs)"
[[ $(differs) == *numpy* ]] && wrong "what is the same differs"
release=$(cause)
# what each line of steps tells of its time counts, where nothing tells the hour
for run in quick slow; do
    mkdir -p "$work/$run"
    for i in 1 2 3 4 5 6; do
        printf ' iteration %8d/ 1000 | elapsed time per iteration (ms): %d.5 | lm loss: 2.%d |\n' $((i * 10)) \
            $([ "$run" = slow ] && echo 900 || echo 400) $i
    done >"$work/$run/train.log"
done
run diff -f json "$work/quick" "$work/slow"
grep -A3 '"step.seconds"' "$out" | grep -q '"dead": "0.9"' || wrong "what a step took is no difference: $(differs)"
expect 1 diff --kb "$work/site.sqlite" "$work/dead" "$work/good"
says "the run given as good failed too"
# a version that a log prints is no list of packages: what it does not name is not missing
mkdir "$work/printed"
grep -v gear "$work/dead/train.log" >"$work/printed/train.log"
echo 'DeepSpeed general environment info: deepspeed info ................... 0.14.2, unknown, unknown' >>"$work/printed/train.log"
echo "[INFO] DeepSpeed info: version=0.14.2, git-hash=unknown, git-branch=unknown" >>"$work/printed/train.log"
run diff --kb "$work/site.sqlite" -f json "$work/printed" "$work/dead"
[[ " $(differs) " == *" numpy.version "* ]] && wrong "one log lists no packages: $(differs)"
# the stage differs, the release worked as well: the stage is to blame
run_of good 2.3.0 1 "$healthy" 6
expect 1 diff --kb "$work/site.sqlite" -f json "$work/good" "$work/dead"
[[ $(cause) == R4.1* ]] || wrong "the stage differs: $(cause)"
[ "$(differs)" = "ds.zero_optimization.stage" ] || wrong "only the stage differs: $(differs)"
[ "${release#* }" -gt 50 ] || wrong "the comparison makes nobody surer: $release"
expect 1 diff --kb "$work/site.sqlite" "$work/good" "$work/dead"
says "ds.zero_optimization.stage: 1 -> 3"
says "bears on R4.1"
says "beside the run that"
tame "$out" diff
# alone, both are even: the clues of the comparison did that
expect 1 diagnose --kb "$work/site.sqlite" --why-not R4.1 "$work/dead"
tr -s ' \n' ' ' <"$out" | grep -qF "0 decibans behind the first" || wrong "alone the two are not even"
# what only one side sets is a difference; what only one side tells of is none
printf 'A_SETTING=1\nNCCL_DEBUG=INFO\nNCCL_IB_DISABLE=1\n' >"$work/dead/env.txt"
expect 1 diff --kb "$work/site.sqlite" -f json "$work/good" "$work/dead"
[[ $(differs) == *env.* ]] && wrong "the good run told no environment, and all of it differs: $(differs)"
printf 'A_SETTING=1\nNCCL_DEBUG=INFO\nHOSTNAME=a\n' >"$work/good/env.txt"
expect 1 diff --kb "$work/site.sqlite" -f json "$work/good" "$work/dead"
[[ $(differs) == *env.NCCL_IB_DISABLE* ]] || wrong "a variable of one side is no difference: $(differs)"
[[ $(differs) == *HOSTNAME* ]] && wrong "a host's name differs"
# the same twice
expect 0 diff --kb "$work/site.sqlite" "$work/dead" "$work/dead"
says "facts are the same"
# two nodes, by what the probes told
node() { printf '{"schema": "faultline.facts/1", "machine": "%s", "facts": {"driver.version": "%s", "nccl.version": "2.20.5", "probe.gpu": "%s"}}\n' "$@"; }
node n1 535.104.05 ok >"$work/n1.json"
node n2 550.54.15 timeout >"$work/n2.json"
expect 1 diff "$work/n1.json" "$work/n2.json"
says "driver.version: 535.104.05 -> 550.54.15"
says "probe.gpu: ok -> timeout"
says "1 fact is the same"
expect 2 diff "$work/n1.json"
expect 2 diff -f html "$work/n1.json" "$work/n2.json"
expect 3 diff "$work/n1.json" "$work/nowhere"
[ ! -s "$out" ] || wrong "it compares with a run that could not be read: $(head -c 200 "$out")"
mkdir "$work/void"
expect 3 diff "$work/void" "$work/dead"
tells "cannot compare"
# sizes and sharding come before where a run lies and how often it prints
run_of small 2.3.0 3 "$healthy" 2
run_of large 2.3.0 3 'RuntimeError: gear slipped 12 times' 6
echo 'deepspeed train.py --aa-run-name one --eval-interval 51 --tensor-model-parallel-size 2' >"$work/small/run.sh"
echo 'deepspeed train.py --aa-run-name two --eval-interval 21 --tensor-model-parallel-size 8' >"$work/large/run.sh"
expect 1 diff --kb "$work/site.sqlite" -f json "$work/small" "$work/large"
[[ " $(differs) " == *" arg.tensor_model_parallel_size "*" arg.aa_run_name "* ]] || wrong "names go before sizes: $(differs)"
[[ " $(differs) " == *" arg.tensor_model_parallel_size "*" arg.eval_interval "* ]] || wrong "intervals go before sizes: $(differs)"
finish
