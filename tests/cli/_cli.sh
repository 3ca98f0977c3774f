# SPDX-License-Identifier: Apache-2.0
# Sourced by the tests of the command line: the program, a folder of their own, one way to report.
# shellcheck shell=bash
source_dir=$(realpath "${SQUALL_SOURCE_DIR:-$(dirname "${BASH_SOURCE[0]}")/../..}")
: "${SQUALL_BIN:=$source_dir/build/squall}"
[[ -x $SQUALL_BIN ]] || { echo "no program at $SQUALL_BIN"; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

failures=0
fail() {
	echo "$*"
	failures=$((failures + 1))
}

finish() {
	((failures == 0)) || { echo "$failures failed"; exit 1; }
	exit 0
}

# run STATUS ARGUMENT...: runs squall with these arguments into $work/{stdout,stderr}.
run() {
	local want=$1 status=0
	shift
	"$SQUALL_BIN" "$@" >stdout 2>stderr </dev/null || status=$?
	((status == want)) || fail "squall $*: exit $status, expected $want: $(head -n 3 stderr)"
}

# One line on stderr that begins with "squall: " and matches each of the patterns.
one_error() {
	local pattern
	(($(wc -l <stderr) == 1)) || fail "${last:-}: $(wc -l <stderr) lines on stderr: $(head -n 5 stderr)"
	grep -q '^squall: ' stderr || fail "${last:-}: stderr does not begin with squall: $(head -n 1 stderr)"
	for pattern; do
		grep -qE -- "$pattern" stderr || fail "${last:-}: no /$pattern/ in: $(cat stderr)"
	done
}
