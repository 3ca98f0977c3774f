#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Judges what _looks.js saw of a report. Arguments: the document of the browser, then `expression` ... over v, each of
which must hold. Prints what does not."""
import html
import json
import re
import sys


def faults_of(v):
    faults = []
    if v["ready"] != "1" or v["wide"] != 0:
        faults.append(f"ready {v['ready']}, {v['wide']} px wider than its window")
    if v["texts"]["n"] < 60:
        faults.append(f"only {v['texts']['n']} texts")
    faults += v["texts"]["low"][:8]
    if v["heat"] < 4.5:
        faults.append(f"a name on heat has {v['heat']:.2f}")
    if min(v["lines"]) < 3:
        faults.append(f"lines have {v['lines']}")
    several = len(v["run_keys"])
    for p in v["panels"]:
        names, drawn = p["names"], p["drawn"]
        if not several and p["series"] > 1 and (len(names) != p["series"] or not p["shown"]):
            faults.append(f"{p['title']}: {p['series']} lines, a legend of {names}")
        if names and p["colours"] != drawn[: len(names)]:
            faults.append(f"{p['title']}: the legend has {p['colours']}, the lines {drawn}")
        if several and v["run_keys"] != drawn[:several]:
            faults.append(f"{p['title']}: the legend has {v['run_keys']}, the lines {drawn}")
    if v["outside"]:
        faults.append(f"cables reach {max(v['outside'])} beyond the drawing")
    for test in sys.argv[2:]:
        if not eval(test, {"v": v}):  # written in report_looks.sh
            faults.append(f"not so: {test}")
    return faults


def main():
    dom = open(sys.argv[1], encoding="utf-8").read()
    found = re.search(r'<pre id="seen">(.*?)</pre>', dom, re.S)
    if not found:
        print("the page was not looked at")
        sys.exit(1)
    seen = json.loads(html.unescape(found.group(1)))
    faults = [seen.pop("error")] if "error" in seen else []
    for theme, v in seen.items():
        faults += [f"{theme}: {f}" for f in faults_of(v)]
    if not faults and list(seen) != ["light", "dark"]:
        faults.append("both themes were to be looked at")
    if faults:
        brief = [{k: v[k] for k in ("buttons", "changes", "circle", "map")} for v in seen.values()][:1]
        print("\n".join(faults)[:2000], json.dumps(brief)[:900], sep="\n")
    sys.exit(bool(faults))


main()
