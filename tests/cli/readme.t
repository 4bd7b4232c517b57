# The report printed in README.md is what the program prints.  UPDATE=1 writes it there.
. tests/cli/lib.sh
"$FAULTLINE" diagnose assets/demo >"$out" 2>"$err" </dev/null
if [ -n "${UPDATE:-}" ]; then
    awk -v report="$out" '
        /^<!-- the report below/ { wanted = 1 }
        wanted && /^```/ && !open { print; open = 1; while ((getline line < report) > 0) print line; next }
        wanted && /^```/ && open { wanted = open = 0 }
        !open' README.md >"$work/new" && cp "$work/new" README.md
fi
awk '/^<!-- the report below/ { wanted = 1; next } wanted && /^```/ { if (open) exit; open = 1; next } open' README.md >"$work/shown"
[ -s "$work/shown" ] || wrong "README.md shows no report"
diff "$work/shown" "$out" || wrong "the report in README.md (<) is not what the program prints (>); UPDATE=1 bash tests/cli/readme.t"
finish
