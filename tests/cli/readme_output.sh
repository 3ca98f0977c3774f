#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What README.md shows is what the program prints, but for the line that says how long it took; and the
# links and files that it names exist. `readme_output.sh --update` writes the output into it.
set -euo pipefail
cd "${SQUALL_SOURCE_DIR:-$(dirname "$0")/../..}"
: "${SQUALL_BIN:=$PWD/build/squall}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

(cd "$work" && ln -s "$OLDPWD/scenarios" . && "$SQUALL_BIN" run scenarios/incast-32.yaml >printed)
if [[ ${1:-} == --update ]]; then
	python3 - "$work/printed" <<'END'
import pathlib, re, sys
readme = pathlib.Path("README.md")
printed = pathlib.Path(sys.argv[1]).read_text()
readme.write_text(re.sub(r"```text\n.*?```", lambda _: "```text\n" + printed + "```", readme.read_text(), count=1, flags=re.S))
END
	exit 0
fi
sed -n '/^```text$/,/^```$/p' README.md | sed '1d;$d' >"$work/shown"
diff <(grep -v '^results in' "$work/shown") <(grep -v '^results in' "$work/printed") ||
	{ echo "README.md shows another output (tests/cli/readme_output.sh --update)"; exit 1; }

while read -r target; do
	[[ -e $target ]] || { echo "README.md names $target, which is not there"; exit 1; }
done < <({
	grep -oE '\]\([^)#]+' README.md | sed 's/^](//' | grep -v '^http'
	grep -oE '`(analysis|capture|cli|dataplane|gen|scenarios|tests|docs)(/[A-Za-z0-9_.-]+)+`' README.md | tr -d '`'
} | sort -u)
