# explain knows every kind of id, and words.
. tests/cli/lib.sh
id_of() { python3 -c 'import json,sys; r=json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$out" "$1"; }
run diagnose -f json assets/demo
entry=$(id_of 'r["diagnoses"][0]["entry"]')
signal=$(id_of 'r["first_fault"]["signal"]')
for id in 4 4.2 R4.5 P5 "$entry" "$signal"; do
    expect 0 explain "$id"
    says "$id"
    tame "$out" "explain $id"
    silent
    awk 'length > 80 { exit 1 }' "$out" || wrong "explain $id is wider than 80 columns"
done
# every code of the taxonomy, and every hundredth entry
for code in $(grep -oE "id: ['\"]?(R?[1-5]\.[0-9]+|P[1-6])['\"]?" kb/taxonomy.yaml | grep -oE "R?[1-5]\.[0-9]+|P[1-6]"); do
    expect 0 explain "$code"
done
"$FAULTLINE" kb list | awk 'NR % 6 == 1 { print $1 }' >"$work/ids"
[ -s "$work/ids" ] || wrong "kb list names nothing"
while read -r id; do expect 0 explain "$id"; done <"$work/ids"
# a question
question=$(grep -rhoE '^  - id: [a-z0-9-]+' kb/shared/questions.yaml | awk '{ print $3; exit }')
expect 0 explain "$question"
# the decision tree of an entry: questions, choices, causes with shares
expect 0 explain --tree "$entry"
says "$entry"
grep -qE '^ +[0-9]+ %  (R[1-5]\.[0-9]+|\?)' "$out" || wrong "the tree of $entry has no leaf"
tame "$out" "explain --tree"
asked=0
while read -r id; do
    run explain --tree "$id"
    [ "$status" -eq 0 ] || [ "$status" -eq 2 ] || wrong "explain --tree $id: status $status"
    grep -q '^ *? ' "$out" && asked=$((asked + 1))
    awk 'length > 80 { exit 1 }' "$out" || wrong "explain --tree $id is wider than 80 columns"
done <"$work/ids"
[ "$asked" -gt 0 ] || wrong "no tree asks anything"
# what the study saw has one too: general questions, and its causes below them
expect 0 explain --tree 4
grep -v '^4 ' "$out" >"$work/of-stage"
expect 0 explain --tree study-train
grep -v '^study-train' "$out" | diff -q - "$work/of-stage" >/dev/null || wrong "a stage's tree is not that of what the study saw in it"
says "? What have you found so far"
says "= another precision, loss scale, learning rate or seed"
grep -qE '^ +[0-9]+ %  R4.3  precision, loss scaling' "$out" || wrong "precision leads to no cause: $(head -20 "$out")"
# the same tree in three formats, of a symptom too
count() { python3 -c '
import json, sys
def leaves(n): return 1 if "question" not in n else sum(leaves(c["then"]) for c in n["choices"])
def nodes(n): return 1 + sum(nodes(c["then"]) for c in n.get("choices", []))
t = json.load(open(sys.argv[1]))
assert t["schema"] == "faultline.tree/1" and t["title"]
print(leaves(t["tree"]), nodes(t["tree"]))' "$out"; }
for id in "$entry" 5.2; do
    expect 0 explain --tree -f json "$id"
    read -r leaves nodes < <(count)
    [ "$leaves" -gt 1 ] || wrong "the tree of $id has $leaves leaves"
    expect 0 explain --tree -f dot "$id"
    [ "$(grep -c '^  n[0-9]* \[' "$out")" -eq "$nodes" ] || wrong "dot of $id: not $nodes nodes"
    [ "$(grep -c '^  n[0-9]* -> n[0-9]* \[' "$out")" -eq $((nodes - 1)) ] || wrong "dot of $id is no tree"
    [ "$(grep -c 'style=rounded' "$out")" -eq "$leaves" ] || wrong "dot of $id: not $leaves leaves"
    awk '{ gsub(/\\./, ""); if (gsub(/"/, "") % 2) exit 1 }' "$out" || wrong "dot of $id: a quote is open"
    tame "$out" "explain --tree -f dot $id"
    expect 0 explain --tree "$id"
done
says "Which of these is nearest?"
expect 2 explain --tree R4.5
expect 2 explain --tree -f html "$entry"
expect 2 explain -f json "$entry"
# words are searched for; nonsense is told
expect 0 explain out of memory
says memory
run explain zzzqqqxxx
[ "$status" -ne 0 ] || wrong "nonsense is explained"
# lists stand in two columns: no title begins below an id
expect 0 explain R4.5
awk '/^  knows/ { list = 1 } list && /^         [^ ]/ && NF < 2 { exit 1 }' "$out" || wrong "a title runs under its ids"
# the steps of a fix are told apart
expect 0 explain cuda-out-of-memory
grep -q '^         - ' "$out" || wrong "steps run together"
# what a job fills stands for itself where there is none
expect 0 explain cuda-out-of-memory
says "ds.train_micro_batch_size_per_gpu>"
grep -q '{{' "$out" && wrong "a template is shown raw"
finish
