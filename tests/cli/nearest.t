# What no entry knows: the entries whose words are near, and none where nothing is.
. tests/cli/lib.sh
ask() { # ask STATUS FORMAT TEXT: diagnoses a text that is pasted
    "$FAULTLINE" diagnose -f "$2" - <<<"$3" >"$out" 2>"$err"
    status=$?
    [ "$status" -eq "$1" ] || wrong "status $status, not $1, of '$3'"
}
lacks() { ! grep -qF -- "$1" "$out" || wrong "standard output has '$1': $(cat "$out")"; }

ask 0 text "OOM"
says "  near   "
says "cuda-out-of-memory"
grep -q 'faultline explain [a-z-]*$' "$out" || wrong "no entry to look into: $(cat "$out")"
odd='RuntimeError: frob wants another head size than flash attention has'
ask 4 text "$odd"
says "attention-kernel-unsupported"
for format in markdown html; do
    ask 4 $format "$odd"
    says "Nearest entries"
    says "attention-kernel-unsupported"
done
ask 4 json "$odd"
python3 tests/cli/report.py "$out" || wrong "the JSON with entries that are near"

# one word that an entry happens to have is not near; what is known needs no other
ask 0 text "hello world"
lacks "  near   "
ask 4 text "FrobError: the flux does not add up"
lacks "  near   "
ask 1 text "$oom"
lacks "  near   "
finish
