#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A preset is nothing but values of documented keys: its name stands in the preset table, importers, exports,
# the help text, tests and docs. Comments and the sources of defaults may cite where a behaviour was learned (HPCC).
set -euo pipefail
# shellcheck source=tests/lint/_files.sh
. "$(dirname "$0")/_files.sh"

mapfile -t files < <(c_files analysis capture dataplane gen scenarios | grep -vE '^scenarios/(preset|imports/(import|export))')
while read -r hit; do
	[[ -z $hit ]] || fail "$hit: code that knows a preset's name"
done < <(python3 tests/lint/_code.py --strings "${files[@]}" |
	grep -E ':[0-9]+:.*(hpcc|"(paper|connectx)")' || true)
finish
