#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A file past 600 lines has a second file in it; what is that one called?
set -euo pipefail
# shellcheck source=tests/lint/_files.sh
. "$(dirname "$0")/_files.sh"

while read -r file; do
	lines=$(wc -l <"$file")
	((lines <= 600)) || fail "$file: $lines lines"
	head -n 1 "$file" | grep -q 'SPDX-License-Identifier: Apache-2.0' || fail "$file: no SPDX line first"
done < <(c_files "${module_folders[@]}" tests)
finish
