# Exit statuses are a contract: 0 healthy, unknown or empty; 1 named; 2 usage; 3 unreadable; 4 fallback.
. tests/cli/lib.sh
echo "$oom" >"$work/oom.log"
echo "$healthy" >"$work/healthy.log"
echo "$foreign" >"$work/foreign.log"
echo "The quick brown fox jumps over the lazy dog." >"$work/fox.txt"
: >"$work/empty"

expect 1 diagnose "$work/oom.log"
says FAILED
silent
expect 0 diagnose "$work/healthy.log"
says HEALTHY
expect 0 diagnose "$work/fox.txt"
says UNKNOWN
expect 0 diagnose "$work/empty"
says UNKNOWN
expect 4 diagnose "$work/foreign.log"
says FAILED
expect 1 diagnose assets/demo
mkdir "$work/folder"
expect 0 diagnose "$work/folder"

expect 0 diagnose --attempt 4 "$work/oom.log"
says "UNKNOWN  No log here holds that attempt"

for usage in "diagnose --no-such-option x" "diagnose -f yaml assets/demo" "diagnose --threads" "diagnose --threads 0 x" \
    "diagnose --threads x y" "diagnose --attempt 0 x" "diagnose --answer nonsense assets/demo" "diagnose --color sometimes x" \
    "diagnose --answer no-such-question=yes assets/demo" "scan --no-such-option" "--no-such-option" "explain" "diagnose --verbose=1 x"; do
    # shellcheck disable=SC2086
    expect 2 $usage
    tells "faultline: "
    [ ! -s "$out" ] || wrong "a usage error writes to standard output: $usage"
done

expect 3 diagnose "$work/missing"
tells "$work/missing"
tells "No such file"
# an unreadable path does not keep the others from being diagnosed
expect 3 diagnose "$work/missing" "$work/oom.log"
says FAILED
says "CUDA out of memory"
tells "$work/missing"

# a file that root cannot read either
if [ -e /proc/self/mem ]; then
    expect 3 diagnose /proc/self/mem
    tells "cannot read '/proc/self/mem'"
fi

# scan ends as grep does
expect 0 scan "$work/oom.log"
expect 1 scan "$work/fox.txt"
expect 2 scan "$work/missing"
expect 2 scan "$work/missing" "$work/oom.log"
says cuda
expect 0 scan --count "$work/oom.log"
expect 1 scan --count "$work/fox.txt"

# a command that is nearly one is told
expect 2 diagnos "$work/oom.log"
tells "did you mean 'faultline diagnose'?"
expect 2 skan "$work/oom.log"
tells "did you mean 'faultline scan'?"
run no-command-comes-near-to-this-word
grep -q 'did you mean' "$err" && wrong "a word that is near to no command is taken for one: $(cat "$err")"

# options that every command takes may stand before it; what does not fit is told with what would
expect 1 -j 2 --color=never diagnose "$work/oom.log"
says FAILED
expect 2 -f json diagnose "$work/oom.log"
tells "no such option here: -f"
expect 2 diagnose --threads 0 "$work/oom.log"
tells "this does not fit --threads: 0"
tells "1 to 1024"
expect 2 scan --threads
tells "--threads needs an argument"
expect 2 kb show
tells "kb show takes: one ID"
for what in stats report score; do
    expect 3 kb $what "$work/missing"
    tells "no case.json below"
done

finish
