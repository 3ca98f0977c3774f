#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Who may include whom. The table is the one of docs/architecture.md; a module may always include itself.
set -euo pipefail
# shellcheck source=tests/lint/_files.sh
. "$(dirname "$0")/_files.sh"

declare -A allowed=(
	[dataplane/base]=""
	[dataplane/wire]="dataplane/base"
	[dataplane/port]="dataplane/base"
	[dataplane/fabric]="dataplane/base"
	[gen/cc]="dataplane/base"
	[gen/load]="dataplane/base"
	[gen/rnic]="dataplane/base gen/cc"
	[gen/host]="dataplane/base gen/cc gen/load gen/rnic"
	[gen/sim]="dataplane/base gen/cc gen/load gen/rnic gen/host dataplane/fabric"
	[gen/engine]="dataplane/base dataplane/wire dataplane/port gen/cc gen/load gen/rnic gen/host dataplane/fabric"
	[capture]="dataplane/base dataplane/wire dataplane/port capture/dpdk"
	[capture/dpdk]="dataplane/base dataplane/wire capture" # loaded at run time, links nothing of the program
	[analysis]="dataplane/base dataplane/wire gen/cc capture"
	[analysis/trace]="dataplane/base dataplane/wire gen/cc capture analysis"
	[analysis/rewrite]="dataplane/base dataplane/wire capture analysis analysis/trace"
)
everything="${!allowed[*]}"
allowed[scenarios]="$everything scenarios/mpi"
allowed[scenarios/mpi]="dataplane/base gen/sim" # loaded at run time, links nothing of the program
allowed[scenarios/imports]="$everything scenarios"
allowed[scenarios/qualify]="$everything scenarios"
allowed[cli]="$everything scenarios scenarios/imports scenarios/qualify"

seen=0
while read -r file; do
	module=${file%/*}
	[[ -v allowed[$module] ]] || { fail "$file: no module $module in the table"; continue; }
	while IFS=: read -r line included; do
		seen=$((seen + 1))
		target=${included%/*}
		if [[ ! -e $included ]]; then
			fail "$file:$line: \"$included\" is not a path from the root"
		elif [[ $target != "$module" && " ${allowed[$module]} " != *" $target "* ]]; then
			fail "$file:$line: $module may not include $target"
		elif [[ $included == *_int.h && $target != "$module" ]]; then
			fail "$file:$line: $included is for $target alone"
		fi
	done < <(grep -nE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' "$file" |
		sed -E 's/^([0-9]+):[^"]*"([^"]*)".*/\1:\2/')
done < <(c_files "${module_folders[@]}")
((seen > 0)) || fail "no includes were found: this test looks at nothing"
finish
