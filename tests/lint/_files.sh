# SPDX-License-Identifier: Apache-2.0
# Sourced by the lint tests: where the sources are, and one way to report.
# shellcheck shell=bash
cd "${SQUALL_SOURCE_DIR:-$(dirname "${BASH_SOURCE[0]}")/../..}" || exit 1

# shellcheck disable=SC2034 # used by the scripts that source this
module_folders=(analysis capture cli dataplane gen scenarios)

# c_files FOLDER...: C sources and headers, sorted.
c_files() { find "$@" -name '*.[ch]' 2>/dev/null | LC_ALL=C sort; }

# Everything a person wrote.
text_files() {
	find . -name build -prune -o -name 'build-*' -prune -o -name .git -prune -o -name __pycache__ -prune -o -type f \
		\( -name '*.[ch]' -o -name '*.sh' -o -name '*.py' -o -name '*.md' -o -name '*.txt' -o -name '*.yaml' \
		-o -name '*.in' -o -name '*.json' -o -name lab -o -path './.ci/*' \) -print | LC_ALL=C sort
}

failures=0
fail() {
	echo "$*"
	failures=$((failures + 1))
}

finish() {
	((failures == 0)) || { echo "$failures found"; exit 1; }
	exit 0
}
