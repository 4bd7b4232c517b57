# Who leaves the screen while the machine is being asked waits for no probe: with an nvidia-smi that hangs, in tmux.
set -u
FAULTLINE=${FAULTLINE:-$PWD/build/faultline}
if ! command -v tmux >/dev/null; then
    echo "skipped: there is no tmux here"
    exit 0
fi
name=faultline-leave-$$
mux() { tmux -L "$name" -f /dev/null "$@"; }
work=$(mktemp -d "${TMPDIR:-/tmp}/faultline-tui-XXXXXX")
trap 'mux kill-server 2>/dev/null; rm -rf "$work"' EXIT
printf '#!/bin/sh\necho $$ >>"%s/pids"\nexec sleep 60\n' "$work" >"$work/nvidia-smi"
chmod +x "$work/nvidia-smi"

export LC_ALL=C.UTF-8
mux new-session -d -s "$name" -x 80 -y 24 \
    "PATH='$work':\$PATH '$FAULTLINE' assets/demo; echo \"status \$?\" >'$work/status'; sleep 30"
for _ in $(seq 200); do
    mux capture-pane -p -t "$name" | grep -q FAILED && break
    sleep 0.1
done
mux send-keys -t "$name" m
sleep 0.3
mux send-keys -t "$name" P
for _ in $(seq 200); do
    [ -s "$work/pids" ] && break
    sleep 0.1
done
begun=$(date +%s%N)
mux send-keys -t "$name" q
for _ in $(seq 100); do
    [ -e "$work/status" ] && break
    sleep 0.05
done
took=$((($(date +%s%N) - begun) / 1000000))
[ -e "$work/status" ] || { echo "the screen is not left within 5 s"; exit 1; }
[ "$took" -lt 3000 ] || { echo "leaving took $took ms"; exit 1; }
sleep 0.2
[ -s "$work/pids" ] || { echo "nvidia-smi was not asked"; exit 1; }
for pid in $(cat "$work/pids"); do
    if kill -0 "$pid" 2>/dev/null; then echo "a probe was left behind"; exit 1; fi
done
echo "left after $took ms"
