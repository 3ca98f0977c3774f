#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# squall qualify on sound switches of other rates, classes, cables and buffers: every case that is
# for them passes, those that are not say why, and what no case could follow is refused.
set -euo pipefail
# shellcheck source=tests/cli/_cli.sh
. "$(dirname "${BASH_SOURCE[0]}")/_cli.sh"

# sound RATE LOSSLESS LOSSY NOT-APPLICABLE SUITE-AND-OPTIONS...
sound() {
	local rate=$1 lossless=$2 lossy=$3 set_aside=$4
	shift 4
	printf 'squall_asic: 1\ndoc: x\nrate: %s\nlossless: %s\nlossy: %s\n' "$rate" "$lossless" "$lossy" >switch.yaml
	rm -rf sound
	run 0 qualify --asic ./switch.yaml -q -o sound "$@"
	python3 - "$set_aside" <<'END' || fail "$rate $lossless $*: a sound switch does not pass"
import json, sys
v = json.load(open("sound/verdict.json"))
n = v["count"]
assert n["pass"] > 0 and n["pass"] + n["not-applicable"] == len(v["cases"]), n
assert (n["not-applicable"] > 0) == (sys.argv[1] == "some"), n
assert all(c["reason"].startswith("needs ") for c in v["cases"] if c["verdict"] == "not-applicable")
END
}

sound 10Gbps '[2, 5]' '[0, 1]' none ecn --only 'ecn.[dq]*'
sound 25Gbps '[1, 2, 3]' '[0, 4]' none scheduling --only 'scheduling.[mno]*' --set fabric.host_link.delay=500ns
sound 40Gbps '[6]' '[0, 1]' some pfc --only 'pfc.[ehm]*' --set fabric.switch.buffer=2MiB
sound 100Gbps '[0, 1, 2, 3, 4, 5]' '[6, 7]' none pfc --only pfc.p --set host_link.delay=5us --set switch.buffer=64MiB
sound 100Gbps '[7, 4]' '[3]' some scheduling --only 'scheduling.[lm]*' --set fabric.path_mtu=4096
sound 400Gbps '[4]' '[1]' some watchdog --only 'watchdog.[do]*' --set switch.cell=254B --set switch.latency=800ns
sound 100Gbps '[3, 4]' '[0, 1]' none roce --set 'switch.scheduler.strict=[3, 4]' --set switch.ecn.kmin=1MB
sound 800Gbps '[3, 4]' '[0, 1]' none ecn --only ecn.dequeue
sound 800Gbps '[3, 4]' '[0, 1]' none scheduling --only scheduling.strict-priority

# why a case is not for this switch stands in every file
sound 100Gbps '[3]' '[0, 1]' some roce
for file in report.html junit.xml verdict.json; do
	grep -q 'needs two lossless priorities' "sound/$file" || fail "$file does not say what a case lacks"
done
grep -q '<skipped message="needs two' sound/junit.xml || fail "a case that is not applicable is not skipped"
[[ $(find sound/evidence -name '*.yaml' | wc -l) == $(grep -c '"verdict": "pass"' sound/verdict.json) ]] ||
	fail "there is evidence of cases that were not run"

# what no stream would follow
run 2 qualify pfc --set 'fabric.switch.pfc.priorities=[2]'
one_error 'give them as lossless in the file of --asic'
run 2 qualify pfc --set fabric.host_link.rate=40Gbps
one_error 'belongs to the tester'
run 2 qualify pfc --set 'fabric.host_link={rate: 40Gbps}'
one_error 'give it as rate in the file of --asic'
run 2 qualify pfc --set fabric.host_link.delay=6us
one_error 'at most 5us of cable'
run 2 qualify watchdog --set fabric.switch.buffer=64KiB
one_error 'reservations exceed the buffer'
run 2 qualify roce --set fabric.path_mtu=256
one_error 'no case is for this switch' 'path MTU of 256 B'
finish
