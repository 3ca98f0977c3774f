#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Bad input of every class ends with exit status 2, one line that says where, what and what to do, and
# no file written.
set -euo pipefail
# shellcheck source=tests/cli/_cli.sh
. "$(dirname "${BASH_SOURCE[0]}")/_cli.sh"

cat >good.yaml <<'END'
squall: 1
name: good
stop: {after: 100us}
fabric:
  topology: {kind: star, hosts: 4}
  host_link: {rate: 100Gbps, delay: 1us}
workload:
  - {pattern: incast, senders: 2, receiver: 0, message: 10KB}
END

# refused NAME PATTERN...: NAME.yaml is refused by check and by run.
refused() {
	local name=$1
	shift
	last=$name
	run 2 check "$name.yaml"
	one_error "$@"
	run 2 run "$name.yaml" --out "out-$name"
	one_error "$@"
	[[ ! -s stdout ]] || fail "$name: something on stdout: $(head -n 3 stdout)"
	[[ ! -e out-$name ]] || fail "$name: left out-$name behind: $(ls out-"$name")"
}

# variant NAME SED-EXPRESSION
variant() {
	sed -E "$2" good.yaml >"$1.yaml"
	! cmp -s good.yaml "$1.yaml" || fail "$1: the variant changes nothing"
}

run 0 check good.yaml
run 0 run good.yaml --out out-good
[[ -s out-good/summary.json ]] || fail "the good scenario leaves no summary.json"

variant unknown_key 's/host_link/hostlink/'
refused unknown_key 'unknown_key.yaml:6:3' 'host_link'
variant missing_unit 's/10KB/10000/'
refused missing_unit 'missing_unit.yaml:8:[0-9]+' 'message' 'unit' 'such as'
variant wrong_unit 's/100us/100Gbps/'
refused wrong_unit 'wrong_unit.yaml:3:[0-9]+' 'time' 'such as'
variant zero_rate 's/100Gbps/0Gbps/'
refused zero_rate 'zero_rate.yaml:6:[0-9]+' 'rate'
variant negative_time 's/delay: 1us/delay: -1us/'
refused negative_time 'negative_time.yaml:6:[0-9]+' 'delay'
variant host_out_of_range 's/receiver: 0/receiver: 4/'
refused host_out_of_range 'host_out_of_range.yaml:8:[0-9]+' 'receiver' '4'
variant too_many_senders 's/senders: 2/senders: 64/'
refused too_many_senders 'too_many_senders.yaml:8:[0-9]+' 'senders' '64'
# shellcheck disable=SC2016 # sed's own $
variant no_workload '/^workload/,$d'
refused no_workload 'no_workload.yaml' 'workload'
variant empty_workload '/pattern/d; s/^workload:/workload: []/'
refused empty_workload 'empty_workload.yaml:[0-9]+:[0-9]+' 'workload'
variant unknown_pattern 's/incast/incats/'
refused unknown_pattern 'unknown_pattern.yaml:8:[0-9]+' 'incast'
variant unknown_kind 's/star/start/'
refused unknown_kind 'unknown_kind.yaml:5:[0-9]+' 'star'
variant datagrams 's/\{pattern.*/{pattern: all-reduce, buffer: 1MB, transport: ud}/'
refused datagrams 'datagrams.yaml:8:[0-9]+' 'workload\[0\].transport' '1024 bytes' '125000 bytes' 'rc or uc'
variant short_series 's/100Gbps/1Mbps/; s/^workload/measure: {series: 1us}\nworkload/'
refused short_series 'short_series.yaml:7:[0-9]+' 'measure.series: 1us is too short' 'at least 20 us'
variant reservations 's/^workload/  switch: {buffer: 64KiB, pfc: {headroom: 60KiB}}\nworkload/'
refused reservations 'reservations.yaml' 'buffer|headroom' '[0-9]'
variant bad_expect 's/^workload/expect: ["fct_us.p98 < 4500"]\nworkload/'
refused bad_expect 'bad_expect.yaml:7:[0-9]+' 'column 1' 'nearest is fct_us.p9'
variant bad_expect_number 's/^workload/expect: ["fct_us.p99 < 4500us"]\nworkload/'
refused bad_expect_number 'bad_expect_number.yaml:7:[0-9]+' 'column 18'
variant duplicate 's/^name: good/name: good\nname: twice/'
refused duplicate 'duplicate.yaml:[0-9]+:[0-9]+' 'name'
variant later_format 's/^squall: 1/squall: 2/'
refused later_format 'later_format.yaml:1:[0-9]+'
variant no_format '/^squall: 1/d'
refused no_format 'no_format.yaml' 'squall'
variant mtu 's/^workload/  path_mtu: 100000\nworkload/'
refused mtu 'mtu.yaml:7:[0-9]+' 'path_mtu'

head -c 190 good.yaml >truncated.yaml
refused truncated 'truncated.yaml'
: >empty.yaml
refused empty 'empty.yaml'
head -c 4096 /dev/zero >zeros.yaml
refused zeros 'zeros.yaml'
printf 'squall: 1\nname: "\xff\xfe"\n' >not_utf8.yaml
refused not_utf8 'not_utf8.yaml'
printf '%0.s[' {1..5000} >deep.yaml
refused deep 'deep.yaml'
printf 'a: &a [x]\nb: &b [*a, *a]\nc: &c [*b, *b]\n' >aliases.yaml
refused aliases 'aliases.yaml'
printf '\n' >blank.yaml
refused blank 'blank.yaml'

sed -E 's/\{kind: star, hosts: 4\}/{kind: file, file: missing.topo}/' good.yaml >no_topology.yaml
refused no_topology 'missing.topo' 'no_topology.yaml|No such file'

# A host that no cable path reaches, a line cut short, a name that is not there.
topology() {
	printf '%s\n' "${@:2}" >"$1.topo"
	sed -E "s/\{kind: star, hosts: 4\}/{kind: file, file: $1.topo}/" good.yaml >"$1.yaml"
}
nodes=('host a' 'host b' 'host c' 'switch s' 'switch t')
topology unreachable "${nodes[@]}" 'link a s 100Gbps 1us' 'link b s 100Gbps 1us' 'link c t 100Gbps 1us'
refused unreachable 'unreachable' 'cannot reach'
topology uncabled "${nodes[@]}" 'link a s 100Gbps 1us' 'link b s 100Gbps 1us'
refused uncabled 'uncabled' 'c'
topology cut_line "${nodes[@]}" 'link a s 100Gbps 1us' 'link b s 100Gb'
refused cut_line 'cut_line.topo:7'
topology no_node "${nodes[@]}" 'link a s 100Gbps 1us' 'link b x 100Gbps 1us'
refused no_node 'no_node.topo:7' 'x'

# A flow list that ends in the middle of a row.
printf 'src,dst,bytes,start\n0,1,1000,0us\n1,2' >cut.csv
sed -E 's/\{pattern.*/{pattern: flows, file: cut.csv}/' good.yaml >cut_flows.yaml
refused cut_flows 'cut.csv:3'

# The peer's files, cut.
mkdir cut_import
printf 'TOPOLOGY_FILE topology.txt\nFLOW_FI' >cut_import/config.txt
last="cut import"
run 2 run --import hpcc cut_import --out out-import
one_error 'cut_import/config.txt'
[[ ! -e out-import ]] || fail "$last: left out-import behind"

# More than there is: refused before it runs, or ended in time with results that say so. A sanitizer
# needs terabytes of address space.
if [[ $(nm "$SQUALL_BIN" 2>/dev/null) != *__asan_init* ]]; then
	sed -E 's/senders: 2/senders: 2, repeat: 100000000/' good.yaml >large.yaml
	for limit in 150000 250000 1000000; do
		last="ulimit -v $limit"
		(
			failures=0
			ulimit -v "$limit"
			run 3 run large.yaml --set stop.after=never --set 'workload[0].message=1B' --set measure.messages=all \
				--quiet --out "out-large-$limit"
			exit "$failures"
		) || fail "$last: no clean end"
		one_error 'memory'
		if [[ -e out-large-$limit ]]; then
			grep -q '"out of memory"' "out-large-$limit/summary.json" || fail "$last: not marked"
		fi
	done
fi

# Nothing of the user's is replaced: an input, a pipe, another result.
mkdir own
cp good.yaml own/scenario.yaml
last="own folder"
run 2 run own/scenario.yaml --out own
one_error 'own: holds a scenario.yaml'
cmp -s good.yaml own/scenario.yaml || fail "$last: replaced the input"
mkfifo own/pipe
last="a pipe for --fct"
run 2 run good.yaml --out out-fct --fct own/pipe
one_error 'own/pipe' 'no regular file'
[[ -p own/pipe ]] || fail "$last: replaced the pipe"
for format in svg text; do
	last="topo over the input as $format"
	run 2 topo good.yaml --format "$format" -o own/scenario.yaml
	one_error 'own/scenario.yaml: exists'
	cmp -s good.yaml own/scenario.yaml || fail "$last: replaced the input"
	run 0 topo good.yaml --format "$format" -o "drawing.$format"
	run 0 topo good.yaml --format "$format" -o "drawing.$format"
done
last="report over a result"
run 0 run good.yaml --quiet --out reported
run 2 report reported -o reported/messages.csv
one_error 'messages.csv: exists and is no page'
head -n 1 reported/messages.csv | grep -q '^entry,' || fail "$last: replaced it"
run 0 report reported -o page.html
run 0 report reported -o page.html
last="--fct over the input"
run 2 run good.yaml --out out-fct --fct good.yaml
one_error 'is the scenario itself'
last="--fct over a result"
run 2 run good.yaml --out out-fct --fct out-fct/summary.json
one_error 'another result'

last="missing file"
run 2 run nowhere.yaml --out out-nowhere
one_error 'nowhere.yaml' 'no such'
last="near name"
run 2 run incast-33 --out out-nowhere
one_error 'nearest is incast-32'
last="a folder"
mkdir folder.yaml
run 2 run folder.yaml --out out-nowhere
one_error 'folder.yaml' 'folder|directory'
[[ ! -e out-nowhere ]] || fail "out-nowhere was made"
if ((EUID != 0)); then
	last=unreadable
	cp good.yaml unreadable.yaml
	chmod 0 unreadable.yaml
	run 3 run unreadable.yaml --out out-nowhere
	one_error 'unreadable.yaml' 'ermission'
fi

# --set is checked as the file is.
set_refused() {
	last="--set $1"
	run 2 run good.yaml --out out-set --set "$1"
	shift
	one_error "$@"
	[[ ! -e out-set ]] || fail "$last: left out-set behind"
}
set_refused 'fabric.switch.ecn.kmn=400KB' 'kmin'
set_refused 'fabric.switch.ecn.kmin=400' 'unit'
set_refused 'workload[3].senders=2' 'workload'
set_refused 'workload[0].senders=5' 'senders'
set_refused 'nonsense' 'KEY=VALUE'
set_refused '=5' 'KEY=VALUE'
set_refused 'seed=-1' 'seed'

# usage ARGUMENT... -- PATTERN...
usage() {
	local arguments=()
	while [[ $1 != -- ]]; do
		arguments+=("$1")
		shift
	done
	shift
	last="squall ${arguments[*]}"
	run 2 "${arguments[@]}"
	one_error "$@"
	[[ ! -s stdout ]] || fail "$last: something on stdout"
}
run 2
last=squall one_error 'squall --help'
usage rnu good.yaml -- 'unknown command rnu' 'nearest is run'
usage frobnicate -- 'unknown command' '--help'
usage --nonsense -- 'unknown option'
usage run -- 'no scenario'
usage run good.yaml good.yaml -- 'too many'
usage run good.yaml --thread=2x -- 'threads' '1 to 64'
usage run good.yaml --threads 0 -- 'threads' '1 to 64'
usage run good.yaml --threads 65 -- 'threads' '1 to 64'
usage run good.yaml --seed -1 -- 'seed'
usage run good.yaml --seed 99999999999999999999 -- 'seed'
usage run good.yaml --treads 2 -- 'unknown option --treads' 'nearest is --threads'
usage run good.yaml --s 2 -- 'ambiguous'
usage run good.yaml -x -- 'unknown option -x'
usage run good.yaml --seed -- 'needs a value'
usage run good.yaml --json=yes -- 'takes no value'
usage run good.yaml --out '' -- '--out'
usage run --import nonsense . -- 'nonsense' 'hpcc'
usage run --import hpcc nowhere -- 'nowhere'
usage check -- 'no scenario'
usage plan good.yaml --limit 0 -- 'limit'
usage explain fabric.switch.ecn.kmn -- 'nearest is fabric.switch.ecn.kmin'
usage explain fct_us.p98 -- 'nearest is fct_us.p9'
usage explain a b -- 'unexpected argument b'
usage schema --sumary -- 'nearest is --summary'
usage version now -- 'unexpected argument now'
# No name steers the terminal: neither from a file nor from --set, nor the name of a file.
for name in '\u001b[31mX\u0007' '\u009b31m' '\u202eX'; do
	last="name $name"
	run 2 check good.yaml --set "name=\"$name\""
	one_error 'steers a terminal'
done
cp good.yaml $'g\e[31mood.yaml'
last="a scenario file with an escape in its name"
run 0 check $'g\e[31mood.yaml'
grep -q $'\e' stdout stderr && fail "$last: printed raw"
run 0 run $'g\e[31mood.yaml' --out $'o\e[31mut'
grep -q $'\e' stdout stderr && fail "$last: printed raw by run"

last="no name of a scenario"
run 2 check ''
one_error 'the name of the scenario is empty'
for key in fabric..topology fabric.topology. .fabric; do
	last="--set $key"
	run 2 check good.yaml --set "$key=1"
	one_error "--set $key=1: not a key: a name is empty"
done
last="a percentile twice"
run 2 check good.yaml --set 'measure.percentiles=[50, 99, 50.0]'
one_error 'measure.percentiles: 50.0 is there twice'
for name in dir/ .yaml dir/.yml; do
	last="import -o $name"
	run 2 import flows.csv -o "$name"
	one_error "--output $name: expected the name of a file"
done
last="plan of more than is taken"
run 0 plan incast-32 --format matrix --limit 2
grep -q '^squall: note: of [0-9]* messages the first 2 are taken' stderr || fail "$last: $(cat stderr)"

finish
