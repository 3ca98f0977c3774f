#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Captures that are still being written: a pipe that falls silent and a file that grows. What was handed over is
# analysed or copied, and Ctrl-C ends the waiting.
set -euo pipefail
# shellcheck source=tests/cli/_cli.sh
. "$(dirname "${BASH_SOURCE[0]}")/_cli.sh"

run 0 run incast-8 --quiet --no-report --capture host0 --snap 96 --out o
whole=o/capture.pcapng
size=$(stat -c %s "$whole")
run 0 analyze "$whole" --quiet --json -o whole.json
frames=$(python3 -c 'import json; print(json.load(open("whole.json"))["frames"])')

# ends PID SECONDS: it has ended by itself by then.
ends() {
	for ((i = 0; i < $2 * 20; i++)); do
		kill -0 "$1" 2>/dev/null || return 0
		sleep 0.05
	done
	kill -KILL "$1"
	fail "$last: still there $2 s after SIGINT"
}

# frames_of FILE: in the JSON, which says that it was stopped.
frames_of() {
	python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); assert d["stopped"] is True and not d["files"][0]["error"], d["files"]; print(d["frames"])' "$1"
}

# A pipe that holds most of the capture, cut within a packet, and stays open.
mkfifo pipe
for threads in 1 3; do
	last="analyze - with $threads threads"
	part=$((size * 3 / 4 + 5))
	head -c $part "$whole" >part.pcapng
	run 0 analyze part.pcapng --quiet --json -o part.json
	expected=$(python3 -c 'import json; d = json.load(open("part.json")); print(d["frames"])')
	"$SQUALL_BIN" analyze - --threads $threads --json -o pipe.json --quiet <pipe 2>stderr &
	pid=$!
	exec 7>pipe
	cat part.pcapng >&7
	sleep 0.5
	kill -INT $pid
	ends $pid 5
	status=0
	wait $pid || status=$?
	((status == 3)) || fail "$last: exit $status: $(cat stderr)"
	exec 7>&-
	((expected > 1000 && $(frames_of pipe.json) == expected)) || fail "$last: $(frames_of pipe.json) frames, $expected were handed over"
done

# A file that grows in parts of any length.
grow() {
	local at=0 step
	for step in 13 1000 200003 1 100000 $size; do
		dd if="$whole" iflag=skip_bytes,count_bytes bs=64K skip=$at count="$step" status=none >>"$1"
		at=$((at + step))
		sleep 0.1
	done
}
for coding in plain gzip; do
	last="analyze --follow, $coding"
	: >growing
	"$SQUALL_BIN" analyze growing --follow --json -o growing.json --quiet 2>stderr &
	pid=$!
	if [[ $coding == plain ]]; then
		grow growing
	else
		gzip -c "$whole" >whole.gz
		head -c 3001 whole.gz >>growing
		sleep 0.2
		tail -c +3002 whole.gz >>growing
	fi
	sleep 0.6
	kill -INT $pid
	ends $pid 5
	wait $pid || fail "$last: exit $?: $(cat stderr)"
	(($(frames_of growing.json) == frames)) || fail "$last: $(frames_of growing.json) of $frames frames"
done
python3 - <<'END' || fail "followed and whole differ: see above"
import json
a, b = json.load(open("whole.json")), json.load(open("growing.json"))
for key in "roce", "flows", "matrix", "loop", "pfc":
    assert a.get(key) == b.get(key), key
END

# Each packet of a growing file is copied as it comes: --count ends without a signal.
last="capture -r --follow"
: >growing
"$SQUALL_BIN" analyze - --json -o copied.json --quiet <pipe &
reader=$!
"$SQUALL_BIN" capture -r growing --follow -w - >pipe 2>stderr &
pid=$!
grow growing
sleep 0.4
kill -INT $pid || fail "$last: it did not wait"
ends $pid 5
wait $pid || fail "$last: exit $?: $(cat stderr)"
wait $reader || fail "$last: the reader of its output: exit $?"
python3 -c 'import json, sys; d = json.load(open("copied.json")); assert d["frames"] == int(sys.argv[1]), d["frames"]' "$frames" || fail "$last: not all was copied"
: >growing
"$SQUALL_BIN" capture -r growing --follow --count 100 -w first.pcapng --quiet &
pid=$!
grow growing
ends $pid 5
wait $pid || fail "$last --count: exit $?"
run 0 analyze first.pcapng --quiet --json -o first.json
grep -q '"frames": 100,' first.json || fail "$last --count: not 100 packets"

run 2 analyze "$whole" "$whole" --follow
one_error "--follow goes with one file"
run 2 analyze -i lo --follow
one_error "--follow"
run 2 capture -i lo --follow
one_error "--follow goes with -r"
finish
