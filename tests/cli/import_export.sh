#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What is imported can be checked and run, what is exported reads back, nothing of the user's is replaced.
set -euo pipefail
# shellcheck source=tests/cli/_cli.sh
. "$(dirname "${BASH_SOURCE[0]}")/_cli.sh"
data=$source_dir/tests/data/imports

# imported NAME FILE...: into NAME.yaml, which runs to its end
imported() {
	local name=$1
	shift
	last="import $name"
	run 0 import "$@" --quiet -o "$name.yaml"
	run 0 check "$name.yaml"
	run 0 run "$name.yaml" --quiet --out "out-$name"
	[[ -s out-$name/messages.csv ]] || fail "$last: no results"
	! grep -q unfinished "out-$name/messages.csv" || fail "$last: unfinished messages"
}
imported log "$data"/nccl-2x2-?.log
imported xml "$data/nccl-topo.xml" "$data/nccl-graph.xml"
imported msccl "$data/msccl-3.xml" --buffer 1MB
imported chakra "$data"/step.?.et
imported goal "$data/pingpong.goal"
imported flows "$data/flows.csv"

# What it says is a few lines: a kind of fact on each, the rest counted; the command can be pasted.
last="what an import says"
run 0 import "$data"/nccl-2x2-?.log -o "it's a log.yaml"
(($(wc -l <stderr) <= 4)) || fail "$last: $(cat stderr)"
for kind in found assumed; do
	(($(grep -c "^squall: $kind: " stderr) == 1)) || fail "$last: $kind: $(cat stderr)"
done
grep -qE "^squall: [0-9]+ more of these at the head of it's a log.yaml" stderr || fail "$last: not counted: $(cat stderr)"
grep -qE '(^| )1 (ranks|machines|channels|rings|trees|hosts|workload entries)' stdout stderr && fail "$last: $(cat stdout stderr)"
command=$(sed -n 's/.*; squall run/check/p' stdout)
eval "run 0 $command"

# What a schedule carries out ends, and says how fast it was where it is one collective.
for name in log xml msccl chakra goal; do
	[[ $(wc -l <"out-$name/collectives.csv") == 2 ]] || fail "$name: not one iteration"
	awk -F, 'NR == 2 && !($9 > 0) { exit 1 }' "out-$name/collectives.csv" || fail "$name: an iteration without end"
done
awk -F, 'NR == 2 && !($4 == "broadcast" && $5 == 3 && $6 == 1000000 && $10 > 0 && $10 == $11) { exit 1 }' out-msccl/collectives.csv ||
	fail "msccl: no bandwidth of a broadcast"
awk -F, 'NR == 2 && !($4 == "all-reduce" && $10 > 0 && $11 > $10) { exit 1 }' out-log/collectives.csv ||
	fail "log: no bandwidth of an all-reduce"
run 2 check msccl.yaml --set 'workload[0].collective=none'
one_error 'collective: missing'
run 2 check goal.yaml --set 'workload[0].collective=all-gather'
one_error 'collective_buffer: missing'

# The tree stands in the log's scenario, commented out, and its file is there.
grep -q '^#.*pattern: schedule' log.yaml || fail "no tree in log.yaml"
[[ -s log-tree.goal ]] || fail "no log-tree.goal"
run 0 run log.yaml --quiet --set 'workload[0].file=log-tree.goal' --out out-tree

# A schedule goes around unchanged: resolved, exported, imported again.
cmp -s goal.goal out-goal/schedule-0.goal || fail "the resolved schedule differs"
run 0 plan goal.yaml --format goal
cp stdout again.goal
run 0 import again.goal --quiet -o around.yaml
cmp -s goal.goal around.goal || fail "GOAL does not read back as it was written"

# Flow lists read back with the same sizes and starts.
run 0 plan flows.yaml --format flows
cp stdout back.csv
run 0 import back.csv --quiet -o back-again.yaml
run 0 run back-again.yaml --quiet --out out-back
cmp -s out-flows/messages.csv out-back/messages.csv || fail "a flow list does not read back"

# Any workload as GOAL sends the same bytes.
# A schedule that stands where it would be written is used as it is.
cp "$data/pingpong.goal" same.goal
run 0 import same.goal --quiet -o same.yaml
cmp -s same.goal "$data/pingpong.goal" || fail "same.goal was written again"

run 0 plan ring-16 --format matrix
cp stdout matrix
run 0 plan ring-16 --format goal
cp stdout ring.goal
run 0 import ring.goal --quiet -o ring.yaml
run 0 plan ring.yaml --format matrix
cmp -s matrix stdout || fail "the matrix of the exported ring differs"

# As GOAL every program keeps its order, its computing, its times and what it waits for: the plan of what is read
# back has the same messages at the same times, and where queue pairs do not matter it runs as long.
fabric='squall: 1
fabric:
  topology: {kind: star, hosts: 8}
  host_link: {rate: 100Gbps, delay: 1us}
  nic: {cc: none}
  switch: {ecn: {enabled: off}}
workload:'
# kept WORKLOAD-ENTRY [plan]: also the time of the run, unless "plan" says otherwise
kept() {
	last="goal of $1"
	printf '%s\n  - %s\n' "$fabric" "$1" >native.yaml
	run 0 plan native.yaml
	tail -n +2 stdout | cut -d, -f3-6 | sort >native.plan
	run 0 plan native.yaml --format goal
	cp stdout native.goal
	printf '%s\n  - {pattern: schedule, file: native.goal}\n' "$fabric" >goal-of.yaml
	run 0 plan goal-of.yaml
	tail -n +2 stdout | cut -d, -f3-6 | sort >goal.plan
	cmp -s native.plan goal.plan || fail "$last: another plan: $(diff native.plan goal.plan | head -n 4)"
	[[ ${2-} != plan ]] || return 0
	run 0 run native.yaml --quiet --out out-native
	run 0 run goal-of.yaml --quiet --out out-goal-of
	[[ $(grep -o '"t_end_us": [0-9.]*' out-native/summary.json) == \
		$(grep -o '"t_end_us": [0-9.]*' out-goal-of/summary.json) ]] || fail "$last: another time"
}
kept '{pattern: training, ranks: 4, compute: 30us, repeat: 3, collectives: [[all-reduce, 400KB]]}'
kept '{pattern: training, compute: 90us, overlap: on, bucket: 50KB, collectives: [[all-reduce, 200KB]]}'
kept '{pattern: moe, compute: 100us, repeat: 2, buffer: 1MB}'
kept '{pattern: all-reduce, buffer: 100KB, repeat: 4, period: 100us}'
kept '{pattern: all-reduce, buffer: 1MB, algorithm: halving-doubling}'
kept '{pattern: all-reduce, ranks: 6, buffer: 1MB, algorithm: halving-doubling}'
kept '{pattern: all-to-all, message: 50KB, order: shifted, repeat: 2}'
kept '{pattern: incast, senders: 4, message: 10KB, repeat: 3, period: 50us}'
kept '{pattern: all-reduce, ranks: 7, buffer: 1MB, algorithm: tree}' plan
kept '{pattern: all-reduce, ranks: 6, buffer: 1MB, algorithm: double-binary-tree}' plan
kept '{pattern: broadcast, buffer: 3MB}' plan

# Which host is which rank: all of one placement, each once, the same as in the messages of a ring.
last="plan --format ranks"
printf '%s\n  - %s\n' "$fabric" '{pattern: ring, ranks: 5, placement: random, message: 1KB}' >native.yaml
run 0 plan native.yaml --format ranks
cp stdout ranks.csv
[[ $(head -n 1 ranks.csv) == entry,pattern,rank,host && $(wc -l <ranks.csv) == 6 ]] || fail "$last: $(cat ranks.csv)"
run 0 plan native.yaml --format matrix
while IFS=, read -r _ _ rank host; do
	next=$(awk -F, -v r=$(((rank + 1) % 5)) '$3 == r {print $4}' <(tail -n +2 ranks.csv))
	grep -q "^$host,$next,1,1000$" stdout || fail "$last: rank $rank, host $host does not send to $next"
done < <(tail -n +2 ranks.csv)
printf '%s\n  - %s\n' "$fabric" '{pattern: schedule, first_host: 3, file: goal.goal}' >native.yaml
run 0 plan native.yaml --format ranks
grep -q '^0,schedule,0,3$' stdout || fail "$last: $(cat stdout)"

# A message in the lane of a tree that goes down waits for what came up through the other lane, and names nothing twice.
last="plan of a tree"
printf '%s\n  - %s\n' "$fabric" '{pattern: all-reduce, ranks: 7, buffer: 1KB, algorithm: tree, repeat: 2}' >native.yaml
run 0 plan native.yaml
grep '^0\.4\.4,' stdout | grep -q 'received 0\.2\.0; received 0\.6\.0' || fail "$last: $(grep '^0\.4\.4,' stdout)"
twice=$(awk -F, 'NR > 1 {n = split($9, d, "; "); for (i = 1; i <= n; i++) if (seen[$1, d[i]]++) print}' stdout)
[[ -z $twice ]] || fail "$last: twice: $twice"

# Help names each key once in its section.
last="run --help"
run 0 run --help
! grep -oE '\bcdf cdf\b|drop\.psn drop\.psn' stdout || fail "$last: a key twice"

# What a form cannot say is said.
printf '%s\n  - %s\n' "$fabric" '{pattern: broadcast, buffer: 3MB}' >native.yaml
last="note of queue pairs"
run 0 plan native.yaml --format goal
grep -q 'note: GOAL keeps the order' stderr || fail "$last: $(cat stderr)"
printf '%s\n  - %s\n' "$fabric" '{pattern: moe, compute: 100us, repeat: 2, buffer: 1MB, priority: 3}' >native.yaml
noted() {
	last="note of $1"
	run 0 plan native.yaml --format "$1"
	grep -q "note: .*$2" stderr || fail "$last: $(cat stderr)"
	[[ $(grep -c 'note:' stderr) == 1 ]] || fail "$last: $(grep -c note: stderr) notes"
}
noted flows 'no dependencies, computing and order'
noted hpcc-flow 'no dependencies, computing and order'
noted htsim-cm 'start without the computing'
noted goal 'no priorities'
! grep -q 'read back, ' stderr || fail "$last: without cc and equal paths: $(cat stderr)"
# Rates of queue pairs are lost where they have any, paths where there are several.
noted_of() {
	last="note of $1"
	run 0 plan "${@:2}" --format goal
	[[ $(grep -c 'note:' stderr) == 1 ]] || fail "$last: $(cat stderr)"
	[[ $(grep -c 'line rate, not at the rate' stderr) == "${1%,*}" && $(grep -c 'other UDP source ports' stderr) == "${1#*,}" ]] ||
		fail "$last: $(cat stderr)"
}
noted_of 1,1 moe-even
noted_of 0,1 moe-even --set fabric.nic.cc=none
sed 's/topology: {.*}/topology: {kind: star, hosts: 16}/' "$source_dir/scenarios/moe-even.yaml" >star.yaml
noted_of 1,0 star.yaml
printf '%s\n  - %s\n' "$fabric" '{pattern: all-reduce, buffer: 1MB, algorithm: halving-doubling}' >native.yaml
noted htsim-cm 'do not wait for what their program waited for before'

run 0 plan flows.yaml --format hpcc-flow
[[ $(head -n 1 stdout) == 2 && $(sed -n 2p stdout) == "0 1 3 100 1000000 0.000000000000" ]] ||
	fail "hpcc-flow: $(head -n 2 stdout)"
run 0 plan goal.yaml --format htsim-cm
grep -q '^1->0 id 2 trigger 1 size 64$' stdout || fail "htsim-cm: no trigger: $(cat stdout)"

# refused PATTERN... -- ARGUMENT...
refused() {
	local patterns=()
	while [[ $1 != -- ]]; do
		patterns+=("$1")
		shift
	done
	shift
	last="import $*"
	run 2 import "$@"
	one_error "${patterns[@]}"
}
refused 'is there already' -- "$data/pingpong.goal" -o goal.yaml
cp "$data/nccl-2x2-a.log" mine.goal
refused 'would be replaced' -- mine.goal "$data/nccl-2x2-b.log" -o mine.yaml --force
cmp -s mine.goal "$data/nccl-2x2-a.log" || fail "an input was replaced"
[[ ! -e mine.yaml ]] || fail "a scenario without its schedule"
refused 'no file given' -- -o new.yaml
refused 'No such file' -- nowhere.log -o new.yaml
refused 'known: ' -- "$data/flows.csv" --format excel -o new.yaml
head -c 300 "$data/msccl-3.xml" >cut.xml
refused 'cut.xml:4:' -- cut.xml -o new.yaml
head -c 60 "$data/step.0.et" >cut.0.et
cp "$data/step.1.et" cut.1.et
refused 'cut.0.et: byte [0-9]+: ' -- cut.0.et cut.1.et -o new.yaml
[[ ! -e new.yaml ]] || fail "new.yaml was made"
last="plan --format"
run 2 plan goal.yaml --format excel
one_error 'htsim-cm'
# too large for a schedule is said before it is made
cat >huge.yaml <<'END'
squall: 1
fabric: {topology: {kind: star, hosts: 2}}
workload: [{pattern: ring, message: 1B, repeat: 1000000000}]
END
run 2 plan huge.yaml --format goal
one_error '16777216 messages are more than the 8388608 that a GOAL file holds' '--limit'
[[ ! -s stdout ]] || fail "plan --format goal: began a file that is too large"
finish
