# The walk in a plain terminal: answers given beforehand, answers piped in, going back.
. tests/cli/lib.sh
cat >"$work/mini.yaml" <<'Y'
id: mini-widget
title: The widget did not turn
symptom: {train: "4.3"}
signals:
  - id: mini-widget
    says: the widget did not turn
    level: specific
    needle: widget refused to turn
    regex: 'widget refused to turn (\d+) times'
    groups: [times]
    match: ['RuntimeError: widget refused to turn 12 times', '[rank1]: widget refused to turn 3 times']
    reject: ['the widget refused to turn many times', 'the widget turned 3 times']
causes:
  - id: rust
    root: {train: R4.1}
    prior: 50
    why: it is rusty
    clues: [{if: {is: {answer.mini-colour: brown}}, db: 20}]
    fixes: [oil]
  - id: stuck
    root: {train: R4.5}
    prior: 50
    why: it is stuck
    clues: [{if: {is: {answer.mini-colour: grey}}, db: 20}]
    fixes: [oil]
questions:
  - id: mini-colour
    ask: Which colour has the widget?
    why: rust is brown
    how: look at it
    cost: 1
    choices: [{id: brown, text: brown as rust}, {id: grey, text: grey as ever}]
fixes:
  - {id: oil, pattern: P3, kind: cure, title: Oil the widget, commands: ['oil --widget {{cap.times}}'], verify: it turns}
Y
mkdir -p "$work/kb/failures/train"
cp kb/taxonomy.yaml "$work/kb/"
cp "$work/mini.yaml" "$work/kb/failures/train/mini-widget.yaml"
expect 0 kb build "$work/kb" -o "$work/site.sqlite"
printf 'step 10 loss 1.0\nRuntimeError: widget refused to turn 12 times\n' >"$work/job.log"

first() { python3 -c 'import json,sys; r=json.load(open(sys.argv[1])); d=r["diagnoses"][0]; print(d["entry"], d["cause"])' "$out"; }

# without answers the two are even, and the question is asked
expect 1 diagnose -f json --kb "$work/site.sqlite" "$work/job.log"
[[ $(first) == mini-widget* ]] || wrong "the overlay's entry is not found: $(first)"
says '"question": "mini-colour"'
# the hint can be copied into a shell; a pipe cannot be read again
cp "$work/job.log" "$work/it's a job.log"
expect 1 diagnose --kb "$work/site.sqlite" "$work/it's a job.log"
says "it'\\''s a job.log'"
"$FAULTLINE" diagnose --kb "$work/site.sqlite" <"$work/job.log" >"$out" 2>"$err"
says "faultline walk PATH"
# answered beforehand
expect 1 diagnose -f json --kb "$work/site.sqlite" --answer mini-colour=brown "$work/job.log"
[ "$(first)" = "mini-widget R4.1" ] || wrong "brown is rust: $(first)"
expect 1 diagnose -f json --kb "$work/site.sqlite" --answer mini-colour=grey "$work/job.log"
[ "$(first)" = "mini-widget R4.5" ] || wrong "grey is stuck: $(first)"
says '"kind": "answer"'
expect 2 diagnose --kb "$work/site.sqlite" --answer mini-colour=green "$work/job.log"
tells "brown"

walk() { # walk ANSWERS: piped in
    printf '%b' "$1" | "$FAULTLINE" walk --kb "$work/site.sqlite" "$work/job.log" >"$out" 2>"$err"
    status=$?
}
walk ''
says "Which colour has the widget?"
says "1. brown as rust"
says "2. grey as ever"
[ "$status" -eq 1 ] || wrong "walk ends with $status"
walk '1\n'
says "likely"
says "it is rusty"
says "mini-colour=brown"
grep -q 'oil --widget 12' "$out" || wrong "the command is not filled"
walk 'grey\n'
says "mini-colour=grey"
walk 'purple\nq\n'
tells "choices: brown grey"
walk '1\nb\n2\n'
walk 'b\nq\n'
says "nothing to go back to"
walk '?\n'
says "mini-colour=unknown"
expect 1 walk --kb "$work/site.sqlite" --answer mini-colour=brown "$work/job.log"
says "it is rusty"
grep -qF "[mini-colour]" "$out" && wrong "an answered question is asked again"
# where nothing is to be asked, it says so
echo "$healthy" >"$work/healthy.log"
expect 0 walk "$work/healthy.log"
says "healthy"
tame "$out" walk
finish
