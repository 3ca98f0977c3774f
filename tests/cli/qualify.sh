#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# squall qualify: lists, verdict files, exit codes, what happens to bad input and to Ctrl-C.
set -euo pipefail
# shellcheck source=tests/cli/_cli.sh
. "$(dirname "${BASH_SOURCE[0]}")/_cli.sh"

run 0 qualify --list
grep -q '^scheduling ' stdout || fail "no suite scheduling in the list"
grep -q 'switches (--asic): .*generic' stdout || fail "no switch generic in the list"

# the page shows what the program has
run 0 qualify --list --markdown
sed -n '/^<!-- keys: begin/,/^<!-- keys: end/p' "$source_dir/docs/qualify.md" | sed '1d;$d' >page
cmp -s stdout page || fail "docs/qualify.md: write the output of squall qualify --list --markdown between its markers"

run 0 qualify scheduling --only scheduling.dwrr-shares -o verdict
grep -q 'pass' stdout || fail "no summary: $(cat stdout)"
python3 - <<'END' || fail "verdict files are not what they should be"
import json, glob, xml.etree.ElementTree as ET
v = json.load(open("verdict/verdict.json"))
assert v["format"] == "squall.verdict/1" and v["count"]["fail"] == 0, v["count"]
x = ET.parse("verdict/junit.xml").getroot()
cases = x.findall("testsuite/testcase")
assert len(cases) == len(v["cases"]) == v["count"]["pass"] > 3, len(cases)
assert int(x.get("tests")) == len(cases) and x.get("failures") == "0"
assert len(glob.glob("verdict/evidence/*.json")) == len(glob.glob("verdict/evidence/*.yaml")) == len(cases)
for name in glob.glob("verdict/evidence/*.json"):
    e = json.load(open(name))
    assert e["checks"] and e["streams"] and e["streams"][0]["latency_p99_us"] > 0, name
END
# the evidence repeats a case alone
scenario=$(find verdict/evidence -name '*.yaml' | sort | head -n 1)
run 0 run "$scenario" --out alone --quiet

# the same verdict on any number of threads
run 0 qualify scheduling --only scheduling.dwrr-shares -o verdict1 --threads 1 --quiet
cmp verdict/verdict.json verdict1/verdict.json || fail "the verdict depends on the threads"

# a switch that does not do as it must fails: exit 1, and says which case and why
run 1 qualify scheduling --only scheduling.dwrr-shares -o bad --set fabric.switch.defect=dwrr-ignores-weights
grep -q 'fail ' stdout || fail "no failed case in the summary"
grep -q '<failure ' bad/junit.xml || fail "no failure in junit.xml"

# all files name what was set, and the planted defect
grep -qE '<summary>.*<span class=fig>[a-z-]+ [^<]*[0-9]' bad/report.html || fail "no figures in the closed rows of the page"
for file in report.html junit.xml verdict.json; do
	grep -q 'dwrr-ignores-weights' "bad/$file" || fail "$file does not name the planted defect"
	grep -q 'fabric.switch.defect' "bad/$file" || fail "$file does not name what was set"
	grep -q 'fabric.switch.defect' "verdict/$file" && fail "$file names what was not set"
done
grep -q '^a defect is planted' stdout || fail "no word of the planted defect: $(cat stdout)"
run 2 qualify scheduling --set fabric.switch.defect=xon-mising -o worse
one_error 'squall explain lists' 'did you mean xon-missing?'

# a known deviation is no failure
cat >mine.yaml <<'END'
squall_asic: 1
doc: "Equal shares & <nothing> else."
lossless: [3, 4]
lossy: [0, 1]
known:
  - {case: "scheduling.dwrr-shares*", reason: "ignores \"weights\" <b>&amp;"}
END
run 0 qualify scheduling --only scheduling.dwrr-shares -o known --asic ./mine.yaml --set fabric.switch.defect=dwrr-ignores-weights
grep -q 'expected-fail' stdout || fail "no expected failure: $(cat stdout)"
grep -q '<skipped message=' known/junit.xml || fail "an expected failure is not skipped in junit.xml"
python3 -c 'import xml.etree.ElementTree as e; e.parse("known/junit.xml")' || fail "junit.xml is no XML"
grep -q 'unexpected-pass' stdout || fail "equal weights pass unexpectedly: $(cat stdout)"

# bad input
run 2 qualify
one_error 'no suite given'
run 2 qualify shceduling
one_error 'nearest is scheduling'
run 2 qualify scheduling --asic genric
one_error 'nearest is generic'
run 2 qualify scheduling --only nothing.fits
one_error 'no case fits'
run 2 qualify watchdog --set fabric.switch.watchdog=off
one_error 'each case says whether there is a watchdog'
run 2 qualify watchdog --set switch.watchdog.detect=400
one_error 'switch.watchdog.detect'

# storms follow the times of the watchdog; cases without one stay as they are
run 0 qualify watchdog -q -o slow --set fabric.switch.watchdog.detect=1ms --set switch.watchdog.restore=300us
run 0 qualify watchdog -q -o fast --set switch.watchdog.restore=900us --set switch.watchdog.poll=150us
grep -q 'poll=150us' fast/verdict.json || fail "the cases do not follow poll"
run 0 qualify pfc --only pfc.external-storm -q -o storm --set fabric.switch.watchdog.detect=400us
# a storm that is too short, or too long, proves nothing
sed -e 's|for: "${detect} / 2", rep|for: "${detect}", rep|' \
	-e 's|for: "500us + ${detect} + ${poll}"}|for: 150us}|' "$source_dir/scenarios/qualify/watchdog.yaml" >lengths.yaml
run 1 qualify ./lengths.yaml --only lengths.forward -q -o short
grep -q '"invalid": 1' short/verdict.json || fail "a storm shorter than detect is not invalid"
run 1 qualify ./lengths.yaml --only lengths.burst-storm -q -o long
grep -q '"invalid": 2' long/verdict.json || fail "a storm as long as detect is not invalid where none may be"
cat >broken.yaml <<'END'
squall_suite: 1
cases:
  - name: one
    doc: d
    for: 10us
    traffic: [{name: a, from: 1, to: 0, priority: 3, rate: 50%}]
    checks: [{rule: los}]
END
run 2 qualify ./broken.yaml
one_error 'broken.yaml:7:21' 'did you mean loss'
# what is wrong with the last case is said before the first one runs
cat >late.yaml <<'END'
squall_suite: 1
cases:
  - &one
    name: one
    doc: d
    for: 10us
    traffic: [{name: a, from: 1, to: 0, priority: 3, rate: 50%}]
    checks: [{rule: loss}]
  - name: two
    doc: d
    for: 10us
    traffic: [{name: a, from: 1, to: 0, priority: 3, rate: 50%}]
    checks: [{rule: loss}]
    scenario: {fabric: {switch: {what: 1}}}
END
sed -i 's/&one$//; s/^  - $/  -/' late.yaml
run 2 qualify ./late.yaml --threads 1
one_error 'late.yaml:[0-9]+:[0-9]+' 'what: unknown key'
[[ ! -s stdout ]] || fail "a case ran before the error in another was found: $(cat stdout)"
# What belongs to the tester comes from the suite, whoever asks for something else.
for key in stop.after=1ps 'workload=[]' 'expect=[]' measure.series=1us seed=3 fabric.topology.kind=star \
	fabric.host_link.rate=10Gbps 'workload[0].start=1us'; do
	last="--set $key"
	run 2 qualify roce --set "$key" -o none
	one_error "--set ${key%%[=[]*}" 'belongs to the tester' 'fabric.switch'
done
for keys in 'topology: {kind: star}' 'workload: []' 'fabric: {topology: {kind: star}}' 'stop: {after: 1us}'; do
	last="a switch with $keys"
	printf 'squall_asic: 1\nrate: 100Gbps\nlossless: [3, 4]\nlossy: [0, 1]\nscenario: {%s}\n' "$keys" >testers.yaml
	run 2 qualify roce --asic ./testers.yaml -o none
	one_error 'testers.yaml:5:' 'belongs to the tester'
done
last="a suite twice"
run 2 qualify scheduling scheduling -o none
one_error 'scheduling: a suite of this name'
last="--only with nothing"
run 2 qualify scheduling --only '' -o none
one_error '--only needs'
[[ ! -e none ]] || fail "a refused qualify left a folder"

finish
