#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Judges what _looks.js saw of a report. Arguments: the document of the browser, then `expression` ... over v, each of
which must hold. Prints what does not."""
import html
import json
import re
import sys


def main():
    dom = open(sys.argv[1], encoding="utf-8").read()
    found = re.search(r'<pre id="seen">(.*?)</pre>', dom, re.S)
    if not found:
        print("the page was not looked at")
        sys.exit(1)
    v = json.loads(html.unescape(found.group(1)))
    faults = []
    if "error" in v:
        faults.append(v["error"])
    else:
        if v["ready"] != "1" or v["wide"] != 0:
            faults.append(f"ready {v['ready']}, {v['wide']} px wider than its window")
        if v["texts"]["n"] < 60:
            faults.append(f"only {v['texts']['n']} texts")
        faults += v["texts"]["low"][:8]
        if v["heat"] < 4.5:
            faults.append(f"a name on heat has {v['heat']:.2f}")
        if min(v["lines"]) < 3:
            faults.append(f"lines have {v['lines']}")
        for p in v["panels"]:
            if len(v["run_keys"]) == 0 and p["series"] > 1 and (len(p["names"]) != p["series"] or not p["shown"]):
                faults.append(f"{p['title']}: {p['series']} lines, a legend of {p['names']}")
            if p["names"] and p["colours"] != p["drawn"][: len(p["names"])]:
                faults.append(f"{p['title']}: the legend has {p['colours']}, the lines {p['drawn']}")
            if v["run_keys"] and p["drawn"][: len(v["run_keys"])] != v["run_keys"]:
                faults.append(f"{p['title']}: the legend has {v['run_keys']}, the lines {p['drawn']}")
        if v["outside"]:
            faults.append(f"cables reach {max(v['outside'])} beyond the drawing")
        for test in sys.argv[2:]:
            if not eval(test, {"v": v}):  # written in report_looks.sh
                faults.append(f"not so: {test}")
    if faults:
        brief = {k: v.get(k) for k in ("buttons", "changes", "circle", "map")}
        print("\n".join(faults)[:2000], json.dumps(brief)[:900], sep="\n")
    sys.exit(bool(faults))


main()
