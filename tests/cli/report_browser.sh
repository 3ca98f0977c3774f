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
				" wide " + (e.scrollWidth - e.clientWidth) + " injected " + d.querySelectorAll("img[src=x]").length + " rects " + d.querySelectorAll(".map rect").length;
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
finish
