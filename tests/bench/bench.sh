#!/usr/bin/env bash
# Measures faultline against what people use instead, each in turn, and takes medians.
# usage: tests/bench/bench.sh BUILD_FOLDER     writes BUILD_FOLDER/bench.md and prints it
#   BENCH_FILES=64 BENCH_MB=16   the main set: files, and MB of each
#   BENCH_MANY=2048              files that hold as much in all
#   BENCH_ROUNDS=5               rounds of which the median counts
#   BENCH_RG_KB=1000             what rg gets: with all expressions it needs many seconds a MB
#   BENCH_RG_ROUNDS=1            rounds that rg takes part in
set -eu
export LC_ALL=C
build=$1
files=${BENCH_FILES:-64} mb=${BENCH_MB:-16} many=${BENCH_MANY:-2048} rounds=${BENCH_ROUNDS:-5}
rg_kb=${BENCH_RG_KB:-1000} rg_rounds=${BENCH_RG_ROUNDS:-1}
many_kib=$((files * mb * 1024 / many))
work=$build/bench
table=$build/bench.md
faultline=$build/faultline
mkdir -p "$work"

compile() { # compile NAME FLAGS...: tests/bench/NAME.c to $work/NAME
    local name=$1
    shift
    # shellcheck disable=SC2086
    ${CC:-cc} -std=c11 -D_GNU_SOURCE -O2 -Isrc -I. "tests/bench/$name.c" -o "$work/$name" "$@"
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
compile screen -lutil
libs=$(pkg-config --libs libpcre2-8 sqlite3 libcjson expat yaml-0.1 libarchive | sed 's/-lcurl//')
# shellcheck disable=SC2086
compile bench_scan "$build/obj/src/world/embed.o" "$build/libcore.a" $libs -lm -ldl -pthread
make_set main --files "$files" --mb "$mb"
make_set many --files "$many" --kib "$many_kib"
make_set hits --files "$files" --mb "$mb" --density 0.01
make_set traces --files 16 --mb 8 --style traceback
if [ ! -e "$work/one.log" ] || [ "$work/main.made" -nt "$work/one.log" ]; then
    cat "$work"/main/*.log >"$work/one.log"
    head -c 134217728 "$work/one.log" >"$work/packed.log"
    gzip -kf "$work/packed.log"
    if command -v zstd >/dev/null; then zstd -qkf "$work/packed.log"; fi
fi
echo 'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB.' >"$work/line.log"
# rg --no-unicode wants bytes beyond ASCII as \xHH
"$faultline" kb list --regex | perl -pe 's/([\x80-\xff])/sprintf "\\x%02x", ord $1/ge' >"$work/regexes"
head -c "${rg_kb}000" "$work/one.log" >"$work/rg.log"

run() { # run KEY COMMAND...: one more measurement of KEY; what it reads is in memory
    local key=$1 word paths=()
    shift
    for word in "$@"; do
        if [ "${word#"$work"/}" != "$word" ]; then paths+=("$word"); fi
    done
    [ ${#paths[@]} -eq 0 ] || find "${paths[@]}" -type f -exec cat {} + >/dev/null
    "$work/measure" "$@" >>"$work/$key.times" 2>>"$work/errors"
}
median() { # median KEY COLUMN
    sort -g -k "$2,$2" "$work/$1.times" | awk -v c="$2" '{v[NR]=$c} END {print v[int((NR+1)/2)]}'
}
bytes() { cat "$@" | wc -c; }
rm -f "$work"/*.times "$work/errors"
for ((i = 1; i <= rounds; i++)); do
    for threads in 1 2; do
        run "diagnose$threads" "$faultline" diagnose --format json --threads $threads "$work/main"
        run "scan$threads" "$faultline" scan --count --threads $threads "$work/main"
        run "one$threads" "$faultline" diagnose --format json --threads $threads "$work/one.log"
        run "many$threads" "$faultline" diagnose --format json --threads $threads "$work/many"
        run "read$threads" "$work/read_loop" "$work"/main/*.log
        run "readmany$threads" "$work/read_loop" "$work"/many/*.log
        run "wc$threads" wc -l "$work"/main/*.log
    done
    run hits "$faultline" diagnose --format json --threads 1 "$work/hits"
    run traces "$faultline" diagnose --format json --threads 1 "$work/traces"
    for _ in 1 2 3; do # a tenth of a second and less: what else the machine does weighs more
        run gz "$faultline" diagnose --format json "$work/packed.log.gz"
        run gzip gzip -dc "$work/packed.log.gz"
        if [ -e "$work/packed.log.zst" ]; then
            run zst "$faultline" diagnose --format json "$work/packed.log.zst"
            run zstd zstd -qdc "$work/packed.log.zst"
        fi
        run line "$faultline" diagnose --format json "$work/line.log"
        run version "$faultline" --version
    done
    if [ "$i" -le "$rg_rounds" ] && command -v rg >/dev/null; then
        run rg rg -c -j1 --no-unicode --regex-size-limit 4G --dfa-size-limit 1G -f "$work/regexes" "$work/rg.log"
        if [ "$(awk 'END {print $4}' "$work/rg.times")" = 2 ]; then rm "$work/rg.times"; fi # it refused an expression
    fi
    printf 'round %d of %d\n' "$i" "$rounds" >&2
done

main_bytes=$(bytes "$work"/main/*.log)
rate() { # rate KEY BYTES: MB a second
    if [ -s "$work/$1.times" ]; then awk -v b="$2" -v s="$(median "$1" 1)" 'BEGIN {print b / 1e6 / s}'; else echo 0; fi
}
rg_rate=$(rate rg "$(bytes "$work/rg.log")")
read_rate=$(rate read1 "$main_bytes")
row() { # row KEY BYTES WHAT
    [ -s "$work/$1.times" ] || return 0
    awk -v what="$3" -v b="$2" -v s="$(median "$1" 1)" -v cpu="$(median "$1" 2)" -v m="$(median "$1" 3)" -v rg="$rg_rate" \
        -v loop="$read_rate" 'BEGIN {r = b / 1e6 / s; few = b < 1e5 && what !~ /^rg/
         printf "| %s | %.4g | %.3f | %.3f | %s | %s | %s | %d |\n", what, few ? 0 : b / 1e6, s, cpu, (few ? "-" : sprintf("%.4g", r)),
                (rg > 0 && !few ? sprintf("%.0f", r / rg) : "-"), (few ? "-" : sprintf("%.0f %%", 100 * r / loop)), m}'
}
cpu() { median "$1" 2; }
# What a second of `diagnose --threads 1` goes into: the rest are candidates' lines, facts, thinking.
stages() {
    local rate
    rate=$(sed -n 's/.*scan \([0-9.]*\);.*/\1/p' "$work/scan.txt" | tail -n 1)
    awk -v all="$(cpu diagnose1)" -v start="$(cpu line)" -v read="$(cpu read1)" -v b="$main_bytes" -v rate="$rate" 'BEGIN {
        scan = b / 1e9 / rate
        printf "\nOf the %.2f s CPU of diagnose --threads 1: start-up and thinking %.0f %%, read() %.0f %%, the scan %.0f %%, the lines that it offers %.0f %%.\n",
            all, 100 * start / all, 100 * read / all, 100 * scan / all, 100 * (all - start - read - scan) / all }'
}
times_of() { awk -v a="$(median "$1" "$3")" -v b="$(median "$2" "$3")" 'BEGIN {printf "%.2f", a / b}'; } # times_of KEY KEY COLUMN
# What each ratio comes to, and what holds it there.
bounds() {
    printf '\nBounds: a read() loop alone takes %s of the CPU time of scan --count, ' "$(times_of read1 scan1 2)"
    printf 'gzip -dc and zstd -dc %s and %s of the wall time of diagnose of what they unpack' "$(times_of gzip gz 1)" \
        "$([ -s "$work/zstd.times" ] && times_of zstd zst 1 || echo -)"
    printf '; of as much in %d files and in %d the CPU time is %s times with one thread, %s times with two, %s times for the read() loop' \
        "$many" "$files" "$(times_of many1 diagnose1 2)" "$(times_of many2 diagnose2 2)" "$(times_of readmany1 read1 2)"
    awk -v h="$(cpu hits)" -v hb="$(bytes "$work"/hits/*.log)" -v d="$(cpu diagnose1)" -v b="$main_bytes" \
        'BEGIN {printf "; a log of one failure in 100 lines takes %.2f times the CPU time a byte: each failure is located, tried and counted.\n", h / hb / (d / b)}'
}
{
    printf '%d files of %d MB, page cache warm, %s, %d cores, %s signals; medians of %d rounds in turn (rg: %d, on %s kB of them).\n\n' \
        "$files" "$mb" "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1)" "$(nproc)" "$(wc -l <"$work/regexes")" \
        "$rounds" "$rg_rounds" "$rg_kb"
    printf 'CPU features used: %s.\n\n' "$(sed -n 's/^\(flags\|Features\)[^:]*: //p' /proc/cpuinfo | head -n 1 | tr ' ' '\n' |
        grep -xE 'avx2|popcnt|avx512(f|bw|_?vbmi)|asimd' | paste -sd ' ')"
    echo '| what | MB | wall s | CPU s | MB/s | times rg | of a read() loop | peak MiB |'
    echo '|---|---|---|---|---|---|---|---|'
    for threads in 1 2; do
        row "diagnose$threads" "$main_bytes" "diagnose --format json --threads $threads"
        row "scan$threads" "$main_bytes" "scan --count --threads $threads"
        row "one$threads" "$(bytes "$work/one.log")" "diagnose --threads $threads, all in one file"
        row "many$threads" "$(bytes "$work"/many/*.log)" "diagnose --threads $threads, as much in $many files of $many_kib KiB"
    done
    row hits "$(bytes "$work"/hits/*.log)" 'diagnose, one line in 100 a failure, 1 thread'
    row traces "$(bytes "$work"/traces/*.log)" 'diagnose, nothing but tracebacks, 1 thread'
    row gz "$(bytes "$work/packed.log")" 'diagnose of .gz'
    row gzip "$(bytes "$work/packed.log")" 'gzip -dc'
    row zst "$(bytes "$work/packed.log")" 'diagnose of .zst'
    row zstd "$(bytes "$work/packed.log")" 'zstd -dc'
    row rg "$(bytes "$work/rg.log")" 'rg -c -j1 --no-unicode -f (the same expressions)'
    row wc1 "$main_bytes" 'wc -l'
    row read1 "$main_bytes" 'read() 1 MB and count line feeds'
    row readmany1 "$(bytes "$work"/many/*.log)" "the same of $many files"
    row line "$(bytes "$work/line.log")" 'diagnose of one line'
    row version 0 '--version'
    printf '\nThe screen on a terminal of its own while it reads the same files (ms): '
    "$work/screen" "$faultline" "$work/main" |
        awk '{printf "first paint %s; key to answer: median %s, 95th percentile %s, longest %s (%d keys)\n", $1, $2, $3, $4, $5}'
    printf '\nThe matcher alone, one thread (CPU time):\n\n```\n'
    "$work/bench_scan" "$work"/main/rank_000[0-7].log | tee "$work/scan.txt"
    printf '```\n'
    stages
    bounds
} | tee "$table"
[ ! -s "$work/errors" ] || cut -c1-300 "$work/errors" | tail -n 5 | sed 's/^/error: /' >&2
