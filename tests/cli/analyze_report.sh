#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The page of a capture: one well-formed file that loads nothing and agrees with the JSON; in a browser nothing complains,
# every part is drawn, and nothing is wider than a phone.
set -euo pipefail
# shellcheck source=tests/cli/_cli.sh
. "$(dirname "${BASH_SOURCE[0]}")/_cli.sh"

cat >s.yaml <<'END'
squall: 1
name: x
fabric:
  topology: {kind: leaf-spine, hosts: 12, leaves: 2, spines: 2}
  switch: {buffer: 2MiB}
workload:
  - {pattern: incast, senders: 10, receiver: 0, message: 200KB, repeat: 2, period: 300us}
  - {pattern: permutation, message: 150KB}
faults:
  - {at: 0us, for: 3ms, drop: {link: leaf0-spine0, psn: 20, count: 2}}
END
run 0 run s.yaml --quiet --no-report --capture all --snap 96 --out one
name='a <script>alert(1)<!-- "b".pcapng'
cp one/capture.pcapng "$name"
run 0 analyze "$name" --quiet --report page.html --json -o all.json
python3 "$source_dir/tests/cli/_report.py" page.html "$name" || fail "page.html: see above"
[[ $(grep -c '<script>alert' page.html) == 0 ]] || fail "a name became markup"

# The page agrees with the JSON, whose figures tests/unit prove.
cat >agree.py <<'END'
import html.parser, json, re, sys
page = open("page.html").read()
c = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S).group(1))["capture"]
d = json.load(open("all.json"))
for k in ("data_packets", "payload_bytes", "ce_packets", "cnps", "naks", "retransmitted_packets", "missing_psns", "messages"):
    assert c["totals"][k] == d["roce"][k], k
assert d["roce"]["naks"] > 0 and d["roce"]["ce_packets"] > 0 and d["pfc"]["episodes"] > 0, "the scenario shows too little"
s = c["series"]
for name, key in (("ce", "ce_packets"), ("cnps", "cnps"), ("again", "retransmitted_packets")):
    assert sum(s[name]) == d["roce"][key], (name, sum(s[name]), d["roce"][key])
assert sum(s["payload_bytes"]) == 10 * 2 * 200000 + 12 * 150000  # what was sent again is no goodput
assert all(len(v) == len(s["t_us"]) for v in s.values() if isinstance(v, list))
assert all(a < b for a, b in zip(s["t_us"], s["t_us"][1:]))
for k, ns in enumerate(d["pfc"]["paused_ns_by_priority"]):
    assert sum(s.get(f"paused{k}", [0])) == ns and abs(c["totals"]["paused_us"][k] * 1000 - ns) < 0.5
flows = [f for f in d["flows"] if f["data_packets"]]
assert c["flows"]["all"] == len(flows) == len(c["flows"]["rows"])
for r, f in zip(c["flows"]["rows"], sorted(flows, key=lambda f: (-f["payload_bytes"], f["id"]))):
    assert r[:5] == [f["id"], f["src"], f["dst"], f["peer_qp"], f["dqp"]], (r, f)
    assert r[9:13] == [f["data_packets"], f["payload_bytes"], f["messages"], f["ce_packets"]], (r, f)
m = {(c["matrix"]["hosts"][x[0]], c["matrix"]["hosts"][x[1]]): x[2:] for x in c["matrix"]["cells"]}
assert m == {(x["src"], x["dst"]): [x["payload_bytes"], sum(x["messages"].values())] for x in d["matrix"]} and len(m) > 12
t = c["tails"]["net_fct"]
assert t["n"] == d["net_fct_ns"]["samples"] == t["tail"][0][1] and t["tail"][-1][1] >= 1
assert t["max"] * 1000 == d["net_fct_ns"]["max"] == t["tail"][-1][0] * 1000 and t["tail"][0][0] == t["min"]
assert all(a[0] <= b[0] and a[1] > b[1] for a, b in zip(t["tail"], t["tail"][1:]))
by_id = {f["id"]: f for f in d["flows"]}
assert c["rates"]["all"] >= len(c["rates"]["rows"]) > 5
for x in c["rates"]["rows"]:
    f = by_id[x["flow"]]
    assert (x["src"], x["dst"], x["dqp"]) == (f["src"], f["dst"], f["dqp"]) and len(x["wire_bytes"]) == len(x["model_bps"])
    assert x["cnps"] == f["cnps_from_ce"] + f["cnps_from_loss"] + f["cnps_unexplained"] > 0
    assert 0 < sum(x["wire_bytes"]) <= f["wire_bytes"], (x["flow"], f["payload_bytes"], sum(x["wire_bytes"]), f["wire_bytes"])
    # the simulated sender is the model: it is never above it, but for what was sent before the cut in the same step
    over = [i for i, (b, m) in enumerate(zip(x["wire_bytes"], x["model_bps"])) if m and i and x["model_bps"][i - 1] and b * 8e6 / x["width_us"] > max(m, x["model_bps"][i - 1]) * 1.05 + 8 * 1200e6 / x["width_us"]]
    assert not over, (x["flow"], over)
assert c["findings"] == d["findings"] and any(f["caused_by"] is None for f in d["findings"])
rows = c["messages"]["rows"]
assert rows[0][7] == t["max"] and all(a[7] >= b[7] for a, b in zip(rows, rows[1:]))
assert len(c["pauses"]["rows"]) == c["pauses"]["all"] and len(c["recoveries"]["rows"]) == c["recoveries"]["all"] > 0
assert [(r[0], r[3]) for r in c["interfaces"]["rows"]] == [(i["name"], i["frames"]) for i in d["interfaces"]]
END
python3 agree.py || fail "page and JSON do not agree: see above"

# Nothing, and nothing of RoCE, is a page as well.
python3 - <<'END'
import struct
open("none.pcap", "wb").write(struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 65535, 1))
with open("other.pcap", "wb") as f:
    f.write(struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 65535, 1))
    for i in range(3):
        f.write(struct.pack("<IIII", 5, i, 60, 60) + bytes(12) + b"\x08\x06" + bytes(46))
END
for empty in none other; do
	run 0 analyze $empty.pcap --quiet --report $empty.html
	python3 "$source_dir/tests/cli/_report.py" $empty.html $empty.pcap || fail "$empty.html: see above"
done
run 3 analyze "$name" --quiet --report nowhere/page.html
one_error nowhere

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || {
	((failures == 0)) || finish
	echo "skipped: no chromium here"
	exit 77
}

# see PAGE WIDTH THEME: what the page at hand says of itself, into said; complaints into complaints.
see() {
	cat >frame.html <<-END
		<body><iframe src="$1?theme=$3" width="$2" height="6000"></iframe><script>
		onload = function () { setTimeout(function () {
			var w = document.querySelector("iframe").contentWindow, d = w.document, e = d.documentElement, seen = {};
			function texts(q) { return Array.from(d.querySelectorAll(q)).map(function (x) { return x.textContent.replace(/\\s+/g, " "); }); }
			try {
				seen = {ready: e.getAttribute("data-ready"), wide: e.scrollWidth - e.clientWidth, broken: texts("#broken").length, injected: d.querySelectorAll("img[src=x], script:not([type]):nth-of-type(n+9)").length,
					sections: Array.from(d.querySelectorAll("section")).map(function (s) { return s.id; }), panels: texts(".panel-head b"), plots: d.querySelectorAll(".plot canvas").length,
					bars: d.querySelectorAll("#pauses svg rect:not(.lane)").length, lanes: d.querySelectorAll("#pauses rect.lane").length, cells: d.querySelectorAll("#matrix rect:not(.axis)").length,
					flows: d.querySelectorAll("#flowtable tbody tr").length, curves: d.querySelectorAll("#tails svg").length, rates: d.querySelectorAll("#rates option").length,
					found: texts("#findings summary"), verdict: texts("#verdict").join("")};
				if (seen.flows) {
					var heads = Array.from(d.querySelectorAll("#flowtable th button")), by = heads.filter(function (b) { return b.textContent.indexOf("goodput") === 0; })[0], input = d.querySelector("#flowtable input");
					by.click();
					seen.sorted = texts("#flowtable tbody tr td:nth-child(8)");
					Array.from(d.querySelectorAll("#flowtable th button")).filter(function (b) { return b.textContent.indexOf("goodput") === 0; })[0].click();
					seen.reversed = texts("#flowtable tbody tr td:nth-child(8)");
					input.value = "198.19.0.0 0x10a";
					input.dispatchEvent(new Event("input"));
					seen.filtered = texts("#flowtable tbody tr");
					w.graphs[0].updateOptions({dateWindow: [0, 100]});
					w.graphs[w.graphs.length - 1].updateOptions({dateWindow: [0, 100]});
					seen.zoomed = d.querySelectorAll("#pauses svg rect:not(.lane)").length;
				}
			} catch (x) { seen.error = String(x); }
			var copy = document.createElement("pre");
			copy.id = "seen";
			copy.textContent = JSON.stringify(seen);
			document.body.appendChild(copy);
		}, 600); };
		</script></body>
	END
	timeout 90 "$browser" --headless --no-sandbox --disable-gpu --allow-file-access-from-files --user-data-dir="$work/profile" \
		--virtual-time-budget=8000 --window-size=1400,6000 --enable-logging=stderr --dump-dom "file://$work/frame.html" >dom 2>log || true
	grep 'CONSOLE' log >complaints || true
	[[ ! -s complaints ]] || fail "$1 at $2: the console says $(head -n 3 complaints)"
	python3 - "$4" <<-'END' || fail "$1 at $2, $3: see above"
		import html, json, re, sys
		found = re.search(r'<pre id="seen">(.*?)</pre>', open("dom").read(), re.S)
		v = json.loads(html.unescape(found.group(1))) if found else {"error": "did not become ready"}
		found = [(f["name"], f["title"]) for f in json.load(open("all.json"))["findings"]]
		ok = "error" not in v and v["ready"] == "1" and v["wide"] == 0 and v["broken"] == 0 and eval("(" + sys.argv[1] + ")")
		if not ok: print(v)
		sys.exit(not ok)
	END
}

cp page.html plain.html
for look in "390 light" "1366 dark"; do
	# shellcheck disable=SC2086
	see plain.html $look 'v["sections"] == ["findings", "loop", "pauses", "rates", "recoveries", "tails", "flows", "matrix", "slow", "interfaces"] and v["plots"] >= 16 and v["rates"] > 5 and [sum(w in x for x in v["found"]) for _, w in found] == [1] * len(found) == [1] * len(v["found"]) and found[0][1] in v["verdict"] and
		{"Goodput", "Rate of the sender", "CE marks per ms", "CNPs per ms", "NAKs and packets sent again per ms", "Ports paused, by priority", "From packet to ACK", "One-way latency"} == set(v["panels"]) and
		v["bars"] > 10 and v["lanes"] >= 5 and v["cells"] >= 20 and v["curves"] == 5 and v["flows"] == 22 and v["sorted"] == v["reversed"][::-1] != v["reversed"] and
		len(v["filtered"]) == 1 and "0x10a" in v["filtered"][0] and 0 < v["zoomed"] < v["bars"]'
done
see none.html 390 light 'v["flows"] == 0 and "flows" in v["sections"]'
finish
