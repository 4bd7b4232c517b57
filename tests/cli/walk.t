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
# each choice tells by how many points of confidence it moves which cause
walk ''
grep -qE '^ +\+[0-9]+ points: R4.1  it is rusty \([0-9]+ -> [0-9]+ %\)' "$out" || wrong "no cause rises: $(cat "$out")"
grep -qE '^ +-[0-9]+ points: R4.5  it is stuck \([0-9]+ -> [0-9]+ %\)' "$out" || wrong "no cause falls"
rise=$(grep -oE 'R4.1  it is rusty \([0-9]+ -> [0-9]+ %' "$out" | head -1 | grep -oE '[0-9]+ %' | tr -dc 0-9)
walk '1\n'
says "likely $rise %" # what was promised is what comes
says "do     1. Oil the widget"
# after the fix an answer can still be taken back
walk '1\nb\n2\n'
says "mini-colour=brown"
says "mini-colour=grey"
[ "$(grep -c 'Oil the widget' "$out")" -eq 2 ] || wrong "the fix is not shown after each answer"

flat() { tr -s ' \n' ' ' <"$out" | grep -qF -- "$1" || wrong "standard output lacks '$1': $(cat "$out")"; } # wrapped or not
# why a cause ranks where it does: the decibans that it lacks and what would give them
expect 1 diagnose --kb "$work/site.sqlite" --why-not R4.5 "$work/job.log"
flat "R4.5 it is stuck: number 2 of 2, 50.0 % of the fault, 0 decibans behind the first"
flat "would raise it +20: Which colour has the widget? - grey as ever; --answer"
expect 1 diagnose --kb "$work/site.sqlite" --why-not R4.1 --answer mini-colour=grey "$work/job.log"
says "20 decibans"
flat "would raise it +20: Which colour has the widget? - brown as rust (the answer"
expect 1 diagnose --kb "$work/site.sqlite" --why-not R4.5 --answer mini-colour=grey "$work/job.log"
flat "for it +20: answer.mini-colour = grey"
for format in markdown html; do
    expect 1 diagnose -f $format --kb "$work/site.sqlite" --why-not R4.5 "$work/job.log"
    says "Why not R4.5"
    says "would raise it +20"
done
expect 1 diagnose -f json --kb "$work/site.sqlite" --why-not R4.5 "$work/job.log"
python3 - "$out" <<'PY' || wrong "why_not of the JSON report"
import json, sys
w = json.load(open(sys.argv[1]))["why_not"][0]
assert (w["cause"], w["entry"], w["rank"], w["of"], w["behind"]) == ("R4.5", "mini-widget", 2, 2, 0), w
c = w["clues"][0]
assert (c["kind"], c["weight"], c["question"], c["choice"], c["how"]) == ("missing", 20, "mini-colour", "grey", "look at it"), c
PY
walk_why=$("$FAULTLINE" walk --kb "$work/site.sqlite" --why-not R4.5 "$work/job.log" </dev/null)
# in a walk the study's causes stand beside the entry's two
grep -qE "number 2 of [1-9][0-9]" <<<"$walk_why" || wrong "the walk does not say why not: $walk_why"
# an entry that was not considered names the lines that it waits for
expect 1 diagnose --kb "$work/site.sqlite" --why-not R4.4 "$work/job.log"
says "not considered"
says "a line that says"
expect 2 diagnose --why-not R4.9 "$work/job.log"
tells "no root cause of the taxonomy has this code"

# answers from a file: comments, empty lines, an error with its line
printf '# as the customer said\n\n mini-colour = brown \n' >"$work/answers"
expect 1 walk --kb "$work/site.sqlite" --answers "$work/answers" "$work/job.log"
says "mini-colour=brown"
expect 1 diagnose -f json --kb "$work/site.sqlite" --answers "$work/answers" "$work/job.log"
[ "$(first)" = "mini-widget R4.1" ] || wrong "the file's answer does not count: $(first)"
printf '# one\nmini-colour=pink\n' >"$work/answers"
expect 2 walk --kb "$work/site.sqlite" --answers "$work/answers" "$work/job.log"
tells "answers:2: "
tells "brown grey"
printf 'mini-colour\n' >"$work/answers"
expect 2 walk --kb "$work/site.sqlite" --answers "$work/answers" "$work/job.log"
tells "answers:1: "
expect 2 walk --kb "$work/site.sqlite" --answers "$work/nowhere" "$work/job.log"
tells "nowhere"

# with no log at all: the stage, the symptom, the failure, then its own questions
see() { printf '%b' "$1" | "$FAULTLINE" walk --kb "$work/site.sqlite" >"$out" 2>"$err"; status=$?; }
see ''
says "What was the job doing when it went wrong?"
[ "$status" -eq 0 ] || wrong "an empty walk ends with $status"
see 'train\n4.3\nmini-widget\nbrown\n'
says "[see-stage=train]"
says "[see-symptom=4.3]"
says "Which colour has the widget?"
says "it is rusty"
says "Oil the widget"
[ "$status" -eq 1 ] || wrong "a walk from the taxonomy ends with $status: $(cat "$err")"
see '?\n4.3\n?\n'
says "see-entry=unknown"
# what is seen, without the shares that the study counted
see 'build\n'
says "(compilation failures, mostly"
! grep -q '[0-9]% of' "$out" || wrong "shares of the study stand among what is seen"
expect 1 walk --kb "$work/site.sqlite" --answer see-entry=mini-widget --answer mini-colour=grey
says "it is stuck"
expect 2 walk --answer see-symptom=9.9
tells "5.11"
# a log that tells nothing: the walk begins with what the user sees
echo hello >"$work/hello.log"
expect 0 walk "$work/hello.log"
says "[see-stage]"
expect 1 walk --kb "$work/site.sqlite" --answer mini-colour=brown "$work/job.log"
says "it is rusty"
grep -qF "[mini-colour]" "$out" && wrong "an answered question is asked again"
# where nothing is to be asked, it says so
echo "$healthy" >"$work/healthy.log"
expect 0 walk "$work/healthy.log"
says "healthy"
tame "$out" walk
# without a log and without a symptom the walk says what is missing
printf '?\n?\nq\n' | "$FAULTLINE" walk >"$out" 2>"$err"
says "[how-far]"
says "from the study"
# who walks over what looks healthy has trouble all the same
printf '4\n4.1\n?\n' | "$FAULTLINE" walk "$work/healthy.log" >"$out" 2>"$err"
says "If something is wrong all the same, say what:"
says "[see-symptom=4.1]"
grep -qE '^ +[0-9]+ %  R4' "$out" || wrong "the symptom brings no cause: $(cat "$out")"

# the cause that leads is asked about itself: ruled out the others rise, found so it stands
walk '?\n?\n?\n?\n?\n?\n'
says "Is it this: it is rusty?   [fits.mini-widget.rust]"
flat "how: Oil the widget: oil --widget 12; it was this if then it turns"
expect 1 diagnose -f json --kb "$work/site.sqlite" --answer fits.mini-widget.rust=no "$work/job.log"
[ "$(first)" = "mini-widget R4.5" ] || wrong "rust is ruled out: $(first)"
expect 1 diagnose -f json --kb "$work/site.sqlite" --answer fits.mini-widget.stuck=fits "$work/job.log"
[ "$(first)" = "mini-widget R4.5" ] || wrong "stuck is found: $(first)"
says '"answer.fits.mini-widget.stuck = fits"'
expect 1 walk --kb "$work/site.sqlite" --answer fits.mini-widget.stuck=fits "$work/job.log"
says "One cause leads clearly."
flat "you said: Is it this: it is stuck? - yes"
expect 1 walk assets/demo
says "  the inputs say: "
awk 'length > 80 { exit 1 }' "$out" || wrong "the walk is wider than 80 columns: $(awk 'length > 80' "$out")"
expect 2 diagnose --kb "$work/site.sqlite" --answer fits.mini-widget.stuck=perhaps "$work/job.log"
tells "fits, no"
expect 2 diagnose --kb "$work/site.sqlite" --answer fits.mini-widget.lost=no "$work/job.log"
tells "there is no question with this id"

expect 1 diagnose --kb "$work/site.sqlite" --why-not R4.1 --answer fits.mini-widget.rust=no "$work/job.log"
flat "against it -14: Is it this: it is rusty? - no: I looked and it is not so"
grep -qE 'it is rusty: number ([3-9]|[1-9][0-9]) of [1-9][0-9]' "$out" || wrong "its place is not that after the answer"

# what the study says of a code speaks for the likelier cause of the evidence with that code
expect 1 diagnose -f json --kb "$work/site.sqlite" --answer found=setting "$work/job.log"
python3 - "$out" <<'PY' || wrong "the study's cause stands beside the evidence's of the same code"
import json, sys
pairs = [(d["entry"], d["cause"]) for d in json.load(open(sys.argv[1]))["diagnoses"]]
assert pairs[0] == ("mini-widget", "R4.1"), pairs
assert ("study-train", "R4.1") not in pairs and any(e.startswith("study-") for e, _ in pairs), pairs
PY
# what was found speaks for its codes
expect 1 diagnose -f json --kb "$work/site.sqlite" --answer found=room "$work/job.log"
[ "$(first)" = "mini-widget R4.5" ] || wrong "what is used up speaks for R4.5: $(first)"
# who does not know the stage is asked how far the job had come, before one cause is said to lead
walk_on() { printf '?\n?\n?\n?\n?\n' | "$FAULTLINE" walk --kb "$work/site.sqlite" "$@" "$work/job.log" >"$out" 2>"$err"; }
walk_on --answer see-stage=unknown --answer found=setting
says "[how-far]"
walk_on --answer see-stage=train --answer found=setting
grep -q '^What had worked' "$out" && wrong "the stage is asked for though it was told"
grep -q 'the inputs say: What had worked' "$out" && wrong "what the user said is said to stand in the inputs"

# what nothing in the input shows: the study's causes, raised by general questions, and never without them
expect 1 diagnose -f json --kb "$work/site.sqlite" "$work/job.log"
grep -q '"entry": "study-' "$out" && wrong "a diagnosis without answers names the study"
[ "$(first)" = "mini-widget R4.1" ] || wrong "the entry does not lead: $(first)"
expect 1 diagnose -f json --kb "$work/site.sqlite" --answer what-helped=machine --answer raised-by=system \
    --answer see-stage=train "$work/job.log"
[ "$(first)" = "study-train R4.7" ] || wrong "the answers do not bring the study's cause first: $(first)"
python3 - "$out" <<'PY' || wrong "the study's cause is not told as one"
import json, sys
r = json.load(open(sys.argv[1]))
d = r["diagnoses"][0]
assert d["title"] == "The widget did not turn" and d["symptom"] == "4.3", d["title"]
assert d["cause_text"].startswith("from the study: "), d["cause_text"]
assert "nothing in the input shows it" in str(d["why"]), d["why"]
assert {"answer.what-helped = machine", "answer.raised-by = system"} <= {w["text"] for w in d["why"]}, d["why"]
assert d["fix_patterns"] == ["P4"] and d["fixes"][0]["steps"] and d["fixes"][0]["verify"], d["fixes"]
assert r["first_fault"]["line"] == 2, r["first_fault"]
assert abs(sum(x["confidence"] for x in r["diagnoses"])) <= 1.001, "more than certain"
PY
# the same answers move the evidence's causes by their codes
expect 1 diagnose -f json --kb "$work/site.sqlite" --answer what-helped=resources "$work/job.log"
[ "$(first)" = "mini-widget R4.5" ] || wrong "more room speaks for R4.5: $(first)"
expect 1 diagnose -f json --kb "$work/site.sqlite" --answer what-helped=setting "$work/job.log"
[ "$(first)" = "mini-widget R4.1" ] || wrong "a setting speaks for R4.1: $(first)"
expect 1 diagnose -f json --kb "$work/site.sqlite" --answer what-helped=unknown "$work/job.log"
grep -q '"entry": "study-' "$out" && wrong "'don't know' brings the study up"
expect 2 diagnose --answer what-helped=magic "$work/job.log"
tells "precision"
# why not: what a general question would say, or says
expect 1 diagnose --kb "$work/site.sqlite" --why-not R4.5 "$work/job.log"
flat "memory, disk, handles or a time limit that are used up; --answer found=room"
expect 1 diagnose --kb "$work/site.sqlite" --why-not R4.5 --answer what-helped=machine "$work/job.log"
flat "against it -2: What has made this failure go away, here or for others? - another machine"
# what an open general question would say of a code is said once, whatever entries name it
echo '[rank0]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB. GPU 0 has 1.2 GiB free' >"$work/oom.log"
expect 1 diagnose --why-not R4.1 "$work/oom.log"
[ "$(grep -c 'R4.1 .*' "$out")" -ge 2 ] || wrong "one cause of the code alone is told"
[ "$(tr '\n' ' ' <"$out" | tr -s ' ' | grep -o -e '--answer found=setting' | wc -l)" -eq 1 ] || wrong "a general question is told more than once"
# in a walk: the entry's own question, then a general one; both are told with what they would change
walk '?\n?\nsystem\nmachine\n'
says "[mini-colour=unknown]"
grep -qE 'points: R[0-9.]+  from the study: ' "$out" || wrong "no choice tells of the study's causes"
# one cause leads, and it is something else: the walk goes on
walk '1\ng\nq\n'
says "g. go on asking, it is something else"
[ "$(grep -c '^  why: ' "$out")" -ge 2 ] || wrong "nothing is asked after 'go on'"
# an entry's own question is told in the report, of one that fits every failure what it is for; a document has the choices
expect 1 diagnose --kb "$work/site.sqlite" "$work/job.log"
flat "Not sure? The walk asks: Which colour has the widget? "
expect 1 diagnose assets/demo
flat "The walk asks: what would tell these causes apart faultline walk assets/demo"
expect 1 diagnose -f markdown --kb "$work/site.sqlite" "$work/job.log"
says "- brown as rust"
# of a bare complaint the symptom is told, no cause, and what would tell one; nobody ended the job from outside
for words in 'my job is stuck' 'my job hangs at step 100' 'my job stopped making progress'; do
    echo "$words" >"$work/bare.txt"
    expect 1 diagnose -f json "$work/bare.txt"
    [ "$(first)" = "hang-training None" ] || wrong "$words: $(first)"
    says '"ended": "failed"'
done
says '"question": "hang-gpu"'
expect 1 diagnose -f json --answer hang-gpu=mixed "$work/bare.txt"
[ "$(first)" = "hang-training R4.7" ] || wrong "one idle GPU is told, and no cause: $(first)"
# before anything is answered a walk is as sure of its first cause as the report is, in a stage left open too
for log in assets/demo "$work/oom.log"; do
    expect 1 diagnose "$log"
    sure=$(grep -om1 '[0-9]* %$' "$out")
    "$FAULTLINE" walk "$log" >"$out" 2>"$err" </dev/null
    [ "$(grep -om1 '^ *[0-9]* %' "$out" | tr -d ' ')" = "${sure/ /}" ] || wrong "a walk in $log is not $sure sure"
done
# undone answers leave nothing behind
walk '1\nb\nb\nq\n'
flat "nothing to go back to"
# a report of what tells nothing asks for the stage
expect 0 diagnose -f json "$work/hello.log"
says '"question": "see-stage"'
says '"infer"'
expect 0 diagnose -f json "$work/healthy.log"
says '"next": null'
finish
