#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Calls that are unsafe or make runs differ, floating point where results must be identical on every
# compiler, mutable globals in the libraries, markers left behind.
set -euo pipefail
# shellcheck source=tests/lint/_files.sh
. "$(dirname "$0")/_files.sh"

# refuse WHY PATTERN FOLDER...: no line of code may match.
refuse() {
	local why=$1 pattern=$2 hit
	shift 2
	while read -r hit; do
		[[ -z $hit ]] || fail "$hit: $why"
	done < <(c_files "$@" | xargs -r python3 tests/lint/_code.py | grep -E ":[0-9]+:.*$pattern" || true)
}

refuse "unbounded or unchecked" '\b(v?sprintf|strcpy|strcat|gets|atoi|atol|atof|strtok)[[:space:]]*\(' \
	"${module_folders[@]}" tests
refuse "not reproducible" '\b(s?rand|rand_r|random|[a-z]rand48)[[:space:]]*\(' "${module_folders[@]}" tests
refuse "wall time in the model" '\b(gettimeofday|time|clock|clock_gettime)[[:space:]]*\(' \
	dataplane/base dataplane/fabric gen/cc gen/load gen/rnic gen/host gen/sim
refuse "gettimeofday has no clock" '\bgettimeofday[[:space:]]*\(' "${module_folders[@]}" tests

# dataplane/base/hist computes percentiles after the run.
mapfile -t exact < <(c_files dataplane gen | grep -v '^dataplane/base/hist\.[ch]$')
refuse "floating point" '(\b(float|double|long double)\b|[^A-Za-z0-9_][0-9]+\.[0-9]|<math\.h>)' "${exact[@]}"
for library in dataplane gen analysis scenarios capture; do
	refuse "a library exits or prints" '\b(exit|_exit|v?printf|puts|putchar|perror)[[:space:]]*\(' "$library"
done
mapfile -t quiet < <(c_files dataplane gen analysis scenarios capture | grep -v '^dataplane/base/check\.c$')
refuse "a library prints" '\b(stderr|stdout)\b' "${quiet[@]}"

# Writable data in the module libraries. .data.rel.ro is constant after relocation.
build=${SQUALL_BUILD_DIR:-build}
libraries=0
for library in "$build"/lib*.a; do
	[[ -e $library ]] || continue
	libraries=$((libraries + 1))
	while read -r symbol; do
		[[ -z $symbol ]] || fail "$(basename "$library"): mutable global $symbol"
	done < <(objdump -t "$library" 2>/dev/null | awk '
		$0 ~ / O / { for (i = 1; i <= NF; i++)
			if ($i ~ /^(\.data|\.bss|\.tdata|\.tbss|\*COM\*)/ && $i !~ /^\.data\.rel\.ro/)
				print $NF, "in", $i }')
done
((libraries > 0)) || fail "no libraries in $build: build first, or set SQUALL_BUILD_DIR"

markers='\b(TO''DO|FIX''ME|XX''X|HA''CK)\b'
while read -r hit; do
	[[ -z $hit ]] || fail "$hit"
done < <(text_files | xargs grep -nE "$markers" || true)
while read -r hit; do
	[[ -z $hit ]] || fail "$hit: a path of one machine"
done < <(text_files | xargs grep -nE '(^|[^A-Za-z0-9._-])/(home|wor''k)/[a-z]' || true)
finish
