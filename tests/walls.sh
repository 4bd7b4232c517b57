#!/usr/bin/env bash
# The three walls: floors (includes point down), a pure heart, a screen that is only a face; and who may know which
# library.  usage: tests/walls.sh BUILD_FOLDER
set -u
build=${1:-build}
bad=0
complain() { echo "$*"; bad=1; }

# 1. Floors: a folder includes itself and lower floors only.
declare -A floor=([base]=1 [model]=2 [text]=3 [match]=4 [facts]=5 [think]=6 [report]=7 [input]=8 [world]=9 [compile]=10 [app]=11 [ui]=12)
for file in src/*/*.[ch] ui/*.[ch]; do
    from=$(basename "$(dirname "$file")")
    while read -r to; do
        [ -n "${floor[$to]:-}" ] || { complain "$file includes from an unknown floor: $to"; continue; }
        [ "$to" = "$from" ] || [ "${floor[$to]}" -lt "${floor[$from]}" ] || complain "$file ($from) includes $to: upward"
    done < <(sed -n 's|^#include "\([a-z]*\)/.*"|\1|p' "$file")
done

# 2. Each library has one home.
home() { # home PATTERN FILE-REGEX...
    local pattern=$1 allowed=$2
    while IFS=: read -r file _; do
        [[ $file =~ $allowed ]] || complain "$file includes <$pattern>; its home is $allowed"
    done < <(grep -lE "^#include <$pattern" -r src ui)
}
home 'pcre2\.h|pcre2' '^src/match/'
home 'sqlite3' '^src/world/image'
home 'cJSON|cjson' '^src/base/json'
home 'yaml' '^src/compile/'
home 'expat' '^src/facts/'
home 'archive' '^src/input/archive'
home 'zstd' '^src/input/unzstd'
home 'dlfcn' '^src/base/library'
home 'curl' '^src/world/net'
home '(ncurses|curses|term)\.h' '^ui/term'

# 3. Nothing but app and ui prints; the unbounded string functions are banned.
for file in src/{base,model,text,match,facts,think,report,input,world,compile}/*.c; do
    case $file in src/compile/kbc_main.c | src/base/arena.c) continue ;; esac
    grep -nE '\b(printf|puts|putchar|perror)\(|\bf(printf|puts|putc)\((stdout|stderr)' "$file" |
        grep -vE '(buf|arena|sn|vsn|err)_?printf' && complain "$file prints"
done
grep -nE '\b(strcpy|strcat|sprintf|vsprintf|strtok|gets|atoi|atol|atof)\(' -r src ui --include='*.[ch]' && complain "banned functions"

# 4. think is pure: no writable data, and only an allow-list of outside symbols.
allowed='^(mem(cpy|move|set|cmp|chr|mem)|str(len|chr|cmp|ncmp)|qsort|abs|pow|log2|log10|log|exp|fabs|lround|round|sqrt|__stack_chk_fail|__isoc99_.*|arena_.*|str_.*|job_(number|name).*|vec_room|version_cmp|kb_.*|stage_.*|role_names|where_names|level_names|evidence_.*|rank_set_.*|leanings_(begin|add)|[a-z]+_names)$'
objects=$(ls "$build"/obj/src/think/*.o 2>/dev/null)
[ -n "$objects" ] || complain "no objects of think in $build"
if ! grep -q -e asan -e tsan <<<"$build"; then
    own=$(nm --defined-only $objects | awk 'NF == 3 { print $3 }')
    for symbol in $(nm -u $objects | awk '{ print $NF }' | grep -v ':$' | sort -u); do
        grep -qxF "$symbol" <<<"$own" || [[ $symbol =~ $allowed ]] || complain "think calls $symbol"
    done
    nm $objects | awk '$2 ~ /^[bBdDcC]$/ { print $3 }' | grep . && complain "think has writable data"
    for object in "$build"/obj/src/*/*.o; do
        nm -u "$object" | grep -qE ' (initscr|newterm|wrefresh|mvwadd)' && complain "$object knows ncurses"
    done
fi
exit $bad
