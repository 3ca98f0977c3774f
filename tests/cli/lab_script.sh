#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# ./lab on a machine without build tools: as root it installs exactly what is missing, as somebody
# else without sudo it names it; and with everything built it starts at once, from any directory.
set -euo pipefail
source_dir=$(realpath "${SQUALL_SOURCE_DIR:-$(dirname "$0")/../..}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"

fail() {
	echo "$*"
	exit 1
}

"$source_dir/lab" --help | grep -q './lab run scenarios/incast-32.yaml' || fail "help does not name the main job"
[[ $("$source_dir/lab") == "$("$source_dir/lab" --help)" ]] || fail "no argument is not a question for help"

# A machine with a shell and little more.
mkdir -p "$work/bin" "$work/tree"
cp "$source_dir/lab" "$source_dir/CMakeLists.txt" "$work/tree/"
for tool in bash env cat grep sed head tail cut cksum dirname realpath find sort mkdir mktemp rm flock id; do
	ln -s "$(type -P "$tool")" "$work/bin/$tool"
done
cat >"$work/bin/apt-get" <<'END'
#!/bin/sh
echo "$*" >>"$APT_LOG"
echo "E: no network" >&2
exit 100
END
chmod 755 "$work/bin/apt-get"
export APT_LOG=$work/apt.log
: >"$APT_LOG"
chmod -R a+rwX "$work"
expected="cmake ninja-build gcc pkg-config"

as_nobody=()
((EUID != 0)) || as_nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups)
status=0
"${as_nobody[@]}" env PATH="$work/bin" "$work/tree/lab" run x.yaml >"$work/out" 2>&1 || status=$?
((status == 3)) || fail "not root: exit $status, not 3: $(cat "$work/out")"
grep -qF "apt-get install --no-install-recommends $expected" "$work/out" ||
	fail "not root: no command to copy: $(cat "$work/out")"
[[ ! -s $APT_LOG ]] || fail "not root: called apt-get: $(cat "$APT_LOG")"

# The same with a sudo that lets through.
cat >"$work/bin/sudo" <<'END'
#!/bin/sh
[ "$1" = -n ] && shift
[ "$1" = true ] || echo "sudo $*" >>"$APT_LOG"
exec "$@"
END
chmod 755 "$work/bin/sudo"
ln -s "$(type -P true)" "$work/bin/true"
"${as_nobody[@]}" env PATH="$work/bin" "$work/tree/lab" run x.yaml >"$work/out" 2>&1 || true
grep -q "^sudo env DEBIAN_FRONTEND=noninteractive apt-get install .* $expected" "$APT_LOG" ||
	fail "sudo: called with: $(cat "$APT_LOG") $(cat "$work/out")"
rm "$work/bin/sudo"
: >"$APT_LOG"

if ((EUID == 0)); then
	status=0
	PATH=$work/bin "$work/tree/lab" run x.yaml >"$work/out" 2>&1 || status=$?
	((status == 3)) || fail "root: exit $status, not 3: $(cat "$work/out")"
	grep -q "^install -y -qq --no-install-recommends $expected" "$APT_LOG" ||
		fail "root: apt-get was called with: $(cat "$APT_LOG")"
	grep -q "no network" "$work/out" || fail "root: the reason is not shown: $(cat "$work/out")"
fi

# A build says how far it is, to a file too; one that is interrupted says that and no more.
mkdir -p "$work/fake" "$work/slow"
cp "$source_dir/lab" "$source_dir/CMakeLists.txt" "$work/slow/"
printf '#!/bin/sh\nexit 0\n' >"$work/fake/cmake"
printf '#!/bin/sh\necho "[12/345] Building C object x.o"\nsleep 2\nexit 1\n' >"$work/fake/ninja"
chmod 755 "$work"/fake/*
if [[ -z $(cd "$work/slow" && PATH=$work/fake:$PATH bash -c '. <(sed "/^case/,\$d;/^main/,\$d" ./lab | sed -n "/^missing_packages/,/^}/p;/^run_packages/,/)/p"); missing_packages "${run_packages[@]}"') ]]; then
	PATH=$work/fake:$PATH LAB_PROGRESS_SECONDS=0.3 "$work/slow/lab" version >"$work/out" 2>&1 || true
	(($(grep -c '^lab: built 12/345 files$' "$work/out") >= 2)) || fail "no progress: $(cat "$work/out")"
	grep -q 'the build failed' "$work/out" || fail "a failed build is not said: $(cat "$work/out")"
	status=0
	PATH=$work/fake:$PATH timeout -s INT 1 "$work/slow/lab" version >"$work/out" 2>&1 || status=$?
	grep -q '^lab: interrupted' "$work/out" || fail "an interruption is not said: $(cat "$work/out")"
	! grep -q 'build failed' "$work/out" || fail "an interruption is called a failure: $(cat "$work/out")"
fi

# The rest needs the tree that ./lab built.
[[ -e $source_dir/build/lab.stamp && ${SQUALL_BUILD_DIR:-} == "$source_dir/build" ]] || exit 0
cd "$work"
start=${EPOCHREALTIME/[.,]/}
"$source_dir/lab" version >/dev/null 2>"$work/err" || fail "lab version: $(cat "$work/err")"
took_us=$((${EPOCHREALTIME/[.,]/} - start))
[[ ! -s $work/err ]] || fail "not quiet with nothing to do: $(cat "$work/err")"
((took_us < 1000000)) || fail "took $took_us us to start with nothing to do"
