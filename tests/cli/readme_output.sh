#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What README.md shows is what the program prints, but for the line that says how long it took; and the
# links and files that it names exist. `readme_output.sh --update` writes the output into it.
set -euo pipefail
cd "${SQUALL_SOURCE_DIR:-$(dirname "$0")/../..}"
: "${SQUALL_BIN:=$PWD/build/squall}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

(cd "$work" && ln -s "$OLDPWD/scenarios" . && "$SQUALL_BIN" run scenarios/incast-32.yaml >printed.1
	"$SQUALL_BIN" run incast-8 --set fabric.switch.buffer=2MiB --set expect=[] --capture all --quiet --no-report --out out-incast
	"$SQUALL_BIN" analyze out-incast/capture.pcapng >printed.2)
if [[ ${1:-} == --update ]]; then
	python3 - "$work"/printed.{1,2} <<'END'
import pathlib, re, sys
readme = pathlib.Path("README.md")
printed = iter([pathlib.Path(p).read_text() for p in sys.argv[1:]])
text = re.sub(r"```text\n.*?```", lambda m: "```text\n" + next(printed, m.group(0)[8:-3]) + "```", readme.read_text(), flags=re.S)
readme.write_text(text)
END
	exit 0
fi
for i in 1 2; do
	awk -v want=$i '/^```text$/ { n++; inside = 1; next } /^```$/ { inside = 0 } inside && n == want' README.md >"$work/shown"
	diff <(grep -v '^results in' "$work/shown") <(grep -v '^results in' "$work/printed.$i") ||
		{ echo "README.md shows another output (tests/cli/readme_output.sh --update)"; exit 1; }
done

while read -r target; do
	[[ -e $target ]] || { echo "README.md names $target, which is not there"; exit 1; }
done < <({
	grep -oE '\]\([^)#]+' README.md | sed 's/^](//' | grep -v '^http'
	grep -oE '`(analysis|capture|cli|dataplane|gen|scenarios|tests|docs)(/[A-Za-z0-9_.-]+)+`' README.md | tr -d '`'
} | sort -u)
