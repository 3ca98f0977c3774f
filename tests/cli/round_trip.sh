#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Scenarios captured at every host, imported with their own fabric and run again: the same messages, and
# times, marks and pauses as before within 10 %. Times from the post (fct_us) count where no message had
# waited behind another one of its queue pair: for how long cannot be seen.
set -euo pipefail
# shellcheck source=tests/cli/_cli.sh
. "$(dirname "$0")/_cli.sh"

# round exact|close NAME OPTION...: exact: within 0.1 %, as stamps are whole nanoseconds.
round() {
	local exact=$1 name=$2
	shift 2
	"$SQUALL_BIN" run "$source_dir/scenarios/$name.yaml" "$@" --set 'expect=[]' --capture hosts --snap 96 --no-report --quiet --out a 2>err ||
		{ fail "$name: $(cat err)"; return; }
	"$SQUALL_BIN" import a/capture.pcapng --fabric a/scenario.yaml -o again.yaml >said 2>&1 ||
		{ fail "$name: $(cat said)"; return; }
	"$SQUALL_BIN" run again.yaml --no-report --quiet --out b 2>err || { fail "$name: again: $(cat err)"; return; }
	python3 "$source_dir/tests/cli/_round_trip.py" "$exact" "$name" a b again.yaml || fail "$name: not the same"
	rm -rf a b again*
}

# Every scenario of the library without faults.
round exact incast-8
round exact incast-32 --set 'workload[0].repeat=1' --set 'workload[0].message=200KB'
round exact incast-32-pfc-only --set 'workload[0].repeat=1' --set 'workload[0].message=200KB'
round exact incast-32-ecn-only --set 'workload[0].repeat=1' --set 'workload[0].message=200KB'
round exact incast-32-neither --set 'workload[0].repeat=1' --set 'workload[0].message=400KB'
round exact incast-128 --set 'workload[0].message=60KB'
round exact victim-flow
round exact cnp-lossy
round exact lossy-and-lossless
round exact ecmp-collision
round exact file-topology
round exact flow-list
round exact mixed-speed
round exact connectx-400g --set 'workload[0].message=100KB'
round exact pfc-before-ecn
round exact two-jobs
round exact deadlock
round close sigcomm-2015 --set stop.after=2ms
round exact spray-selective-repeat
round exact spray-go-back-n --set stop.after=1ms
round exact ring-16 --set 'workload[0].repeat=2'
round close websearch-64 --set stop.after=1ms
round close all-to-all-16 --set 'workload[0].message=100KB' --set 'workload[0].repeat=2'
round close all-to-all-64 --set 'workload[0].message=20KB'
round close all-gather --set 'workload[0].buffer=4MiB' --set 'workload[0].repeat=2'
round close reduce-scatter --set 'workload[0].buffer=4MiB' --set 'workload[0].repeat=2'
round close all-reduce-ring --set 'workload[0].repeat=2' --set 'workload[0].buffer=4MiB'
round close all-reduce-rails --set 'workload[0].buffer=1MiB'
round close all-reduce-tree --set 'workload[0].repeat=1' --set 'workload[0].buffer=8MiB'
round close all-reduce-double-tree --set 'workload[0].repeat=1' --set 'workload[0].buffer=8MiB'
round close all-reduce-halving-doubling --set 'workload[0].buffer=2MiB'
round close training-straggler --set 'workload[0].repeat=1' --set 'workload[0].straggle_from=0'
round close moe-even --set 'workload[0].buffer=100KB'
round close moe-hot-expert --set 'workload[0].buffer=100KB'
round close broadcast --set 'workload[0].repeat=1' --set 'workload[0].buffer=4MiB'

# One that is missing above fails.
for file in "$source_dir"/scenarios/*.yaml; do
	name=$(basename "$file" .yaml)
	grep -q '^faults:' "$file" || grep -qE "^round (exact|close) $name( |\$)" "$source_dir/tests/cli/round_trip.sh" ||
		fail "$name: no round trip"
done

# Datagrams, an unreliable connection, IPv6 with a tag, several queue pairs: each as it was.
cat >mixed.yaml <<'END'
squall: 1
fabric:
  topology: {kind: leaf-spine, hosts: 8, leaves: 2, spines: 2}
  frame: {header: 82B, ack: 86B, cnp: 98B}
workload:
  - {pattern: incast, senders: 3, receiver: 0, message: 200KB, repeat: 3, qps: 2}
  - {pattern: incast, senders: 2, receiver: 4, first_host: 5, message: 90KB, repeat: 2, transport: uc}
  - {pattern: ring, message: 700B, repeat: 40, period: 2us, transport: ud, priority: 1}
END
mkdir scenarios && mv mixed.yaml scenarios && source_of=$source_dir
( failures=0 source_dir=$work; ln -s "$source_of/tests" tests; round exact mixed; exit "$failures" ) || failures=$((failures + 1))
finish
