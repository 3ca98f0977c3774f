#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The report as a reader sees it, ten and a thousand hosts, on a desk and on a phone, light and dark: text has the
# contrast of WCAG AA, lines have legends in their colours, nothing lies off screen. Needs Chromium.
set -euo pipefail
# shellcheck source=tests/cli/_cli.sh
. "$(dirname "${BASH_SOURCE[0]}")/_cli.sh"
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
	{ echo "skipped: no chromium here"; exit 77; }

# see PAGE WIDTH THEME TEST...: the page framed at that width; _looks.py says what holds anyway and in TEST
see() {
	local page=$1 width=$2 theme=$3 said
	shift 3
	cat >frame.html <<-END
		<body><iframe src="$page?theme=$theme" width="$width" height="4000"></iframe><script>
		$(<"$source_dir/tests/cli/_looks.js")
		onload = function () { setTimeout(function () {
			var seen, copy = document.createElement("pre");
			try { seen = looks(document.querySelector("iframe").contentWindow); } catch (e) { seen = {error: String(e)}; }
			copy.id = "seen";
			copy.textContent = JSON.stringify(seen);
			document.body.appendChild(copy);
		}, 500); };
		</script></body>
	END
	timeout 90 "$browser" --headless --no-sandbox --disable-gpu --allow-file-access-from-files --user-data-dir="$work/profile" \
		--virtual-time-budget=8000 --window-size=1400,4000 --dump-dom "file://$work/frame.html" >dom 2>log || true
	said=$(python3 "$source_dir/tests/cli/_looks.py" dom "$@") || fail "$page at $width, $theme: $said"
}

cat >ten.yaml <<'END'
squall: 1
fabric:
  topology: {kind: leaf-spine, hosts: 10, leaves: 2, spines: 2}
  switch: {buffer: 2MiB}
workload: [{pattern: incast, senders: 9, receiver: 0, message: 300KB, repeat: 3, period: 400us}]
measure: {series: 5us}
END
cat >thousand.yaml <<'END'
squall: 1
fabric:
  topology: {kind: leaf-spine, hosts: 1024, leaves: 32, spines: 32}
  switch: {buffer: 8MiB}
workload:
  - {pattern: incast, senders: 200, receiver: 0, message: 20KB, repeat: 3, period: 100us}
  - {pattern: permutation, message: 64KB}
measure: {series: 2us}
END
for name in ten thousand; do
	run 0 run $name.yaml --quiet --out $name
done
rows=$(python3 -c 'import json; p = json.load(open("thousand/report.json"))["ports"]; print(len(p["rows"]), "of", format(p["all"], ",").replace(",", "\u202f"))')
for theme in light dark; do
	for width in 390 1366; do
		# all names stand on their boxes; the bars of the slowest lie on the screen
		see ten/report.html $width $theme 'v["texts"]["named"] == 14' 'v["map"]["drawing"] and not v["map"]["cells"]' \
			'[p["names"] for p in v["panels"] if p["title"].startswith("One-way")] == [["mean", "max"]]' \
			'len(v["bars"]) == 24 and all(l >= 0 and r <= '$width' and w >= 150 for l, r, w in v["bars"])' \
			'v["buttons"][0].startswith("Show all ") and v["buttons"][0].endswith(" ports and priorities")'
		# a card per switch whose name can be read, cells for 1024 hosts and both ends of 1024 cables; the receiver's is
		# the hottest and the first
		see thousand/report.html $width $theme 'v["map"]["cells"] == 3 * 1024 and not v["map"]["drawing"]' \
			'v["map"]["names"] == [n + str(i) for n in ("leaf", "spine") for i in range(32)]' \
			'v["map"]["smallest"] >= 12.5 and 7 <= v["map"]["cell_width"] <= 14 and v["map"]["over"] <= 0 and 600 < v["map"]["height"] < 4000' \
			'v["map"]["first"] == v["map"]["hottest"] and v["map"]["colours"] > 20 and v["map"]["hot_word"].endswith("MB")' \
			"v['buttons'] == ['Show $rows ports and priorities']" 'len(v["bars"]) == 24 and all(r <= '$width' for l, r, w in v["bars"])'
	done
done

# Changes: what is alike is neither better nor worse, and no more than three digits of the others.
mkdir -p changed
python3 - <<'END'
import json
d = json.load(open("ten/report.json"))
s = d["summary"]
s["fct_us"]["p50"] *= 1.000274
s["fct_us"]["p99"] *= 1.0123456
s["fct_us"]["max"] *= 0.95
s["fairness_jain"] *= 1 - 2.29e-6
s["goodput_bps"] *= 1.123456
s["queue_bytes"]["max"] *= 20
s["drops"]["total"] = 5
json.dump(d, open("changed/report.json", "w"))
END
run 0 report ten changed -o both.html --quiet
for theme in light dark; do
	see both.html 1366 $theme 'v["changes"]["median FCT"] == ["(+0.0274 %)", "soft"]' 'v["changes"]["fairness (Jain)"] == ["(\u00b10 %)", "soft"]' \
		'v["changes"]["99 % of FCTs are below"] == ["(+1.23 %)", "delta-bad"]' 'v["changes"]["longest FCT"] == ["(\u22125 %)", "delta-good"]' \
		'v["changes"]["goodput"] == ["(+12.3 %)", "delta-good"]' 'v["changes"]["deepest queue"] == ["(\u00d7 20)", "delta-bad"]' \
		'v["changes"]["packets dropped"] == ["(was 0)", "delta-bad"]' 'len(v["run_keys"]) == 2'
done

# A deadlock is a circle whatever each of its pauses lasted, and the cable that closes it lies above the others.
cp "$source_dir/scenarios/clockwise.txt" "$source_dir/scenarios/deadlock.yaml" .
run 0 run deadlock.yaml --quiet --out deadlock --set expect=[] --set measure.series=1us
python3 - <<'END'
import json
d = json.load(open("deadlock/report.json"))
circle = [r for r in d["pauses"]["rows"] if r[0].startswith("sw") and r[2].startswith("sw")]
for r in circle:
    r[10] += int(r[2][2:]) * 7 % 4  # longest: not the order of the circle
d["pauses"]["rows"].sort(key=lambda r: -r[10])
json.dump(d, open("deadlock/report.json", "w"))
END
run 0 report deadlock --quiet
see deadlock/report.html 1366 dark 'len(v["circle"]) == 5 and "the circle is closed" in v["circle"][4]' \
	'all(v["circle"][i].split(" held by ")[1].split(" ")[0] == v["circle"][(i + 1) % 4].split(" held by ")[0] for i in range(4))' \
	'len(v["hosts"]) > 0 and all(r[3].endswith("KB") and float(r[4].split()[0]) > 50 for r in v["hosts"])'
finish
