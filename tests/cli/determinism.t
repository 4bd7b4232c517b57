# The same input gives the same bytes: whatever the threads, the order of paths, the way it comes in.
. tests/cli/lib.sh
for format in text json markdown html; do
    run diagnose -f "$format" -j 1 assets/demo
    cp "$out" "$work/one"
    for threads in 2 3 8; do
        run diagnose -f "$format" -j "$threads" assets/demo
        cmp -s "$out" "$work/one" || wrong "-f $format differs with $threads threads"
    done
done

# several paths in any order
paths=(assets/demo/rank0.log assets/demo/rank1.log assets/demo/rank2.log assets/demo/rank3.log)
run diagnose -f json "${paths[@]}"
cp "$out" "$work/one"
run diagnose -f json "${paths[3]}" "${paths[1]}" "${paths[0]}" "${paths[2]}"
cmp -s "$out" "$work/one" || wrong "the order of paths matters"
run diagnose -f json "${paths[@]}" "${paths[2]}"
cmp -s "$out" "$work/one" || wrong "a path given twice matters"

# a log larger than a block, with many ranks
python3 - "$work/large.log" "$oom" <<'PY'
import sys
with open(sys.argv[1], "w") as out:
    for i in range(60000):
        print(f"[2024-05-01 12:{i // 3600 % 60:02}:{i // 60 % 60:02},000] [rank{i % 64}] step {i} loss {3 - i / 30000:.4f} and so on", file=out)
    for rank in range(64):
        print(sys.argv[2].replace("rank3", f"rank{rank}"), file=out)
PY
run diagnose -f json -j 1 "$work/large.log"
cp "$out" "$work/one"
for threads in 2 5; do
    run diagnose -f json -j "$threads" "$work/large.log"
    cmp -s "$out" "$work/one" || wrong "a large log differs with $threads threads"
done
run scan -j 1 "$work/large.log"
cp "$out" "$work/one"
run scan -j 4 "$work/large.log"
cmp -s "$out" "$work/one" || wrong "scan differs with 4 threads"
[ "$(grep -c ':cuda-out-of-memory:\|:cuda-oom' "$out")" -ge 1 ] || grep -q 'CUDA out of memory' "$out" || wrong "scan lacks the fault"

# the locale and the time zone do not matter
run diagnose assets/demo
cp "$out" "$work/one"
TZ=Asia/Tokyo LC_ALL=C run diagnose assets/demo
cmp -s "$out" "$work/one" || wrong "locale or time zone matters"
env -i "$FAULTLINE" diagnose assets/demo >"$out" 2>/dev/null </dev/null
cmp -s "$out" "$work/one" || wrong "the environment matters (no HOME, no PATH, no TERM)"
finish
