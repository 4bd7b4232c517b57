#!/usr/bin/env bash
# Lengths: functions are about 40 lines at the 90th percentile, files about 500.  Offenders are named.
# A function of this layout starts at column 0 and ends with "}" at column 0.
set -u
bad=0
for file in src/*/*.[ch] ui/*.[ch]; do
    lines=$(wc -l <"$file")
    if [ "$lines" -gt 600 ]; then
        echo "$file: $lines lines: more than one subject?"
        bad=1
    fi
done
lengths=$(awk 'FNR == 1 { open = 0 }
    /^[a-z_].*\) \{$/ { open = FNR; name = $0 }
    /^    .*\) \{$/ && !open && prev ~ /^[a-z]/ { open = FNR - 1; name = prev }
    /^}/ { if (open) print FNR - open, FILENAME ":" open; open = 0 }
    { prev = $0 }' src/*/*.c ui/*.c | sort -n)
p90=$(awk '{ v[NR] = $1 } END { print v[int(NR * 0.9)] }' <<<"$lengths")
echo "functions: $(wc -l <<<"$lengths"), 90th percentile $p90 lines, longest: $(tail -n 1 <<<"$lengths")"
[ "$p90" -le 40 ] || bad=1
while read -r length where; do
    [ "$length" -le 90 ] || { echo "$where: a function of $length lines"; bad=1; }
done <<<"$lengths"
exit $bad
