#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The tree is formatted as .clang-format says. Other versions of clang-format differ in small ways.
set -euo pipefail
# shellcheck source=tests/lint/_files.sh
. "$(dirname "$0")/_files.sh"

if ! clang-format --version 2>/dev/null | grep -q 'version 14\.'; then
	echo "skipped: needs clang-format 14"
	exit 77
fi
mapfile -t files < <(c_files "${module_folders[@]}" tests)
while read -r file; do
	[[ -z $file ]] || fail "$file: run clang-format -i on it"
done < <(clang-format --dry-run "${files[@]}" 2>&1 | sed -n 's/^\([^:]*\):[0-9]*:[0-9]*: warning:.*/\1/p' | sort -u)
finish
