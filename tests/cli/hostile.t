# Logs are hostile: whatever is in them, the program ends soon with a status of the contract, and no raw
# control byte comes out of it.
. tests/cli/lib.sh
python3 - "$work" "$oom" <<'PY'
import os, random, sys
folder, oom = sys.argv[1], sys.argv[2].encode()
def write(name, data): open(os.path.join(folder, name), "wb").write(data)
write("nul.log", b"a\0b\0\0\n" + oom.replace(b" ", b"\0 ", 3) + b"\n" + oom + b"\0\n")
write("utf16le.log", b"\xff\xfe" + ("first\n" + oom.decode() + "\n").encode("utf-16-le"))
write("utf16be.log", b"\xfe\xff" + ("first\n" + oom.decode() + "\n").encode("utf-16-be"))
write("cr.log", b"first\rsecond\r" + oom + b"\rlast\r")
write("crlf.log", b"first\r\n" + oom + b"\r\n")
write("escape.log", b"\x1b]0;title\x07\x1b[2J\x1b[31m" + oom + b"\x1b[0m\x9b31m \x1bP1;1|x\x1b\\ \x1b]52;c;AAAA\x07\n")
write("c1.log", "\u009b31m\u009d0;x\u009c \u202e\u2066 ".encode() + oom + b"\n")
write("broken.log", b"\xc0\x80\xed\xa0\x80\xf8 \xe4\xb8\n" + oom + b" \xff\xf0\x9f\n")
write("long.log", b"x" * 3000000 + b"\n" + oom + b" " + b"y" * 300000 + b"\n")
write("noeol.log", oom)
write("blank.log", b"\n" * 100000)
write("nested.log", b'{"log":' * 20000 + b"\n" + oom + b"\n")
write("brackets.log", b"[" * 200000 + b"\n" + oom + b"\n")
write("frames.log", b"Traceback (most recent call last):\n" + b'  File "a.py", line 1, in f\n    g()\n' * 20000 + oom + b"\n")
random.seed(4)
write("random.bin", random.randbytes(200000))
write("random.log", bytes(random.choice(b"\0\r\n\x1b[]{}:'\"aeiou 0123456789\xff") for _ in range(200000)) + b"\n" + oom + b"\n")
write("config.json", b'{"zero_optimization": {"stage": ' * 5000)
write("huge.json", b"[" * 1000000)
PY
for file in "$work"/*.log "$work"/*.json; do
    for format in text json markdown html; do
        timeout 20 "$FAULTLINE" diagnose -f "$format" "$file" >"$out" 2>"$err" </dev/null
        status=$?
        case $status in 0 | 1 | 4) ;; *) wrong "status $status: -f $format ${file##*/}" ;; esac
        tame "$out" "-f $format ${file##*/}"
        tame "$err" "messages about ${file##*/}"
    done
    timeout 20 "$FAULTLINE" scan "$file" >"$out" 2>"$err" </dev/null
    [ $? -le 1 ] || wrong "scan ${file##*/}"
    tame "$out" "scan ${file##*/}"
done
# the fault is found through all of it
for name in nul utf16le utf16be cr crlf escape c1 broken noeol; do
    expect 1 diagnose "$work/$name.log"
    says "CUDA out of memory"
done
expect 0 diagnose "$work/random.bin"
says UNKNOWN
expect 0 diagnose "$work/blank.log"
says UNKNOWN

# secrets do not come out
printf '%s\nexport AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY\n%s password=hunter2secret\n' first "$oom" >"$work/secret.log"
for format in text json markdown html; do
    run diagnose -v -f "$format" "$work/secret.log"
    grep -q 'hunter2secret\|wJalrXUtnFEMIK7MDENG' "$out" && wrong "a secret comes out with -f $format"
done

# markup in a log stays text
printf '%s <script>alert(1)</script> | `code` **bold** ](http://x)\n' "$oom" >"$work/markup.log"
run diagnose -f html "$work/markup.log"
grep -q '<script' "$out" && wrong "a tag of the log reaches the HTML"
says '&lt;script&gt;'
run diagnose -f markdown "$work/markup.log"
grep -q '<script>' <(sed '/^```/,/^```/d' "$out") && wrong "a tag of the log reaches the Markdown"
finish
