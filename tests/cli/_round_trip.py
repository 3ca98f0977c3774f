# SPDX-License-Identifier: Apache-2.0
"""_round_trip.py EXACT NAME A B IMPORT: results of a run, and of what was made of its capture."""
import csv
import json
import sys

exact, name, a, b, made = sys.argv[1] == "exact", *sys.argv[2:]
summary = [json.load(open(f"{d}/summary.json")) for d in (a, b)]
bad = []


def sizes(folder):
    with open(f"{folder}/messages.csv") as f:
        return sorted((r["src"], r["dst"], r["bytes"]) for r in csv.DictReader(f) if r["first_us"])


def value(s, key):
    for part in key.split("."):
        s = s[part]
    return s


if sizes(a) != sizes(b):
    bad.append("other messages")
with open(made) as f:
    waited = "messages that stand right behind others" in f.read()
line = []
for key in ("net_fct_us.p50", "net_fct_us.p99", "fct_us.p50", "fct_us.p99", "ecn.marked_fraction", "pfc.paused_us",
            "drops.total"):
    x, y = (value(s, key) for s in summary)
    if x == y:
        line.append("same")
        continue
    off = (y or 0) / x - 1 if x else 1
    line.append(f"{off:+.2%}")
    # What a message waited before its first packet cannot be seen.
    if (exact and abs(off) > 1e-3) or (abs(off) > 0.1 and not (waited and key.startswith("fct_us"))):
        bad.append(f"{key} {x} -> {y}")
print(f"{name:28}", *(f"{t:>8}" for t in line), "; ".join(bad))
sys.exit(bool(bad))
