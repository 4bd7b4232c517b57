# The report printed in README.md is what the program prints.
. tests/cli/lib.sh
"$FAULTLINE" diagnose assets/demo >"$out" 2>"$err" </dev/null
awk '/^<!-- the report below/ { wanted = 1; next } wanted && /^```/ { if (open) exit; open = 1; next } open' README.md >"$work/shown"
[ -s "$work/shown" ] || wrong "README.md shows no report"
diff "$work/shown" "$out" || wrong "the report in README.md (<) is not what the program prints (>)"
finish
