#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# No command writes its result over a capture that it reads, whatever name that capture is given.
set -euo pipefail
# shellcheck source=tests/cli/_cli.sh
. "$(dirname "${BASH_SOURCE[0]}")/_cli.sh"

run 0 run incast-8 --quiet --no-report --capture host0 --snap 96 --out whole
cp whole/capture.pcapng in.pcapng
cp in.pcapng other.pcapng
ln -s in.pcapng soft.pcapng
ln in.pcapng hard.pcapng
mkdir folder
ln -s .. folder/up

# refused WORD ARGUMENT...: in one line that says WORD, and the capture is what it was.
refused() {
	local word=$1
	shift
	last="$*"
	run 2 "$@"
	one_error "is what is being $word and would be replaced"
	cmp -s in.pcapng whole/capture.pcapng || fail "$last: the capture is another"
	[[ in.pcapng -ef hard.pcapng && -L soft.pcapng ]] || fail "$last: a link is gone"
}

for name in in.pcapng ./in.pcapng soft.pcapng hard.pcapng folder/up/in.pcapng; do
	for pair in "in.pcapng $name" "$name in.pcapng"; do
		read -r in out <<<"$pair"
		refused analyzed analyze "$in" --json -o "$out"
		refused analyzed analyze other.pcapng "$in" --report "$out"
		refused rewritten rewrite -a "$in" "$out"
		refused read rewrite -a other.pcapng "$out" --with "$in"
		refused copied capture -r "$in" -w "$out" --filter cnp
	done
done

# Also where a folder's file is the capture.
mkdir lists
cp in.pcapng lists/flows.csv
refused analyzed analyze lists/flows.csv --csv lists --quiet
cmp -s lists/flows.csv in.pcapng || fail "--csv wrote over the capture"
[[ $(ls lists) == flows.csv ]] || fail "--csv left files: $(ls lists)"

# An older result is replaced as before, also through a link.
: >result.json
ln -s result.json link.json
run 0 analyze in.pcapng --json -q -o link.json
[[ -s result.json && -L link.json ]] || fail "a result is not written through its link"
run 0 rewrite -a in.pcapng other.pcapng
run 0 capture -r in.pcapng -w other.pcapng

# The name of a file does not move the cursor.
name=$'\x1b]0;title\x07\x1b[31mx\n2\xc2\x9b1m.pcapng'
cp in.pcapng "$name"
run 0 analyze "$name"
LC_ALL=C grep -q $'[\x01-\x08\x0b-\x1f\x7f]\\|\xc2\x9b' stdout && fail "control characters on the terminal: $(head -n 2 stdout | cat -v)"
LC_ALL=C grep -q 'title.*x.*2.*pcapng: pcapng' stdout || fail "the name is not in one line: $(head -n 2 stdout | cat -v)"
finish
