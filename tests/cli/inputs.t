# What can be read: files, folders, standard input, pipes, archives; and what is refused, with its reason.
. tests/cli/lib.sh
echo "$oom" >"$work/oom.log"

# standard input, named and not; pipes
for way in "diagnose -" "diagnose"; do
    # shellcheck disable=SC2086
    "$FAULTLINE" $way <"$work/oom.log" >"$out" 2>"$err"
    [ $? -eq 1 ] || wrong "$way < file"
    says FAILED
    says "standard input:1"
done
cat "$work/oom.log" | "$FAULTLINE" diagnose - >"$out" 2>"$err"
[ "${PIPESTATUS[1]}" -eq 1 ] || wrong "cat | diagnose -"
"$FAULTLINE" diagnose <(cat "$work/oom.log") >"$out" 2>"$err"
[ $? -eq 1 ] || wrong "diagnose <(cat): $(cat "$err")"
mkfifo "$work/fifo"
cat "$work/oom.log" >"$work/fifo" &
expect 1 diagnose "$work/fifo"
wait
"$FAULTLINE" diagnose - <&- >"$out" 2>"$err"
[ $? -eq 3 ] || wrong "a closed standard input is status 3"

# compressed logs and archives, by their content
gzip -c "$work/oom.log" >"$work/oom.gz"
expect 1 diagnose "$work/oom.gz"
tar -C "$work" -czf "$work/job.tgz" oom.log
expect 1 diagnose "$work/job.tgz"
head -c 60 "$work/oom.gz" >"$work/cut.gz"
expect 3 diagnose "$work/cut.gz"
tells cut.gz
tells "fetch it again"

# devices, loops of links, folders that cannot be read
expect 3 diagnose /dev/null
tells "device"
ln -s "$work/loop-b" "$work/loop-a"
ln -s "$work/loop-a" "$work/loop-b"
expect 3 diagnose "$work/loop-a"
mkdir -p "$work/tree/inner"
ln -s .. "$work/tree/inner/up"
cp "$work/oom.log" "$work/tree/inner/rank3.log"
expect 1 diagnose "$work/tree"
run diagnose -f json "$work/tree"
[ "$(python3 -c 'import json,sys; print(len(json.load(open(sys.argv[1]))["inputs"]))' "$out")" = 1 ] ||
    wrong "a link back to a folder above is followed"
says '"path": "inner/rank3.log"'
# a link to where the logs are kept is followed; one to a data set is left out, and told
mkdir -p "$work/linked" "$work/kept" "$work/set"
cp "$work/oom.log" "$work/kept/rank3.log"
ln -s ../kept "$work/linked/logs"
expect 1 diagnose "$work/linked"
silent
(cd "$work/set" && seq -f '%g.jpg' 5000 | xargs touch)
ln -s ../set "$work/linked/data"
expect 1 diagnose -f json "$work/linked"
tells "left out '$work/linked/data'"
grep -q jpg "$out" && wrong "a linked data set is walked"
expect 0 diagnose "$work/linked/data" # named, it is
grep -q "left out" "$err" && wrong "a folder that is named is left out"
if [ "$(id -u)" -ne 0 ]; then
    cp "$work/oom.log" "$work/secret.log"
    chmod 000 "$work/secret.log"
    expect 3 diagnose "$work/secret.log" "$work/oom.log"
    tells "Permission denied"
    says FAILED
fi

# a few words name the matter, though they are no sentence
for few in "CUDA OOM after 100 steps" "NCCL timeout" "training hangs" "address already in use"; do
    echo "$few" | "$FAULTLINE" diagnose - >"$out" 2>"$err"
    [ "${PIPESTATUS[1]}" -eq 1 ] || wrong "$few: $(head -1 "$out")"
done
echo "a cup of tea" | "$FAULTLINE" diagnose - >"$out" 2>"$err"
[ "${PIPESTATUS[1]}" -eq 1 ] && wrong "a cup of tea: $(head -1 "$out")"

# names: blanks, newlines, a dash in front, bytes that are no UTF-8
odd="$work/a b
c"$'\xff'"\$(x).log"
cp "$work/oom.log" "$odd"
expect 1 diagnose "$odd"
tame "$out" "an odd name"
run diagnose -f json "$odd"
python3 tests/cli/report.py "$out" || wrong "the JSON of an odd name"
cp "$work/oom.log" "$work/-f"
(cd "$work" && "$FAULTLINE" diagnose -- -f >"$out" 2>"$err" </dev/null)
[ $? -eq 1 ] || wrong "-- ends the options: $(cat "$err")"
# a refusal of rights is no file that is missing
echo "permission denied" >"$work/rights.log"
expect 4 diagnose "$work/rights.log"
says "may not be used by this user"
# what is read of a large log for facts ends with a whole line: half a line tells another value
python3 - "$work/cut.log" <<'PY'
import sys
line = b"n1:10:11 [0] NCCL INFO NCCL_IB_TIMEOUT set by environment to 22.\n"
head, pad = b"step 1 loss 1.0\n", b"the loader reads shard after shard of it\n"
room = 256 * 1024 - len(head) - line.index(b"22.") - 1
text = head + pad * (room // len(pad)) + b"." * (room % len(pad) - 1) + b"\n" + line + pad * 20
open(sys.argv[1], "wb").write(text)
PY
run diagnose -f json "$work/cut.log"
grep -q '"env.NCCL_IB_TIMEOUT": 2$' "$out" && wrong "the value of a line that is cut is told"
finish
