#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every shipped scenario runs as it is, every expectation in it holds, its results match the schema
# that the program prints, and the resolved scenario gives the same results again.
set -euo pipefail
# shellcheck source=tests/cli/_cli.sh
. "$(dirname "${BASH_SOURCE[0]}")/_cli.sh"

"$SQUALL_BIN" schema --summary >summary.schema.json
"$SQUALL_BIN" schema --run >run.schema.json
"$SQUALL_BIN" schema >scenario.schema.json

ran=0
for scenario in "$source_dir"/scenarios/*.yaml; do
	name=$(basename "$scenario" .yaml)
	ran=$((ran + 1))
	run 0 run "$scenario" --out "$name"
	[[ -s stdout ]] || fail "$name: no table"
	files=(collectives.csv entries.csv faults.csv messages.csv pfc.csv ports.csv report.html report.json run.json scenario.yaml series.csv
		summary.json)
	for file in "${files[@]}"; do
		[[ -s $name/$file ]] || fail "$name: no $file"
	done
	[[ -z $(find "$name" -name '*.tmp') ]] || fail "$name: temporary files left"
	python3 "$source_dir/tests/cli/_results.py" "$scenario" "$name" ./*.schema.json || fail "$name: results are not as the schema says"
	# A second time from the resolved scenario: only for short runs. The report names the files that the
	# scenario was read from, and those are others then.
	if (($(wc -l <"$name/messages.csv") < 2000)); then
		run 0 run "$name/scenario.yaml" --out "$name.again" --quiet
		diff -r -x run.json -x "report.*" "$name" "$name.again" >diff.txt || fail "$name: the resolved scenario differs: $(head -n 5 diff.txt)"
	fi
done
((ran > 0)) || fail "no scenarios in $source_dir/scenarios"
finish
