#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The schema that the program prints says of a scenario what the checker says: over every shipped file and
# hundreds of spoilt copies.
set -euo pipefail
# shellcheck source=tests/cli/_cli.sh
. "$(dirname "${BASH_SOURCE[0]}")/_cli.sh"
python3 -c 'import jsonschema, yaml' 2>/dev/null || { echo "skipped: python3-jsonschema and python3-yaml are not installed"; exit 77; }

run 0 schema
cp stdout scenario.schema.json
cp -r "$source_dir/scenarios" spoilt
rm -f spoilt/*.yaml
python3 "$source_dir/tests/cli/_schema.py" "$SQUALL_BIN" scenario.schema.json spoilt "$source_dir"/scenarios/*.yaml ||
	fail "checker and schema disagree"
finish
