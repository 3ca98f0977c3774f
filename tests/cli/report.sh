#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# report.html, `squall report` and `squall topo`: one well-formed file that loads nothing, the same for any number
# of threads, small for a thousand hosts, and safe whatever names and files hold.
set -euo pipefail
# shellcheck source=tests/cli/_cli.sh
. "$(dirname "${BASH_SOURCE[0]}")/_cli.sh"
page="$source_dir/tests/cli/_report.py"

cat >s.yaml <<'END'
squall: 1
name: 'a <script>alert(1)<!-- <b> & "q"'
fabric:
  topology: {kind: leaf-spine, hosts: 12, leaves: 2, spines: 2}
  switch: {buffer: 2MiB}
workload: [{pattern: incast, senders: 10, receiver: 0, message: 300KB, repeat: 3, period: 400us}]
measure: {series: 5us}
expect: ["drops.total == 0"]
END
run 0 run s.yaml --quiet --out one
python3 "$page" one/report.html 'a <script>alert(1)<!-- <b> & "q"' || fail "one/report.html: see above"
[[ $(grep -c '<script>alert' one/report.html) == 0 ]] || fail "a name became markup"

# A function of the scenario: for two threads, and made again.
run 0 run s.yaml --quiet --threads 2 --out two
for file in report.html report.json ports.csv pfc.csv; do
	cmp -s "one/$file" "two/$file" || fail "$file differs with two threads"
done
cp one/report.html kept.html
run 0 report one
[[ $(cat stdout) == one/report.html ]] || fail "squall report says: $(cat stdout)"
grep -q '"name":"one"' one/report.html || fail "the page does not name its folder"

# The report agrees with the other files.
python3 - <<'END' || fail "report.json does not agree with the other files: see above"
import csv, json
d, s = json.load(open("one/report.json")), json.load(open("one/summary.json"))
assert d["summary"] == s
ports = list(csv.DictReader(open("one/ports.csv")))
assert sum(int(p["marked_packets"] or 0) for p in ports) == s["ecn"]["marked_packets"] > 0
assert max(int(p["max_queue_bytes"] or 0) for p in ports) == s["queue_bytes"]["max"] == d["ports"]["rows"][0][7]
assert abs(sum(float(p["paused_us"]) for p in ports) - s["pfc"]["paused_us"]) < 1e-3 and s["pfc"]["paused_us"] > 0
events = list(csv.DictReader(open("one/pfc.csv")))
assert sum(e["event"] == "xoff" for e in events) == sum(r[8] for r in d["pauses"]["rows"]) > 0
assert any(e["cause"] == "congestion" for e in events)
rows = list(csv.DictReader(open("one/series.csv")))
assert sum(d["series"]["marked"]) == sum(int(r["ecn_marked_packets"]) for r in rows) == s["ecn"]["marked_packets"]
assert max(d["series"]["queue_bytes"]) == s["queue_bytes"]["max"]
t = d["series"]["t_us"]
assert all(a < b for a, b in zip(t, t[1:])) and all(len(v) == len(t) for v in d["series"].values() if isinstance(v, list))
fct = d["cdf"]["fct_us"][0]
assert fct["n"] == s["fct_us"]["samples"] and fct["tail"][0][1] == fct["n"] and fct["tail"][-1][1] == 1
assert fct["tail"][-1][0] == s["fct_us"]["max"] and fct["tail"][0][0] == s["fct_us"]["min"]
# what a message's time went into adds up to it
for m in d["cdf"]["slowest"]:
    assert abs(sum(m[11:16]) - m[8]) < 1e-5, m
# of the hundredth that lost most no more, whatever ties
assert [w[0] for w in d["cdf"]["where"]] == [fct["n"], (fct["n"] - 1) // 100 + 1], d["cdf"]["where"]
# the longest paused, one of each pair
pairs = [(m[1], m[2]) for m in d["cdf"]["paused"]]
assert pairs and len(set(pairs)) == len(pairs)
kept = list(csv.DictReader(open("one/messages.csv")))
longest = max(float(m["paused_us"]) for m in kept)
assert abs(d["cdf"]["paused"][0][12] - longest) < 1e-5 and longest > 0
assert [c for c in d["config"] if c[0] == "fabric.switch.buffer"][0][4] == 1
END

# A host counts what it sends, as the switch does that passes it on: one message between two hosts, nothing lost.
cat >pair.yaml <<'END'
squall: 1
fabric: {topology: {kind: star, hosts: 2}}
workload: [{pattern: flows, flows: [[0, 1, 1MB, 0us]]}]
END
run 0 run pair.yaml --quiet --out pair
python3 - <<'END' || fail "ports.csv: hosts do not send what the switch passes on: see above"
import csv, json
sent, passed = {}, {}
for p in csv.DictReader(open("pair/ports.csv")):
    if p["tx_packets"] != "0":
        to, key = (sent, p["node"]) if p["node"].startswith("host") else (passed, {"host0": "host1", "host1": "host0"}[p["peer"]])
        to[key, p["priority"]] = int(p["tx_packets"]), int(p["tx_bytes"])
assert sent == passed and len({k[0] for k in sent}) == 2, (sent, passed)
data = sent["host0", "3"]
# Ethernet, IPv4, UDP, BTH, ICRC, FCS, preamble and gap around 1,024 bytes of payload; RETH in the first
n = -(-1000000 // 1024)
assert data == (n, 1000000 + n * (14 + 20 + 8 + 12 + 4 + 4 + 20) + 16), data
assert [r[5:7] for r in json.load(open("pair/report.json"))["ports"]["rows"] if r[0] == "host0"] == [list(data)]
END

# Several side by side; the same name twice.
mkdir -p other
run 0 run s.yaml --quiet --set fabric.switch.ecn.kmin=10KB --out other/one
run 0 report one other/one -o compare.html --quiet
[[ ! -s stdout ]] || fail "--quiet prints $(cat stdout)"
python3 "$page" compare.html || fail "compare.html: see above"
grep -q '"name":"other/one"' compare.html || fail "two folders of one name are not told apart"

# --no-report leaves the page out, and none of an earlier run behind.
run 0 run s.yaml --quiet --no-report --out two
[[ ! -e two/report.html && -e two/report.json ]] || fail "--no-report: $(ls two)"

# What is no result folder: one error each.
mkdir bad
run 2 report; one_error "no folder given"
run 2 report nowhere; one_error "nowhere: No such file"
run 2 report s.yaml; one_error "is no folder"
run 2 report bad; one_error "holds no report.json"
for text in '{' '[]' '{"format": "squall.report/9"}' '{"format": "squall.report/1", "summary": 1}' \
	'{"format": "squall.report/1", "format": "squall.report/1"}' "$(printf '[%.0s' {1..5000})" $'\x01\xff'; do
	printf '%s' "$text" >bad/report.json
	last="report.json of ${text:0:40}"
	run 2 report bad
	one_error "bad/report.json"
	[[ ! -e bad/report.html ]] || fail "$last: a page was written"
done
truncate -s 17M bad/report.json
run 2 report bad; one_error "bad/report.json"
python3 - <<'END'
import json
d = json.load(open("one/report.json"))
d["end"] = "</script><script>alert(2)</script><!--"
json.dump(d, open("bad/report.json", "w"))
END
run 0 report bad --quiet
python3 "$page" bad/report.html || fail "a hostile report.json breaks the page"

# The fabric as text and as a drawing.
run 0 topo s.yaml
grep -q '2 leaves like leaf0' stdout && grep -q 'oversubscription 3 to 1' stdout || fail "topo: $(cat stdout)"
grep -q '6 hosts, 4 links away, by 2 equal paths' stdout || fail "topo: $(cat stdout)"
# routes of a topology file count, not the shortest paths: four switches in a ring, clockwise only
run 0 topo deadlock
for links in 3 4 5; do
	grep -q "2 hosts, $links links away, by 1 equal path\$" stdout || fail "topo: routes are not followed: $(cat stdout)"
done
# a route by two neighbours of which one is farther: the paths are not equal
printf '%s\n' 'host a' 'host b' 'switch p' 'switch q' 'switch r' 'link a p 100Gbps 1us' 'link b q 100Gbps 1us' \
	'link p q 100Gbps 1us' 'link p r 100Gbps 1us' 'link r q 100Gbps 1us' 'route p q q' 'route p q r' >two.txt
printf '%s\n' 'squall: 1' 'fabric: {topology: {kind: file, file: two.txt}}' 'workload: [{pattern: incast, receiver: 0, message: 1MB}]' >two.yaml
run 0 topo two.yaml
grep -q '1 host, 3 to 4 links away, by 2 paths$' stdout || fail "topo: unequal paths: $(cat stdout)"
run 2 topo s.yaml --format png; one_error "expected text or svg"
cat >big.yaml <<'END'
squall: 1
fabric: {topology: {kind: fat-tree, pods: 32, hosts_per_pod: 320, edges_per_pod: 20, aggregations_per_pod: 16, cores: 256}}
workload: [{pattern: incast, senders: 40, receiver: 0, message: 20KB}]
END
for scenario in s big; do
	run 0 topo $scenario.yaml --format svg -o $scenario.svg
	python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' $scenario.svg || fail "$scenario.svg is no XML"
	(($(stat -c %s $scenario.svg) < 300000)) || fail "$scenario.svg has $(stat -c %s $scenario.svg) bytes"
done
grep -q '320 hosts' big.svg || fail "big.svg does not show pods"
# cables between switches of one tier: whole, below the title, that between distant ones above the others
run 0 topo deadlock --format svg -o deadlock.svg
python3 - <<'END' || fail "deadlock.svg: see above"
import re
svg = open("deadlock.svg").read()
down = int(re.search(r"translate\(0 (\d+)\)", svg).group(1))
arcs = [tuple(map(int, a)) for a in re.findall(r'"M(\d+) (\d+)Q\d+ (-?\d+) (\d+) ', svg)]
peak = {x2 - x1: (y + c) / 2 + down for x1, y, c, x2 in arcs}
assert len(arcs) == 4 and len(peak) == 2 and min(peak.values()) >= 24 + 6, (arcs, down)
assert peak[max(peak)] < peak[min(peak)] - 10, peak
END

# Thousands of hosts and a long time line: still a small file.
cat >thousand.yaml <<'END'
squall: 1
fabric: {topology: {kind: leaf-spine, hosts: 1024, leaves: 32, spines: 32}}
workload: [{pattern: incast, senders: 60, receiver: 0, message: 4KB, repeat: 10, period: 10us}]
measure: {series: 20ns}
stop: {after: 100us}
END
run 0 run thousand.yaml --quiet --out thousand
python3 "$page" thousand/report.html || fail "thousand/report.html: see above"
size=$(stat -c %s thousand/report.html)
((size < 2000000)) || fail "the report of a thousand hosts has $size bytes"
finish
