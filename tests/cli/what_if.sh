#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# squall run --what-if: both runs are what they would be alone, and are shown side by side.
set -euo pipefail
# shellcheck source=tests/cli/_cli.sh
. "$(dirname "$0")/_cli.sh"

scenario=$source_dir/scenarios/incast-8.yaml
run 0 run "$scenario" --set 'expect=[]' --what-if switch.ecn.kmin=5KB --what-if switch.ecn.kmax=20KB --out both
grep -q '^what if switch.ecn.kmin=5KB$' stdout || fail "the table does not say what was changed"
grep -qE '^CE marked packets +[0-9 ]+ +[0-9 ]+  [+-][0-9.]+ %$' stdout || fail "no change of CE: $(grep CE stdout)"
grep -qE '^messages completed +8 +8  same$' stdout || fail "messages: $(grep messages stdout)"
[[ -s both/report.html ]] || fail "no page of both"
run 0 run "$scenario" --set 'expect=[]' --quiet --out base
run 0 run "$scenario" --set 'expect=[]' --set switch.ecn.kmin=5KB --set switch.ecn.kmax=20KB --quiet --out other
cmp base/summary.json both/base/summary.json || fail "the base is not the run alone"
cmp other/summary.json both/what-if/summary.json || fail "the other is not the run alone"
cmp -s base/summary.json other/summary.json && fail "the key changes nothing"

run 0 run "$scenario" --set 'expect=[]' --what-if switch.ecn.enabled=off --quiet --json --out both
jq -e '.base.ecn.marked_packets > 0 and .what_if.ecn.marked_packets == 0' stdout >/dev/null || fail "--json: $(head -c 300 stdout)"

# Every figure that the table can show is a key of the results.
run 0 run "$source_dir/scenarios/lossy-and-lossless.yaml" --set 'expect=[]' --what-if nic.retransmit=selective-repeat --out both
for figure in 'drops' 'retransmitted packets' 'timeouts' 'goodput' 'paused us'; do
	grep -q "^$figure  " stdout || fail "no $figure in the table"
done

cat >overrides.yaml <<'END'
squall: 1
fabric:
  topology: {kind: star, hosts: 3}
  overrides: [{match: {node: sw0}, ecn: {kmax: 900KB}}]
workload:
  - {pattern: incast, senders: 2, receiver: 0, message: 10KB}
END
last='an override decides'
run 2 run overrides.yaml --what-if switch.ecn.kmax=800KB --out no
one_error '--what-if switch.ecn.kmax=800KB' 'overrides\[0\]'
[[ ! -e no ]] || fail "$last: a folder was made"
last='no such key'
run 2 run "$scenario" --what-if switch.ecn.kmix=800KB --out no
one_error '--what-if switch.ecn.kmix' 'did you mean'
last='no value'
run 2 run "$scenario" --what-if switch.ecn.kmax --out no
one_error 'KEY=VALUE'
last='with --fct'
run 2 run "$scenario" --what-if switch.ecn.kmax=2MB --fct f --out no
one_error '--fct'
finish
