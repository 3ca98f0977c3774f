#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every header compiles alone and twice.
set -euo pipefail
# shellcheck source=tests/lint/_files.sh
. "$(dirname "$0")/_files.sh"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# shellcheck disable=SC2207
flags=(-std=gnu17 -D_GNU_SOURCE -I. -fsyntax-only -Wall -Wextra -Wshadow -Wundef -Werror -pthread
	-DSQUALL_SOURCE_DIR='"."' $(pkg-config --cflags libfyaml jansson))
while read -r header; do
	source=$work/${header//\//__}.c
	printf '#include "%s"\n#include "%s"\nextern int not_empty;\n' "$header" "$header" >"$source"
done < <(find "${module_folders[@]}" tests -name '*.h')
"${SQUALL_CC:-cc}" "${flags[@]}" "$work"/*.c || fail "a header does not stand alone"
while read -r header; do
	grep -qE '^#ifndef [A-Z0-9_]+_H$' "$header" || fail "$header: no include guard"
done < <(find "${module_folders[@]}" tests -name '*.h')
finish
