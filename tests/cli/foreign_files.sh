#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Nothing but results of this program is replaced in a result folder, and nothing outside of it: by run,
# qualify and report alike.
set -euo pipefail
# shellcheck source=tests/cli/_cli.sh
. "$(dirname "${BASH_SOURCE[0]}")/_cli.sh"

cat >s.yaml <<'END'
squall: 1
fabric: {topology: {kind: star, hosts: 4}}
workload: [{pattern: incast, senders: 3, receiver: 0, message: 10KB}]
END
qualify=(qualify scheduling --only scheduling.min-frame --quiet)

# foreign NAME... : a folder of somebody else, with these files
foreign() {
	local name
	rm -rf theirs
	mkdir theirs
	for name; do
		echo '{"mine": "this is mine"}' >"theirs/$name"
	done
	cp -r theirs before
}
untouched() {
	diff -r before theirs >diff.txt || fail "$last: changed: $(cat diff.txt)"
	rm -rf before
}

last="run into a folder with another summary.json"
foreign summary.json report.html scenario.yaml messages.csv
run 2 run s.yaml --quiet --out theirs
one_error 'theirs: ' 'of this program' 'choose another --out'
untouched
for name in report.html run.json workload-3.csv; do
	last="run over $name"
	foreign "$name"
	run 2 run s.yaml --quiet --out theirs
	one_error "theirs: holds a $name but no summary.json of this program"
	untouched
done

last="qualify into a folder with another verdict.json"
foreign report.html junit.xml verdict.json
run 2 "${qualify[@]}" --out theirs
one_error 'theirs: ' 'of this program' 'choose another --out'
untouched
for name in report.html junit.xml verdict.json; do
	last="qualify over $name"
	foreign "$name"
	run 2 "${qualify[@]}" --out theirs
	one_error 'theirs: ' "$name" 'verdict.json' 'choose another --out'
	untouched
done

# Our own folders serve again, but not those of another command.
for _ in 1 2; do
	run 0 run s.yaml --quiet --out ours
	run 0 report ours --quiet
	run 0 "${qualify[@]}" --out verdict
done
last="qualify into the results of a run"
run 2 "${qualify[@]}" --out ours
one_error 'ours: holds a report.html but no verdict.json'
last="run into a verdict"
run 2 run s.yaml --quiet --out verdict
one_error 'verdict: holds a report.html but no summary.json'

# Links lead out of no folder.
echo precious >precious
for name in summary.json report.html messages.csv; do
	cp -r ours linked
	ln -sf ../precious "linked/$name"
	last="run through $name"
	run 2 run s.yaml --quiet --out linked
	one_error "linked/$name: is a symbolic link" 'choose another --out'
	[[ -L linked/$name && $(cat precious) == precious ]] || fail "$last: replaced"
	rm -r linked
done
last="report through a link"
cp -r ours linked
ln -sf ../precious linked/report.html
run 2 report linked
one_error 'linked/report.html: is a symbolic link'
[[ $(cat precious) == precious ]] || fail "$last: replaced"
for name in verdict.json junit.xml evidence; do
	rm -rf linked
	cp -r verdict linked
	rm -r "linked/$name"
	ln -s ../precious "linked/$name"
	last="qualify through $name"
	run 2 "${qualify[@]}" --out linked
	one_error "linked/$name: is a symbolic link"
	[[ $(cat precious) == precious ]] || fail "$last: replaced"
done

# The names are one list: --fct takes none of them, whatever the folder is called.
for name in summary.json topology.txt workload-0.csv schedule-12.goal report.html; do
	for path in "new/$name" "new//$name" "./ours/../ours/$name"; do
		last="--fct $path"
		run 2 run s.yaml --quiet --out "$(dirname "$path")" --fct "$path"
		one_error 'is the name of another result'
	done
done
run 0 run s.yaml --quiet --out new --fct new/fct.txt
[[ -s new/fct.txt ]] || fail "no FCT file in the result folder"
run 0 run s.yaml --quiet --out new --fct new/fct.txt

# Nor does it replace anything but an FCT file, or make a folder.
ln -sf precious link
for path in precious link; do
	last="--fct $path"
	run 2 run s.yaml --quiet --out new --fct "$path"
	one_error "--fct $path: exists and is no file of flow completion times"
	[[ $(cat precious) == precious ]] || fail "$last: replaced"
done
last="--fct into a folder that is not there"
run 2 run s.yaml --quiet --out new --fct nowhere/fct.txt
one_error '--fct nowhere/fct.txt: there is no folder nowhere'
[[ ! -e nowhere ]] || fail "$last: made"

# A scenario in the folder of its results, and what it names, is replaced by the same bytes or not at all.
printf 'src,dst,bytes,start\n0,1,10KB,0s\n' >list.csv
sed 's/{pattern.*}/{pattern: flows, file: list.csv}/' s.yaml >list.yaml
run 0 run list.yaml --quiet --out same
run 0 run same/scenario.yaml --quiet --out same
for name in scenario.yaml workload-0.csv; do
	cp -r same edited
	echo '# my edit' >>"edited/$name"
	cp -r edited before
	for way in edited ./edited/; do
		last="run edited/scenario.yaml --out $way after an edit of $name"
		run 2 run edited/scenario.yaml --quiet --out "$way"
		one_error "edited/+$name: is what this run reads" 'choose another --out'
	done
	diff -r before edited >diff.txt || fail "$last: changed: $(cat diff.txt)"
	rm -r before edited
done
last="run same/scenario.yaml --set"
run 2 run same/scenario.yaml --quiet --out same --set seed=7
one_error 'same/scenario.yaml: is what this run reads'
finish
