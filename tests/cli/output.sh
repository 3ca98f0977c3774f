#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What goes where: --json, --quiet, --help, and a standard output that cannot take it.
set -euo pipefail
# shellcheck source=tests/cli/_cli.sh
. "$(dirname "${BASH_SOURCE[0]}")/_cli.sh"

cat >s.yaml <<'END'
squall: 1
fabric: {topology: {kind: star, hosts: 4}}
workload: [{pattern: incast, senders: 3, receiver: 0, message: 100KB}]
expect: ["messages.completed == 3"]
END

run 0 run s.yaml --json --quiet --out a
cmp -s stdout a/summary.json || fail "--json does not print summary.json"
python3 -c 'import json; json.load(open("stdout"))' || fail "--json is no JSON"
[[ ! -s stderr ]] || fail "--json --quiet writes to stderr: $(cat stderr)"

run 0 run s.yaml --quiet --out b
[[ ! -s stdout && ! -s stderr ]] || fail "--quiet is not quiet: $(cat stdout stderr)"
diff -r -x run.json a b >diff.txt || fail "two runs differ: $(cat diff.txt)"

run 0 run s.yaml --out c --threads 2 --seed 1
grep -q 'FCT us' stdout || fail "no table"
grep -q 'holds  messages.completed == 3' stdout || fail "no expectation in the table"
diff -r -x run.json a c >diff.txt || fail "two threads differ: $(cat diff.txt)"

# what a selective repeat goes by is named beside what it sends again
run 0 run s.yaml --out sack --set fabric.nic.retransmit=selective-repeat --set 'faults=[{drop: {link: host1-sw0, every: 40, frames: data}}]'
sacks=$(python3 -c 'import json; print(json.load(open("sack/summary.json"))["retransmits"]["sacks"])')
((sacks > 0)) || fail "no SACKs to be named"
grep -qE "^retransmits .* packets, 0 NAKs, $sacks SACKs, 0 timeouts" stdout || fail "the table does not name SACKs: $(cat stdout)"

run 0 run s.yaml
[[ -s squall-out/s/summary.json ]] || fail "no default folder squall-out/s"

# Exit status 1 and one line when an expectation does not hold; the results are there.
run 1 run s.yaml --quiet --out e --set 'expect=["messages.completed == 4", "drops.total == 0"]'
last=expectation one_error '1 of 2 expectations'
python3 - <<'END' || fail "expect in summary.json is wrong"
import json
x = json.load(open("e/summary.json"))["expect"]
assert x[0] == {"text": "messages.completed == 4", "holds": False, "value": 3}, x
assert x[1] == {"text": "drops.total == 0", "holds": True, "value": 0}, x
END

# Short names, from anywhere.
run 0 check incast-32
grep -q 'ok: incast-32' stdout || fail "check incast-32: $(cat stdout)"
run 0 check --quiet incast-32
[[ ! -s stdout ]] || fail "check --quiet prints"
run 0 check "$source_dir"/scenarios/*.yaml
run 2 check s.yaml nowhere.yaml
grep -q 's.yaml: ok' stdout || fail "check stops at the first file"

# plan: as many messages as the run sends, in both forms.
run 0 plan s.yaml
(($(wc -l <stdout) == 4)) || fail "plan: $(wc -l <stdout) lines"
head -n 1 stdout | grep -q '^id,' || fail "plan has no header"
run 0 plan s.yaml --json
python3 -c 'import json; p = json.load(open("stdout")); assert len(p) == 3 and p[0]["bytes"] == 100000, p' ||
	fail "plan --json"
run 0 plan s.yaml --limit 1 --quiet
(($(wc -l <stdout) == 2)) || fail "plan --limit 1"

for command in run check plan explain schema version; do
	run 0 "$command" --help
	grep -q 'Examples:' stdout || fail "$command --help has no examples"
	cp stdout help.txt
	run 0 help "$command"
	cmp -s stdout help.txt || fail "help $command differs from $command --help"
done
run 0 --help
grep -q 'exit status' stdout || fail "--help does not say the exit status"
run 0 --version
grep -q '^squall [0-9]' stdout || fail "--version: $(cat stdout)"
for key in fabric.switch.trust switch.trust; do
	run 0 explain "$key"
	grep -q 'not available yet: only dscp$' stdout || fail "explain $key: $(cat stdout)"
done
run 0 check spray-go-back-n
grep -q 'overtaken makes the sender go back' stderr || fail "check spray-go-back-n: no note"
run 0 check spray-go-back-n --set fabric.nic.retransmit=selective-repeat
! grep -q 'overtaken' stdout stderr || fail "check: selective repeat is told of overtaking"
run 0 check spray-go-back-n --set fabric.switch.load_balancing=adaptive --set fabric.switch.flowlet_gap=500us
! grep -q 'overtaken' stdout stderr || fail "check: flowlets are told of overtaking"
run 0 explain rpg_ai_rate
grep -q 'source' stdout || fail "explain has no source"
run 0 explain
(($(wc -l <stdout) < 60)) || fail "explain: a wall of $(wc -l <stdout) lines"
for section in fabric.switch 'workload\[\]' measure; do
	grep -qE "^  $section  .*" stdout || fail "explain: no section $section"
done
grep -q ' watchdog, ' stdout || fail "explain: no groups of results"
run 0 run --help
(($(wc -l <stdout) < 62)) || fail "run --help: a wall of $(wc -l <stdout) lines"
run 0 explain --results
grep -q '^  fct_us.p99 ' stdout || fail "explain --results: not all keys"
run 0 explain --scenario
grep -q '^  fabric.switch.ecn.kmin ' stdout || fail "explain --scenario: not all keys"
awk 'length > 100' stdout | grep -v '^  [^ ]*$' >long || true
[[ ! -s long ]] || fail "explain: lines longer than 100 columns: $(head -3 long)"
run 0 explain ecn
for key in fabric.switch.ecn.kmin fabric.nic.ecn ecn.marked_fraction; do
	grep -q "^  $key " stdout || fail "explain ecn: no $key"
done
! grep -q '^  fabric.switch.buffer' stdout || fail "explain ecn: lists what has no such step"
run 0 explain busbw
grep -q '^  collective.busbw_gbps ' stdout || fail "explain busbw: not found"
run 0 explain collective
grep -q '^  collective.algbw_gbps ' stdout || fail "explain collective: not found"
run 0 explain senders
grep -q '^workload\[\].senders$' stdout || fail "explain senders: not explained"
run 0 explain collective.busbw_gbps
[[ -z $(awk 'length > 100' stdout) ]] || fail "explain collective.busbw_gbps: too long a line"
run 2 explain foo
one_error 'no key foo; '
run 0 explain 'workload[0].senders'
for what in "" --summary --run --scenario; do
	# shellcheck disable=SC2086 # an empty word is no argument
	run 0 schema $what
	python3 -c 'import json; json.load(open("stdout"))' || fail "schema $what is no JSON"
done

# The scenario schema refuses what the checker refuses.
cat >schema.py <<'END'
import json, sys
try:
    import jsonschema
except ImportError:
    sys.exit(0)
good = {"squall": 1, "fabric": {"topology": {"kind": "star", "hosts": 4}},
        "workload": [{"pattern": "incast", "senders": 3, "receiver": 0, "message": "100KB"}]}
check = jsonschema.Draft202012Validator(json.load(open("scenario.schema"))).is_valid
assert check(good)
bad = [{"fabric": {"topo": {}}}, {"seed": "1s"}, {"stop": {"after": 5}}, {"workload": [{"senders": 3}]},
       {"fabric": {"switch": {"ecn": {"kmin": "5ms"}}}}, {"fabric": {"nic": {"priority": 8}}},
       {"fabric": {"overrides": [{"match": {"node": "leaf0"}, "ecn": {"kmn": "1KB"}}]}}]
for change in bad:
    assert not check({**good, **change}), change
END
run 0 schema
cp stdout scenario.schema
python3 schema.py || fail "the scenario schema accepts what it must refuse"

# A standard output that is full, closed, or a pipe that nobody reads is an error, not silence.
for arguments in "run s.yaml --out f" "run s.yaml --out f --json" "plan s.yaml" --help "explain" "schema"; do
	status=0
	# shellcheck disable=SC2086 # several words
	"$SQUALL_BIN" $arguments >/dev/full 2>stderr || status=$?
	((status == 3)) || fail "$arguments >/dev/full: exit $status"
	last="$arguments >/dev/full" one_error 'standard output: No space left'
done
status=0
"$SQUALL_BIN" run s.yaml --out g >&- 2>stderr || status=$?
((status == 3)) || fail "stdout closed: exit $status"
last="stdout closed" one_error 'standard output'
"$SQUALL_BIN" run s.yaml --out h --quiet >&- 2>&- <&- || fail "all streams closed and quiet: exit $?"
diff -r -x run.json a h >diff.txt || fail "closed streams went into the results: $(cat diff.txt)"
status=0
{ "$SQUALL_BIN" plan s.yaml --set 'workload[0].repeat=100000' 2>stderr || echo "$?" >status; } | head -n 1 >/dev/null
[[ $(cat status) == 3 ]] || fail "closed pipe: exit $(cat status)"
last="closed pipe" one_error 'standard output: Broken pipe'
# Unacknowledged messages: the sender's word is not taken for an arrival.
cat >uc.yaml <<'END'
squall: 1
fabric:
  topology: {kind: star, hosts: 9}
  switch: {buffer: 200kB, pfc: {priorities: []}}
workload:
  - {pattern: incast, senders: 8, message: 5000B, repeat: 200, transport: uc, priority: 0}
END
run 0 run uc.yaml --quiet --out uc
python3 - <<'END' || fail "uc: see above"
import csv, json
s = json.load(open('uc/summary.json'))
rows = list(csv.DictReader(open('uc/messages.csv')))
assert {r['status'] for r in rows} == {'sent'}, 'a status that says too much'
assert 100 < s['messages']['lost'] < 1500
arrived = (len(rows) - s['messages']['lost']) * 5000
time_us = max(float(r['done_us']) for r in rows) - min(float(r['post_us']) for r in rows)
assert abs(s['goodput_bps'] / (arrived * 8e6 / time_us) - 1) < 1e-6, s['goodput_bps']
assert s['tainted'] == ['lost messages'], s['tainted']
END
run 0 run random-loss --quiet --out random-loss
grep -q 'lost packets of a lossless priority' random-loss/summary.json || fail "random-loss: not tainted"
finish
