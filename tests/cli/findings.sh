#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Scenarios of the library are captured at every port, and the capture alone says what was planted:
# the findings form one tree whose root it is. A scenario without a fault has none.
set -euo pipefail
# shellcheck source=tests/cli/_cli.sh
. "$(dirname "${BASH_SOURCE[0]}")/_cli.sh"

# scenario (of the library, or of this folder), root or none, one of the effects, further arguments. Lengths are cut where the fault shows
# sooner; corruption needs whole frames for their ICRC.
while IFS=$'\t' read -r scenario root effect arguments; do
	[[ -n $scenario && $scenario != \#* ]] || continue
	rm -rf out
	[[ $arguments != - ]] || arguments=
	[[ $scenario != *.yaml ]] || scenario=$source_dir/tests/cli/$scenario
	status=0
	# shellcheck disable=SC2086 # several arguments
	"$SQUALL_BIN" run "$scenario" --quiet --capture all --out out $arguments >stdout 2>stderr || status=$?
	((status < 2)) || fail "$scenario: exit $status: $(head -n 3 stderr)" # what is cut misses expectations
	run 0 analyze --quiet --json -o out/analysis.json out/capture.pcapng
	python3 "$source_dir/tests/cli/_findings.py" "$scenario" "$root" "$effect" out/analysis.json || failures=$((failures + 1))
done <"$source_dir/tests/cli/findings.tsv"
finish
