#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Ctrl-C while a capture is read: nobody takes the part for the whole.
set -euo pipefail
# shellcheck source=tests/cli/_cli.sh
. "$(dirname "${BASH_SOURCE[0]}")/_cli.sh"

run 0 run incast-8 --quiet --no-report --capture host0 --snap 96 --out o
whole=o/capture.pcapng
mkfifo pipe

# interrupted SIGNAL ARGUMENT...: reads standard input, which has most of a capture and does not end.
interrupted() {
	local signal=$1 pid status=0
	shift
	last="$signal $*"
	"$SQUALL_BIN" "$@" <pipe >stdout 2>stderr &
	pid=$!
	exec 7>pipe
	head -c 300005 "$whole" >&7
	sleep 0.4
	kill -"$signal" $pid
	wait $pid || status=$?
	exec 7>&-
	((status == 3)) || fail "$last: exit $status, expected 3: $(cat stderr)"
	grep -q '^squall: interrupted' stderr || fail "$last: stderr does not say it: $(cat stderr)"
	[[ -z $(find . -name '*.tmp') ]] || fail "$last: temporary files left"
}

for signal in INT TERM; do
	interrupted $signal rewrite - out.pcapng --map 10.0.0.0/8=11.0.0.0
	[[ ! -e out.pcapng ]] || fail "$last: half a capture looks whole"
	echo before >kept.pcapng
	interrupted $signal rewrite - kept.pcapng --map 10.0.0.0/8=11.0.0.0
	[[ $(<kept.pcapng) == before ]] || fail "$last: what was there is gone"

	interrupted $signal capture -r - -w part.pcapng --quiet
	grep -qE 'part.pcapng is partial, stopped after [0-9]+ bytes of -' stderr || fail "$last: $(cat stderr)"
	run 0 analyze part.pcapng --json --quiet
	python3 -c 'import json, sys; d = json.load(open("stdout")); sys.exit(d["frames"] < 1000 or d["files"][0]["cut"] or d["stopped"])' ||
		fail "$last: what was read is not there"
	rm part.pcapng

	interrupted $signal analyze - --json --quiet
	python3 -c 'import json, sys; d = json.load(open("stdout")); sys.exit(d["frames"] < 1000 or d["stopped"] is not True)' ||
		fail "$last: the document does not say it"
done

# A FIFO that nobody opens for writing.
for command in "analyze nobody" "capture -r nobody -w x.pcapng" "rewrite nobody x.pcapng --snap 64"; do
	for signal in INT TERM; do
		last="$signal $command"
		[[ -p nobody ]] || mkfifo nobody
		# shellcheck disable=SC2086
		"$SQUALL_BIN" $command >stdout 2>stderr &
		pid=$!
		sleep 0.4
		kill -$signal $pid 2>/dev/null || fail "$last: it did not wait: $(cat stderr)"
		for _ in {1..60}; do
			kill -0 $pid 2>/dev/null || break
			sleep 0.05
		done
		if kill -KILL $pid 2>/dev/null; then fail "$last: still there 3 s later"; fi
		status=0
		wait $pid || status=$?
		((status == 3)) || fail "$last: exit $status: $(cat stderr)"
	done
done
[[ ! -e x.pcapng ]] || fail "a file was made of nothing"

# A FIFO with a writer, who comes late, is read to its end.
"$SQUALL_BIN" analyze nobody --json --quiet -o fifo.json &
pid=$!
sleep 0.3
cat "$whole" >nobody
wait $pid || fail "a late writer: exit $?"
run 0 analyze "$whole" --json --quiet
python3 -c 'import json; a, b = json.load(open("fifo.json")), json.load(open("stdout")); assert a["frames"] == b["frames"] and a["flows"] == b["flows"]' ||
	fail "a FIFO and a file differ"

# What is read twice is no FIFO.
timeout 5 "$SQUALL_BIN" rewrite -a nobody x.pcapng 2>stderr && fail "a FIFO is rewritten with other PSNs"
last="rewrite -a FIFO"
one_error "nobody: .*cannot be read twice"
finish
