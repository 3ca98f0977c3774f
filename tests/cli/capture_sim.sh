#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Captures of simulated traffic: other programs read them without complaint, they are the same bytes
# for any number of threads, hold what was asked for, and are there with the other results or not.
set -euo pipefail
# shellcheck source=tests/cli/_cli.sh
. "$(dirname "$0")/_cli.sh"

have() { command -v "$1" >/dev/null; }

# sane FILE: nothing malformed, time never goes back.
sane() {
	local bad
	have tshark || return 0
	bad=$(tshark -r "$1" -Y '_ws.malformed || _ws.short || ip.checksum.status == 0' -o ip.check_checksum:TRUE 2>/dev/null | head -n 3)
	[[ -z $bad ]] || fail "$1: tshark finds: $bad"
	have capinfos || return 0
	capinfos -o "$1" 2>/dev/null | grep -q 'Strict time order: *True' || fail "$1: not in order of time"
}

# captured NAME OPTION...: a scenario of the library, whole frames of all ports, on 1, 2 and 3 threads.
captured() {
	local name=$1 threads
	shift
	for threads in 1 2 3; do
		"$SQUALL_BIN" run "$source_dir/scenarios/$name.yaml" "$@" --capture all --threads $threads --quiet \
			--out "$name.$threads" >/dev/null 2>err || (($? == 1)) || { fail "$name: $(cat err)"; return; }
	done
	cmp "$name.1/capture.pcapng" "$name.2/capture.pcapng" || fail "$name: two threads differ"
	cmp "$name.1/capture.pcapng" "$name.3/capture.pcapng" || fail "$name: three threads differ"
	sane "$name.1/capture.pcapng"
	rm -r "$name".[23]
}

captured incast-32 --set 'workload[0].repeat=1' --set 'workload[0].message=50KB'
captured pause-storm --set stop.after=1500us
captured spray-selective-repeat --set stop.after=30us
captured random-loss --set stop.after=600us
captured cnp-lossy --set stop.after=60us
captured file-topology --set stop.after=100us
captured websearch-64 --set stop.after=40us
captured slow-receiver --set stop.after=100us
captured deadlock --set stop.after=100us

# What was asked for: names, one direction of a link, a switch, doubles, the cut.
small=(incast-8 --set 'workload[0].repeat=1' --set 'workload[0].message=10KB' --set 'expect=[]' --quiet)
run 0 run "${small[@]}" --out some --capture host0 --capture sw0-host1 --capture host0 --snap 96
if have capinfos; then
	capinfos some/capture.pcapng >info 2>/dev/null
	grep -q 'Number of interfaces in file: 3$' info || fail "three ports: $(grep interfaces info)"
	for name in host0 sw0-host1 host1; do
		grep -q "Name = $name\$" info || fail "no interface $name"
	done
	grep -q 'clock=virtual kind=virtual' info || fail "no clock: $(grep Description info)"
	grep -q 'Capture comment: *simulated: scenario incast-8, seed 1$' info || fail "comment: $(grep comment info)"
	grep -q 'First packet time: *2000-01-01 00:00:00' info || fail "time: $(grep First info)"
fi
if have tshark; then
	longest=$(tshark -r some/capture.pcapng -T fields -e frame.cap_len -e frame.len 2>/dev/null | sort -n -k 2 | tail -n 1)
	[[ $longest == $'96\t1098' ]] || fail "--snap 96: captured and whole length of the longest: $longest"
fi
grep -q 'capture: \["host0", "sw0-host1", "host0"\]' some/scenario.yaml || fail "the ports are not on record"
run 0 run some/scenario.yaml --quiet --out again
cmp some/capture.pcapng again/capture.pcapng || fail "the scenario in effect gives another capture"

# A choice of ports changes no figure, nor the numbers in frames.
run 0 run "${small[@]}" --out all --capture all
run 0 run "${small[@]}" --out none
for file in summary.json messages.csv ports.csv; do
	cmp "all/$file" "none/$file" || fail "$file differs under a capture"
done
if have tshark; then
	for of in all some; do
		tshark -r $of/capture.pcapng -Y 'frame.interface_name == "host0"' -T fields -e frame.time_epoch -e ip.src \
			-e infiniband.bth.destqp -e infiniband.bth.psn -e infiniband.bth.opcode >$of.host0 2>/dev/null
	done
	[[ -s all.host0 ]] || fail "no frames of host0"
	cmp all.host0 some.host0 || fail "frames of host0 depend on what else is captured"
fi

# One run's capture does not stay beside another run's results.
run 0 run "${small[@]}" --out all
[[ ! -e all/capture.pcapng ]] || fail "a capture of an earlier run is left"

run 2 run "${small[@]}" --out bad --capture hots0
one_error 'measure.capture: "hots0": no such node; did you mean host0\?'
run 2 run "${small[@]}" --out bad --capture host0 --snap 0
one_error 'measure.snap'
[[ ! -e bad ]] || fail "a folder is left by a run that did not begin"

if have mpirun && [[ -e ${SQUALL_BIN%/*}/squall_mpi.so ]]; then
	export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
	export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
	status=0
	timeout 60 mpirun -n 2 "$SQUALL_BIN" run "${small[@]}" --out ranks --capture host0 >/dev/null 2>stderr </dev/null || status=$?
	((status == 2)) || fail "two processes: exit $status"
	grep -q 'squall: .*measure.capture: .*several processes' stderr || fail "two processes: $(head -n 3 stderr)"
	[[ ! -e ranks/capture.pcapng ]] || fail "two processes leave a capture"
fi
finish
