#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# An import that fails, and a command that is killed at any moment, leave nothing behind and replace nothing.
set -euo pipefail
# shellcheck source=tests/cli/_cli.sh
. "$(dirname "${BASH_SOURCE[0]}")/_cli.sh"
data=$source_dir/tests/data/imports

# What cannot be a scenario is said at its place in the input.
printf 'num_ranks 2\nrank 0 {\nl1: send 1099511627777b to 1 tag 5\n}\nrank 1 {\nrecv 1099511627777b from 0 tag 5\n}\n' >big.goal
printf 'num_ranks 2\nrank 0 { calc 5000000000000000 }\n' >long.goal
printf 'num_ranks 3000\nrank 0 { send 5b to 2999 tag 1 }\nrank 2999 { recv 5b from 0 tag 1 }\n' >wide.goal
printf 'src,dst,bytes,start\n0,1,1KB,0\n1,65534,1KB,0\n' >wide.csv
printf '0,1,1099511627777,0\n' >big.csv
# refused PATTERN ARGUMENT...: with and without files in the way
refused() {
	local pattern=$1
	shift
	last="import $*"
	mkdir out
	run 2 import "$@" -o out/it.yaml
	one_error "^squall: [^ ]*$pattern"
	[[ -z $(ls out) ]] || fail "$last: left $(ls out)"
	for name in it.yaml it.goal it.csv; do
		echo mine >"out/$name"
	done
	cp -r out before
	run 2 import "$@" -o out/it.yaml --force
	one_error "^squall: [^ ]*$pattern"
	diff -r before out >diff.txt || fail "$last --force: $(cat diff.txt)"
	rm -r out before
}
refused 'big.goal:3:5: rank 0 sends 1099511627777 bytes' big.goal
refused 'long.goal:2:10: rank 0 calculates' long.goal
refused 'wide.goal: needs 3000 hosts' wide.goal
refused 'wide.csv:3:3: dst: host 65534' wide.csv
refused 'big.csv:1:5: bytes: ' big.csv
refused 'msccl-3.xml:5: rank 0 sends .*lower --buffer' "$data/msccl-3.xml" --buffer 9223372036854775807B
refused 'pingpong.goal: makes no scenario that can run: fabric.host_link.rate: ' "$data/pingpong.goal" --rate 99999999Gbps

# The files of a folder that is imported stay, whatever is asked for.
last="import into the folder that is imported"
mkdir peer
printf 'PACKET_PAYLOAD_SIZE 1000\nTOPOLOGY_FILE topology.txt\nFLOW_FILE flow.txt\nCC_MODE 1\nENABLE_QCN 1\n' >peer/config.txt
printf '3 1 2\n2\n0 2 100Gbps 0.001ms 0\n1 2 100Gbps 0.001ms 0\n' >peer/topology.txt
printf '1\n0 1 3 100 1000 2\n' >peer/flow.txt
cp -r peer before
run 2 import peer -o peer/it.yaml --force
one_error 'peer/'
diff -r before peer >diff.txt || fail "$last: $(cat diff.txt)"
rm -r before

# killed SECONDS SIGNAL ARGUMENT...: starts squall and sends it that signal, twice
killed() {
	local seconds=$1 signal=$2 pid
	shift 2
	last="$signal after $seconds s: $*"
	"$SQUALL_BIN" "$@" >stdout 2>stderr </dev/null &
	pid=$!
	sleep "$seconds"
	kill -"$signal" "$pid" 2>/dev/null || true
	kill -"$signal" "$pid" 2>/dev/null || true
	wait "$pid" 2>/dev/null || true
}

# An import of a large list: all of it or nothing.
awk 'BEGIN {for (i = 0; i < 400000; i++) print i % 64 "," (i + 1) % 64 ",1KB," i}' >large.csv
for signal in INT TERM KILL; do
	for seconds in 0.05 0.2 0.4; do
		rm -rf out
		mkdir out
		killed "$seconds" "$signal" import large.csv -o out/it.yaml --quiet
		case $(ls out | tr '\n' ' ') in
		"" | "it.csv it.yaml ") ;;
		*) fail "$last: left $(ls out | tr '\n' ' ')" ;;
		esac
	done
done

# A run: the old results or the new ones, and nothing beside them.
cat >s.yaml <<'END'
squall: 1
fabric: {topology: {kind: star, hosts: 8}}
workload: [{pattern: incast, senders: 7, receiver: 0, message: 1KB, repeat: 20000}]
measure: {messages: all}
END
run 0 run s.yaml --quiet --out results --set 'workload[0].repeat=1'
ls results >names
for signal in INT KILL; do
	for seconds in 0.2 0.4 0.5 0.6 0.8; do
		killed "$seconds" "$signal" run s.yaml --quiet --out results
		ls results | diff names - >diff.txt || fail "$last: $(cat diff.txt)"
		python3 - <<'END' || fail "$last: results of two runs"
import json
s = json.load(open("results/summary.json"))
rows = sum(1 for _ in open("results/messages.csv")) - 1
assert rows == s["messages"]["started"], (rows, s["messages"])
END
	done
done

# Messages that nobody can send end the run at the entry that posts them.
cat >fast.yaml <<'END'
squall: 1
stop: {after: 1ms}
fabric:
  topology: {kind: star, hosts: 2}
workload:
  - {pattern: ring, message: 1B, period: 1ps, repeat: 1000000000}
END
last="posted too fast"
run 2 run fast.yaml --quiet
one_error 'fast.yaml:6:5: workload\[0\]: at [0-9]* us host[01] has .* posts them faster than they can be sent'
finish
