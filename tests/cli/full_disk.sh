#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A disk that is full: one clear error, exit status 3, the old results untouched, nothing half-written.
# In a mount namespace of its own; skipped where that is not allowed.
set -euo pipefail
if [[ -z ${SQUALL_TEST_NAMESPACE:-} ]]; then
	unshare=(unshare -m)
	((EUID == 0)) || unshare=(unshare -rm)
	"${unshare[@]}" mount -t tmpfs none /mnt 2>/dev/null || { echo "skipped: no mount namespaces here"; exit 77; }
	SQUALL_TEST_NAMESPACE=1 exec "${unshare[@]}" bash "${BASH_SOURCE[0]}"
fi
# shellcheck source=tests/cli/_cli.sh
. "$(dirname "${BASH_SOURCE[0]}")/_cli.sh"

cat >s.yaml <<'END'
squall: 1
fabric: {topology: {kind: star, hosts: 4}}
workload: [{pattern: incast, senders: 3, receiver: 0, message: 10KB, repeat: 500}]
END
mkdir disk
mount -t tmpfs -o size=1m none disk
trap 'umount disk; rm -rf "$work"' EXIT

run 0 run s.yaml --quiet --set 'workload[0].repeat=1' --out disk/out
cp -r disk/out before

# From hardly a page left to nearly enough.
for kib in 4 16 64 160 256; do
	rm -f disk/filler
	size=$(($(stat -f -c '%a * %S' disk) - kib * 1024))
	head -c "$size" /dev/zero >disk/filler
	last="$kib KiB left"
	run 3 run s.yaml --quiet --out disk/out
	one_error 'disk/out' 'No space left' 'another folder'
	diff -r before disk/out >diff.txt || fail "$last: the old results changed: $(cat diff.txt)"
done

# A capture ends the run where the disk is full, long before its end.
rm -f disk/filler
last="a capture"
run 3 run s.yaml --quiet --set 'workload[0].repeat=5000000' --out disk/out --capture all
one_error 'disk/out/capture.pcapng' 'No space left' 'another folder'
diff -r before disk/out >diff.txt || fail "$last: the old results changed: $(cat diff.txt)"
head -c "$size" /dev/zero >disk/filler

last="a new folder"
run 3 run s.yaml --quiet --out disk/new
one_error 'No space left'
[[ -z $(find disk/new -type f 2>/dev/null) ]] || fail "$last: half-written: $(find disk/new -type f)"

last="qualify"
for kib in 4 32 64; do
	rm -f disk/filler
	head -c $(($(stat -f -c '%a * %S' disk) - kib * 1024)) /dev/zero >disk/filler
	last="qualify, $kib KiB left"
	run 3 qualify scheduling --only scheduling.min-frame --quiet --out disk/verdict
	one_error 'disk/verdict' 'No space left'
	[[ -z $(find disk/verdict -mindepth 1 2>/dev/null) ]] || fail "$last: half-written: $(find disk/verdict)"
done

last="--fct"
rm -f disk/filler
head -c $(($(stat -f -c '%a * %S' disk) - 4096)) /dev/zero >disk/filler
run 3 run s.yaml --quiet --out elsewhere --fct disk/fct.txt
one_error 'fct.txt' 'No space left'
[[ ! -s disk/fct.txt ]] || fail "$last: half-written"

mount -o remount,ro disk
last="read-only"
run 3 run s.yaml --quiet --out disk/out
one_error 'disk/out' 'ead-only'
run 3 run s.yaml --quiet --out disk/another
one_error 'disk' 'ead-only'
mount -o remount,rw disk
last="a file in the way"
echo x >file
run 3 run s.yaml --quiet --out file
one_error 'file' 'no folder'
run 3 run s.yaml --quiet --out file/below
one_error 'file/below|file'
finish
