#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# measure.messages: beyond it messages.csv holds a sample that no number of threads changes, and
# the summary is still that of all messages.
set -euo pipefail
# shellcheck source=tests/cli/_cli.sh
. "$(dirname "$0")/_cli.sh"

cat >ring.yaml <<'END'
squall: 1
name: ring
fabric:
  topology: {kind: leaf-spine, hosts: 32, leaves: 8, spines: 2}
workload:
  - {pattern: ring, message: 20KB, repeat: 60, qps: 3}
  - {pattern: incast, senders: 12, receiver: 3, message: 30KB, repeat: 20}
measure: {series: 50us}
END
run 0 run ring.yaml --quiet --out all
for threads in 1 2 3; do
	run 0 run ring.yaml --quiet --set measure.messages=500 --threads "$threads" --out "sample$threads"
	for file in summary.json messages.csv series.csv; do
		cmp "sample1/$file" "sample$threads/$file" || fail "$file with $threads threads differs"
	done
done
for threads in 1 3; do
	run 0 run ring.yaml --quiet --set measure.messages=500 --set measure.sample=60 --threads "$threads" --out "small$threads"
	cmp "small1/messages.csv" "small$threads/messages.csv" || fail "a small sample with $threads threads differs"
done
(($(wc -l <small1/messages.csv) <= 61 && $(wc -l <small1/messages.csv) > 15)) || fail "measure.sample: $(wc -l <small1/messages.csv) lines"
[[ -z $(comm -13 <(cut -d, -f1-21 sample1/messages.csv | sort) <(cut -d, -f1-21 small1/messages.csv | sort)) ]] || fail "the small sample is not part of the large one"
run 0 run ring.yaml --quiet --set measure.sample=60 --out enough
cmp all/messages.csv enough/messages.csv || fail "measure.sample thins what is not too much"
run 0 run ring.yaml --quiet --set measure.messages=all --out unlimited
cmp all/messages.csv unlimited/messages.csv || fail "below the limit the limit changes messages.csv"
python3 - <<'END' || fail "see above"
import csv, json

def rows(folder):
    with open(folder + '/messages.csv') as f:
        return list(csv.DictReader(f))

whole, sample = rows('all'), rows('sample1')
one_in = {int(r.pop('one_in')) for r in sample}
assert len(one_in) == 1 and one_in.pop() in (4, 8, 16), one_in
assert 150 < len(sample) <= 500, len(sample)
text = {tuple(r.values()) for r in whole}
assert all(tuple(r.values()) in text for r in sample), 'a row that is no row of the whole run'

a, b = (json.load(open(d + '/summary.json')) for d in ('all', 'sample1'))
assert b['messages'].pop('recorded') == len(sample)
assert b['messages'].pop('percentile_error') == 1 / 128
assert a['messages'].pop('recorded') == len(whole) and a['messages'].pop('percentile_error') == 0
for name in ('fct_us', 'net_fct_us', 'slowdown'):
    x, y = a.pop(name), b.pop(name)
    for key in x:
        if key.startswith('p'):
            assert x[key] <= y[key] <= x[key] * (1 + 1 / 128) + 1e-6, (name, key, x[key], y[key])
        else:
            assert x[key] == y[key], (name, key, x[key], y[key])
assert a == b, 'the rest of summary.json differs'
END
finish
