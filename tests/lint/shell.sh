#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Shell scripts pass shellcheck, where it is installed.
set -euo pipefail
# shellcheck source=tests/lint/_files.sh
. "$(dirname "$0")/_files.sh"

command -v shellcheck >/dev/null || { echo "skipped: no shellcheck"; exit 77; }
mapfile -t scripts < <(find tests -name '*.sh' | LC_ALL=C sort)
shellcheck -S warning -e SC2043 -x -P . lab .ci/run "${scripts[@]}" || fail "shellcheck"
finish
