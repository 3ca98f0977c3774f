# SPDX-License-Identifier: Apache-2.0
"""_findings.py SCENARIO ROOT EFFECT ANALYSIS: the findings are one tree with that root, or none."""
import json
import sys

scenario, root, effect, path = sys.argv[1:]
with open(path, encoding="utf-8") as f:
    result = json.load(f)
findings = result["findings"]
names = [f["name"] for f in findings]
said = ", ".join(f["name"] + (" <- " + f["caused_by"] if f["caused_by"] else " (root)") for f in findings) or "nothing"


def fail(why):
    print(f"{scenario}: {why}; found: {said}")
    sys.exit(1)


if len(set(names)) != len(names):
    fail("a finding stands there twice")
for f in findings:
    if f["caused_by"] is not None and names.index(f["caused_by"]) >= names.index(f["name"]):
        fail(f"{f['name']} stands before its cause")
    if not f["evidence"]["text"] or not f["advice"] or f["severity"] not in ("info", "warning", "error"):
        fail(f"{f['name']} is not complete")
    for p in f["evidence"]["packets"]:
        if not 0 < p["number"] <= result["frames"] or not result["first_ns"] <= p["t_ns"] <= result["last_ns"]:
            fail(f"{f['name']} has evidence that is no packet of the capture")
roots = [f["name"] for f in findings if f["caused_by"] is None]
if root == "none":
    if findings:
        fail("a healthy run has findings")
elif roots != [root]:
    fail(f"the root is not {root}")
if effect != "-" and effect not in names:
    fail(f"no {effect}")
