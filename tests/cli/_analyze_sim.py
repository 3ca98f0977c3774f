# SPDX-License-Identifier: Apache-2.0
"""_analyze_sim.py FOLDER ANALYSIS [sprayed]: the simulator's results against those of the capture of all its ports."""
import csv
import json
import sys

folder, analysis = sys.argv[1:3]
with open(f"{folder}/summary.json", encoding="utf-8") as f:
    truth = json.load(f)
with open(analysis, encoding="utf-8") as f:
    seen = json.load(f)
failed = 0


def same(what, want, got, within=0):
    global failed
    if abs(want - got) > within:
        print(f"{what}: {want} in the results, {got} in the capture")
        failed = 1


def recoveries(cause):
    return sum(flow["retransmitted_by_cause"][cause]["events"] for flow in seen["flows"])


roce, pfc = seen["roce"], seen["pfc"]
same("messages", truth["messages"]["completed"], roce["messages"])
same("listed messages", truth["messages"]["completed"], seen["messages"]["all"])
same("marks", truth["ecn"]["marked_packets"], roce["ce_packets"])
same("CNPs", truth["cnp"]["sent"], roce["cnps"])
same("XOFF", truth["pfc"]["pause_frames"], pfc["xoff_frames"])
same("XON", truth["pfc"]["resume_frames"], pfc["xon_frames"])
# Begin and end of each pause are cut to nanoseconds.
same("pause", truth["pfc"]["paused_us"] * 1000, sum(pfc["paused_ns_by_priority"]), pfc["episodes"])
same("sent again", truth["retransmits"]["packets"], roce["retransmitted_packets"])
same("NAKs", truth["retransmits"]["naks"], roce["naks"])
same("recoveries by NAK", truth["retransmits"]["naks"], recoveries("nak"))
same("recoveries by timeout", truth["retransmits"]["timeouts"], recoveries("timeout"))
same("other recoveries", 0, recoveries("unknown") + recoveries("rnr"))
same("lost between places", truth["drops"]["total"] - truth["drops"]["corrupt"], sum(path["lost"] for path in seen["paths"]))
# Damaged packets arrive, to be dropped there.
same("one-way samples", truth["latency_us"]["samples"] + truth["drops"]["corrupt"], seen["latency_ns"]["samples"])
for end in ("min", "max"):
    same(f"one-way {end}", truth["latency_us"][end] * 1000, seen["latency_ns"][end], 2)
# Nothing is missing at a receiver for good if every message is complete.
if truth["messages"]["completed"] == truth["messages"]["started"]:
    same("never shown", 0, roce["unfilled_psns"])
if len(sys.argv) > 3:  # spraying without a loss: what arrives late was never sent again
    same("reordered", roce["missing_psns"], roce["reordered_packets"])
same("bad ICRCs", 0, roce["icrc_bad"])
same("flows without their peer", 0, sum(flow["peer_flow"] is None for flow in seen["flows"]))

with open(f"{folder}/messages.csv", encoding="utf-8") as f:
    want = sorted(float(row["net_fct_us"]) * 1000 for row in csv.DictReader(f) if row["net_fct_us"])
got = sorted(m["acked_ns"] - m["first_ns"] for m in seen["messages"]["listed"] if m["acked_ns"] is not None)
same("messages with net_fct", len(want), len(got))
for a, b in zip(want, got):
    same("net_fct", a, b, 1)
sys.exit(failed)
