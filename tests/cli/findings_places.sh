#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# As findings.sh, for what is captured elsewhere than at every port: one host alone. What such a
# capture shows of a fault is its root, what it does not show is no finding; a healthy run has none at any host. And the rest
# of the library, and switches that cut through.
set -euo pipefail
# shellcheck source=tests/cli/_cli.sh
. "$(dirname "${BASH_SOURCE[0]}")/_cli.sh"

# scenario, places (of which each is captured alone), root or none, one of the effects, further arguments.
while IFS=$'\t' read -r scenario places root effect arguments; do
	[[ -n $scenario && $scenario != \#* ]] || continue
	[[ $arguments != - ]] || arguments=
	[[ $scenario != *.yaml ]] || scenario=$source_dir/tests/cli/$scenario
	for place in $places; do
		rm -rf out
		status=0
		# shellcheck disable=SC2086 # several arguments
		"$SQUALL_BIN" run "$scenario" --quiet --capture "$place" --snap 96 --out out $arguments >stdout 2>stderr || status=$?
		((status < 2)) || fail "$scenario: exit $status: $(head -n 3 stderr)" # what is cut misses expectations
		run 0 analyze --quiet --json -o out/analysis.json out/capture.pcapng
		python3 "$source_dir/tests/cli/_findings.py" "$scenario at $place $arguments" "$root" "$effect" out/analysis.json ||
			failures=$((failures + 1))
	done
done <"$source_dir/tests/cli/findings_places.tsv"
finish
