# One way through the screen in tmux: open the demo job, read the log, walk, look at the fix, leave.
set -u
FAULTLINE=${FAULTLINE:-$PWD/build/faultline}
if ! command -v tmux >/dev/null; then
    echo "skipped: there is no tmux here"
    exit 0
fi
bad=0
name=faultline-test-$$
mux() { tmux -L "$name" -f /dev/null "$@"; }
work=$(mktemp -d "${TMPDIR:-/tmp}/faultline-tui-XXXXXX")
trap 'mux kill-server 2>/dev/null; rm -rf "$work"' EXIT

screen() { mux capture-pane -p -t "$name"; }
# waits until the screen shows a text, at most 20 s
sees() {
    for _ in $(seq 200); do
        screen | grep -qF -- "$1" && return 0
        sleep 0.1
    done
    echo "the screen never shows '$1':"
    screen | sed 's/^/    |/'
    bad=1
    return 1
}
keys() { mux send-keys -t "$name" "$@"; }

export LC_ALL=C.UTF-8
mux new-session -d -s "$name" -x 80 -y 24 "COLUMNS=100000 '$FAULTLINE' assets/demo; echo \"status \$?\" >'$work/status'; sleep 30"
sees FAILED
sees "rank 2"
sees "rank2.log:20"
sees "Enter open"
keys Enter
sees "first fault:"
screen | grep -qE '^> +20 ! \[rank2\]' || { echo "the fault is not marked"; bad=1; }
keys a
sees "R4.5"
keys 1 # answers where there is a question
keys u
keys f
sees "1. "
sees "Enter copy"
keys '?'
sees everywhere
keys Escape
sees "Enter copy"
keys d
keys -l "$(printf '\033[4~')" # End, as PuTTY and tmux send it
sees "  read "
keys -l "$(printf '\033[1~')"
sees "FAILED"
mux resize-window -t "$name" -x 40 -y 10
sees "FAILED"
sees "q quit"
mux resize-window -t "$name" -x 80 -y 24
sees "rank2.log:20"
keys q
for _ in $(seq 100); do [ -s "$work/status" ] && break || sleep 0.1; done
[ "$(cat "$work/status" 2>/dev/null)" = "status 1" ] || { echo "it ends with $(cat "$work/status" 2>/dev/null)"; bad=1; }
# the report stays where the screen was, and says how to go on
sees "  run"
sees "faultline walk assets/demo"
exit $bad
