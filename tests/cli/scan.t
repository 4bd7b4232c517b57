# scan prints FILE:LINE:RANK:SIGNAL:TEXT, in file order, every line once for each signal.
. tests/cli/lib.sh
printf 'first\n%s\nmiddle\n%s\n' "$oom" "${oom/rank3/rank5}" >"$work/job.log"
expect 0 scan "$work/job.log"
grep -qE "^$work/job\.log:2:3:[a-z0-9-]+:\[rank3\]: torch\.OutOfMemoryError" "$out" || wrong "no hit on line 2: $(cat "$out")"
grep -qE "^$work/job\.log:4:5:[a-z0-9-]+:\[rank5\]" "$out" || wrong "no hit on line 4"
cut -d: -f2 "$out" | sort -nc || wrong "not in file order"
[ "$(sort "$out" | uniq -d | wc -l)" -eq 0 ] || wrong "a hit is printed twice"
expect 0 scan --count "$work/job.log"
grep -qE "^$work/job\.log:[a-z0-9-]+:2$" "$out" || wrong "--count does not count 2: $(cat "$out")"
# folders name files below them; ids are those that explain knows
expect 0 scan assets/demo
grep -qE '^rank2\.log:20:2:' "$out" || wrong "scan of the demo: $(head -3 "$out")"
signal=$(grep -m 1 '^rank2\.log:20:' "$out" | cut -d: -f4)
expect 0 explain "$signal"
"$FAULTLINE" scan - <"$work/job.log" >"$out" 2>"$err"
grep -q '^-:2:3:' "$out" || wrong "scan of standard input"
finish
