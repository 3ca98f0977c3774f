#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The simulator's threads share nothing unguarded: ThreadSanitizer watches runs on two and three.
set -euo pipefail
source_dir=$(realpath "${SQUALL_SOURCE_DIR:-$(dirname "$0")/../..}")
if [[ ! -x ${SQUALL_BIN_TSAN:-} ]]; then
	echo "skipped: no build with the thread sanitizer (./lab test makes one)"
	exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

export TSAN_OPTIONS=halt_on_error=1:exitcode=66
for name in incast-32 websearch-64 ring-16; do
	for threads in 2 3; do
		status=0
		"$SQUALL_BIN_TSAN" run "$source_dir/scenarios/$name.yaml" --threads "$threads" --quiet --out out \
			--set stop.after=500us --set measure.series=20us >log 2>&1 || status=$?
		# 1: an expectation on the whole run need not hold for its beginning
		((status <= 1)) || { cat log; echo "$name on $threads threads: exit $status"; exit 1; }
	done
done
