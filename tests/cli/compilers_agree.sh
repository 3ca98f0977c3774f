#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Results are functions of scenario and seed alone: the same bytes from gcc and clang, on one thread
# and two, in every file but run.json.
set -euo pipefail
source_dir=${SQUALL_SOURCE_DIR:-$(realpath "$(dirname "$0")/../..")}
: "${SQUALL_BIN:=$source_dir/build/squall}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

small=(--set stop.after=300us --set measure.series=20us --quiet)
compared=0
for scenario in "$source_dir"/scenarios/*.yaml; do
	name=$(basename "$scenario" .yaml)
	status=0
	"$SQUALL_BIN" run "$scenario" "${small[@]}" --out "$work/$name.gcc1" >/dev/null 2>"$work/err" || status=$?
	# 1: an expectation on the whole run need not hold for its first 300 us
	((status <= 1)) || { cat "$work/err"; echo "$name: exit $status"; exit 1; }
	"$SQUALL_BIN" run "$scenario" "${small[@]}" --threads 2 --out "$work/$name.gcc2" >/dev/null 2>&1 || (($? == 1))
	others=(gcc2)
	if [[ -x ${SQUALL_BIN_CLANG:-} ]]; then
		"$SQUALL_BIN_CLANG" run "$scenario" "${small[@]}" --out "$work/$name.clang" >/dev/null 2>&1 || (($? == 1))
		others+=(clang)
	fi
	for other in "${others[@]}"; do
		diff -r -x run.json "$work/$name.gcc1" "$work/$name.$other" >"$work/diff" ||
			{ echo "$name: $other differs:"; head -n 20 "$work/diff"; exit 1; }
	done
	compared=$((compared + 1))
done
((compared > 0)) || { echo "no scenario was compared"; exit 1; }
if [[ ! -x ${SQUALL_BIN_CLANG:-} ]]; then
	echo "skipped: no clang build to compare with (./lab test makes one); threads agree"
	exit 77
fi
