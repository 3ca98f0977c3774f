#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The tables of squall analyze say what its JSON says: flows, time line, one queue pair.
set -euo pipefail
# shellcheck source=tests/cli/_cli.sh
. "$(dirname "${BASH_SOURCE[0]}")/_cli.sh"

cat >s.yaml <<'END'
squall: 1
fabric: {topology: {kind: star, hosts: 14}, switch: {buffer: 2MiB}}
workload: [{pattern: incast, senders: 12, receiver: 0, message: 60KB, repeat: 2, period: 600us}]
faults: [{at: 0us, for: 3ms, drop: {link: sw0-host0, qp: {src: host5}, psn: 20, count: 1}}]
END
run 0 run s.yaml --quiet --no-report --capture all --snap 96 --out one
run 0 analyze one/capture.pcapng --quiet --json --messages --timeline 10us -o all.json
run 0 analyze one/capture.pcapng --quiet
cp stdout few
run 0 analyze one/capture.pcapng --quiet --flows
cp stdout every
run 0 analyze one/capture.pcapng --quiet --timeline 10us
cp stdout timeline
qp=$(python3 -c 'import json; print(next(f["dqp"] for f in json.load(open("all.json"))["flows"] if f["retransmitted_packets"]))')
run 0 analyze one/capture.pcapng --quiet --qp "$qp"
cp stdout qp
run 0 analyze one/capture.pcapng --quiet --qp 0xabcdef
grep -q 'no packet is to or from QP 0xabcdef' stdout || fail "an absent QP: $(tail -n 2 stdout)"
python3 - "$qp" <<'END' || fail "tables and JSON differ: see above"
import json, re, sys
d, qp = json.load(open("all.json")), int(sys.argv[1])
flows = [f for f in d["flows"] if f["data_packets"]]
assert len(flows) == 12

def rows(name):
    return [l.split() for l in open(name) if re.match(r"  198\.19\.0\.\d+ +0x", l)]

few, every = rows("few"), rows("every")
assert len(few) == 10 and few == every[:10] and len(every) == 12 and "and 2 more (--flows)" in open("few").read()
largest = sorted(flows, key=lambda f: (-f["payload_bytes"], f["id"]))
for r, f in zip(every, largest):
    assert r[:6] == [f["src"], hex(f["peer_qp"]), f["dst"], hex(f["dqp"]), f["transport"].upper(), str(f["data_packets"])], (r, f)

# at, unit, goodput, unit, on the wire, unit, data, CE %, CNPs, NAKs, again
text = open("timeline").read()
lines = [l.split() for l in text[text.index("      at ") :].split("\n")[1:] if re.match(r" +[0-9.]+ [mun]?p?s +[0-9.]+ .?bps", l)]
bins = [b for b in d["timeline"]["bins"]]
assert len(lines) > 10 and "silent" in text and "steps of 10.00 us" in text, text
for at, name in ((6, "data_packets"), (8, "cnps"), (9, "naks"), (10, "retransmitted")):
    assert sum(int(l[at]) for l in lines) == sum(b[name] for b in bins), name
    assert name == "naks" or sum(b[name] for b in bins) > 0, name
units = {"bps": 1, "kbps": 1e3, "Mbps": 1e6, "Gbps": 1e9, "Tbps": 1e12}
shown = sum(float(l[2]) * units[l[3]] for l in lines) * d["timeline"]["width_ns"] / 8e9
assert abs(shown / sum(b["payload_bytes"] for b in bins) - 1) < 1e-3, shown

page = open("qp").read()
f = next(f for f in flows if f["dqp"] == qp)
for words in (f"{f['src']} QP {hex(f['peer_qp'])} to {f['dst']} QP {hex(qp)}: RC, flow {f['id']}, paired by {f['paired_by']}",
              f"PSN {f['first_psn']} to {f['last_psn']}", f"path MTU {f['path_mtu']}", f"UDP port {f['udp_source_port']}",
              f"{f['retransmitted_packets']} packets sent again, {f['missing_psns']} PSNs missing, {f['unfilled_psns']} of them for good",
              f"{f['cnps_from_ce']} after CE, {f['cnps_from_loss']} after loss", "recovery       at ", "by nak", "of a DCQCN reaction point's",
              "seen at        host0: "):
    assert words in page, (words, page)
n = sum(m["flow"] == f["id"] for m in d["messages"]["listed"])
assert page.count("    message  ") == n == 2, (n, page)
assert "mean FCT" not in page  # no table of other flows
END

# Names in a file move no cursor.
python3 -c 'd = open("one/capture.pcapng", "rb").read(); open("evil.pcapng", "wb").write(d.replace(b"host0", b"\x1b[2J0").replace(b"host1", b"\xc2\x9b2J\x07"))'
for option in --flows --qp=0x100 --timeline=10us; do
	run 0 analyze evil.pcapng $option
	! grep -qP '[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' stdout || fail "$option: control characters: $(grep -aP '\x1b|\xc2\x9b' stdout | cat -v | head -n 2)"
done
run 0 analyze evil.pcapng --qp 0x100
grep -q '?\[2J0' stdout || fail "the name is not there: $(grep seen stdout | head -n 3)"
finish
