#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What the analysis counts on a capture of all ports of a simulation is what the simulator counted itself:
# messages, marks, CNPs, pauses, packets sent again and why; each message's net_fct within a nanosecond.
set -euo pipefail
# shellcheck source=tests/cli/_cli.sh
. "$(dirname "$0")/_cli.sh"

# Go-back-N without a switch to blame; a storm that the watchdog answers; NAKs, timeouts and pauses together.
# Packets of a flow on all paths at once.
for name in random-loss pause-storm-watchdog lossy-and-lossless spray-selective-repeat; do
	run 0 run "$name" --quiet --no-report --capture all --snap 128 --out "$name"
	run 0 analyze "$name/capture.pcapng" --json --messages --quiet
	mv stdout "$name.json"
	sprayed=
	[[ $name != spray-* ]] || sprayed=sprayed
	# shellcheck disable=SC2086 # none or one
	python3 "$source_dir/tests/cli/_analyze_sim.py" "$name" "$name.json" $sprayed || fail "$name: the capture says something else"
	rm -rf "$name"
done

# One thread, two, and five.
run 0 run incast-8 --quiet --no-report --capture all --out threads
for n in 1 2 5; do
	run 0 analyze threads/capture.pcapng --json --messages --timeline 10 --threads "$n"
	mv stdout "threads.$n"
done
cmp threads.1 threads.2 || fail "two threads give another result"
cmp threads.1 threads.5 || fail "five threads give another result"

# Standard input, a table, CSV, one queue pair.
run 0 analyze threads/capture.pcapng
grep -q "CE to CNP" stdout || fail "no CE to CNP in the table"
"$SQUALL_BIN" analyze - <threads/capture.pcapng >piped || fail "standard input"
sed 1d stdout >file.table
sed 1d piped >pipe.table
cmp file.table pipe.table || fail "standard input gives another table"
run 0 analyze threads/capture.pcapng --csv lists
for list in flows messages pauses recoveries timeline; do
	[[ $(wc -l <"lists/$list.csv") -gt 0 ]] || fail "$list.csv is empty"
done
[[ $(wc -l <lists/messages.csv) == 9 ]] || fail "messages.csv: $(wc -l <lists/messages.csv) lines for 8 messages"
run 0 analyze threads/capture.pcapng --qp 0x100 --json
python3 -c 'import json, sys; d = json.load(open("stdout")); sys.exit(d["roce"]["data_packets"] >= d["frames"] / 8)' ||
	fail "--qp selects nothing"

# Errors in one line.
run 2 analyze
one_error "which capture"
run 2 analyze threads/summary.json
one_error "summary.json"
run 3 analyze nowhere.pcap
one_error "nowhere.pcap"
run 2 analyze threads/capture.pcapng --qp 0x1000000
one_error "qp"
run 2 analyze threads/capture.pcapng --speed 100
one_error "speed"
finish
