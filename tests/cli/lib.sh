# What the scripts of tests/cli share; sourced, not run.  Every check names what is wrong; `finish` ends
# the script.  $FAULTLINE is the program; `work` a folder that goes when the script ends.
set -u
FAULTLINE=${FAULTLINE:-$PWD/build/faultline}
top=$PWD
bad=0
work=$(mktemp -d "${TMPDIR:-/tmp}/faultline-cli-XXXXXX")
trap 'chmod -R u+rwX "$work" 2>/dev/null; rm -rf "$work"' EXIT
unset NO_COLOR

wrong() { # wrong MESSAGE...
    echo "wrong: $*"
    bad=1
}

# run ARG...: runs the program; output in $out and $err (files), status in $status
out=$work/out err=$work/err
run() {
    "$FAULTLINE" "$@" >"$out" 2>"$err" </dev/null
    status=$?
}
# expect STATUS ARG...: run, and compare the status
expect() {
    local want=$1
    shift
    run "$@"
    [ "$status" -eq "$want" ] || wrong "status $status, not $want: faultline $*: $(head -c 300 "$err")"
}
says() { grep -qF -- "$1" "$out" || wrong "standard output lacks '$1': $(head -c 300 "$out")"; }
tells() { grep -qF -- "$1" "$err" || wrong "standard error lacks '$1': $(head -c 300 "$err")"; }
silent() { [ ! -s "$err" ] || wrong "standard error is not empty: $(head -c 300 "$err")"; }
# no control byte but LF and no broken UTF-8 in file $1; looked at when the script ends, all at once
tamed=0
mkdir "$work/tame"
tame() { # tame FILE NAME
    tamed=$((tamed + 1))
    cp "$1" "$work/tame/$tamed"
    printf '%s\n' "$2" >"$work/tame/$tamed.name"
}
finish() {
    [ "$tamed" -eq 0 ] || python3 - "$work/tame" <<'PY' || wrong "raw bytes come out"
import os, sys
bad = False
for name in sorted(n for n in os.listdir(sys.argv[1]) if not n.endswith(".name")):
    path = os.path.join(sys.argv[1], name)
    data, where = open(path, "rb").read(), open(path + ".name", errors="replace").read().strip()
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as e:
        print(f"not UTF-8: {where}: {e}")
        bad = True
        continue
    steer = [c for c in text if c != "\n" and (ord(c) < 32 or 0x7f <= ord(c) < 0xa0 or 0x202a <= ord(c) <= 0x202e)]
    if steer:
        print(f"control characters: {where}: {steer[:5]}")
        bad = True
sys.exit(bad)
PY
    exit $bad
}

oom='[rank3]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB. GPU 0 has a total capacity of 79.15 GiB of which 1.12 GiB is free.'
healthy='[2024-05-01 12:00:00,000] [INFO] [launch.py:351:main] Process 4711 exits successfully.'
# what only the fallback names: an exception that no entry can know
foreign='Traceback (most recent call last):
  File "/home/user/train.py", line 12, in <module>
    main()
  File "/home/user/train.py", line 8, in main
    model.frobnicate(batch)
frob.QuuxError: 3 quuxes are out of the question'
