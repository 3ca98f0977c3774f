# SPDX-License-Identifier: Apache-2.0
"""_rewrite.py BEFORE AFTER [ADDRESSES]: two documents of squall analyze --json that differ in identities alone.
With ADDRESSES (the capture that was written), no address of BEFORE is found in its bytes."""
import ipaddress
import json
import sys

# Who somebody is, which numbers they have, and what is read off them.
IDENTITIES = {"files", "file", "src", "dst", "address", "dqp", "peer_qp", "udp_source_port", "paired_by", "clock",
              "psn", "text"}


def identities_gone(value):
    if isinstance(value, dict):
        out = {k: identities_gone(v) for k, v in value.items() if k not in IDENTITIES}
        if "severity" not in out:  # an interface's; a finding's stays
            out.pop("name", None)
        if "first_psn" in out:
            first, last = out.pop("first_psn"), out.pop("last_psn")
            out["psns"] = None if first is None else (last - first) % (1 << 24)
        return out
    return [identities_gone(v) for v in value] if isinstance(value, list) else value


def differences(a, b, where=""):
    if isinstance(a, dict) and isinstance(b, dict):
        for key in a.keys() | b.keys():
            yield from differences(a.get(key), b.get(key), f"{where}.{key}")
    elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        for i, (x, y) in enumerate(zip(a, b)):
            yield from differences(x, y, f"{where}[{i}]")
    elif a != b:
        yield f"{where}: {a} before, {b} after"


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        before = json.load(f)
    with open(sys.argv[2], encoding="utf-8") as f:
        after = json.load(f)
    found = list(differences(identities_gone(before), identities_gone(after)))
    for line in found[:10]:
        print(line)
    if len(sys.argv) > 3:
        with open(sys.argv[3], "rb") as f:
            written = f.read()
        # Four bytes are found by chance in many millions: there both addresses together.
        small = len(written) < 4000000
        for flow in before["flows"]:
            ends = [ipaddress.ip_address(flow[end]).packed for end in ("src", "dst")]
            if any(written.find(name) >= 0 for name in (ends if small else [ends[0] + ends[1]])):
                found.append("address")
                print(f"{flow['src']} or {flow['dst']} is still there")
        same = [f for f, g in zip(before["flows"], after["flows"])
                if f["src"] == g["src"] or f["dqp"] == g["dqp"] > 1 or f["data_packets"] and f["first_psn"] == g["first_psn"]]
        if same:
            found.append("same")
            print(f"flows under their old names: {same[0]}")
    sys.exit(bool(found))


main()
