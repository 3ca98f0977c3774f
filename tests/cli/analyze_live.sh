#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# squall analyze -i: frames of a simulated capture go over a pair of virtual interfaces in a network namespace, and the
# analysis of what comes says what that of the file says; nothing is lost without being counted; on a terminal it is a
# screen that q and Ctrl-C end. Skips where namespaces are not permitted.
set -euo pipefail
[[ ${1:-} == inside ]] || {
	unshare -rn true 2>/dev/null || { echo "skipped: no network namespaces here"; exit 77; }
	exec unshare -rn bash "$0" inside
}
# shellcheck source=tests/cli/_cli.sh
. "$(dirname "${BASH_SOURCE[0]}")/_cli.sh"
sysctl -qw net.ipv6.conf.default.disable_ipv6=1 2>/dev/null || true
{ ip link add va type veth peer name vb && ip link set va up && ip link set vb up; } 2>/dev/null || { echo "skipped: no veth pair here"; exit 77; }
tool="$source_dir/tests/cli/_live.py"

cat >s.yaml <<'END'
squall: 1
fabric: {topology: {kind: star, hosts: 9}, switch: {buffer: 1MiB}}
workload: [{pattern: incast, senders: 8, receiver: 0, message: 200KB}]
faults: [{at: 0us, for: 3ms, drop: {link: sw0-host0, psn: 20, count: 2}}]
END
run 0 run s.yaml --quiet --no-report --capture host0 --out one
run 0 analyze one/capture.pcapng --quiet --json -o file.json
frames=$(python3 -c 'import json; print(json.load(open("file.json"))["frames"])')

# As many packets as the file has: the same counts, and lines of what happens meanwhile.
"$SQUALL_BIN" analyze -i vb --count "$frames" --duration 15s --refresh 200ms --ring 64x1MiB --json -o live.json --report live.html --csv csv 2>lines &
pid=$!
python3 "$tool" listening vb
python3 "$tool" replay one/capture.pcapng va 4000
wait $pid || fail "analyze -i: exit $?: $(tail -n 2 lines)"
python3 - <<'END' || fail "live and file differ: see above"
import json
a, b = json.load(open("file.json")), json.load(open("live.json"))
assert b["roce"]["data_packets"] > 1000 and b["roce"]["naks"] > 0 and b["roce"]["ce_packets"] > 0 and b["roce"]["cnps"] > 0
skip = {"cnps_without_ce"}
assert {k: v for k, v in a["roce"].items() if k not in skip} == {k: v for k, v in b["roce"].items() if k not in skip}, (a["roce"], b["roce"])
key = lambda d: [(f["src"], f["dst"], f["dqp"], f["peer_qp"], f["data_packets"], f["payload_bytes"], f["messages"], f["retransmitted_packets"]) for f in d["flows"]]
assert key(a) == key(b) and a["matrix"] == b["matrix"] and b["frames"] == a["frames"]
lost = "loss-hidden"
assert lost in [f["name"] for f in a["findings"]] and lost in [f["name"] for f in b["findings"]]
i = b["interfaces"][0]
assert i["name"] == "vb" and i["dropped_by_os"] == 0 and i["clock"] == "software" and b["files"] == []
END
python3 "$source_dir/tests/cli/_report.py" live.html vb || fail "live.html: see above"
[[ -s csv/flows.csv ]] || fail "no csv/flows.csv"
grep -qE '^[0-9.]+ m?s: goodput [0-9.]+ .?bps, .* packets, CE [0-9.]+ %, CNPs .*/s, .*, p99 RTT .*, lost 0(; found: .*)?$' lines || fail "no line says what happens: $(cat lines)"
grep -q "vb: $frames packets in .*, lost 0" lines || fail "the end does not say what was lost: $(tail -n 1 lines)"
grep -q '; found: .*loss-hidden' lines || fail "no line says what is wrong: $(cat lines)"
(($(grep -c goodput lines) >= 2)) || fail "only $(grep -c goodput lines) lines"

# A filter; --quiet says nothing.
"$SQUALL_BIN" analyze -i vb --filter cnp --duration 15s --count 7 --quiet --json >cnp.json 2>lines &
pid=$!
python3 "$tool" listening vb
python3 "$tool" replay one/capture.pcapng va
wait $pid || fail "analyze --filter: exit $?"
[[ ! -s lines ]] || fail "--quiet says $(cat lines)"
python3 -c 'import json; d = json.load(open("cnp.json")); assert d["frames"] == d["roce"]["cnps"] == 7, d["roce"]' || fail "filter or count: see above"

# What it has no time for is counted: it stands still while more comes than its ring holds.
"$SQUALL_BIN" analyze -i vb --duration 15s --ring 2x256KiB --refresh 100ms --json -o lost.json 2>lines &
pid=$!
python3 "$tool" listening vb
kill -STOP $pid
sent=$(python3 "$tool" replay one/capture.pcapng va)
kill -CONT $pid
sleep 0.6
kill -INT $pid
wait $pid || fail "analyze -i after SIGINT: exit $?"
python3 - "$sent" <<'END' || fail "losses: see above"
import json, sys
d = json.load(open("lost.json"))
lost = d["interfaces"][0]["dropped_by_os"]
assert lost > 0 and d["frames"] > 0 and d["frames"] + lost == int(sys.argv[1]), (d["frames"], lost, sys.argv[1])
END
lost=$(python3 -c 'import json; print(json.load(open("lost.json"))["interfaces"][0]["dropped_by_os"])')
grep -qE ", lost $lost(; found: .*)?\$" lines || fail "no line says that $lost were lost: $(tail -n 3 lines)"

# On a terminal: a screen; afterwards the table, and the terminal as it was.
while read -r key rows columns; do
	[[ $key != ^C ]] || key=$'\x03'
	python3 "$tool" screen "$key" "$rows" "$columns" one/capture.pcapng "$SQUALL_BIN" analyze -i vb --refresh 200ms --duration 20s >seen 2>&1 ||
		fail "screen of $rows by $columns: $(tail -n 5 seen)"
done <<-END
	q 24 80
	^C 50 160
	q 5 20
END

# Input that does not fit.
run 2 analyze -i vb one/capture.pcapng; one_error "choose one"
run 2 analyze one/capture.pcapng --filter cnp; one_error "go with -i"
run 2 analyze -i vb --filter 'qp'; one_error "filter"
run 2 analyze -i vb --refresh 1ms; one_error "--refresh"
run 2 analyze -i nosuch0; one_error nosuch0

# An interface that goes away: what was seen is there, and the exit status says so.
"$SQUALL_BIN" analyze -i vb --duration 15s --json -o gone.json 2>lines &
pid=$!
python3 "$tool" listening vb
python3 "$tool" replay one/capture.pcapng va >/dev/null
sleep 0.3
ip link del va
status=0
wait $pid || status=$?
[[ $status == 3 && -s gone.json ]] || fail "the interface went: exit $status, $(cat lines)"
finish
