# What a fix gives as a command can be pasted into a shell: each line parses, and begins with a program.
. tests/cli/lib.sh
python3 - "$BUILD/kb.sqlite" >"$work/commands" <<'PY'
import re, sqlite3, sys
db = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True)
for (commands,) in db.execute("SELECT commands FROM fix WHERE commands IS NOT NULL ORDER BY failure, id"):
    for line in filter(None, commands.split("\n")):
        print(re.sub(r"\{\{[^}]*\}\}", "VALUE", line))
PY
[ "$(wc -l <"$work/commands")" -ge 1000 ] || wrong "only $(wc -l <"$work/commands") commands"
while read -r line; do printf 'f() {\n%s\n}\n' "$line"; done <"$work/commands" >"$work/all"
bash -n "$work/all" 2>"$work/complaint" || while read -r line; do
    printf 'f() {\n%s\n}\n' "$line" | bash -n 2>/dev/null || wrong "no shell takes: $line"
done <"$work/commands"
grep -n '^[^A-Za-z0-9_./~$([{!#]' "$work/commands" && wrong "these begin with no program"
finish
