# Knowledge images: what is no image is refused with a reason; an overlay adds to what is built in.
. tests/cli/lib.sh
: >"$work/empty.sqlite"
echo "this is no image" >"$work/text.sqlite"
python3 - "$work/foreign.sqlite" <<'PY'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.execute("create table signals (id text)")
db.commit()
PY
mkdir -p "$work/kb/failures/train"
cp kb/taxonomy.yaml "$work/kb/"
cp "$(ls kb/failures/train/*.yaml | head -1)" "$work/kb/failures/train/"
run kb build "$work/kb" -o "$work/site.sqlite"
[ "$status" -eq 0 ] || { # it may need what others define
    rm "$work"/kb/failures/train/*.yaml
    expect 0 kb build "$work/kb" -o "$work/site.sqlite"
}
head -c 20000 "$work/site.sqlite" >"$work/cut.sqlite"
for name in empty text foreign cut missing; do
    for command in "diagnose" "scan" "walk"; do
        run "$command" --kb "$work/$name.sqlite" assets/demo
        [ "$status" -ge 2 ] || wrong "$command --kb $name.sqlite: status $status"
        tells "$name.sqlite"
    done
done
expect 1 diagnose --kb "$work/site.sqlite" assets/demo
# two builds are the same bytes
expect 0 kb build "$work/kb" -o "$work/again.sqlite"
cmp -s "$work/site.sqlite" "$work/again.sqlite" || wrong "two builds differ"

expect 0 kb stats --format json
python3 - "$out" <<'PY' || wrong "kb stats"
import json, sys
s = json.load(open(sys.argv[1]))
assert all(isinstance(s[k], int) and s[k] > 0 for k in ("entries", "signals", "questions", "fixes")), s
assert all(isinstance(s[k], dict) and s[k] for k in ("by_symptom", "by_cause", "by_fix")), s
PY
# the questions of a case must be open; one that is not fails the run and names the case
read -r entry question < <("$FAULTLINE" diagnose -f json assets/demo | python3 -c '
import json, sys
d = json.load(sys.stdin)["diagnoses"][0]
print(d["entry"], d["questions"][0])')
[ -n "$question" ] || wrong "the demo job leaves no question open"
mkdir -p "$work/cases/asking"
cp -r assets/demo "$work/cases/asking/job"
asks() { printf '{"symptom": ["4.2"], "cause": ["R4.5"], "fix": ["P5"], "asks": [%s]}' "$1" >"$work/cases/asking/case.json"; }
asks "\"$question\""
expect 0 kb score "$work/cases"
grep -qE '^asked +1.000 +1/1' "$out" || wrong "an open question is not counted"
expect 0 kb stats -f json "$work/cases"
says '"questions_asked": 1'
asks "\"$question\", \"no-such-question\""
expect 1 kb score "$work/cases"
says "asking: does not ask no-such-question (no such question)"
expect 0 kb list --regex
[ "$(wc -l <"$out")" -gt 100 ] || wrong "kb list --regex: $(wc -l <"$out") lines"
grep -vqE '[^ -~]' "$out" || wrong "kb list --regex: bytes beyond ASCII"
# every expression is one that others take, and all of them together fit ripgrep's limits
python3 - "$out" <<'PY' || wrong "kb list --regex: an expression that Python does not take"
import re, sys, warnings
warnings.simplefilter("ignore")
for line in open(sys.argv[1], encoding="ascii"):
    re.compile(line.rstrip("\n"))
PY
if command -v rg >/dev/null; then
    cp "$out" "$work/regexes"
    printf '%s\nall is well\n' "$oom" | rg --no-unicode -c -f "$work/regexes" >"$out" 2>"$err"
    [ "$(cat "$out")" = 1 ] || wrong "rg -f: $(cat "$out" "$err")"
fi
run kb check "$work/nothing-here"
[ "$status" -ne 0 ] || wrong "kb check of nothing"
finish
