#!/usr/bin/env bash
# Measures faultline against what people use instead, each in turn, and takes medians.
# usage: tests/bench/bench.sh BUILD_FOLDER     writes BUILD_FOLDER/bench.md and prints it
#   BENCH_FILES=64 BENCH_MB=16   the main set: files, and MB of each
#   BENCH_ROUNDS=5               rounds of which the median counts
#   BENCH_RG_FILES=2             files that rg gets: with a thousand expressions it needs minutes a GB
#   BENCH_RG_ROUNDS=3            rounds that rg takes part in
set -eu
export LC_ALL=C
build=$1
files=${BENCH_FILES:-64} mb=${BENCH_MB:-16} rounds=${BENCH_ROUNDS:-5}
rg_files=${BENCH_RG_FILES:-2} rg_rounds=${BENCH_RG_ROUNDS:-3}
work=$build/bench
table=$build/bench.md
faultline=$build/faultline
mkdir -p "$work"

compile() { # compile NAME FLAGS...: tests/bench/NAME.c to $work/NAME
    local name=$1
    shift
    "${CC:-cc}" -std=c11 -D_GNU_SOURCE -O2 -Isrc -I. "tests/bench/$name.c" -o "$work/$name" "$@"
}
make_set() { # make_set NAME ARGUMENTS...: made once for the same arguments
    local name=$1
    shift
    if [ "$(cat "$work/$name.made" 2>/dev/null)" != "$*" ]; then
        rm -rf "${work:?}/$name"
        "$work/gen_logs" "$work/$name" "$@"
        echo "$*" >"$work/$name.made"
    fi
}
compile gen_logs -lm
compile measure
compile read_loop
libs=$(pkg-config --libs libpcre2-8 sqlite3 libcjson expat yaml-0.1 libarchive libcurl)
# shellcheck disable=SC2086
compile bench_scan "$build/obj/src/world/embed.o" "$build/libcore.a" $libs -lm -pthread
make_set main --files "$files" --mb "$mb"
make_set hits --files 16 --mb 8 --density 0.01
make_set traces --files 16 --mb 8 --style traceback
if [ ! -e "$work/one.log" ] || [ "$work/main.made" -nt "$work/one.log" ]; then cat "$work"/main/*.log >"$work/one.log"; fi
echo 'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB.' >"$work/line.log"
# rg --no-unicode wants bytes beyond ASCII as \xHH inside (?i:...)
"$faultline" kb list --regex | perl -pe 's/([\x80-\xff])/sprintf "\\x%02x", ord $1/ge' >"$work/regexes"

run() { # run KEY COMMAND...: one more measurement of KEY
    local key=$1
    shift
    "$work/measure" "$@" >>"$work/$key.times" 2>>"$work/errors"
}
median() { # median KEY COLUMN
    sort -g -k "$2,$2" "$work/$1.times" | awk -v c="$2" '{v[NR]=$c} END {print v[int((NR+1)/2)]}'
}
bytes() { cat "$@" | wc -c; }
rg_set=$(ls "$work"/main/*.log | head -n "$rg_files")
rg() { # rg KEY FILES...
    local key=$1
    shift
    run "$key" rg -c --no-unicode --regex-size-limit 4G --dfa-size-limit 1G -f "$work/regexes" "$@"
    if [ "$(awk 'END {print $4}' "$work/$key.times")" = 2 ]; then # it refused an expression: no measurement
        rm "$work/$key.times"
    fi
}
rm -f "$work"/*.times "$work/errors"
cat "$work"/main/*.log "$work"/hits/*.log "$work"/traces/*.log >/dev/null # into the page cache
for ((i = 1; i <= rounds; i++)); do
    run diagnose "$faultline" diagnose --format json "$work/main"
    run scan "$faultline" scan --count "$work/main"
    run diagnose1 "$faultline" diagnose --format json --threads 1 "$work/main"
    run one "$faultline" diagnose --format json "$work/one.log"
    run wc wc -l "$work"/main/*.log
    run read "$work/read_loop" "$work"/main/*.log
    run start "$faultline" diagnose --format json "$work/line.log"
    run hits "$faultline" diagnose --format json "$work/hits"
    run traces "$faultline" diagnose --format json "$work/traces"
    if [ "$i" -le "$rg_rounds" ] && command -v rg >/dev/null; then
        # shellcheck disable=SC2086
        rg rg $rg_set
    fi
    printf 'round %d of %d\n' "$i" "$rounds" >&2
done

main_bytes=$(bytes "$work"/main/*.log)
# shellcheck disable=SC2086
rg_bytes=$(bytes $rg_set)
rg_rate=0
[ -s "$work/rg.times" ] && rg_rate=$(awk -v b="$rg_bytes" -v s="$(median rg 1)" 'BEGIN {print b / 1e6 / s}')
row() { # row KEY BYTES WHAT
    [ -s "$work/$1.times" ] || return 0
    awk -v what="$3" -v b="$2" -v s="$(median "$1" 1)" -v cpu="$(median "$1" 2)" -v m="$(median "$1" 3)" -v rg="$rg_rate" \
        'BEGIN {printf "| %s | %.0f | %.3f | %.3f | %.4g | %s | %d |\n", what, b / 1e6, s, cpu, b / 1e6 / s,
                (rg > 0 ? sprintf("%.1f", b / 1e6 / s / rg) : "-"), m}'
}
{
    printf 'Logs of %d ranks, %d MB each, page cache warm, %d cores, %s signals; medians of %d rounds (rg: %d) run in turn.\n\n' \
        "$files" "$mb" "$(nproc)" "$(wc -l <"$work/regexes")" "$rounds" "$rg_rounds"
    echo '| what | MB | wall s | CPU s | MB/s | times rg | peak MiB |'
    echo '|---|---|---|---|---|---|---|'
    row diagnose "$main_bytes" 'faultline diagnose --format json'
    row scan "$main_bytes" 'faultline scan --count'
    row diagnose1 "$main_bytes" 'diagnose, one thread'
    row one "$(bytes "$work/one.log")" 'diagnose, all in one file'
    row hits "$(bytes "$work"/hits/*.log)" 'diagnose, one line in 100 a failure'
    row traces "$(bytes "$work"/traces/*.log)" 'diagnose, nothing but tracebacks'
    row rg "$rg_bytes" 'rg -c --no-unicode -f (the same expressions)'
    row wc "$main_bytes" 'wc -l'
    row read "$main_bytes" 'read() and count line feeds'
    row start "$(bytes "$work/line.log")" 'diagnose of one line'
    printf '\nThe matcher alone, one thread (CPU time):\n\n```\n'
    "$work/bench_scan" "$work"/main/rank_000[0-7].log
    printf '```\n'
} | tee "$table"
[ ! -s "$work/errors" ] || cut -c1-300 "$work/errors" | tail -n 5 | sed 's/^/error: /' >&2
