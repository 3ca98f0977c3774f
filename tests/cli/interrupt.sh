#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Ctrl-C in the middle: the run ends, its results so far are written whole and marked, the exit status
# says so; a second one kills and leaves the old results as they were.
set -euo pipefail
# shellcheck source=tests/cli/_cli.sh
. "$(dirname "${BASH_SOURCE[0]}")/_cli.sh"

# Some minutes of work unless it is stopped.
cat >long.yaml <<'END'
squall: 1
fabric: {topology: {kind: star, hosts: 8}}
workload: [{pattern: incast, senders: 7, receiver: 0, message: 1MB, repeat: 100000}]
END

# interrupted SIGNAL STATUS ARGUMENT...: starts a run, signals it once it is under way.
interrupted() {
	local signal=$1 want=$2 status=0 pid
	shift 2
	last="$signal $*"
	"$SQUALL_BIN" run long.yaml --out out "$@" >stdout 2>stderr &
	pid=$!
	sleep 1
	kill -"$signal" "$pid"
	wait "$pid" || status=$?
	((status == want)) || fail "$last: exit $status, expected $want"
	[[ -z $(find out -name '*.tmp' 2>/dev/null) ]] || fail "$last: temporary files left"
}

for signal in INT TERM; do
	for threads in 1 2; do
		rm -rf out
		interrupted "$signal" 3 --quiet --threads "$threads"
		grep -q '^squall: interrupted' stderr || fail "$last: stderr does not say it: $(cat stderr)"
		python3 - <<'END' || fail "$last: summary.json is not marked"
import csv, json
s = json.load(open("out/summary.json"))
assert "interrupted" in s["tainted"], s["tainted"]
json.load(open("out/run.json"))
rows = list(csv.DictReader(open("out/messages.csv")))
assert len(rows) == s["messages"]["started"], len(rows)
assert s["sim"]["packet_hops"] > 0
END
	done
done

# 3 too when an expectation does not hold on what there is: it is not judged.
for expect in 'messages.completed > 1e9' 'messages.completed > 0'; do
	interrupted INT 3 --set "expect=[\"$expect\"]"
	grep -q "not judged  *$expect" stdout || fail "$last: the table does not say it: $(tail -n 5 stdout)"
	grep -q 'do not hold' stderr && fail "$last: judged"
	python3 -c 'import json; x = json.load(open("out/summary.json"))["expect"]; assert x[0]["holds"] is None, x' ||
		fail "$last: judged in summary.json"
done

# What messages that never finish would take alone is no work: not at a rate whose picoseconds per
# byte are no whole number, not in packets of one byte.
cat >vast.yaml <<'END'
squall: 1
stop: {after: 10us}
fabric: {topology: {kind: leaf-spine, hosts: 64, leaves: 4, spines: 4}, host_link: {rate: 120Gbps}}
workload: [{pattern: all-to-all, message: 1GB}]
END
timeout -s KILL 20 "$SQUALL_BIN" run vast.yaml --quiet --out vast 2>stderr || fail "unfinished messages at 120Gbps: $?"
timeout -s KILL 20 "$SQUALL_BIN" run vast.yaml --quiet --out vast --set fabric.host_link.rate=100Gbps \
	--set fabric.path_mtu=1 --set 'workload[0].message=1MB' 2>stderr || fail "unfinished messages of tiny packets: $?"

# Twice: dead by the signal, or ended properly if it was that quick; never half-written.
rm -rf out
"$SQUALL_BIN" run long.yaml --out out --quiet >stdout 2>stderr &
pid=$!
sleep 1
kill -INT "$pid"
kill -INT "$pid" 2>/dev/null || true
status=0
wait "$pid" || status=$?
((status == 130 || status == 3)) || fail "twice: exit $status"
if [[ -e out/summary.json ]]; then
	python3 -c 'import json; json.load(open("out/summary.json"))' || fail "twice: half-written"
fi
finish
