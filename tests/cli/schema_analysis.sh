#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# squall schema --analysis: what analyze --json writes of captures of every kind is valid, and a document that lacks a
# key, has one too many or has a text for a number is not.
set -euo pipefail
# shellcheck source=tests/cli/_cli.sh
. "$(dirname "${BASH_SOURCE[0]}")/_cli.sh"
python3 -c 'import jsonschema' 2>/dev/null || { echo "skipped: python3-jsonschema is not installed"; exit 77; }

run 0 schema --analysis
cp stdout analysis.schema.json
analysed() {
	local name=$1
	shift
	run 0 analyze "$@" --quiet --json -o "$name.json"
}
for scenario in incast-8 deadlock pfc-ignored slow-receiver link-down; do
	run 0 run $scenario --quiet --no-report --snap 96 --capture all --out $scenario
	analysed $scenario $scenario/capture.pcapng --messages --timeline 10us
done
for host in host0 host1; do
	run 0 run incast-8 --quiet --no-report --capture $host --out $host
done
analysed two-files host1/capture.pcapng host0/capture.pcapng
analysed one-qp host0/capture.pcapng --qp 0x100 --timeline 1us
head -c 5000 host0/capture.pcapng >cut.pcapng
analysed cut cut.pcapng
# The header of a pcap file: no packet.
printf '\xd4\xc3\xb2\xa1\x02\x00\x04\x00\0\0\0\0\0\0\0\0\0\0\x04\0\x01\0\0\0' >none.pcap
analysed none none.pcap --messages --timeline 10us

# A name that cannot be written to is refused before the work, not after it.
run 2 analyze nosuch.pcapng -o /dev/null
one_error '/dev/null: is there and no regular file'
run 2 analyze nosuch.pcapng --report /dev/null
one_error '/dev/null: is there'

python3 - ./*.json <<'END' || fail "schema and documents disagree: see above"
import copy, json, sys
import jsonschema
schema = json.load(open("analysis.schema.json"))
jsonschema.Draft202012Validator.check_schema(schema)
v = jsonschema.Draft202012Validator(schema)
documents = {p: json.load(open(p)) for p in sys.argv[1:] if "schema" not in p}
assert len(documents) == 9, documents.keys()
bad = 0
for path, d in documents.items():
    for e in list(v.iter_errors(d))[:5]:
        print(path, list(e.absolute_path), e.message[:200])
        bad = 1
d = documents["./pfc-ignored.json"]
for key in "findings", "flows", "paths", "matrix":
    assert d[key], key
assert d["messages"]["listed"] and d["timeline"]["bins"] and d["recoveries"]["listed"]

# Every object of the document, once of each kind of place: no key may go, come or change its type.
def places(node, path=()):
    if isinstance(node, dict):
        yield path
        for k, x in node.items():
            yield from places(x, path + (k,))
    elif isinstance(node, list) and node:
        yield from places(node[0], path + (0,))

def at(node, path):
    for k in path:
        node = node[k]
    return node

small = copy.deepcopy(d)
small["interfaces"], small["flows"] = small["interfaces"][:2], small["flows"][:2]
for key in "matrix", "hosts", "paths", "findings":
    small[key] = small[key][:1]
for key in "messages", "recoveries":
    small[key]["listed"] = small[key]["listed"][:1]
small["timeline"]["bins"] = small["timeline"]["bins"][:1]
assert v.is_valid(small)
free = ("figures", "naks_by_reason")
n = 0
for path in list(places(small)):
    if path and path[-1] in free:
        continue
    for key in list(at(small, path)):
        for change in "gone", "wrong":
            if change == "gone" and (key in ("messages", "timeline") and not path or "packets" in path and key in ("flow", "psn")):
                continue
            spoilt = copy.deepcopy(small)
            if change == "gone":
                del at(spoilt, path)[key]
            else:
                at(spoilt, path)[key] = {"no": "such"}
            n += 1
            if v.is_valid(spoilt) and not (change == "wrong" and key in free):
                print("accepted:", change, path, key)
                bad = 1
    spoilt = copy.deepcopy(small)
    at(spoilt, path)["surplus"] = 1
    if v.is_valid(spoilt):
        print("accepted: surplus", path)
        bad = 1
assert n > 200, n
for f in d["flows"]:
    assert (f["first_psn"] is None) == (f["data_packets"] == 0) == (f["last_psn"] is None), f
sys.exit(bad)
END
finish
