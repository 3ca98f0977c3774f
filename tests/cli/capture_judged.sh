#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `squall analyze` on the capture of a simulated run finds what the run recorded: packets counted once
# however many ports show them, pauses and net_fct to the nanosecond.
set -euo pipefail
# shellcheck source=tests/cli/_cli.sh
. "$(dirname "$0")/_cli.sh"

# judged PORTS EXACT SCENARIO OPTION...
judged() {
	local ports=$1 exact=$2 name=$3
	shift 3
	"$SQUALL_BIN" run "$source_dir/scenarios/$name.yaml" "$@" --set 'expect=[]' --quiet --no-report --out "$name" --capture "$ports" ||
		{ fail "$name: no run"; return; }
	"$SQUALL_BIN" analyze "$name/capture.pcapng" --json --messages --quiet -o "$name.json" || { fail "$name: no analysis"; return; }
	python3 "$source_dir/tests/cli/_judge.py" "$name" "$name.json" "$ports" "$exact" || fail "$name ($ports)"
	rm -r "$name"
}

judged hosts exact incast-8
judged hosts exact incast-8 --set measure.snap=96
judged all exact incast-32 --set 'workload[0].repeat=1' --set 'workload[0].message=200KB'
judged hosts exact pause-storm
judged all exact pause-storm --set 'faults[0].for=200us' --set 'workload[0].flows=[[0, 8, 1MB, 0us], [1, 8, 1MB, 0us], [2, 9, 1MB, 0us]]'
judged hosts "" random-loss --set stop.after=2ms
judged all "" random-loss --set stop.after=500us
judged hosts "" slow-receiver --set stop.after=1ms
judged hosts "" cnp-lossy --set stop.after=1ms
judged hosts "" spray-selective-repeat --set stop.after=200us
judged all exact file-topology
judged hosts "" websearch-64 --set stop.after=200us
finish
