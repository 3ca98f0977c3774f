# SPDX-License-Identifier: Apache-2.0
"""judge.py FOLDER ANALYSIS [all] [exact]: does the analysis of a run's capture say what the run recorded?

Counts are equal; a pause differs by less than a nanosecond for each of its episodes, a message's
net_fct by less than one. all: every port was captured. exact: nothing was cut off or lost on its way,
so marks are counted as well.
"""
import csv
import json
import sys

EPOCH_NS = 946684800 * 10**9


def ps(us):
    """Microseconds in decimal digits to whole picoseconds."""
    whole, _, rest = us.partition(".")
    return int(whole) * 10**6 + int((rest + "000000")[:6])


folder, analysis = sys.argv[1], json.load(open(sys.argv[2]))
whole, exact = "all" in sys.argv[3:], "exact" in sys.argv[3:]
summary = json.load(open(f"{folder}/summary.json"))
roce, again = analysis["roce"], summary["retransmits"]
wrong = []


def equal(name, shown, recorded):
    if shown != recorded:
        wrong.append(f"{name}: the capture shows {shown}, the run recorded {recorded}")


equal("retransmitted packets", roce["retransmitted_packets"], again["packets"])
equal("NAKs", roce["naks"], again["naks"])
equal("RNR NAKs", roce["rnr_naks"], again["rnr_naks"])
equal("CNPs", roce["cnps"], summary["cnp"]["sent"])
if "snap: 96" in open(f"{folder}/scenario.yaml").read():  # what is cut cannot be checked
    equal("checked ICRCs of cut frames", any(f["data_packets"] and f["icrc_checked"] for f in analysis["flows"]), False)
if whole:  # a frame that was damaged on a link left its sender whole
    bad = sum(i["icrc_bad"] for i in analysis["interfaces"])
    equal("bad ICRCs", bad, summary["drops"]["corrupt"])
if exact:
    equal("CE packets", roce["ce_packets"], summary["ecn"]["marked_packets"])

interfaces = {i["name"]: i for i in analysis["interfaces"]}
pauses = 0
for row in csv.DictReader(open(f"{folder}/ports.csv")):
    name = row["node"] if row["node"] in interfaces else f"{row['node']}-{row['peer']}"
    episodes = int(row["pauses"] or 0)
    if name not in interfaces or not episodes:
        continue
    pauses += episodes
    shown = interfaces[name]["paused_ns_by_priority"][int(row["priority"])]
    if abs(shown * 1000 - ps(row["paused_us"])) > 1000 * episodes:
        wrong.append(f"pause of {name}: {shown} ns, recorded {row['paused_us']} us in {episodes}")

flows = {f["id"]: f for f in analysis["flows"]}
shown = {}
for m in analysis["messages"]["listed"]:
    shown[flows[m["flow"]]["src"], m["first_ns"] - EPOCH_NS] = m
messages = 0
for row in csv.DictReader(open(f"{folder}/messages.csv")):
    if row["status"] != "completed":
        continue
    messages += 1
    src, first_ps = int(row["src"]), ps(row["first_us"])
    m = shown.get((f"198.19.{src >> 8}.{src & 255}", first_ps // 1000))
    if m is None or m["acked_ns"] is None:
        wrong.append(f"message of host {src} at {row['first_us']} us: not found")
    elif abs((m["acked_ns"] - m["first_ns"]) * 1000 - ps(row["net_fct_us"])) > 1000:
        wrong.append(f"net_fct of host {src} at {row['first_us']} us: {m['acked_ns'] - m['first_ns']} ns")

print(f"{folder}: {roce['data_packets']} data packets, {messages} messages, {pauses} pauses")
for line in wrong[:10]:
    print(f"  {line}")
sys.exit(bool(wrong))
