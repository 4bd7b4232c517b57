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

# holes that a file system left, one line without an end, time that runs backwards, ranks beyond the world size
python3 - "$work" "${oom#*: }" <<'PY2'
import os, sys
folder, oom = sys.argv[1:]
def write(name, text): open(os.path.join(folder, name), "w").write(text)
write("hole.log", "step 1/10 loss 2.5\n" * 5 + "\0" * 100000 + "\n" + oom + "\n")
write("giant.log", "step 5/10 loss 2.5 | " * 300000 + oom)
write("backwards.log", "".join(f"2024-05-01 {12 - i // 60:02d}:{59 - i % 60:02d}:00 [rank{i % 4}]: step {i}/500 loss 2.9\n"
                               for i in range(200)) + f"2024-05-01 03:00:00 [rank2]: {oom}\n")
write("beyond.log", "world_size: 4\n" + "".join(f"[rank{r}]: step 1/10 loss 2\n" for r in
      (0, 65535, 99999999, 4294967297, -7)) + f"[rank512]: {oom}\n")
PY2
for name in hole giant backwards beyond; do
    expect 1 diagnose "$work/$name.log"
    says "ran out of memory"
done

# archives and pickles that were cut, a pickle that wants to call: said, and nothing is run
mkdir "$work/cut"
python3 - "$work/cut" "$oom" <<'PY3'
import gzip, io, os, pickle, random, sys, tarfile, zipfile
folder, oom = sys.argv[1:]
random.seed(4)
text = ("".join(f"step {i}/9000 loss 2.{i % 97} time 0.4 {random.randbytes(8).hex()}\n" for i in range(3000)) + oom).encode()
def write(name, data): open(os.path.join(folder, name), "wb").write(data)
write("log.gz", gzip.compress(text)[:-2000])
room = io.BytesIO()
with tarfile.open(fileobj=room, mode="w") as tar:
    info = tarfile.TarInfo("rank3.log")
    info.size = len(text)
    tar.addfile(info, io.BytesIO(text))
write("job.tar", room.getvalue()[:len(text) // 2])
room = io.BytesIO()
with zipfile.ZipFile(room, "w", zipfile.ZIP_DEFLATED) as packed:
    packed.writestr("rank3.log", text)
write("job.zip", room.getvalue()[:-4000])
class Caller:
    def __reduce__(self):
        return os.system, (f"touch {folder}/owned",)
write("nccl_trace_rank_0", pickle.dumps({"version": "2.4", "entries": [Caller()]}))
write("nccl_trace_rank_1", pickle.dumps({"version": "2.4", "entries": [{"record_id": 0, "state": "scheduled"}]})[:-20])
PY3
command -v zstd >/dev/null && gzip -dc "$work/cut/log.gz" 2>/dev/null | zstd -q | head -c 20000 >"$work/cut/log.zst"
for file in "$work"/cut/*.*; do
    expect 3 diagnose "$file"
    tells "${file##*/}"
    grep -q HEALTHY "$out" && wrong "what was not read to its end is called healthy: ${file##*/}"
done
expect 3 diagnose "$work/cut/log.gz"
says "could not be read to its end"
for file in "$work"/cut/nccl_trace_rank_*; do
    expect 0 diagnose "$file"
    says UNKNOWN
done
[ ! -e "$work/cut/owned" ] || wrong "a pickle was executed"

# secrets do not come out
printf '%s\nexport AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY\n%s password=hunter2secret\n' first "$oom" >"$work/secret.log"
for format in text json markdown html; do
    run diagnose -v -f "$format" "$work/secret.log"
    grep -q 'hunter2secret\|wJalrXUtnFEMIK7MDENG' "$out" && wrong "a secret comes out with -f $format"
done

# what a file is called is as hostile as what is in it
python3 - "$work" "$oom" <<'PY4'
import os, sys
folder, oom = (arg.encode() for arg in sys.argv[1:])
os.mkdir(folder + b"/names")
for name in "\u009b31m.log".encode(), "\u202egol.log".encode(), b"\x9b31m.log", b"a\x1b[2Jb.log":
    with open(folder + b"/names/" + name, "wb") as out:
        out.write(oom + b"\n")
PY4
for command in diagnose scan "scan --count" timeline; do
    run $command "$work/names"
    tame "$out" "$command of odd names"
    tame "$err" "messages of $command about odd names"
done
run diagnose "$work/$(printf '\302\23331m')"
tame "$err" "a message about a file with an odd name"

# markup in a log stays text
printf '%s <script>alert(1)</script> | `code` **bold** ](http://x)\n' "$oom" >"$work/markup.log"
run diagnose -f html "$work/markup.log"
grep -q '<script' "$out" && wrong "a tag of the log reaches the HTML"
says '&lt;script&gt;'
run diagnose -f markdown "$work/markup.log"
grep -q '<script>' <(sed '/^```/,/^```/d' "$out") && wrong "a tag of the log reaches the Markdown"
finish
