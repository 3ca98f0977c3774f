#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Findings while a capture is still being taken: of a healthy run none is ever shown, of a fault each one comes
# once and stays. 60 looks at the capture of one host, in the order in which `squall analyze -i` looks.
set -euo pipefail
# shellcheck source=tests/cli/_cli.sh
. "$(dirname "${BASH_SOURCE[0]}")/_cli.sh"
tool=${SQUALL_BUILD_DIR:-$source_dir/build}/tests/tools/findings_live
[[ -x $tool ]] || {
	echo "skipped: no $tool"
	exit 77
}

# looks WANTED SCENARIO HOST [ARGUMENT...]: what is shown and what the capture ends with, in one line.
looks() {
	local wanted=$1 scenario=$2 host=$3 status=0 said
	shift 3
	[[ $scenario != *.yaml ]] || scenario=$source_dir/tests/cli/$scenario
	rm -rf out
	"$SQUALL_BIN" run "$scenario" --quiet --capture "$host" --snap 128 --out out "$@" >stdout 2>stderr || status=$?
	((status < 2)) || fail "$scenario: exit $status: $(head -n 3 stderr)"
	said=$("$tool" out/capture.pcapng 60 | paste -sd' ')
	[[ $said == "$wanted" ]] || fail "$scenario at $host: expected '$wanted', found '$said'"
}

looks '' incast-8 host0
looks '' incast-8 host1
looks '' incast-32 host0 --set 'workload[0].repeat=1'
looks '' incast-128 host1
looks '' moe-hot-expert host12 --set 'workload[0].buffer=1MiB' --set 'workload[0].repeat=1'
looks '' spray-selective-repeat host8 --set stop.after=200us
looks '' all-reduce-ring host3 --set 'workload[0].buffer=1MiB'
looks '' findings.yaml host8
looks '' findings.yaml host0
looks '+pause-storm =pause-storm' pause-storm host8
looks '+one-source-port =one-source-port' findings.yaml host8 --set 'faults=[{"one_source_port":"all"}]'
looks '+slow-receiver +cnp-without-ce =slow-receiver =cnp-without-ce' findings.yaml host12 --set 'faults=[{"at":"100us","slow_receiver":"host12","rate":"20Gbps"}]'
looks '+loss-hidden =loss-hidden' findings.yaml host1 --set 'faults=[{"drop":{"link":"leaf1->host9","probability":"1e-3"}}]'
finish
