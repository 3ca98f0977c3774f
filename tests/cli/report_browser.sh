#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The report in a browser: nothing complains, the charts are drawn, and nothing is wider than a phone. Needs Chromium.
set -euo pipefail
# shellcheck source=tests/cli/_cli.sh
. "$(dirname "${BASH_SOURCE[0]}")/_cli.sh"
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
	{ echo "skipped: no chromium here"; exit 77; }

cat >s.yaml <<'END'
squall: 1
name: '</script ><img src=x onerror=document.title=9>'
fabric:
  topology: {kind: leaf-spine, hosts: 12, leaves: 2, spines: 2}
  switch: {buffer: 2MiB}
workload:
  - {pattern: incast, senders: 10, receiver: 0, message: 300KB, repeat: 3, period: 400us}
measure: {series: 5us}
END
sed -i "s|</script >|<!--<script>|" s.yaml
run 0 run s.yaml --quiet --out one
run 0 run s.yaml --quiet --set fabric.switch.pfc.priorities=[] --set fabric.topology.hosts=24 --out two
run 0 report one two -o both.html --quiet

# dom PAGE WIDTH: the document after its scripts ran, framed at that width, into dom; complaints into complaints.
dom() {
	cat >frame.html <<-END
		<body><iframe src="$1" width="$2" height="2000"></iframe><script>
		onload = function () { setTimeout(function () {
			var d = document.querySelector("iframe").contentDocument, e = d.documentElement;
			document.title = "wide " + (e.scrollWidth - e.clientWidth);
			var copy = document.createElement("pre");
			copy.textContent = "ready " + e.getAttribute("data-ready") + " title " + d.title + " plots " + d.querySelectorAll(".plot canvas").length +
				" svg " + d.querySelectorAll("svg path").length + " broken " + d.querySelectorAll("#broken").length +
				" wide " + (e.scrollWidth - e.clientWidth) + " injected " + d.querySelectorAll("img[src=x]").length + " rects " + d.querySelectorAll(".map rect").length +
				["verdict", "slow", "pauses", "events"].map(function (id) {
					var part = d.getElementById(id);
					return "\\n" + id + ": " + (part ? part.textContent.replace(/\\s+/g, " ") : "");
				}).join("") + "\\nmap: " + ((d.querySelector(".map svg") || d.body).getAttribute("viewBox"));
			document.body.appendChild(copy);
		}, 500); };
		</script></body>
	END
	timeout 90 "$browser" --headless --no-sandbox --disable-gpu --allow-file-access-from-files --user-data-dir="$work/profile" \
		--virtual-time-budget=8000 --window-size=1400,2000 --enable-logging=stderr --dump-dom "file://$work/frame.html" >dom 2>log || true
	grep 'CONSOLE' log >complaints || true
}

for page in one/report.html both.html; do
	for width in 390 1366; do
		dom "$page" $width
		result=$(grep -o 'ready 1 title.*' dom | head -n 1) || { fail "$page at $width: did not become ready: $(tail -n 3 log)"; continue; }
		[[ $result == *" broken 0 wide 0 injected 0 "* ]] || fail "$page at $width: $result"
		[[ $result =~ plots\ ([0-9]+) ]] && ((BASH_REMATCH[1] >= 14)) || fail "$page at $width: charts are missing: $result"
		[[ $result =~ svg\ ([0-9]+) ]] && ((BASH_REMATCH[1] >= 6)) || fail "$page at $width: curves are missing: $result"
		[[ $result =~ rects\ ([0-9]+) ]] && ((BASH_REMATCH[1] >= 16)) || fail "$page at $width: the fabric is missing: $result"
		[[ ! -s complaints ]] || fail "$page at $width: the console says $(head -n 3 complaints)"
	done
done

# says PART TEXT..., lacks PART TEXT: what a part of the page at hand reads.
says() { grep "^\(.*>\)\?$1: " dom | grep -qF -- "$2" || fail "$page: $1 does not say '$2': $(grep "^$1: " dom | head -c 600)"; }
lacks() { ! grep "^\(.*>\)\?$1: " dom | grep -qF -- "$2" || fail "$page: $1 says '$2': $(grep "^$1: " dom | head -c 600)"; }
show() { page=$1/report.html; dom "$page" 1366; [[ ! -s complaints ]] || fail "$page: the console says $(head -n 3 complaints)"; }

# Flows to host4 fill its port; the one to host5 stands behind them.
cat >victim.yaml <<'END'
squall: 1
fabric:
  topology: {kind: leaf-spine, hosts: 8, leaves: 2, spines: 1}
  switch: {buffer: 2MiB}
  fabric_link: {rate: 400Gbps}
  nic: {cc: none}
workload:
  - {pattern: flows, flows: [[0, 4, 4MB, 0us], [1, 4, 4MB, 0us], [2, 4, 4MB, 0us], [3, 5, 2MB, 200us]]}
END
run 0 run victim.yaml --quiet --out victim
pauses=$(python3 -c 'import json; r = json.load(open("victim/report.json"))["pauses"]["rows"]; print(sum(x[8] for x in r), "pauses of", len(r), "ports")')
show victim
says slow 'victim of the pause that began at leaf1 port 0'
says slow 'host3host5' # in the table of victims, whose others have none
[[ $(grep -o 'the pause that began at' dom | wc -l) == 2 ]] || fail "one victim, told as $(grep -o 'the pause that began at' dom | wc -l)"
says pauses "$pauses in this tree"
says verdict 'Complete'
says map '0 0 '

# A small root that came later does not repeat what another began; an interrupted run is not complete.
mkdir -p later
python3 - <<'END'
import json
d = json.load(open("victim/report.json"))
first = next(r for r in d["pauses"]["rows"] if r[7] == 0 and not r[11])
late = list(first)
late[5], late[6], late[8], late[9], late[10] = 1, "host5", 2, first[9] + 100, 5.0
d["pauses"]["rows"].append(late)
d["summary"]["tainted"], d["end"] = ["interrupted"], "interrupted"
json.dump(d, open("later/report.json", "w"))
END
run 0 report later --quiet
show later
says pauses 'Congestion at leaf1 port 1 to host5'
[[ $(grep -o 'host0 held by leaf0' dom | wc -l) == 1 ]] || fail "a subtree is repeated"
says verdict 'Interrupted before its end.'
lacks verdict 'Complete'

cp "$source_dir/scenarios/clockwise.txt" "$source_dir/scenarios/deadlock.yaml" .
run 0 run deadlock.yaml --quiet --out deadlock --set expect=[]
show deadlock
says verdict 'Deadlock seen at'
says verdict 'sw0 waits for sw1'
lacks verdict 'Complete'
says pauses 'each of these pauses waits for the next for good'
says events 'each paused queue waits for the next'
says map '0 -31 '

run 0 run victim.yaml --quiet --out storm --set 'faults=[{at: 20us, pfc_storm: host5, priority: 3, for: 300us}]'
show storm
says pauses 'Injected by pfc_storm host5'
says pauses 'in all, to its last frame, from'
says events 'pfc_storm host5, until'
finish
