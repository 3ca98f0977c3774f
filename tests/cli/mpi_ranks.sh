#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# mpirun spreads one run over processes: the same bytes on any number of them, one message for
# any error, partial results when it is interrupted, and an end for all when one is lost.
set -euo pipefail
# shellcheck source=tests/cli/_cli.sh
. "$(dirname "$0")/_cli.sh"
command -v mpirun >/dev/null || { echo "skipped: no mpirun (openmpi-bin)"; exit 77; }
[[ -e ${SQUALL_BIN%/*}/squall_mpi.so ]] || { echo "skipped: squall was built without Open MPI"; exit 77; }
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
# With the address sanitizer built in: Open MPI frees not all that it takes, and leaks of our own show without it.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0

# ranks N STATUS ARGUMENT...: as run, on N processes; what mpirun itself prints is left out of stderr.
ranks() {
	local n=$1 want=$2 status=0
	shift 2
	timeout 100 mpirun -n "$n" "$SQUALL_BIN" "$@" >stdout 2>all_stderr </dev/null || status=$?
	grep '^squall: ' all_stderr >stderr || true
	((status == want)) || fail "$n ranks, squall $*: exit $status, expected $want: $(head -n 5 all_stderr)"
}

same() {
	local file
	for file in "$1"/*; do
		file=${file##*/}
		[[ $file == run.json ]] && continue
		cmp "$1/$file" "$2/$file" || fail "$3: $file differs"
	done
}

leaf_spine='{kind: leaf-spine, hosts: 24, leaves: 6, spines: 3}'
write() { # NAME TOPOLOGY ENTRY...
	local name=$1 topology=$2 entry
	shift 2
	{
		printf 'squall: 1\nname: %s\nstop: {after: 2ms}\nfabric:\n  topology: %s\nworkload:\n' "$name" "$topology"
		for entry; do printf '  - {%s}\n' "$entry"; done
		printf 'measure: {series: 50us}\n'
	} >"$name.yaml"
}
write incast "$leaf_spine" 'pattern: incast, senders: 20, receiver: 3, message: 200KB, repeat: 2'
write poisson "$leaf_spine" 'pattern: poisson, load: 70%, cdf: websearch'
write rounds "$leaf_spine" 'pattern: all-to-all, message: 4KB, repeat: 2, qps: 3'
write tree '{kind: fat-tree, pods: 4, hosts_per_pod: 12, edges_per_pod: 3, aggregations_per_pod: 2, cores: 4}' \
	'pattern: ring, message: 30KB, repeat: 3' \
	'pattern: incast, senders: 9, receiver: 40, message: 90KB'
write collective "$leaf_spine" 'pattern: all-reduce, buffer: 600KB, channels: 2, channel_order: stride, repeat: 2'
sed -i 's/^measure:/expect: [collective.algbw_gbps > 0]\n&/' collective.yaml
# losses, retransmission and lossy classes; a sample of the messages
write loss "$leaf_spine" 'pattern: all-to-all, message: 9KB'
sed -i 's/^workload:/  switch: {buffer: 150KB, pfc: {priorities: []}}\n&/; s/series: 50us/series: 50us, messages: 100/' loss.yaml
write repeat "$leaf_spine" 'pattern: all-to-all, message: 40KB'
sed -i 's/^workload:/  switch: {buffer: 150KB, pfc: {priorities: []}}\n  nic: {retransmit: selective-repeat}\n&/' repeat.yaml
write unreliable "$leaf_spine" 'pattern: incast, senders: 20, receiver: 3, message: 40KB, repeat: 3, transport: uc' \
	'pattern: poisson, load: 30%, cdf: [[300, 0.5], [1000, 1]], transport: ud'
sed -i 's/^workload:/  switch: {buffer: 150KB, pfc: {priorities: []}}\n&/' unreliable.yaml
# a link without delay joins its ends to a group
write group "$leaf_spine" 'pattern: incast, senders: 9, receiver: 20, message: 90KB'
sed -i 's/^workload:/  overrides: [{match: {link: leaf0-spine1}, link: {delay: 0ns}}]\n&/' group.yaml

names="incast poisson rounds tree collective loss repeat unreliable group"
for name in $names; do
	run 0 run "$name.yaml" --quiet --out "$name-1"
	counts=2
	[[ $name =~ ^(poisson|tree|collective|loss)$ ]] && counts="2 4"
	for n in $counts; do
		ranks "$n" 0 run "$name.yaml" --quiet --out "$name-$n" --threads $((n == 2 ? 1 : 2))
		same "$name-1" "$name-$n" "$name on $n ranks"
	done
done
ranks 2 0 run rounds.yaml --quiet --out again --threads 2
same rounds-1 again "rounds on 2 ranks with 2 threads each"
grep -q '"ranks": 2' again/run.json || fail "run.json does not say that there were 2 ranks"
grep -q '"packets": 0,' loss-1/summary.json && fail "nothing was lost in loss.yaml: it tests little"

# One table, from one process.
ranks 2 0 run incast.yaml --out table
(($(grep -c '^results in table' stdout) == 1)) || fail "not one table: $(cat stdout)"

# Errors: one line, and the exit status of a single process.
last="too many ranks"
ranks 7 2 run incast.yaml --quiet --out none
one_error '7 processes.*6 switches.*6 processes at most'
last="bad file"
echo 'squall: 2' >bad.yaml
ranks 3 2 run bad.yaml --quiet --out none
one_error 'bad.yaml:1'
last="bad option"
ranks 2 2 run incast.yaml --threads 0 --out none
one_error threads
last="expectation"
echo 'expect: [fct_us.max < 1]' >>incast.yaml
ranks 2 1 run incast.yaml --quiet --out none
one_error '1 of 1 expectations'

# A scenario that is not the same everywhere: each rank is given its own working folder.
mkdir one other
cp poisson.yaml one/mine.yaml
sed 's/70%/71%/' poisson.yaml >other/mine.yaml
status=0
timeout 100 mpirun -n 1 -wdir one "$SQUALL_BIN" run mine.yaml --quiet --out ../none : \
	-n 1 -wdir other "$SQUALL_BIN" run mine.yaml --quiet --out ../none >stdout 2>all_stderr || status=$?
grep '^squall: ' all_stderr >stderr || true
last="two scenarios"
((status == 2)) || fail "$last: exit $status"
one_error 'process 1 has read another scenario'

# signal_when_running SIGNAL FILE ARGUMENT...: mpirun with the arguments; the process whose number is in FILE gets the
# signal once a line of progress shows that the ranks are in the run. mpirun_pid is mpirun's own.
signal_when_running() {
	local signal=$1 file=$2 status=0 tries=0
	shift 2
	: >all_stderr
	{
		until ((tries++ == 600)) || grep -q 'hops/s' all_stderr; do sleep 0.1; done
		kill -s "$signal" "$(<"$file")"
	} &
	# shellcheck disable=SC2016 # of the inner shell
	timeout 100 bash -c 'echo $$ >mpirun_pid; exec mpirun "$@"' - "$@" >stdout 2>all_stderr </dev/null || status=$?
	wait $! || fail "mpirun $*: ended before it was sent $signal"
	grep -q 'hops/s' all_stderr || fail "mpirun $*: no progress in a minute: $(tail -n 5 all_stderr)"
	return $status
}

# Ctrl-C: results so far. Open MPI waits a second before it kills unless told otherwise, and then waits that long in
# any case.
sed 's/2ms/100s/; s/series: 50us/percentiles: [50]/' poisson.yaml >endless.yaml
signal_when_running INT mpirun_pid --mca odls_base_sigkill_timeout 10 -n 2 \
	"$SQUALL_BIN" run endless.yaml --out stopped || true
grep -q '"interrupted"' stopped/summary.json || fail "no partial results after Ctrl-C: $(tail -n 5 all_stderr)"

# A process that is killed takes the others with it.
# shellcheck disable=SC2016 # of the inner shell
signal_when_running KILL rank_1_pid -n 2 bash -c '((OMPI_COMM_WORLD_RANK == 0)) || echo $$ >rank_1_pid; exec "$@"' - \
	"$SQUALL_BIN" run endless.yaml --out lost && fail "a lost rank is not noticed"
[[ ! -e lost/summary.json ]] || fail "results of a run that lost a rank"
finish
