# Where output goes and how: colour, broken pipes, full disks, help and version.
. tests/cli/lib.sh
esc=$'\033'
# colour only on a terminal or when asked for
expect 1 diagnose assets/demo
grep -q "$esc" "$out" && wrong "colour without a terminal"
expect 1 diagnose --color=always assets/demo
grep -q "$esc" "$out" || wrong "--color=always gives no colour"
NO_COLOR=1 run diagnose --color=always assets/demo
grep -q "$esc" "$out" || wrong "--color=always yields to NO_COLOR"
sed "s/$esc\[[0-9;]*m//g" "$out" >"$work/plain"
run diagnose assets/demo
cmp -s "$out" "$work/plain" || wrong "colour changes the words"
# on a terminal: by script(1), if there
if command -v script >/dev/null; then
    TERM=xterm script -qec "'$FAULTLINE' diagnose assets/demo" /dev/null </dev/null >"$out" 2>&1
    grep -q "$esc\[" "$out" || wrong "no colour on a terminal"
    TERM=xterm NO_COLOR=1 script -qec "'$FAULTLINE' diagnose assets/demo" /dev/null </dev/null >"$out" 2>&1
    grep -q "$esc\[" "$out" && wrong "NO_COLOR is not honoured"
    TERM=xterm script -qec "'$FAULTLINE' diagnose --color=never assets/demo" /dev/null </dev/null >"$out" 2>&1
    grep -q "$esc\[" "$out" && wrong "--color=never is not honoured"
    TERM=dumb script -qec "'$FAULTLINE' diagnose assets/demo" /dev/null </dev/null >"$out" 2>&1
    grep -q "$esc\[" "$out" && wrong "colour on a dumb terminal"
fi

# a reader that leaves early is no error worth a word
for command in "diagnose -f json assets/demo" "scan assets/demo" "kb list" "--help" "explain 4.2"; do
    # shellcheck disable=SC2086
    "$FAULTLINE" $command 2>"$err" </dev/null | head -c 1 >/dev/null
    silent
done
# a full disk is told by the status
if [ -w /dev/full ]; then
    "$FAULTLINE" kb list >/dev/full 2>"$err" </dev/null && wrong "a full disk is not told"
    "$FAULTLINE" diagnose assets/demo >/dev/full 2>"$err" </dev/null
    [ $? -eq 3 ] || wrong "the status of a failure hides that its report was lost"
    tells "the output could not be written whole: No space left on device"
fi

# where there is no terminal for the screen its paths and pipes are diagnosed
expect 1 assets/demo
says "FAILED  rank 2"
silent
echo "$oom" | "$FAULTLINE" >"$out" 2>"$err"
[ $? -eq 1 ] || wrong "a pipe into faultline without a terminal is not diagnosed"
says "FAILED  rank 3"

# help, as other programs take it
expect 0 help
says "faultline diagnose"
expect 0 help scan
says "usage: faultline scan"

# a mistyped path is told in the shell, not on a screen
if command -v script >/dev/null; then
    TERM=xterm script -qec "'$FAULTLINE' '$work/mistyped'; echo ended \$?" /dev/null </dev/null >"$out" 2>&1
    says "mistyped': No such file or directory"
    says "ended 3"
    TERM=dumb script -qec "'$FAULTLINE' assets/demo; echo ended \$?" /dev/null </dev/null >"$out" 2>&1
    says "FAILED  rank 2"
    says "ended 1"
    # a type of terminal that this machine has never heard of
    TERM=made-up script -qec "'$FAULTLINE' assets/demo; echo ended \$?" /dev/null </dev/null >"$out" 2>&1
    says "rank 2, 02:12:20"
    says "ended 1"
    # the report is as narrow as its terminal
    TERM=dumb script -qec "stty cols 30; '$FAULTLINE' diagnose assets/demo" /dev/null </dev/null 2>&1 |
        tr -d '\r' >"$out"
    says "FAILED"
    awk 'length > 30 { exit 1 }' "$out" || wrong "wider than 30 columns: $(awk 'length > 30' "$out" | head -3)"
fi

expect 0 --version
grep -qE '^faultline [0-9]+\.[0-9]+\.[0-9]+' "$out" || wrong "--version: $(cat "$out")"
expect 0 -V
expect 0 --help
says "faultline diagnose"
silent
awk 'length > 80 { exit 1 }' "$out" || wrong "--help is wider than 80 columns"
for command in diagnose scan walk probe ask diff preflight watch explain kb timeline; do
    expect 0 "$command" --help
    says "usage: faultline $command"
    awk 'length > 80 { exit 1 }' "$out" || wrong "$command --help is wider than 80 columns"
    twice=$(grep -oE '^ +(-[a-zA-Z], )?--[a-z-]+' "$out" | sort | uniq -d)
    [ -z "$twice" ] || wrong "$command --help names an option twice:$twice"
    expect 0 "$command" -h
done
finish
