#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The library is listed, run by name from any folder and from an installed program; manual pages
# and completion name every command and option that there is.
set -euo pipefail
# shellcheck source=tests/cli/_cli.sh
. "$(dirname "${BASH_SOURCE[0]}")/_cli.sh"

# --- listed ---------------------------------------------------------------------------------------
run 0 list --names
cp stdout names
for file in "$source_dir"/scenarios/*.yaml; do
	grep -qx "$(basename "$file" .yaml)" names || fail "list --names: no $(basename "$file" .yaml)"
done
(($(wc -l <names) == $(find "$source_dir/scenarios" -maxdepth 1 -name '*.yaml' | wc -l))) || fail "list --names: more than there is"
run 0 list
[[ $(awk 'length > 110' stdout) == "" ]] || fail "list: lines too long"
while read -r name; do
	grep -qE "^$name +[A-Z]" stdout || fail "list: $name does not say what it shows"
done <names
run 0 list INCAST
grep -q '^incast-8 ' stdout || fail "list INCAST: no incast-8"
! grep -q '^file-topology ' stdout || fail "list INCAST: shows what does not fit"
run 2 list no-such-word
one_error 'list no-such-word: no scenario'

# --- run by name ----------------------------------------------------------------------------------
run 0 run incast-8 --quiet --out by-name
run 0 run "$source_dir/scenarios/incast-8.yaml" --quiet --out by-path
cmp -s by-name/summary.json by-path/summary.json || fail "run by name and by path differ"
mkdir incast-8 # what --out makes
run 0 run incast-8 --quiet --out by-name-again
cmp -s by-name/summary.json by-name-again/summary.json || fail "a folder hides the scenario of its name"
run 0 check incast-8
run 2 check ./incast-8
one_error './incast-8: is a directory'
mkdir no-scenario
run 2 check no-scenario
one_error 'no-scenario: is a directory'
run 2 run incast-9
one_error 'incast-9: no such scenario file' 'nearest is incast-8'

# --- what the files say of themselves ---------------------------------------------------------------
# figure KEY FOLDER: its value in whole nanoseconds
figure() {
	python3 -c 'import json, sys
value = json.load(open(sys.argv[2] + "/summary.json"))
for step in sys.argv[1].split("."): value = value[step]
print(round(value * 1000))' "$@"
}
# varied FOLDER NAME SETTING...: the run, whatever its expectations say
varied() {
	local folder=$1 name=$2
	shift 2
	"$SQUALL_BIN" run "$name" "${@/#/--set=}" --quiet --out "$folder" >stdout 2>stderr || (($? == 1)) || fail "$folder: $(cat stderr)"
}
for ranks in 2 16; do
	for buffer in 16MiB 64MiB; do
		varied "broadcast-$ranks-$buffer" broadcast "workload[0].ranks=$ranks" "workload[0].buffer=$buffer" 'workload[0].repeat=1'
	done
done
short=$((100 * $(figure iteration_us.mean broadcast-16-16MiB) / $(figure iteration_us.mean broadcast-2-16MiB)))
long=$((100 * $(figure iteration_us.mean broadcast-16-64MiB) / $(figure iteration_us.mean broadcast-2-64MiB)))
((short > 280 && short < 320)) || fail "broadcast: 16 ranks take $short % of 2"
((long > 150 && long < 165)) || fail "broadcast: 16 ranks take $long % of 2 with 64 MiB"

# --- manual pages and completion ------------------------------------------------------------------
run 0 --help
mapfile -t commands < <(sed -n 's/^  \([a-z]\+\)  \+.*/\1/p' stdout)
((${#commands[@]} >= 8)) || fail "--help: only ${#commands[@]} commands"
run 0 man --all man
for shell in bash zsh fish; do
	run 0 completion "$shell"
	cp stdout "completion.$shell"
done
run 2 completion tcsh
one_error 'expected bash, zsh or fish'
for command in "${commands[@]}"; do
	page=man/man1/squall-$command.1
	[[ -s $page ]] || { fail "no manual page $page"; continue; }
	run 0 "$command" --help
	mapfile -t long < <(grep -oE '^ {2,6}(-., )?--[a-z-]+' stdout | grep -oE -- '--[a-z-]+' | grep -vxE -- '--(help|usage|version)')
	for option in "${long[@]}"; do
		sed 's/\\-/-/g' "$page" | grep -q -- "$option" || fail "$page: no $option"
		grep -E "^	${command}\) options=" completion.bash | grep -q -- "${option}[ ']" || fail "completion bash: no $command $option"
		grep "seen_subcommand_from $command'" completion.fish | grep -q -- " -l ${option#--} " || fail "completion fish: no $command $option"
	done
done
run 0 explain --keys
while read -r key; do
	grep -qF "\"${key//\"/}\"" <(sed 's/.*/"&"/' stdout) || fail "explain --keys: no $key"
done <<<"fabric.switch.ecn.kmin
workload[].pattern
fct_us.p99"
sed 's/\\-/-/g' man/man5/squall-scenario.5 | grep '^\.B fabric.switch.ecn.kmin$' >man.found || fail "squall-scenario.5: no fabric.switch.ecn.kmin"
if command -v groff >/dev/null; then
	for page in man/*/*; do
		groff -man -Tutf8 -ww -z "$page" 2>warnings || true
		[[ ! -s warnings ]] || fail "$page: $(head -n 2 warnings)"
	done
fi

# complete WORD...: what bash offers for the last of these words.
complete_words() {
	bash -c 'source completion.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _squall; printf "%s\n" "${COMPREPLY[@]}"' _ "$@"
}
# the same of zsh, whose own functions are stood in for
complete_zsh() {
	zsh -f -c 'compdef() { }; compadd() { shift; local w; for w in ${(M)@:#${words[CURRENT]}*}; do print -r -- $w; done }
		_files() { local f; for f in ${words[CURRENT]}*(N); do print -r -- $f; done }
		source ./completion.zsh; words=("$@"); CURRENT=$#; _squall' _ "$@"
}
offers() { # SHELL EXPECTED WORD...
	"complete_$1" "$SQUALL_BIN" "${@:3}" >offered 2>&1
	grep -qxF -- "$2" offered || fail "completion $1 ${*:3}: no $2 in: $(head -n 5 offered)"
	! grep -vE "^(fabric\.)?${*: -1}" offered || fail "completion $1 ${*:3}: not beginnings"
}
complete_bash() { complete_words "$@"; }
shells=(bash)
! command -v zsh >/dev/null || shells+=(zsh)
for shell in "${shells[@]}"; do
	offers "$shell" run ru
	offers "$shell" incast-128 run incast-1
	offers "$shell" --threads run --th
	offers "$shell" fabric.switch.ecn.kmin run --set fabric.switch.ecn.kmi
	offers "$shell" switch.ecn.kmin check --set sw
	offers "$shell" 'workload[0].senders' run incast-8 --set w
	offers "$shell" pfc qualify p
	offers "$shell" all qualify a
	offers "$shell" kmin explain kmi
	offers "$shell" fct_us.p99 explain fct
	offers "$shell" scenario man s
	offers "$shell" zsh completion z
	! "complete_$shell" "$SQUALL_BIN" run --set fct | grep . || fail "completion $shell: a result can be set"
done
grep -qx run < <(complete_words "$SQUALL_BIN" ru) || fail "completion: no run for ru"
grep -qx incast-128 < <(complete_words "$SQUALL_BIN" run incast-1) || fail "completion: no incast-128"
grep -qx -- --threads < <(complete_words "$SQUALL_BIN" run --th) || fail "completion: no --threads"
grep -qx fabric.switch.ecn.kmin < <(complete_words "$SQUALL_BIN" run --set fabric.switch.ecn.kmi) || fail "completion: no key after --set"

# --- installed ------------------------------------------------------------------------------------
build_dir=$(dirname "$SQUALL_BIN")
cmake --install "$build_dir" --prefix "$PWD/prefix" >/dev/null || fail "cmake --install"
[[ ! -e $build_dir/squall_mpi.so || -s prefix/lib/squall/squall_mpi.so ]] || fail "installed without squall_mpi.so"
[[ -z $(find prefix -type d -empty) ]] || fail "installed an empty folder: $(find prefix -type d -empty)"
[[ -z $(find prefix/share/squall -type f ! -name '*.yaml' ! -name '*.csv' ! -name '*.txt' ! -name '*.cdf') ]] || fail "installed what is no scenario"
(cd "$source_dir/scenarios" && find . -name '*.yaml' -o -name '*.csv' -o -name '*.cdf' | sort) >want
(cd prefix/share/squall/scenarios && find . -name '*.yaml' -o -name '*.csv' -o -name '*.cdf' | sort) >have
cmp -s want have || fail "not installed: $(comm -23 want have)"
[[ -s prefix/share/man/man1/squall-run.1 ]] || fail "no manual page installed"
SQUALL_BIN=$PWD/prefix/bin/squall run 0 run incast-8 --quiet --out installed
cmp -s by-name/summary.json installed/summary.json || fail "the installed program runs something else"
finish
