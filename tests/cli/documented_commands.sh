#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every command in a ```sh block of README.md and docs/ runs and succeeds, in a copy of the tree made
# of links, with the program under test in place of the one that ./lab would build.
set -euo pipefail
source_dir=$(realpath "${SQUALL_SOURCE_DIR:-$(dirname "$0")/../..}")
: "${SQUALL_BIN:=$source_dir/build/squall}"
export SQUALL_BIN
[[ -x $SQUALL_BIN ]] || { echo "no program at $SQUALL_BIN"; exit 1; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/blocks" "$work/bin" "$work/tree"
ln -s "$SQUALL_BIN" "$work/bin/squall"
for entry in "$source_dir"/*; do
	case ${entry##*/} in
	lab | build | build-* | out*) ;;
	*) ln -s "$entry" "$work/tree/" ;;
	esac
done
cat >"$work/tree/lab" <<'END'
#!/usr/bin/env bash
case ${1:-} in
test | bench) exit 0 ;; # this test runs inside of it
"" | -h | --help | help) exec "$SQUALL_SOURCE_DIR/lab" --help ;;
squall) shift ;;
esac
exec "$SQUALL_BIN" "$@"
END
chmod +x "$work/tree/lab"
export SQUALL_SOURCE_DIR=$source_dir PATH=$work/bin:$PATH

cd "$source_dir"
shopt -s nullglob
python3 tests/cli/_documented.py "$work/blocks" README.md docs/*.md docs/*/*.md >"$work/list"
cd "$work/tree"
ran=0 failed=0
while read -r block where; do
	ran=$((ran + 1))
	if ! timeout 120 bash -euo pipefail "$work/blocks/$block" >"$work/output" 2>&1 </dev/null; then
		failed=$((failed + 1))
		echo "$where: failed:"
		sed 's/^/	/' "$work/blocks/$block"
		tail -n 20 "$work/output"
	fi
done <"$work/list"
echo "$ran blocks, $failed failed"
((ran > 0 && failed == 0))
