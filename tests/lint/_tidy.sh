#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tests/lint/_tidy.sh [FILE...]: clang-tidy on the named sources or on all; takes minutes, so it is no test.
# One process per file: version 14's va_list check misfires otherwise. Needs a configured build/.
set -uo pipefail
# shellcheck source=tests/lint/_files.sh
. "$(dirname "$0")/_files.sh"

build=${SQUALL_BUILD_DIR:-build}
[[ -e $build/compile_commands.json ]] || { echo "no $build/compile_commands.json: run ./lab test first"; exit 3; }
files=("$@")
((${#files[@]})) || mapfile -t files < <(find "${module_folders[@]}" -name '*.c' | LC_ALL=C sort)
for file in "${files[@]}"; do
	clang-tidy -p "$build" --quiet --extra-arg=-Wno-unknown-warning-option --extra-arg=-Wno-ignored-optimization-argument \
		"$file" 2>/dev/null || fail "$file"
done
finish
