#!/usr/bin/env bash
# The project's own labelled cases: every one must be right at its first diagnosis, and every log
# without a failure must get its verdict.
set -u
out=$("$FAULTLINE" kb score --misses tests/cases) || { echo "$out"; exit 1; }
echo "$out"
awk '$1 == "symptom@1" || $1 == "cause@1" || $1 == "rank@1" || $1 == "verdict" { split($3, n, "/"); if (n[1] < n[2]) bad = 1; seen++ } $1 == "false" { if ($3 > 0) bad = 1 }
     END { exit bad || seen < 4 }' <<<"$out"
